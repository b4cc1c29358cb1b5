// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/doctor_model.h"

#include "core/base/json.h"
#include "ui/control/detached_process.h"
#include "ui/models/texts.h"

#include <QFileInfo>

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int longest_ms = 150'000; // the command gives its evaluator two minutes

} // namespace

Result<DoctorReport> doctor_report(const QByteArray& output, const QByteArray& standard_error) {
    const QByteArray line = output.trimmed().split('\n').back();
    const auto json = parse_json(std::string_view(line.data(), static_cast<std::size_t>(line.size())), "doctor");
    if (line.isEmpty() || !json) {
        Error error = error_from_words(QString::fromUtf8(standard_error), u"kernelforge doctor said nothing"_s);
        error.code = "doctor-failed";
        return error;
    }
    DoctorReport report;
    report.can_judge = get_bool(*json, "can_judge");
    const Json& checks = get_member(*json, "checks");
    if (checks.is_array())
        for (const Json& check : checks)
            report.rows.push_back({plain(get_string(check, "name")), plain(get_string(check, "found")),
                                   get_bool(check, "ok"), plain(get_string(check, "disables")),
                                   plain(get_string(check, "remedy"))});
    return report;
}

DoctorModel::DoctorModel(QObject* parent) : QAbstractListModel(parent) {
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience_ms);
    connect(&m_patience, &QTimer::timeout, this, &DoctorModel::settled);
    m_deadline.setSingleShot(true);
    m_deadline.setInterval(longest_ms);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        kill_probe();
        m_error = make_error("doctor-failed", "kernelforge doctor does not answer", "run it in a terminal");
        Q_EMIT finished();
    });
}

DoctorModel::~DoctorModel() {
    kill_probe();
}

void DoctorModel::kill_probe() {
    m_deadline.stop();
    m_patience.stop();
    if (!m_process)
        return;
    m_process->disconnect(this);
    if (const auto pid = static_cast<pid_t>(m_process->processId()); pid > 0)
        kill(-pid, SIGKILL);
    m_process->waitForFinished(500);
    m_process.reset();
}

void DoctorModel::probe(const QString& program, const QStringList& arguments) {
    kill_probe();
    m_error.reset();
    if (!QFileInfo(program).isExecutable()) {
        m_can_judge = false;
        m_error = make_error("doctor-failed", "the program kernelforge is not beside this one",
                             "build or install it: " + program.toStdString());
        set_rows({{u"kernelforge"_s, u"no "_s + program, false, u"runs and judging"_s,
                   u"build or install kernelforge beside this program"_s}});
        Q_EMIT settled();
        Q_EMIT finished();
        return;
    }
    m_can_judge.reset();
    m_process = std::make_unique<QProcess>();
    m_process->setProgram(program);
    m_process->setArguments(QStringList{u"doctor"_s, u"--json"_s} + arguments);
    m_process->setStandardInputFile(QProcess::nullDevice());
    m_process->setChildProcessModifier([] {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    });
    connect(m_process.get(), &QProcess::finished, this, &DoctorModel::end);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end();
    });
    m_patience.start();
    m_deadline.start();
    m_process->start();
}

void DoctorModel::end() {
    if (!m_process)
        return;
    m_deadline.stop();
    const auto report = doctor_report(m_process->readAllStandardOutput(), m_process->readAllStandardError());
    m_process->disconnect(this);
    m_process.release()->deleteLater();
    if (report) {
        m_can_judge = report->can_judge;
        set_rows(report->rows);
    } else {
        m_error = report.error();
    }
    if (m_patience.isActive()) {
        m_patience.stop();
        Q_EMIT settled();
    }
    Q_EMIT finished();
}

void DoctorModel::set_rows(std::vector<DoctorRow> rows) {
    if (rows == m_rows)
        return;
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int DoctorModel::missing() const {
    return static_cast<int>(std::count_if(m_rows.begin(), m_rows.end(), [](const DoctorRow& row) { return !row.ok; }));
}

QString DoctorModel::summary() const {
    if (probing())
        return u"Checking this machine …"_s;
    if (m_error)
        return plain(m_error->message);
    if (m_rows.empty())
        return u"This machine was not checked yet"_s;
    const int gone = missing();
    return gone == 0 ? u"All %1 checks passed"_s.arg(m_rows.size())
                     : u"%1 of %2 %3 missing"_s.arg(gone).arg(m_rows.size()).arg(gone == 1 ? u"is"_s : u"are"_s);
}

int DoctorModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant DoctorModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const DoctorRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return row.name;
    case Qt::ToolTipRole:
        return row.ok ? row.found : row.found + u"\nDisables "_s + row.disables + u"\n"_s + row.remedy;
    case Qt::AccessibleTextRole:
        return row.name +
               (row.ok ? u", found: "_s + row.found : u", missing; disables "_s + row.disables + u"; "_s + row.remedy);
    case DoctorRole::ok:
        return row.ok;
    case DoctorRole::found:
        return row.found;
    case DoctorRole::disables:
        return row.disables;
    case DoctorRole::remedy:
        return row.remedy;
    default:
        return {};
    }
}

} // namespace kf::ui
