// SPDX-License-Identifier: GPL-3.0-or-later
// The editor: a draft that the person owns, and beside it, read-only, what the run has (champion, start kernel, latest
// proposal, turns). A number for the draft is one key away. What the run does never changes the draft; the draft never
// changes the run. Each draft is kept on disk, one a task.
#pragma once

#include "ui/editor/bench_desk.h"
#include "ui/editor/documents.h"
#include "ui/editor/draft_store.h"
#include "ui/editor/issue_marks.h"
#include "ui/editor/plan_check.h"
#include "ui/editor/source_text.h"
#include "ui/models/issue_model.h"
#include "ui/widgets/pane.h"

#include <QHash>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <vector>

class QStackedWidget;
class QTabBar;

namespace kf::ui {

class BannerStack;
class CodeEditor;
class EmptyState;
class FindBar;
class LineBar;
class StateLine;

// What the window offers as actions; it owns the QActions.
struct EditorCommand {
    QString id, text, tip, icon;
    QStringList keys;       // portable text; may be empty
    bool in_editor = false; // the key counts only while the editor has the keyboard
    std::function<void()> run;
};

class EditorPane : public Pane {
    Q_OBJECT
public:
    // `judge` and `drafts_folder` are for tests: by default the controller, and the data folder's drafts/.
    EditorPane(const PaneContext& context, IssueModel& issues, QWidget* parent = nullptr,
               std::unique_ptr<Judge> judge = nullptr, const QString& drafts_folder = {});
    ~EditorPane() override; // saves the draft

    // The task that a draft is for while no run is shown, by name or folder; "": none. A run brings its own.
    void set_task(const QString& name_or_folder);
    const QString& task() const { return m_task_name; }

    CodeEditor* draft() const { return m_draft; }
    CodeEditor* current_editor() const;
    QString current_document() const; // "draft", "champion", …
    QStringList documents() const;
    bool draft_modified() const; // differs from what it came from
    bool draft_stale() const;    // differs from what the plots show
    QString state_text() const;
    QStringList banners() const;
    std::vector<EditorCommand> commands();
    // Keys that the editor answers to itself, as portable text.
    QStringList editor_keys() const;

    void show_document(const QString& id);
    void show_turn(int turn);         // its source, in a tab of its own
    void go_to(int line, int column); // in the current text, from 1; column in characters, 0: the line's start

    // The draft as it is to be judged, whatever tab is in front; its parent is the turn that it was written on.
    BenchOrder draft_order(Level level) const;
    void bench(Level level = Level::screen);
    void compile();
    void take_into_draft();
    void reset_draft();
    Status open_file(const QString& path);
    Status save_as(const QString& path);
    void next_issue(bool forward = true);
    // Writes what is not yet on disk. Errors become a banner.
    void save_draft(bool closing = false);

    QByteArray save_state() const;
    void restore_state(const QByteArray& state);

    QString text_twin() const override;
    QStringList export_formats() const override;
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    void find() override;

Q_SIGNALS:
    // Plots and listings show something else than what is written.
    void stale_changed(bool stale);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // Where a draft came from.
    struct Origin {
        int turn = -1; // of the run; -1: the task's start kernel or a file
        QString name;  // "turn 8", "start kernel", "softmax.cu"
        QByteArray text;
        QString hash;
    };
    struct Tab {
        Document document;
        CodeEditor* editor = nullptr;
        SourceText text;
    };

    void make_widgets();
    void make_connections();
    CodeEditor* make_editor(bool read_only);
    void refresh_tabs();
    void refresh_tab_titles();
    void choose_tab(int index);
    void fit_head();
    void close_tab(const QString& id);
    void load_tab(Tab& tab);
    void show_banners(const Tab* tab);
    Tab* tab_of(const QString& id);
    Tab* current_tab();

    void on_run_reset();
    void on_run_changed(const RunChanges& changes);
    void take_limits();
    void enter_task(const QString& name, std::shared_ptr<const Task> task);
    void leave_task();
    void begin_draft();
    void set_origin(Origin origin);
    Origin start_origin() const;
    Origin turn_origin(int turn) const;
    void on_draft_changed();
    void on_found(const PlanFindings& findings);
    void on_answer(BenchDesk::What what, const BenchAnswer& answer);
    void tell_issues();
    void refresh_state();
    BenchOrder order_of(Level level) const;
    void ask_open();
    void ask_save();
    void show_file(const QString& name, const SourceText& text, const QByteArray& bytes);

    PaneContext m_context;
    IssueModel& m_issue_model;
    DocumentSet m_documents;
    std::unique_ptr<Judge> m_judge;
    BenchDesk m_desk;
    PlanChecker m_checker;
    QString m_limits_words = limits_words(m_checker.limits(), {});
    DraftStore m_drafts;

    QString m_task_name;   // of the current draft; "": none
    QString m_chosen_task; // by set_task
    std::shared_ptr<const Task> m_task;
    QString m_file_name = QStringLiteral("draft.cu");
    Origin m_origin;
    QHash<QString, Origin> m_origins; // known ones by hash, so that undo across loads says what is shown
    SourceText m_draft_form;          // mark and line ends of the file it was opened from
    bool m_restored = false, m_unsaved = false, m_parsed = true, m_stale = false, m_entering = false;
    std::vector<Error> m_plan_errors;

    QWidget* m_head;
    QTabBar* m_tabs;
    StateLine* m_state;
    BannerStack* m_banners;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    FindBar* m_find;
    LineBar* m_line_bar;
    CodeEditor* m_draft;
    std::map<QString, Tab> m_open; // read-only documents by id
    QTimer m_autosave, m_refresh, m_tick;
};

} // namespace kf::ui
