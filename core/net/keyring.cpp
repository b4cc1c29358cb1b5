// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/net/keyring.h"

#include "core/net/application.h"

#include <QEventLoop>
#include <QTimer>
#include <memory>
#include <qt6keychain/keychain.h>

namespace kf::net {
namespace {

const QString service = QStringLiteral("KernelForge");

// Whether the job ended within the time; it deletes itself, then or later, unless the caller still wants its answer.
bool run(QKeychain::Job& job, const std::string& account, double timeout_s) {
    job.setAutoDelete(false);
    job.setInsecureFallback(false); // never a plain file
    job.setKey(QString::fromStdString(account));
    QEventLoop loop;
    bool ended = false;
    QObject::connect(&job, &QKeychain::Job::finished, &loop, [&] {
        ended = true;
        loop.quit();
    });
    QTimer::singleShot(static_cast<int>(timeout_s * 1000), &loop, &QEventLoop::quit);
    job.start();
    if (!ended)
        loop.exec(QEventLoop::ExcludeUserInputEvents);
    return ended;
}

// A job that did not answer is still known to libsecret, which will call it: it must live on.
template<class Job> void let_go(std::unique_ptr<Job> job, bool ended) {
    if (!ended)
        job.release()->setAutoDelete(true);
}

Error no_keyring(const std::string& why) {
    return make_error("no-keyring",
                      "the key could not be stored: there is no keyring here" + (why.empty() ? "" : " (" + why + ")"),
                      "it is kept until the program ends; to keep it longer, set the provider's environment variable");
}

} // namespace

std::optional<ApiKey> Keyring::read(const std::string& account) const {
    ensure_application();
    auto job = std::make_unique<QKeychain::ReadPasswordJob>(service);
    const bool ended = run(*job, account, timeout_s);
    std::optional<ApiKey> key;
    if (ended && job->error() == QKeychain::NoError)
        if (Result<ApiKey> made = ApiKey::make(job->textData().toStdString()); made)
            key = *std::move(made);
    let_go(std::move(job), ended);
    return key;
}

Status Keyring::write(const std::string& account, const ApiKey& key) const {
    ensure_application();
    auto job = std::make_unique<QKeychain::WritePasswordJob>(service);
    job->setTextData(QString::fromStdString(key.reveal()));
    const bool ended = run(*job, account, timeout_s);
    const bool good = ended && job->error() == QKeychain::NoError;
    const std::string why = ended ? job->errorString().toStdString() : "it does not answer";
    let_go(std::move(job), ended);
    return good ? Status() : Status(no_keyring(why));
}

Status Keyring::remove(const std::string& account) const {
    ensure_application();
    auto job = std::make_unique<QKeychain::DeletePasswordJob>(service);
    const bool ended = run(*job, account, timeout_s);
    const bool good = ended && (job->error() == QKeychain::NoError || job->error() == QKeychain::EntryNotFound);
    const std::string why = ended ? job->errorString().toStdString() : "it does not answer";
    let_go(std::move(job), ended);
    return good ? Status()
                : Status(make_error("no-keyring", "the key could not be removed from the keyring (" + why + ")",
                                    "remove it with the desktop's own keyring program"));
}

} // namespace kf::net
