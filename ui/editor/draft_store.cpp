// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/draft_store.h"

#include "core/base/files.h"
#include "core/base/sha256.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace kf::ui {
namespace {

constexpr qint64 most_bytes = 8 << 20;

QString hash_of(const QByteArray& text) {
    return QString::fromStdString(sha256(std::string_view(text.constData(), static_cast<std::size_t>(text.size()))));
}

Status write(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return make_error("file-unwritable",
                          "the draft cannot be saved as " + path.toStdString() + ": " +
                              file.errorString().toStdString(),
                          "make room or give this user the right to write there", {path.toStdString(), 0, 0});
    return {};
}

std::optional<QByteArray> read(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > most_bytes)
        return std::nullopt;
    return file.readAll();
}

} // namespace

DraftStore::DraftStore(QString folder) : m_folder(std::move(folder)) {
    if (m_folder.isEmpty())
        m_folder = QString::fromStdString((data_folder() / "drafts").string());
}

// A name that every file system takes; different tasks never share one.
QString DraftStore::base_of(const QString& task) const {
    QString name;
    for (const QChar c : task.left(80))
        name += c.unicode() < 128 && (c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('-'))
                    ? c
                    : QLatin1Char('_');
    if (name != task)
        name += QLatin1Char('-') + hash_of(task.toUtf8()).left(8);
    return m_folder + QLatin1Char('/') + name;
}

QString DraftStore::path_of(const QString& task) const {
    return base_of(task) + QStringLiteral(".cu");
}

Status DraftStore::save(const QString& task, const SavedDraft& draft) const {
    if (!QDir().mkpath(m_folder))
        return make_error("file-unwritable", "the folder " + m_folder.toStdString() + " cannot be made",
                          "give this user the right to write there", {m_folder.toStdString(), 0, 0});
    if (auto written = write(path_of(task), draft.text); !written)
        return written;
    const QJsonObject about{{QStringLiteral("task"), task},
                            {QStringLiteral("text"), hash_of(draft.text)},
                            {QStringLiteral("run"), draft.run},
                            {QStringLiteral("turn"), draft.turn},
                            {QStringLiteral("origin"), draft.origin_hash},
                            {QStringLiteral("saved"), draft.saved.toUTC().toString(Qt::ISODate)},
                            {QStringLiteral("closed"), draft.closed},
                            {QStringLiteral("line"), draft.line}};
    return write(base_of(task) + QStringLiteral(".json"), QJsonDocument(about).toJson());
}

std::optional<SavedDraft> DraftStore::load(const QString& task) const {
    const auto text = read(path_of(task));
    if (!text)
        return std::nullopt;
    SavedDraft draft;
    draft.text = *text;
    if (const auto json = read(base_of(task) + QStringLiteral(".json"))) {
        const QJsonObject about = QJsonDocument::fromJson(*json).object();
        // The text is written first: after a crash between the two the details may be of the text before.
        if (about.value(QStringLiteral("text")).toString() == hash_of(*text))
            draft.closed = about.value(QStringLiteral("closed")).toBool();
        draft.run = about.value(QStringLiteral("run")).toString();
        draft.turn = about.value(QStringLiteral("turn")).toInt(-1);
        draft.origin_hash = about.value(QStringLiteral("origin")).toString();
        draft.saved = QDateTime::fromString(about.value(QStringLiteral("saved")).toString(), Qt::ISODate);
        draft.line = about.value(QStringLiteral("line")).toInt();
    }
    return draft;
}

void DraftStore::remove(const QString& task) const {
    QFile::remove(path_of(task));
    QFile::remove(base_of(task) + QStringLiteral(".json"));
}

} // namespace kf::ui
