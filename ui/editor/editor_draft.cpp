// SPDX-License-Identifier: GPL-3.0-or-later
// EditorPane: the draft, where it comes from and where it is kept.
#include "core/base/files.h"
#include "core/base/sha256.h"
#include "ui/editor/code_editor.h"
#include "ui/editor/completion.h"
#include "ui/editor/editor_pane.h"
#include "ui/editor/find_bar.h"
#include "ui/models/texts.h"
#include "ui/widgets/banner.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTabBar>

namespace kf::ui {
namespace {

QString hash_of(const QByteArray& text) {
    return QString::fromStdString(sha256(std::string_view(text.constData(), static_cast<std::size_t>(text.size()))));
}

std::shared_ptr<const Task> task_named(const QString& name) {
    auto task = find_task(name.toStdString(), resource_folder() / "tasks");
    return task ? std::make_shared<const Task>(std::move(*task)) : nullptr;
}

// The task as the run's journal has it, else as it is installed.
std::shared_ptr<const Task> task_of(const RunStore& store) {
    const RunStarted& start = store.state().start;
    if (const std::string hash = get_string(start.settings, "task_blob"); !hash.empty())
        if (const auto text = store.blob(hash)) {
            const Json wire = Json::parse(*text, nullptr, false);
            if (auto task = task_from_wire(wire))
                return std::make_shared<const Task>(std::move(*task));
        }
    return task_named(QString::fromStdString(start.task));
}

} // namespace

void EditorPane::set_task(const QString& name_or_folder) {
    m_chosen_task = name_or_folder;
    if (m_context.store.state().start.task.empty())
        on_run_reset();
}

void EditorPane::on_run_reset() {
    // The run's own task comes with its first event; until then nothing is thrown away.
    if (m_context.store.mode() != RunMode::none && m_context.store.state().start.task.empty()) {
        // An order that waits may be what this run was started for.
        if (m_desk.phase() != BenchDesk::Phase::waiting)
            m_desk.forget();
        refresh_tabs();
        return;
    }
    if (m_context.store.mode() == RunMode::none) {
        take_limits();
        auto task = m_chosen_task.isEmpty() ? nullptr : task_named(m_chosen_task);
        const QString name = task ? QString::fromStdString(task->name) : QString();
        enter_task(name, std::move(task));
    }
}

void EditorPane::on_run_changed(const RunChanges& changes) {
    const QString task = QString::fromStdString(m_context.store.state().start.task);
    if (!task.isEmpty() && (task != m_task_name || !m_task)) {
        auto read = task_of(m_context.store);
        enter_task(read ? QString::fromStdString(read->name) : task, std::move(read));
    }
    if (changes.header)
        take_limits();
    // A draft that was never touched begins with the text the run is about.
    if (m_task && !draft_modified() && m_origin.turn < 0 && m_origin.name == QStringLiteral("start kernel"))
        if (Origin start = turn_origin(0); start.turn == 0 && start.text != m_draft->source() && !m_unsaved) {
            m_entering = true;
            m_draft->load(start.text);
            set_origin(std::move(start));
            m_entering = false;
        }
    if (m_desk.turn() >= 0 && changes.turns.count(m_desk.turn()) && m_desk.phase() == BenchDesk::Phase::answered)
        if (const auto evaluation = m_context.store.evaluation(m_desk.turn());
            evaluation && hash_of(m_desk.source()) == QString::fromStdString((*evaluation)->candidate_hash))
            m_desk.update(**evaluation);
    m_refresh.start();
}

// The limits of the run's device, where its journal tells them; else the CPU device's.
void EditorPane::take_limits() {
    const RunState& state = m_context.store.state();
    const auto told = limits_of_run(state);
    const DeviceLimits limits = told.value_or(cpu_device_limits(0));
    m_limits_words = limits_words(limits, told ? plain(get_string(state.start.device, "name")).left(60) : QString());
    if (to_json(limits) != to_json(m_checker.limits())) {
        m_checker.set_limits(limits);
        if (!m_task_name.isEmpty())
            m_checker.touch([this] { return m_draft->source(); }, m_file_name);
    }
    refresh_tab_titles();
}

void EditorPane::enter_task(const QString& name, std::shared_ptr<const Task> task) {
    if (name == m_task_name && task && m_task && task->hash == m_task->hash) {
        refresh_tabs();
        return;
    }
    const bool same_name = name == m_task_name && !name.isEmpty();
    if (!same_name)
        leave_task();
    m_task = std::move(task);
    m_task_name = name;
    m_checker.set_task(m_task);
    if (!same_name && !name.isEmpty())
        begin_draft();
    else if (!name.isEmpty())
        m_checker.check_now(m_draft->source(), m_file_name);
    refresh_tabs();
}

void EditorPane::leave_task() {
    if (m_task_name.isEmpty())
        return;
    save_draft(true);
    m_desk.forget();
    m_checker.cancel();
    m_origins.clear();
    m_banners->clear(QStringLiteral("restored"));
    m_task_name.clear();
}

EditorPane::Origin EditorPane::start_origin() const {
    Origin origin;
    origin.name = QStringLiteral("start kernel");
    if (m_task && !m_task->folder.empty())
        if (const auto text = read_file(m_task->folder / "start.cu", 1 << 20))
            origin.text = decode_source(QByteArray::fromStdString(*text)).text;
    origin.hash = hash_of(origin.text);
    return origin;
}

EditorPane::Origin EditorPane::turn_origin(int turn) const {
    Origin origin;
    const auto text = m_context.store.source(turn);
    if (!text)
        return origin;
    const SourceText decoded = decode_source(QByteArray::fromStdString(*text));
    if (decoded.damaged)
        return origin;
    origin.turn = turn;
    origin.name = turn == 0 ? QStringLiteral("start kernel") : QStringLiteral("turn %1").arg(turn);
    origin.text = decoded.text;
    origin.hash = hash_of(origin.text);
    return origin;
}

// What was kept of this task comes back; else the champion's text, else the start kernel.
void EditorPane::begin_draft() {
    m_entering = true;
    m_restored = false;
    m_draft_form = {};
    m_file_name = QStringLiteral("draft.cu");
    m_draft->set_language(Language::cuda);
    Origin origin;
    if (const ChampionState* champion = m_context.store.state().champion())
        origin = turn_origin(champion->turn);
    if (origin.name.isEmpty())
        origin = turn_origin(0);
    if (origin.name.isEmpty())
        origin = start_origin();
    const auto saved = m_drafts.load(m_task_name);
    const QString run = QString::fromStdString(m_context.store.state().start.run);
    const SourceText kept = saved ? decode_source(saved->text) : SourceText();
    // A kept text that is what it came from holds no work.
    if (saved && !kept.damaged && !kept.text.isEmpty() && hash_of(kept.text) != saved->origin_hash &&
        kept.text != origin.text) {
        if (saved->turn >= 0 && saved->run == run && !run.isEmpty())
            if (Origin from = turn_origin(saved->turn); !from.name.isEmpty())
                origin = std::move(from);
        m_draft->load(origin.text);
        // As a step of its own: Ctrl+Z shows what it came from.
        m_draft->replace_all(kept.text);
        m_draft->go_to(saved->line, 0);
        m_restored = true;
        if (!saved->closed) {
            Banner banner;
            banner.key = QStringLiteral("restored");
            banner.severity = Severity::info;
            banner.cause = QStringLiteral("Your draft of %1 is back; the window was not closed in order.")
                               .arg(saved->saved.toLocalTime().toString(QStringLiteral("d MMM HH:mm")));
            banner.action = QStringLiteral("Reset to ") + origin.name;
            banner.act = [this] {
                reset_draft();
                m_banners->clear(QStringLiteral("restored"));
            };
            m_banners->post(std::move(banner));
        }
    } else {
        m_draft->load(origin.text);
    }
    m_unsaved = false;
    set_origin(std::move(origin));
    m_entering = false;
    m_checker.check_now(m_draft->source(), m_file_name);
}

void EditorPane::set_origin(Origin origin) {
    m_origin = std::move(origin);
    m_origins.insert(m_origin.hash, m_origin);
    refresh_tab_titles();
    m_refresh.start();
}

bool EditorPane::draft_modified() const {
    return m_draft->source() != m_origin.text;
}

void EditorPane::on_draft_changed() {
    if (m_entering)
        return;
    m_unsaved = true;
    m_autosave.start();
    m_refresh.start();
    m_checker.touch([this] { return m_draft->source(); }, m_file_name);
}

void EditorPane::save_draft(bool closing) {
    m_autosave.stop();
    if (m_task_name.isEmpty() || (!m_unsaved && !closing))
        return;
    const QByteArray text = m_draft->source();
    if (closing && !m_unsaved && !draft_modified() && !m_drafts.load(m_task_name))
        return; // never touched: nothing to keep
    SavedDraft draft;
    draft.text = text;
    draft.run = QString::fromStdString(m_context.store.state().start.run);
    draft.turn = m_origin.turn;
    draft.origin_hash = m_origin.hash;
    draft.saved = QDateTime::currentDateTimeUtc();
    draft.closed = closing;
    draft.line = m_draft->caret_line();
    if (const auto saved = m_drafts.save(m_task_name, draft); !saved) {
        m_context.notices.banner(QStringLiteral("draft-save"), saved.error());
        return;
    }
    m_context.notices.clear(QStringLiteral("draft-save"));
    m_unsaved = false;
}

void EditorPane::take_into_draft() {
    Tab* tab = current_tab();
    if (!tab || !tab->editor)
        return;
    if (tab->text.damaged) {
        m_context.notices.toast(tab->text.problem);
        return;
    }
    Origin origin;
    origin.turn = tab->document.turn;
    origin.name = tab->document.turn == 0  ? QStringLiteral("start kernel")
                  : tab->document.turn > 0 ? QStringLiteral("turn %1").arg(tab->document.turn)
                                           : tab->document.title;
    origin.text = tab->editor->source();
    origin.hash = hash_of(origin.text);
    m_draft->set_language(tab->editor->language());
    m_file_name = tab->editor->language() == Language::triton ? QStringLiteral("draft.py") : QStringLiteral("draft.cu");
    m_draft->replace_all(origin.text);
    set_origin(std::move(origin));
    show_document(QStringLiteral("draft"));
    m_draft->setFocus();
}

void EditorPane::reset_draft() {
    m_draft->replace_all(m_origin.text);
    show_document(QStringLiteral("draft"));
}

Status EditorPane::open_file(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return make_error("file-unreadable",
                          path.toStdString() + " cannot be read: " + file.errorString().toStdString(),
                          "choose another file", {path.toStdString(), 0, 0});
    if (file.size() > static_cast<qint64>(max_source_bytes))
        return make_error("limits-source",
                          "the file has " + std::to_string(file.size()) + " bytes; a kernel has at most " +
                              std::to_string(max_source_bytes),
                          "choose the kernel's own file", {path.toStdString(), 0, 0});
    const QByteArray bytes = file.readAll();
    const QString name = QFileInfo(path).fileName();
    const SourceText text = decode_source(bytes);
    if (m_task_name.isEmpty())
        return make_error("editor-no-task", "there is no task that " + name.toStdString() + " could be a kernel for",
                          "pick a task first");
    if (text.damaged) {
        show_file(name, text, bytes);
        return {};
    }
    const Language language = language_of(name.toStdString());
    m_draft->set_language(language);
    m_file_name = language == Language::triton ? QStringLiteral("draft.py") : QStringLiteral("draft.cu");
    m_draft_form = text;
    m_draft->replace_all(text.text);
    Origin origin;
    origin.name = name;
    origin.text = text.text;
    origin.hash = hash_of(text.text);
    set_origin(std::move(origin));
    show_document(QStringLiteral("draft"));
    if (!text.note.isEmpty())
        m_context.notices.toast(text.note);
    return {};
}

// A text that cannot be edited without loss has a tab of its own until another one comes.
void EditorPane::show_file(const QString& name, const SourceText& text, const QByteArray& bytes) {
    Tab& tab = m_open[QStringLiteral("file")];
    if (!tab.editor)
        tab.editor = make_editor(true);
    tab.document = {DocumentKind::turn, QStringLiteral("file"), name, -1, false, {}, name};
    tab.text = text;
    tab.editor->setAccessibleName(name);
    tab.editor->setProperty("bytes", bytes);
    tab.editor->set_language(language_of(name.toStdString()));
    tab.editor->load(text.text);
    EditorIssue issue;
    issue.producer = QStringLiteral("text");
    issue.severity = QStringLiteral("error");
    issue.line = text.problem_line - 1;
    issue.begin = byte_in_line(tab.editor->line_bytes(issue.line), text.problem_column, ColumnUnit::characters);
    issue.end = token_end(tab.editor->line_bytes(issue.line), issue.begin);
    issue.message = text.problem;
    tab.editor->issues().set(issue.producer, {issue});
    refresh_tabs();
    show_document(QStringLiteral("file"));
    show_banners(&tab);
}

Status EditorPane::save_as(const QString& path) {
    const CodeEditor* editor = current_editor();
    if (!editor)
        return make_error("export-empty", "there is no source to save", "pick a task first");
    const QByteArray bytes = editor == m_draft ? encode_source(editor->source(), m_draft_form) : editor->source();
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return make_error("file-unwritable",
                          path.toStdString() + " cannot be written: " + file.errorString().toStdString(),
                          "choose another place", {path.toStdString(), 0, 0});
    m_context.notices.toast(QStringLiteral("Saved ") + QFileInfo(path).fileName());
    return {};
}

void EditorPane::ask_open() {
    const QString path = QFileDialog::getOpenFileName(this, QStringLiteral("Open a kernel"), {},
                                                      QStringLiteral("Kernels (*.cu *.cuh *.py);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const auto opened = open_file(path); !opened)
        m_context.notices.banner(QStringLiteral("editor-open"), opened.error());
}

void EditorPane::ask_save() {
    const QString name = m_task_name.isEmpty() ? QStringLiteral("kernel.cu") : m_task_name + QStringLiteral(".cu");
    const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save the source as"), name,
                                                      QStringLiteral("Kernels (*.cu *.py);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const auto saved = save_as(path); !saved)
        m_context.notices.banner(QStringLiteral("editor-save"), saved.error());
}

} // namespace kf::ui
