// SPDX-License-Identifier: GPL-3.0-or-later
// EditorPane: widgets, tabs, commands. The draft is in editor_draft.cpp, numbers and marks in editor_bench.cpp.
#include "ui/editor/editor_pane.h"

#include "core/base/files.h"
#include "ui/editor/code_editor.h"
#include "ui/editor/find_bar.h"
#include "ui/editor/line_bar.h"
#include "ui/editor/state_line.h"
#include "ui/theme/icons.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

constexpr int autosave_ms = 800, refresh_ms = 30, tick_ms = 100;

QString draft_id() {
    return QStringLiteral("draft");
}

} // namespace

EditorPane::EditorPane(const PaneContext& context, IssueModel& issues, QWidget* parent, std::unique_ptr<Judge> judge,
                       const QString& drafts_folder)
    : Pane(QStringLiteral("editor"), QStringLiteral("Editor"), QStringLiteral("editor"), parent), m_context(context),
      m_issue_model(issues), m_documents(context.store),
      m_judge(judge ? std::move(judge) : std::make_unique<ControllerJudge>(context.controller)), m_desk(*m_judge),
      m_drafts(drafts_folder) {
    make_widgets();
    make_connections();
    on_run_reset();
}

EditorPane::~EditorPane() {
    save_draft(true);
    for (QObject* object : {static_cast<QObject*>(m_draft), static_cast<QObject*>(&m_documents),
                            static_cast<QObject*>(&m_desk), static_cast<QObject*>(m_tabs)})
        disconnect(object, nullptr, this, nullptr);
}

void EditorPane::make_widgets() {
    set_surface(*this, Surface::panel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    m_head = new QWidget(this);
    set_surface(*m_head, Surface::window);
    m_tabs = new QTabBar(m_head);
    m_tabs->setAccessibleName(QStringLiteral("Sources"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->setDocumentMode(true);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_tabs->setUsesScrollButtons(true);
    m_state = new StateLine(m_head);
    column->addWidget(m_head);

    m_banners = new BannerStack(this);
    column->addWidget(m_banners);
    m_stack = new QStackedWidget(this);
    m_stack->setContentsMargins(0, 4, 0, 0);
    column->addWidget(m_stack, 1);
    m_empty = new EmptyState(QStringLiteral("editor"), QStringLiteral("Pick a task to begin."),
                             QStringLiteral("Show tasks"), this);
    m_empty->set_detail(QStringLiteral("Its start kernel opens here as a draft; F5 measures it."));
    m_stack->addWidget(m_empty);
    m_draft = make_editor(false);
    m_draft->setAccessibleName(QStringLiteral("Draft"));
    m_find = new FindBar(this);
    m_line_bar = new LineBar(this);
    column->addWidget(m_find);
    column->addWidget(m_line_bar);
    m_find->set_editor(m_draft);

    m_autosave.setSingleShot(true);
    m_autosave.setInterval(autosave_ms);
    m_refresh.setSingleShot(true);
    m_refresh.setInterval(refresh_ms);
    m_tick.setInterval(tick_ms);
}

CodeEditor* EditorPane::make_editor(bool read_only) {
    auto* editor = new CodeEditor(m_stack);
    editor->setReadOnly(read_only);
    editor->installEventFilter(this);
    m_stack->addWidget(editor);
    connect(editor, &CodeEditor::file_dropped, this, [this](const QString& path) {
        if (const auto opened = open_file(path); !opened)
            m_context.notices.banner(QStringLiteral("editor-open"), opened.error());
    });
    connect(editor, &CodeEditor::next_issue_wanted, this, [this] { next_issue(true); });
    connect(editor, &CodeEditor::zoom_changed, this, [this, editor](int steps) {
        for (int i = 0; i < m_stack->count(); ++i)
            if (auto* other = qobject_cast<CodeEditor*>(m_stack->widget(i));
                other && other != editor && other->text_zoom() != steps)
                other->set_text_zoom(steps);
    });
    return editor;
}

void EditorPane::make_connections() {
    connect(m_tabs, &QTabBar::currentChanged, this, &EditorPane::choose_tab);
    connect(m_state, &StateLine::bench_wanted, this, [this] { bench(); });
    connect(m_state, &StateLine::compile_wanted, this, &EditorPane::compile);
    connect(m_state, &StateLine::take_wanted, this, &EditorPane::take_into_draft);
    connect(m_state, &StateLine::issues_wanted, this, [this] { Q_EMIT link_activated(QStringLiteral("pane:issues")); });
    connect(m_empty, &EmptyState::action_triggered, this,
            [this] { Q_EMIT link_activated(QStringLiteral("pane:runs")); });
    connect(&m_documents, &DocumentSet::changed, this, &EditorPane::refresh_tabs);
    connect(m_draft, &CodeEditor::source_changed, this, &EditorPane::on_draft_changed);
    connect(&m_checker, &PlanChecker::found, this, &EditorPane::on_found);
    connect(&m_desk, &BenchDesk::changed, this, [this] {
        m_desk.phase() == BenchDesk::Phase::waiting ? m_tick.start() : m_tick.stop();
        m_state->show_desk(m_desk);
        fit_head();
        m_refresh.start();
    });
    connect(&m_desk, &BenchDesk::answered, this, &EditorPane::on_answer);
    connect(&m_tick, &QTimer::timeout, this, [this] { m_state->show_desk(m_desk); });
    connect(&m_refresh, &QTimer::timeout, this, &EditorPane::refresh_state);
    connect(&m_autosave, &QTimer::timeout, this, [this] { save_draft(); });
    connect(&m_context.store, &RunStore::was_reset, this, &EditorPane::on_run_reset);
    connect(&m_context.store, &RunStore::changed, this, &EditorPane::on_run_changed);
    connect(&m_context.selection, &Selection::current_changed, this, [this] { m_refresh.start(); });
    connect(&m_context.controller, &RunController::benched, this,
            [this](const BenchAnswer& answer) { m_desk.on_answer(BenchDesk::What::bench, answer); });
    connect(&m_context.controller, &RunController::compiled, this,
            [this](const BenchAnswer& answer) { m_desk.on_answer(BenchDesk::What::compile, answer); });
    connect(&m_context.controller, &RunController::bench_moved, this,
            [this](std::uint64_t order, const Json& progress) { m_desk.on_progress(order, progress); });
}

EditorPane::Tab* EditorPane::tab_of(const QString& id) {
    const auto found = m_open.find(id);
    return found == m_open.end() ? nullptr : &found->second;
}

EditorPane::Tab* EditorPane::current_tab() {
    return tab_of(current_document());
}

QString EditorPane::current_document() const {
    return m_tabs->currentIndex() < 0 ? QString() : m_tabs->tabData(m_tabs->currentIndex()).toString();
}

QStringList EditorPane::documents() const {
    QStringList ids;
    for (int i = 0; i < m_tabs->count(); ++i)
        ids.append(m_tabs->tabData(i).toString());
    return ids;
}

CodeEditor* EditorPane::current_editor() const {
    return qobject_cast<CodeEditor*>(m_stack->currentWidget());
}

// Tabs follow the documents; the one that is looked at stays, and its text is never changed under the reader: the
// champion's tab shows the new champion, as its title says.
void EditorPane::refresh_tabs() {
    QStringList wanted;
    if (!m_task_name.isEmpty())
        wanted.append(draft_id());
    for (const Document& document : m_documents.documents())
        wanted.append(document.id);
    if (m_open.count(QStringLiteral("file")))
        wanted.append(QStringLiteral("file"));

    const QString before = current_document();
    const QSignalBlocker quiet(m_tabs);
    for (int i = m_tabs->count() - 1; i >= 0; --i)
        if (!wanted.contains(m_tabs->tabData(i).toString()))
            m_tabs->removeTab(i);
    for (int i = 0; i < wanted.size(); ++i) {
        if (i < m_tabs->count() && m_tabs->tabData(i).toString() == wanted[i])
            continue;
        int from = -1;
        for (int k = i + 1; k < m_tabs->count(); ++k)
            if (m_tabs->tabData(k).toString() == wanted[i])
                from = k;
        if (from >= 0) {
            m_tabs->moveTab(from, i);
        } else {
            m_tabs->insertTab(i, wanted[i]);
            m_tabs->setTabData(i, wanted[i]);
        }
    }
    for (auto it = m_open.begin(); it != m_open.end();) {
        if (wanted.contains(it->first)) {
            ++it;
            continue;
        }
        if (m_stack->currentWidget() == it->second.editor)
            m_find->set_editor(m_draft);
        delete it->second.editor;
        it = m_open.erase(it);
    }
    int index = wanted.indexOf(before);
    if (index < 0 && !wanted.isEmpty())
        index = 0;
    m_tabs->setCurrentIndex(index);
    refresh_tab_titles();
    choose_tab(m_tabs->currentIndex());
}

void EditorPane::refresh_tab_titles() {
    for (int i = 0; i < m_tabs->count(); ++i) {
        const QString id = m_tabs->tabData(i).toString();
        QString title, tip;
        if (id == draft_id()) {
            title = m_origin.name.isEmpty() ? QStringLiteral("draft") : QStringLiteral("draft from ") + m_origin.name;
            if (draft_modified())
                title += QStringLiteral(" ✎");
            tip = QStringLiteral("Yours to edit. Kept in ") + m_drafts.path_of(m_task_name) + QLatin1Char('\n') +
                  m_limits_words;
        } else if (const Document* document = m_documents.find(id)) {
            title = document->title + (document->star ? QStringLiteral(" ★") : QString());
            tip = QStringLiteral("Read-only. Take it into the draft to change it.");
        } else if (const Tab* tab = tab_of(id)) {
            title = tab->document.title;
            tip = tab->text.problem;
        }
        m_tabs->setTabText(i, title);
        if (const bool closable = id.startsWith(QLatin1String("turn:")) || id == QLatin1String("file");
            closable && !m_tabs->tabButton(i, QTabBar::RightSide)) {
            auto* close = new IconButton(QStringLiteral("close"), QStringLiteral("Close this tab"), m_tabs);
            connect(close, &QToolButton::clicked, this, [this, id] { close_tab(id); });
            m_tabs->setTabButton(i, QTabBar::RightSide, close);
        }
        m_tabs->setTabToolTip(i, tip);
    }
}

void EditorPane::close_tab(const QString& id) {
    if (id == QLatin1String("file")) {
        if (const auto found = m_open.find(id); found != m_open.end()) {
            m_find->set_editor(m_draft);
            found->second.editor->deleteLater();
            m_open.erase(found);
        }
        refresh_tabs();
        return;
    }
    m_documents.close_turn(id);
}

void EditorPane::choose_tab(int index) {
    const QString id = index < 0 ? QString() : m_tabs->tabData(index).toString();
    if (id.isEmpty()) {
        m_stack->setCurrentWidget(m_empty);
        m_state->hide();
        m_find->close_bar();
        show_banners(nullptr);
        return;
    }
    m_state->show();
    if (id == draft_id()) {
        m_stack->setCurrentWidget(m_draft);
        m_find->set_editor(m_draft);
        m_state->set_read_only(false);
        show_banners(nullptr);
    } else {
        Tab& tab = m_open[id];
        if (const Document* document = m_documents.find(id)) {
            const bool same = tab.editor && tab.document.blob == document->blob;
            tab.document = *document;
            if (!same)
                load_tab(tab);
        }
        if (tab.editor) {
            m_stack->setCurrentWidget(tab.editor);
            m_find->set_editor(tab.editor);
        }
        m_state->set_read_only(true);
        show_banners(&tab);
    }
    fit_head();
    m_refresh.start();
}

void EditorPane::load_tab(Tab& tab) {
    if (!tab.editor)
        tab.editor = make_editor(true);
    tab.editor->setAccessibleName(tab.document.title);
    const auto bytes = m_documents.source_of(tab.document);
    if (!bytes) {
        tab.text = {};
        tab.text.problem = QString::fromStdString(bytes.error().message);
        tab.text.damaged = true;
        tab.editor->load({});
        return;
    }
    tab.text = decode_source(*bytes);
    tab.editor->set_language(language_of(tab.document.file_name.toStdString()));
    tab.editor->set_text_zoom(m_draft->text_zoom());
    tab.editor->load(tab.text.text);
    // What failed is marked here as well.
    if (const auto evaluation = m_context.store.evaluation(tab.document.turn))
        tab.editor->issues().set(QStringLiteral("compiler"), issues_of(**evaluation, tab.text.text));
}

void EditorPane::show_banners(const Tab* tab) {
    m_banners->clear(QStringLiteral("text"));
    if (!tab || !tab->text.damaged)
        return;
    Banner banner;
    banner.key = QStringLiteral("text");
    banner.severity = Severity::warning;
    banner.cause = tab->text.problem;
    banner.remedy = QStringLiteral("It is shown read-only; such places are replaced on screen, the text itself is not "
                                   "changed.");
    if (tab->text.looks_latin1) {
        banner.remedy = QStringLiteral("It looks like Latin-1. It is shown read-only and not changed.");
        banner.action = QStringLiteral("Read as Latin-1 into the draft");
        banner.act = [this, id = tab->document.id] {
            const Tab* wanted = tab_of(id);
            if (!wanted)
                return;
            const QByteArray bytes = id == QLatin1String("file") ? wanted->editor->property("bytes").toByteArray()
                                     : m_documents.source_of(wanted->document).ok()
                                         ? *m_documents.source_of(wanted->document)
                                         : QByteArray();
            m_draft->replace_all(decode_latin1(bytes).text);
            show_document(draft_id());
        };
    }
    m_banners->post(std::move(banner));
}

void EditorPane::show_document(const QString& id) {
    for (int i = 0; i < m_tabs->count(); ++i)
        if (m_tabs->tabData(i).toString() == id)
            m_tabs->setCurrentIndex(i);
}

void EditorPane::show_turn(int turn) {
    const QString id = m_documents.open_turn(turn);
    if (!id.isEmpty())
        show_document(id);
    else
        m_context.notices.toast(QStringLiteral("Turn %1 has no source yet").arg(turn));
}

void EditorPane::go_to(int line, int column) {
    CodeEditor* editor = current_editor();
    if (!editor)
        return;
    const QByteArray bytes = editor->line_bytes(line - 1);
    editor->go_to(line - 1, byte_in_line(bytes, column, ColumnUnit::characters));
    editor->setFocus();
}

void EditorPane::next_issue(bool forward) {
    CodeEditor* editor = current_editor();
    if (!editor)
        return;
    int byte = 0;
    const int line = editor->issues().next(editor->caret_line(), forward, &byte);
    if (line < 0) {
        m_context.notices.toast(QStringLiteral("No issues in this text"));
        return;
    }
    editor->go_to(line, byte);
    editor->setFocus();
}

std::vector<EditorCommand> EditorPane::commands() {
    const auto with_editor = [this](auto work) {
        return [this, work] {
            if (CodeEditor* editor = current_editor())
                work(*editor);
        };
    };
    const auto text = [](const char* utf8) { return QString::fromUtf8(utf8); };
    std::vector<EditorCommand> all;
    const auto add = [&](const char* id, const char* name, const char* tip, const char* icon_name, QStringList keys,
                         bool in_editor, std::function<void()> run) {
        all.push_back({text(id), text(name), text(tip), text(icon_name), std::move(keys), in_editor, std::move(run)});
    };
    add("editor.bench", "Bench the source", "Compile, check the smallest case, six short rounds", "run", {text("F5")},
        false, [this] { bench(); });
    add("editor.certify", "Certify the source", "All cases, and rounds enough to be sure", "check", {text("Ctrl+F5")},
        false, [this] { bench(Level::certify); });
    add("editor.compile", "Compile the source", "Compile only, run nothing", "cpu",
        {text("Ctrl+Return"), text("Ctrl+Enter")}, false, [this] { compile(); });
    add("editor.next_issue", "Next issue", "The next line with an error or a warning", "chevron-down", {text("F8")},
        false, [this] { next_issue(true); });
    add("editor.previous_issue", "Previous issue", "The line with an error or a warning before", "chevron-up",
        {text("Shift+F8")}, false, [this] { next_issue(false); });
    add("editor.take", "Take into draft", "Put the shown text into the draft; undo takes it back", "edit", {}, false,
        [this] { take_into_draft(); });
    add("editor.reset", "Reset the draft", "Back to the text that it came from; undo takes it back", "undo", {}, false,
        [this] { reset_draft(); });
    add("editor.draft", "Show the draft", "The text that is yours to edit", "editor", {}, false,
        [this] { show_document(draft_id()); });
    add("editor.open", "Open a kernel…", "A .cu or .py file becomes the draft", "file", {}, false,
        [this] { ask_open(); });
    add("editor.save_as", "Save the source as…", "Writes the shown text into a file", "save", {text("Ctrl+Shift+S")},
        false, [this] { ask_save(); });
    add("editor.find_next", "Find next", "The next match", "search", {text("F3")}, false,
        [this] { m_find->next(true); });
    add("editor.find_previous", "Find previous", "The match before", "search", {text("Shift+F3")}, false,
        [this] { m_find->next(false); });
    add("editor.replace", "Replace…", "Find and replace in the draft", "search", {text("Ctrl+H")}, true,
        [this] { m_find->open(true); });
    add("editor.line", "Go to line…", "By its number", "editor", {text("Ctrl+G")}, false,
        [this] { m_line_bar->open(current_editor()); });
    add("editor.bookmark", "Toggle bookmark", "Marks the line", "pin", {text("Ctrl+F2")}, false,
        with_editor([](CodeEditor& editor) { editor.toggle_bookmark(); }));
    add("editor.next_bookmark", "Next bookmark", "The next marked line", "pin", {text("F2")}, false,
        with_editor([](CodeEditor& editor) { editor.next_bookmark(true); }));
    add("editor.previous_bookmark", "Previous bookmark", "The marked line before", "pin", {text("Shift+F2")}, false,
        with_editor([](CodeEditor& editor) { editor.next_bookmark(false); }));
    add("editor.comment", "Comment or uncomment", "The lines that are selected", "editor", {}, true,
        with_editor([](CodeEditor& editor) { editor.toggle_comment(); }));
    return all;
}

QStringList EditorPane::editor_keys() const {
    QStringList keys;
    for (const KeyBinding& binding : m_draft->key_bindings())
        keys.append(binding.keys.toString(QKeySequence::PortableText));
    keys.removeDuplicates();
    return keys;
}

QString EditorPane::state_text() const {
    return m_state->text();
}

QStringList EditorPane::banners() const {
    return m_banners->texts();
}

QString EditorPane::text_twin() const {
    if (m_stack->currentWidget() == m_empty)
        return m_empty->sentence();
    QString twin = m_tabs->currentIndex() < 0 ? QString() : m_tabs->tabText(m_tabs->currentIndex());
    if (!m_state->text().isEmpty())
        twin += QStringLiteral("\n") + m_state->text();
    if (const CodeEditor* editor = current_editor())
        twin += QStringLiteral("\n") + QString::fromUtf8(editor->source());
    return twin;
}

QStringList EditorPane::export_formats() const {
    return current_editor() ? QStringList{QStringLiteral("cu")} : QStringList();
}

Result<QByteArray> EditorPane::export_as(const QString& format) const {
    const CodeEditor* editor = current_editor();
    if (!editor || format != QLatin1String("cu"))
        return Pane::export_as(format);
    if (editor->source().isEmpty())
        return make_error("export-empty", "the source is empty", "write a kernel first");
    return editor->source();
}

QWidget* EditorPane::focus_target() {
    if (CodeEditor* editor = current_editor())
        return editor;
    return m_empty->button();
}

void EditorPane::find() {
    m_find->open(false);
}

void EditorPane::resizeEvent(QResizeEvent* event) {
    Pane::resizeEvent(event);
    fit_head();
}

// Titles of the tabs come first; what is beside them gives way, and both give way before the pane is too wide.
void EditorPane::fit_head() {
    constexpr int left = 8, least_tabs = 120;
    const int height = std::max(m_tabs->sizeHint().height(), m_state->sizeHint().height());
    m_head->setFixedHeight(height);
    const int room = width() - left;
    m_state->fit(std::max(room - m_tabs->sizeHint().width(), room * 2 / 5));
    const int state = m_state->isHidden() ? 0 : std::min(m_state->sizeHint().width(), room * 3 / 5);
    const int tabs = std::min(m_tabs->sizeHint().width(), std::max(least_tabs, room - std::min(state, room * 2 / 5)));
    m_tabs->setGeometry(left, height - m_tabs->sizeHint().height(), tabs, m_tabs->sizeHint().height());
    const int rest = std::max(0, std::min(state, room - tabs));
    m_state->setGeometry(width() - rest, 0, rest, height);
}

bool EditorPane::eventFilter(QObject* watched, QEvent* event) {
    // The line that is being typed in has no row under it; when the keyboard leaves, it has.
    if (event->type() == QEvent::FocusOut && watched == m_draft)
        m_draft->issues().set_quiet_line(-1);
    return Pane::eventFilter(watched, event);
}

QByteArray EditorPane::save_state() const {
    QJsonArray turns;
    for (const int turn : m_documents.opened())
        turns.append(turn);
    const QJsonObject state{{QStringLiteral("turns"), turns},
                            {QStringLiteral("current"), current_document()},
                            {QStringLiteral("zoom"), m_draft->text_zoom()},
                            {QStringLiteral("task"), m_chosen_task}};
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

void EditorPane::restore_state(const QByteArray& bytes) {
    const QJsonObject state = QJsonDocument::fromJson(bytes).object();
    if (state.isEmpty())
        return;
    if (m_task_name.isEmpty())
        set_task(state.value(QStringLiteral("task")).toString());
    for (const QJsonValue& turn : state.value(QStringLiteral("turns")).toArray())
        m_documents.open_turn(turn.toInt(-1));
    m_draft->set_text_zoom(state.value(QStringLiteral("zoom")).toInt());
    show_document(state.value(QStringLiteral("current")).toString());
}

} // namespace kf::ui
