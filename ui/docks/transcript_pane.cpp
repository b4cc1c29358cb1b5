// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/transcript_pane.h"

#include "ui/docks/hint_line.h"
#include "ui/docks/reading_view.h"
#include "ui/docks/transcript_finder.h"
#include "ui/theme/icons.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/search_field.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

TranscriptPane::TranscriptPane(const PaneContext& context, ExchangeStore& exchanges, TurnModel& turns, QWidget* parent)
    : Pane(u"transcript"_s, u"Transcript"_s, u"transcript"_s, parent), m_context(context),
      m_model(new TranscriptModel(context.store, exchanges, turns, this)),
      m_finder(new TranscriptFinder(context.store, exchanges, *m_model, this)),
      m_search(new SearchField(u"Find in the transcript"_s, this)),
      m_view(new ReadingView(*m_model, u"Transcript"_s, this)), m_hint(new HintLine(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 10);
    column->setSpacing(0);
    auto* search_row = new QHBoxLayout;
    search_row->setContentsMargins(12, 6, 12, 6);
    search_row->addWidget(m_search);
    m_search->setAccessibleName(u"Find in the transcript"_s);
    m_search->hide();
    column->addLayout(search_row);
    search_row->setContentsMargins(12, 0, 12, 0);
    m_stack = new QStackedLayout;
    m_empty = new EmptyState(u"transcript"_s, QString(), QString(), this);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_view);
    column->addLayout(m_stack, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 8, 12, 0);
    foot->addWidget(m_hint);
    column->addLayout(foot);

    m_view->set_menu([this](QMenu& menu, int row) {
        const int turn = m_model->row(row).turn;
        if (!m_context.store.state().turns.contains(turn))
            return;
        menu.addAction(icon(u"timeline"_s), u"Select turn %1"_s.arg(turn), this, [this, turn] {
            m_context.selection.select({turn, {}});
        });
        QAction* fork = menu.addAction(icon(u"branch"_s), u"Fork from turn %1…"_s.arg(turn), this,
                                       [this, turn] { Q_EMIT fork_requested(turn); });
        fork->setEnabled(m_context.controller.state() == RunController::State::running);
        menu.addAction(icon(u"pin"_s), u"Pin turn %1 as baseline A"_s.arg(turn), this, [this, turn] {
            m_context.selection.pin({turn, {}});
        });
        menu.addAction(icon(u"copy"_s), u"Copy the whole turn"_s, this, [this, turn] {
            QGuiApplication::clipboard()->setText(m_model->text_of(turn));
            m_context.notices.toast(u"Copied turn %1"_s.arg(turn));
        });
        menu.addSeparator();
    });
    connect(m_view, &ReadingView::heading_activated, this, [this](int row) {
        const int turn = m_model->row(row).turn;
        if (turn == m_context.selection.current().turn)
            m_model->toggle(row);
        else
            m_context.selection.select({turn, {}});
    });
    connect(m_view, &ReadingView::link_activated, this, &Pane::link_activated);
    connect(m_view, &ReadingView::copied_text, this,
            [this](const QString& what) { m_context.notices.toast(u"Copied the %1"_s.arg(what)); });
    connect(m_search, &SearchField::searched, this, [this](const QString& words) {
        m_view->set_found(words);
        m_finder->start(words, m_view->cursor());
    });
    connect(m_search, &SearchField::next, this, [this] { m_finder->go(true); });
    connect(m_search, &SearchField::previous, this, [this] { m_finder->go(false); });
    connect(m_finder, &TranscriptFinder::told, m_search, &SearchField::set_result);
    connect(m_finder, &TranscriptFinder::found, this, [this](int row) {
        m_view->set_cursor(row);
        m_view->show_row(row, true);
    });
    connect(m_search, &SearchField::escaped, this, [this] {
        m_search->hide();
        m_view->set_found({});
        m_finder->start({}, -1);
        m_view->setFocus();
    });
    connect(m_empty, &EmptyState::action_triggered, this, [this] { Q_EMIT link_activated(u"pane:runs"_s); });
    connect(m_hint, &HintLine::sent, this, &TranscriptPane::send);
    connect(m_hint, &HintLine::refused, &context.notices, &Notices::toast);
    connect(m_hint, &HintLine::left, m_view, [this] { m_view->setFocus(); });
    connect(&context.selection, &Selection::current_changed, this, &TranscriptPane::select_turn);
    connect(&context.store, &RunStore::was_reset, this, &TranscriptPane::refresh);
    connect(&context.store, &RunStore::changed, this, &TranscriptPane::refresh);
    connect(&context.controller, &RunController::state_changed, this, &TranscriptPane::refresh_hint);
    connect(&context.controller, &RunController::told, this, [this](const QString& what) {
        if (what == u"hint"_s)
            m_sending.clear();
    });
    // What could not be said is not lost.
    connect(&context.controller, &RunController::failed, this, [this] {
        if (!m_sending.isEmpty() && m_hint->text().isEmpty())
            m_hint->setText(m_sending);
        m_sending.clear();
    });
    select_turn(context.selection.current());
    refresh();
}

void TranscriptPane::send(const QString& text) {
    m_sending = text;
    m_hint->clear();
    m_context.controller.hint(text);
}

void TranscriptPane::select_turn(const Chosen& chosen) {
    m_model->set_current(chosen.turn);
    m_view->set_cursor(m_model->heading_of(chosen.turn)); // the keyboard goes on from there
    // While the newest is followed, what is written there is seen as it comes.
    if (m_context.selection.follows_newest() && m_context.store.mode() != RunMode::ended)
        m_view->jump_to_latest();
    else
        m_view->show_row(m_model->heading_of(chosen.turn));
}

void TranscriptPane::refresh() {
    const RunState& state = m_context.store.state();
    if (state.turns.empty()) {
        if (m_context.store.mode() == RunMode::none)
            m_empty->set(u"transcript"_s, u"No run is open, so nothing was said."_s, u"Show the runs"_s);
        else
            m_empty->set(u"transcript"_s, u"The run has no turn yet."_s);
        m_stack->setCurrentWidget(m_empty);
    } else {
        if (m_stack->currentWidget() != m_view) {
            m_stack->setCurrentWidget(m_view);
            select_turn(m_context.selection.current());
        }
    }
    m_view->set_grows(m_context.store.mode() == RunMode::replay || m_context.store.status() == RunStatus::running);
    refresh_hint();
}

void TranscriptPane::refresh_hint() {
    const RunStatus status = m_context.store.status();
    QString refusal;
    if (m_context.store.mode() == RunMode::none)
        refusal = u"No run is open: no hint can be sent"_s;
    else if (m_context.store.mode() == RunMode::replay)
        refusal = u"A replay takes no hints; open the run itself"_s;
    else if (status == RunStatus::finished)
        refusal = u"The run has ended; fork it to go on"_s;
    else if (status == RunStatus::interrupted)
        refusal = u"The run was interrupted; resume it first"_s;
    else if (m_context.controller.state() != RunController::State::running)
        refusal = u"The run cannot be reached yet"_s;
    m_hint->set_state(m_model->next_turn(), refusal);
}

void TranscriptPane::focus_hint() {
    m_hint->setFocus(Qt::ShortcutFocusReason);
}

QWidget* TranscriptPane::focus_target() {
    return m_stack->currentWidget() == m_view ? static_cast<QWidget*>(m_view) : m_hint;
}

void TranscriptPane::find() {
    m_search->show();
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

QString TranscriptPane::text_twin() const {
    const RunState& state = m_context.store.state();
    if (state.turns.empty())
        return m_empty->sentence();
    QStringList lines;
    const int turn = m_model->current() >= 0 ? m_model->current() : state.turns.rbegin()->first;
    if (const QString text = m_model->text_of(turn); !text.isEmpty())
        lines << text;
    else
        lines << u"Turn %1"_s.arg(turn);
    for (const PendingHint& one : m_model->pending_hints())
        lines << (one.turn >= 0 ? u"Hint for turn %1, waiting: %2"_s.arg(one.turn).arg(one.text)
                                : u"Hint for the next turn, waiting: %1"_s.arg(one.text));
    lines << m_hint->placeholderText();
    return lines.join(u'\n');
}

Result<QByteArray> TranscriptPane::export_as(const QString& format) const {
    const int turn = m_model->current();
    const QString text = m_model->text_of(turn);
    if (text.isEmpty())
        return make_error("export-empty", "There is no turn to export", "Select a turn");
    if (format == u"txt"_s || format == u"md"_s)
        return (text + u'\n').toUtf8();
    return Pane::export_as(format);
}

void TranscriptPane::changeEvent(QEvent* event) {
    Pane::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        m_hint->updateGeometry();
}

} // namespace kf::ui
