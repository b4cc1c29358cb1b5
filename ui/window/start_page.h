// SPDX-License-Identifier: GPL-3.0-or-later
// Shown while no run is open: the tasks and what they compute, "Run with the tuner" one click away, recent runs, and
// what this machine can judge. Nothing here waits: lists fill when their workers have read.
#pragma once

#include "ui/control/doctor_model.h"
#include "ui/models/run_list_model.h"
#include "ui/models/task_list_model.h"

#include <QWidget>

class QBoxLayout;
class QLabel;
class QListView;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace kf::ui {

class StartPage : public QWidget {
    Q_OBJECT
public:
    StartPage(TaskListModel& tasks, RunListModel& runs, DoctorModel& doctor, QWidget* parent = nullptr);

    QString task() const; // "" while there is none
    void set_task(const QString& name);
    // Which model a run would ask, and why it cannot be asked now ("": it can).
    void set_model(const QString& model, const QString& trouble);
    // All that is shown, as text.
    QString text_twin() const;
    void focus_first();

Q_SIGNALS:
    void task_chosen(const QString& name);
    void run_requested(const QString& task);
    void model_run_requested(const QString& task);
    void edit_requested(const QString& task);
    void run_opened(const QString& folder);
    void open_requested();
    void settings_requested();
    void model_settings_requested();
    void probe_requested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* make_tasks();
    QWidget* make_side();
    void refresh_tasks();
    void refresh_runs();
    void refresh_findings();
    void restyle();
    TaskListModel& m_tasks;
    RunListModel& m_runs;
    DoctorModel& m_doctor;
    QListView* m_list;
    QListWidget* m_recent;
    QLabel *m_no_runs, *m_machine;
    QVBoxLayout* m_findings;
    QBoxLayout* m_columns = nullptr;
    QLabel* m_model_line;
    QString m_model_trouble;
    QPushButton *m_run, *m_model, *m_edit, *m_open, *m_again, *m_settings;
    std::vector<QLabel*> m_headings;
    QString m_wanted;
};

} // namespace kf::ui
