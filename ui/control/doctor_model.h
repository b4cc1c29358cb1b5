// SPDX-License-Identifier: GPL-3.0-or-later
// What this machine can do and what is missing, as `kernelforge doctor` finds it, in the background. Nobody waits for
// it: what can be told without it is there at once.
#pragma once

#include "core/base/result.h"

#include <QAbstractListModel>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace kf::ui {

struct DoctorRow {
    QString name, found;
    bool ok = false;
    QString disables, remedy; // "" when it is there
    bool operator==(const DoctorRow&) const = default;
};

namespace DoctorRole {
enum Value { ok = Qt::UserRole + 1, found, disables, remedy };
}

class DoctorModel : public QAbstractListModel {
    Q_OBJECT
public:
    // How long a window may wait before it shows what is known.
    static constexpr int patience_ms = 1000;

    explicit DoctorModel(QObject* parent = nullptr);
    ~DoctorModel() override;

    // `arguments`: --launcher, --evaluator, --runs, as the command takes them. A probe that runs is ended.
    void probe(const QString& program, const QStringList& arguments = {});
    bool probing() const { return m_process != nullptr; }
    const std::vector<DoctorRow>& rows() const { return m_rows; }
    // Whether the CPU device can judge; nothing while that is not known.
    std::optional<bool> can_judge() const { return m_can_judge; }
    int missing() const;
    // "All 14 checks passed", "2 of 14 are missing", "Checking this machine …", or why it cannot be told.
    QString summary() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    // The probe has ended, or one second has passed: what is known is worth showing.
    void settled();
    // All that can be known is.
    void finished();

private:
    void end();
    void kill_probe();
    void set_rows(std::vector<DoctorRow> rows);

    std::vector<DoctorRow> m_rows;
    std::optional<bool> m_can_judge;
    std::optional<Error> m_error;
    std::unique_ptr<QProcess> m_process;
    QTimer m_patience, m_deadline;
};

// The rows of one line of `kernelforge doctor --json`. Errors: "doctor-failed".
struct DoctorReport {
    bool can_judge = false;
    std::vector<DoctorRow> rows;
};
Result<DoctorReport> doctor_report(const QByteArray& output, const QByteArray& standard_error);

} // namespace kf::ui
