// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeline_pane.h"

#include "ui/models/turn_model.h"
#include "ui/plots/timeline_plot.h"
#include "ui/plots/turn_table.h"
#include "ui/theme/icons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export.h"

#include <QClipboard>
#include <QDataStream>
#include <QGuiApplication>
#include <QIODevice>
#include <QMenu>
#include <QResizeEvent>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

constexpr int unrest_ms = 100;

using namespace Qt::Literals::StringLiterals;

constexpr double wide_from = 2.2; // width over height
constexpr qint32 state_version = 1;

QString turn_words(const Chosen& chosen) {
    return chosen.turn == 0 ? u"start kernel"_s : u"turn %1"_s.arg(chosen.turn);
}

} // namespace

TimelinePane::TimelinePane(const PaneContext& context, TurnModel& turns, QWidget* parent)
    : Pane(u"timeline"_s, tr("Timeline"), u"timeline"_s, parent), m_context(context),
      m_empty(new EmptyState(u"timeline"_s, {}, {}, this)), m_content(new QWidget(this)),
      m_stack(new QStackedLayout(this)), m_stale(new ElidedLabel({}, m_content, Qt::ElideRight)),
      m_split(new QSplitter(Qt::Vertical, m_content)), m_plot(new TimelinePlot(m_split)),
      m_table(new TurnTable(turns, context.store, m_split)) {
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_stale);
    column->addWidget(m_split, 1);
    m_stale->set_tone(ElidedLabel::Tone::caution);
    m_stale->setContentsMargins(12, 4, 12, 4);
    m_stale->hide();
    m_split->setChildrenCollapsible(false);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    m_split->setAccessibleName(tr("Chart and table"));
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_content);

    m_plot->set_facts([this](const TimelinePoint& point) { return key_facts(m_context.store.state(), point); });
    connect(m_empty, &EmptyState::action_triggered, this, [this] { Q_EMIT link_activated(u"pane:runs"_s); });
    connect(m_plot, &TimelinePlot::point_chosen, this, &TimelinePane::choose);
    connect(m_table, &TurnTable::row_chosen, this, &TimelinePane::choose);
    const auto open = [this](const Chosen& chosen) {
        choose(chosen);
        Q_EMIT link_activated(u"pane:editor"_s);
    };
    connect(m_plot, &TimelinePlot::point_activated, this, open);
    connect(m_table, &TurnTable::row_activated, this, open);
    connect(m_plot, &TimelinePlot::menu_wanted, this, &TimelinePane::show_menu);
    connect(m_table, &TurnTable::menu_wanted, this, &TimelinePane::show_menu);
    connect(m_table, &TurnTable::latest_wanted, this, &TimelinePane::jump_to_latest);
    // A chart of thousands of points costs milliseconds: at once after a rest, then ten times a second.
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &TimelinePane::refresh);
    connect(&context.store, &RunStore::changed, this, [this](const RunChanges& changes) {
        m_changed.insert(changes.turns.begin(), changes.turns.end());
        if (!m_refreshed.isValid() || m_refreshed.elapsed() >= unrest_ms)
            refresh();
        else if (!m_soon.isActive())
            m_soon.start(unrest_ms);
    });
    connect(&context.store, &RunStore::was_reset, this, [this] {
        m_plot->fit();
        m_plot->set_data({});
        m_maker = {};
        m_changed.clear();
        refresh();
    });
    Selection& selection = context.selection;
    connect(&selection, &Selection::current_changed, this, &TimelinePane::follow_selection);
    connect(&selection, &Selection::pinned_changed, this, &TimelinePane::follow_selection);
    connect(&selection, &Selection::follow_changed, m_table, &TurnTable::set_following);
    refresh();
    m_table->set_following(selection.follows_newest());
}

void TimelinePane::refresh() {
    m_soon.stop();
    m_refreshed.start();
    const RunState& state = m_context.store.state();
    const RunStatus status = m_context.store.status();
    const bool running = status == RunStatus::running || status == RunStatus::stopping;
    TimelineData timeline = m_plot->take_data();
    m_maker.update(timeline, state, running, std::exchange(m_changed, {}));
    m_plot->set_data(std::move(timeline));
    if (m_plot->data().points.empty()) {
        const bool none = m_context.store.mode() == RunMode::none;
        m_empty->set(u"timeline"_s,
                     none      ? tr("No run is open.")
                     : running ? tr("The run has begun; its first turn is on the way.")
                               : tr("This run has no turns."),
                     none || !running ? tr("Choose a run") : QString());
        m_empty->set_busy(running && !none);
        m_stack->setCurrentWidget(m_empty);
    } else {
        m_empty->set_busy(false);
        m_stack->setCurrentWidget(m_content);
    }
    follow_selection();
}

void TimelinePane::follow_selection() {
    const Selection& selection = m_context.selection;
    m_plot->set_selection(selection.current(), selection.pinned());
    m_table->show_chosen(selection.current());
}

Chosen TimelinePane::newest() const {
    const auto& turns = m_context.store.state().turns;
    return turns.empty() ? Chosen{} : Chosen{turns.rbegin()->first, {}};
}

void TimelinePane::choose(const Chosen& chosen) {
    if (chosen.turn < 0)
        return;
    m_context.selection.select(chosen);
    if (chosen == newest()) // what comes is wanted again
        m_context.selection.set_follow(true);
}

void TimelinePane::jump_to_latest() {
    m_context.selection.set_follow(true);
    m_context.selection.follow(newest());
}

void TimelinePane::pin_selected() {
    Selection& selection = m_context.selection;
    selection.pin(selection.pinned() == selection.current() ? Chosen{} : selection.current());
}

void TimelinePane::compare_with_champion() {
    const ChampionState* champion = m_context.store.state().champion();
    if (!champion)
        return;
    m_context.selection.pin(m_context.selection.current());
    choose({champion->turn, {}});
}

void TimelinePane::add_note() {
    if (const int turn = m_context.selection.current().turn; turn >= 0)
        Q_EMIT link_activated(u"note:%1"_s.arg(turn));
}

void TimelinePane::copy_row() {
    m_table->copy_rows();
}

void TimelinePane::copy_figure() {
    const auto picture = m_plot->export_as(u"png"_s);
    QImage image;
    if (picture && image.loadFromData(*picture))
        QGuiApplication::clipboard()->setImage(image);
}

void TimelinePane::zoom_to_fit() {
    m_plot->fit();
}

void TimelinePane::set_stale(const QString& why) {
    m_stale->set_text(why);
    m_stale->setVisible(!why.isEmpty());
}

void TimelinePane::show_menu(const Chosen& chosen, QPoint where) {
    QMenu menu(this);
    Selection& selection = m_context.selection;
    if (chosen.turn >= 0) {
        const bool pinned = selection.pinned() == chosen;
        menu.addAction(icon(u"pin"_s),
                       pinned ? tr("Unpin baseline A") : tr("Pin %1 as baseline A").arg(turn_words(chosen)), this,
                       [&selection, chosen, pinned] { selection.pin(pinned ? Chosen{} : chosen); });
        const Chosen current = selection.current();
        if (current.turn >= 0 && !(current == chosen))
            menu.addAction(icon(u"compare"_s), tr("Compare %1 with %2").arg(turn_words(current), turn_words(chosen)),
                           this, [this, current, chosen] {
                               m_context.selection.pin(current);
                               choose(chosen);
                               Q_EMIT link_activated(u"pane:distribution"_s);
                           });
        menu.addAction(icon(u"note"_s), tr("Add a note …"), this,
                       [this, chosen] { Q_EMIT link_activated(u"note:%1"_s.arg(chosen.turn)); });
        menu.addAction(icon(u"editor"_s), tr("Open its source"), this, [this, chosen] {
            choose(chosen);
            Q_EMIT link_activated(u"pane:editor"_s);
        });
        menu.addSeparator();
        menu.addAction(icon(u"copy"_s), tr("Copy row"), this, [this, chosen] {
            choose(chosen);
            copy_row();
        });
    }
    menu.addAction(icon(u"copy"_s), tr("Copy figure"), this, &TimelinePane::copy_figure);
    menu.addAction(icon(u"export"_s), tr("Export …"), this, [this] { Q_EMIT link_activated(u"export:timeline"_s); });
    menu.addSeparator();
    menu.addAction(icon(u"fit"_s), tr("Fit all turns"), this, &TimelinePane::zoom_to_fit)
        ->setEnabled(!m_plot->is_fitted());
    menu.exec(where);
}

QString TimelinePane::text_twin() const {
    if (m_plot->data().points.empty())
        return m_empty->sentence();
    const QString stale = m_stale->isHidden() ? QString() : m_stale->text() + u'\n';
    return stale + m_plot->text_twin();
}

QStringList TimelinePane::export_formats() const {
    return {u"csv"_s, u"png"_s, u"svg"_s, u"tsv"_s, u"md"_s};
}

Result<QByteArray> TimelinePane::export_as(const QString& format) const {
    if (m_plot->data().points.empty())
        return make_error("export-empty", "The timeline has no points to export", "Open a run with turns");
    if (format == "csv"_L1)
        return timeline_csv(m_plot->data());
    if (format == "tsv"_L1 || format == "md"_L1)
        return table_of(m_table->order(), *parse_table_format(format));
    return m_plot->export_as(format);
}

QWidget* TimelinePane::focus_target() {
    return m_stack->currentWidget() == m_content ? static_cast<QWidget*>(m_plot) : m_empty;
}

void TimelinePane::resizeEvent(QResizeEvent* event) {
    Pane::resizeEvent(event);
    const auto wanted = width() > wide_from * height() ? Qt::Horizontal : Qt::Vertical;
    if (m_split->orientation() != wanted) {
        m_split->setOrientation(wanted);
        const int all = wanted == Qt::Horizontal ? width() : height();
        m_split->setSizes({all * 11 / 20, all * 9 / 20});
    }
}

QByteArray TimelinePane::save_state() const {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    QList<qint32> columns;
    for (const TurnColumn column : m_table->wanted())
        columns << static_cast<qint32>(column);
    out << state_version << columns << m_split->saveState();
    return bytes;
}

void TimelinePane::restore_state(const QByteArray& state) {
    QDataStream in(state);
    qint32 version = 0;
    QList<qint32> columns;
    QByteArray division;
    in >> version >> columns >> division;
    if (in.status() != QDataStream::Ok || version != state_version)
        return;
    std::set<TurnColumn> wanted;
    for (const qint32 column : columns)
        if (column >= 0 && column < static_cast<qint32>(TurnColumn::count))
            wanted.insert(static_cast<TurnColumn>(column));
    m_table->set_wanted(wanted);
    m_split->restoreState(division);
}

} // namespace kf::ui
