// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/autopsy_pane.h"

#include "ui/docks/background.h"
#include "ui/docks/card_text.h"
#include "ui/docks/error_map.h"
#include "ui/docks/error_map_view.h"
#include "ui/docks/headline.h"
#include "ui/docks/sweep_model.h"
#include "ui/docks/tables.h"
#include "ui/models/headline_data.h"
#include "ui/models/run_notes.h"
#include "ui/models/turn_model.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/marks.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export.h"
#include "ui/widgets/verdict_delegate.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <numeric>

namespace kf::ui {
namespace {

// A running sweep tells many times a second; a person reads slower than that.
constexpr int settle_ms = 120, slow_ms = 200;
constexpr int unrest_ms = 100; // selections closer than this are shown when they settle
constexpr std::size_t most_diff_lines = 400;
constexpr int most_sweep_rows = 16; // more are scrolled to

// Cards stand beside each other where there is room: in a wide, low pane one below the other would show only the first.
constexpr int narrowest_column = 360;

// The column of a card, of so many.
int column_of(AutopsyCard::Kind kind, int columns) {
    switch (kind) {
    case AutopsyCard::Kind::note:
    case AutopsyCard::Kind::changed:
    case AutopsyCard::Kind::happened:
        return 0;
    case AutopsyCard::Kind::sweep:
    case AutopsyCard::Kind::why:
    case AutopsyCard::Kind::next:
        return std::min(1, columns - 1);
    case AutopsyCard::Kind::map:
    case AutopsyCard::Kind::checked:
    case AutopsyCard::Kind::labels:
        return columns - 1;
    }
    return 0;
}

// Mark and word, and at the right the evidence as its disc: a card has no room for both words. The best point says so
// instead; its mark still tells the verdict.
class SweepVerdict : public VerdictDelegate {
public:
    explicit SweepVerdict(QObject* parent) : VerdictDelegate(Part::verdict, parent) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem surface = option;
        VerdictDelegate::initStyleOption(&surface, index);
        surface.text.clear();
        const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
        style->drawControl(QStyle::CE_ItemViewItem, &surface, painter, option.widget);
        QStyleOptionViewItem words = option;
        words.rect.setRight(words.rect.right() - disc_space + 12); // the delegate leaves as much again
        VerdictDelegate::paint(painter, words, index);
        const int level = index.data(TurnRole::level).toInt();
        if (level < 0)
            return;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        draw_evidence(*painter, static_cast<Level>(level),
                      {option.rect.right() - disc_space / 2.0, option.rect.center().y() + 0.5}, 10);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return VerdictDelegate::sizeHint(option, index) + QSize(disc_space, 0);
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        VerdictDelegate::initStyleOption(option, index);
        if (index.data(TurnRole::champion).toBool())
            option->text = QStringLiteral("best");
    }

private:
    static constexpr int disc_space = 22;
};

} // namespace

AutopsyPane::AutopsyPane(const PaneContext& context, QWidget* parent)
    : Pane(QStringLiteral("autopsy"), QStringLiteral("Autopsy"), QStringLiteral("autopsy"), parent), m_context(context),
      m_column(new QVBoxLayout(this)), m_stack(new QStackedLayout),
      m_empty(new EmptyState(QStringLiteral("autopsy"), QString(), QString(), this)), m_scroll(new QScrollArea(this)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_column->addLayout(m_stack, 1);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_scroll);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(QStringLiteral("Autopsy of the selected turn"));
    m_scroll->setFocusPolicy(Qt::StrongFocus);
    m_soon.setSingleShot(true);
    m_soon.setInterval(settle_ms);
    m_slow.setSingleShot(true);
    m_slow.setInterval(slow_ms);
    connect(&m_soon, &QTimer::timeout, this, &AutopsyPane::refresh);
    m_step.setSingleShot(true);
    m_step.setInterval(0);
    connect(&m_step, &QTimer::timeout, this, &AutopsyPane::add_card);
    connect(&m_slow, &QTimer::timeout, this, [this] { show_state(State::loading); });
    connect(m_empty, &EmptyState::action_triggered, this, &AutopsyPane::act);
    connect(&context.store, &RunStore::was_reset, this, &AutopsyPane::refresh);
    connect(&context.store, &RunStore::changed, this, [this](const RunChanges& changes) {
        if (changes.header || changes.champion || changes.turns.contains(m_context.selection.current().turn) ||
            m_state != State::cards)
            refresh_soon();
    });
    // At once when a person walks the turns; not for each of those that follow each other faster than one can read.
    connect(&context.selection, &Selection::current_changed, this, [this] {
        if (m_refreshed.isValid() && m_refreshed.elapsed() < unrest_ms)
            refresh_soon();
        else
            refresh();
    });
    if (context.run_notes)
        connect(context.run_notes, &RunNotes::changed, this, [this](int turn) {
            if (turn < 0 || turn == m_context.selection.current().turn)
                refresh();
        });
    refresh();
}

void AutopsyPane::refresh_soon() {
    if (!m_soon.isActive())
        m_soon.start();
}

void AutopsyPane::refresh() {
    m_soon.stop();
    m_refreshed.start();
    const RunState& state = m_context.store.state();
    const Chosen chosen = m_context.selection.current();
    const auto turn = state.turns.find(chosen.turn);
    if (turn == state.turns.end()) {
        ++m_request; // what is still being made is for another turn
        m_making.reset();
        m_slow.stop();
        m_data = {};
        set_badge({});
        show_state(m_context.store.mode() == RunMode::none ? State::nothing
                   : state.turns.empty()                   ? State::no_turns
                                                           : State::not_chosen);
        return;
    }
    const std::uint64_t request = ++m_request;
    if (m_data.turn != chosen.turn)
        m_slow.start();
    in_background(
        this, [sources = gather(turn->second, chosen)] { return make_autopsy_data(sources); },
        [this, request](AutopsyData data) { receive(std::move(data), request); });
}

AutopsySources AutopsyPane::gather(const TurnState& turn, const Chosen& chosen) const {
    const RunStore& store = m_context.store;
    const RunState& state = store.state();
    AutopsySources sources;
    sources.turn = turn;
    if (m_context.run_notes)
        sources.note = m_context.run_notes->note(turn.number);
    const EvaluationState* best = shown_evaluation(state, turn);
    const EvaluationState* one = chosen_evaluation(state, chosen);
    if (best)
        sources.best = best->id;
    if (one) {
        sources.evaluation = one->id;
        if (auto whole = store.evaluation(turn.number, one->id))
            sources.whole = *whole;
        else
            sources.unreadable = whole.error().message;
        sources.explicit_point = one != best;
    }
    const RunStatus status = store.status();
    sources.run_is_over = status == RunStatus::finished || status == RunStatus::interrupted;
    if (const ChampionState* champion = state.champion())
        sources.is_champion = champion->turn == turn.number && champion->evaluation == sources.evaluation;
    if (auto source = store.source(turn.number))
        sources.source = *source;
    if (turn.parent >= 0)
        if (auto source = store.source(turn.parent))
            sources.parent_source = *source;
    if (!turn.diff.empty())
        if (auto diff = store.blob(turn.diff))
            sources.diff = *diff;
    if (const std::string blob = get_string(state.start.settings, "task_blob"); !blob.empty())
        if (auto wire = store.blob(blob))
            sources.task_wire = *wire;
    return sources;
}

void AutopsyPane::receive(AutopsyData data, std::uint64_t request) {
    if (request != m_request)
        return;
    m_slow.stop();
    const bool same_turn = data.turn == m_data.turn;
    const bool same = same_turn && m_state == State::cards && data.text() == m_data.text();
    m_data = std::move(data);
    set_badge(m_data.turn == 0 ? QStringLiteral("· start") : QStringLiteral("· turn %1").arg(m_data.turn));
    if (same)
        return;
    if (!same_turn)
        m_diff_open = false;
    begin_page();
    m_making->scrolled = same_turn && m_state == State::cards ? m_scroll->verticalScrollBar()->value() : 0;
}

void AutopsyPane::show_state(State state) {
    m_state = state;
    const bool running = m_context.store.status() == RunStatus::running && m_context.store.mode() != RunMode::none;
    m_empty->set_detail({});
    m_empty->set_busy(state == State::loading || (state == State::no_turns && running));
    switch (state) {
    case State::nothing:
        m_empty->set(QStringLiteral("autopsy"), QStringLiteral("No run is open, so there is nothing to look into."),
                     QStringLiteral("Show the runs"));
        break;
    case State::no_turns:
        m_empty->set(QStringLiteral("autopsy"),
                     running ? QStringLiteral("The run has begun; its first turn is on the way.")
                     : m_context.store.status() == RunStatus::empty
                         ? QStringLiteral("This run has no turns.")
                         : QStringLiteral("This run ended before its first turn."),
                     QStringLiteral("Show the log"));
        break;
    case State::not_chosen:
        m_empty->set(QStringLiteral("autopsy"),
                     m_context.selection.current().turn >= 0
                         ? QStringLiteral("Turn %1 is not in this run.").arg(m_context.selection.current().turn)
                         : QStringLiteral("Choose a turn to see what became of it."),
                     QStringLiteral("Choose the newest turn"));
        break;
    case State::loading:
        m_empty->set(QStringLiteral("autopsy"),
                     QStringLiteral("Looking into turn %1 …").arg(m_context.selection.current().turn),
                     QStringLiteral("Show the log"));
        break;
    case State::cards:
        break;
    }
    m_stack->setCurrentWidget(state == State::cards ? static_cast<QWidget*>(m_scroll) : m_empty);
    setAccessibleDescription(state == State::cards ? m_data.title : m_empty->sentence());
}

void AutopsyPane::act() {
    if (m_state == State::nothing)
        Q_EMIT link_activated(QStringLiteral("pane:runs"));
    else if (m_state == State::not_chosen && !m_context.store.state().turns.empty())
        m_context.selection.select({m_context.store.state().turns.rbegin()->first, {}});
    else
        Q_EMIT link_activated(QStringLiteral("pane:log"));
}

void AutopsyPane::begin_page() {
    const bool again = m_making.has_value();
    const int scrolled = again ? m_making->scrolled : 0;
    m_making.emplace();
    m_making->scrolled = scrolled;
    m_making->widget = std::make_unique<QWidget>();
    QWidget* page = m_making->widget.get();
    m_making->page.widget = page;
    page->setAutoFillBackground(false);
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(12, 10, 12, 12);
    row->setSpacing(10);
    m_columns = columns_that_fit();
    for (int i = 0; i < m_columns; ++i) {
        const bool used = std::any_of(m_data.cards.begin(), m_data.cards.end(),
                                      [&](const AutopsyCard& one) { return column_of(one.kind, m_columns) == i; });
        m_making->columns.push_back(nullptr);
        if (!used && i > 0)
            continue; // cards of their own width only
        m_making->columns.back() = new QVBoxLayout;
        m_making->columns.back()->setSpacing(10);
        row->addLayout(m_making->columns.back(), 1);
    }
    m_making->order.resize(m_data.cards.size());
    std::iota(m_making->order.begin(), m_making->order.end(), std::size_t{0});
    // Several columns are of a low pane: what happened has to be seen without scrolling, what changed comes after it.
    if (m_columns > 1)
        std::stable_partition(m_making->order.begin(), m_making->order.end(), [this](std::size_t index) {
            return m_data.cards[index].kind != AutopsyCard::Kind::changed;
        });
    m_step.start();
}

void AutopsyPane::add_card() {
    if (!m_making)
        return;
    if (m_making->next >= m_making->order.size()) {
        finish_page();
        return;
    }
    const AutopsyCard& one = m_data.cards[m_making->order[m_making->next++]];
    Card* card = make_card(one, m_making->page);
    m_making->columns[static_cast<std::size_t>(column_of(one.kind, m_columns))]->addWidget(card);
    if (one.kind == AutopsyCard::Kind::why || (one.kind == AutopsyCard::Kind::happened && !m_making->actions))
        m_making->actions = card;
    m_step.start();
}

void AutopsyPane::finish_page() {
    if (m_making->actions)
        fill_actions(*m_making->actions);
    for (QVBoxLayout* column : m_making->columns)
        if (column)
            column->addStretch(1);
    const bool in_sweep = m_page.sweep && m_page.sweep->hasFocus();
    const bool had_focus = m_page.widget && m_page.widget->isAncestorOf(QApplication::focusWidget());
    m_page = m_making->page;
    const int scrolled = m_making->scrolled;
    m_scroll->setWidget(m_making->widget.release()); // deletes the page before
    m_making.reset();
    show_state(State::cards);
    if (in_sweep && m_page.sweep)
        m_page.sweep->setFocus();
    else if (had_focus)
        m_scroll->setFocus();
    m_scroll->verticalScrollBar()->setValue(scrolled);
}

int AutopsyPane::columns_that_fit() const {
    const int room = static_cast<int>(m_scroll->viewport()->width() / std::max(1.0, text_scale()));
    return std::clamp(room / narrowest_column, 1, 3);
}

void AutopsyPane::resizeEvent(QResizeEvent* event) {
    Pane::resizeEvent(event);
    // Later: the scrolled area has its new width then.
    if (m_state == State::cards)
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (m_state == State::cards && m_columns != columns_that_fit()) {
                    begin_page();
                    m_making->scrolled = m_scroll->verticalScrollBar()->value();
                }
            },
            Qt::QueuedConnection);
}

Card* AutopsyPane::make_card(const AutopsyCard& card, Page& page) {
    auto* widget = new Card(card.title);
    connect(widget, &Card::link_activated, this, &AutopsyPane::open_link);
    if (!card.lines.empty())
        widget->set_rich_text(card_html(card));
    switch (card.kind) {
    case AutopsyCard::Kind::changed:
        page.changed = widget;
        if (m_diff_open) {
            m_diff_open = false;
            toggle_diff(page);
        }
        break;
    case AutopsyCard::Kind::sweep:
        fill_sweep(*widget, page);
        break;
    case AutopsyCard::Kind::map:
        page.map = new ErrorMapView(widget);
        page.map->set_maps(m_data.maps);
        widget->add_widget(page.map);
        break;
    case AutopsyCard::Kind::happened:
        if (m_data.verdict == VerdictKind::wrong || m_data.verdict == VerdictKind::error ||
            m_data.verdict == VerdictKind::timeout || m_data.verdict == VerdictKind::suspect)
            widget->set_edge(Theme::current().of(m_data.verdict));
        break;
    case AutopsyCard::Kind::note: {
        widget->set_emphasis(true);
        QPushButton* edit = widget->add_action(QStringLiteral("Edit"), QStringLiteral("Change the note on this turn"));
        connect(edit, &QPushButton::clicked, this,
                [this] { Q_EMIT link_activated(QStringLiteral("note:%1").arg(m_data.turn)); });
        break;
    }
    case AutopsyCard::Kind::why:
    case AutopsyCard::Kind::next:
    case AutopsyCard::Kind::checked:
    case AutopsyCard::Kind::labels:
        break;
    }
    return widget;
}

void AutopsyPane::fill_sweep(Card& card, Page& page) {
    page.points = new SweepModel(&card);
    page.points->set_points(m_data.sweep);
    page.sweep = new QTableView(&card);
    page.sweep->setModel(page.points);
    set_up_table(*page.sweep, QStringLiteral("Points of the sweep, fastest first"));
    page.sweep->setSelectionMode(QAbstractItemView::SingleSelection);
    page.sweep->setItemDelegate(new VerdictDelegate(VerdictDelegate::Part::figure, page.sweep));
    page.sweep->setItemDelegateForColumn(page.points->column_of(SweepModel::verdict), new SweepVerdict(page.sweep));
    page.sweep->setColumnHidden(page.points->column_of(SweepModel::evidence), true);
    embed(*page.sweep);
    // Figures take what they need, the verdict what is left.
    page.sweep->horizontalHeader()->setMinimumSectionSize(32);
    page.sweep->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    page.sweep->horizontalHeader()->setSectionResizeMode(page.points->column_of(SweepModel::verdict),
                                                         QHeaderView::Stretch);
    if (page.points->tunable_count() <= 4)
        page.sweep->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    fit_height(*page.sweep, most_sweep_rows);
    const int chosen = page.points->row_of(m_context.selection.current().evaluation);
    if (chosen >= 0)
        page.sweep->selectRow(chosen);
    connect(page.sweep->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) { choose_point(now.row()); });
    card.add_widget(page.sweep);
}

void AutopsyPane::choose_point(int row) {
    if (!m_page.points || row < 0 || row >= m_page.points->rowCount())
        return;
    // The cards are made anew for the point; the keyboard stays in the table.
    m_context.selection.select({m_data.turn, m_page.points->points()[static_cast<std::size_t>(row)].evaluation});
}

void AutopsyPane::fill_actions(Card& card) {
    bool evidence = !m_data.maps.empty();
    for (const AutopsyCard& one : m_data.cards)
        for (const AutopsyLine& line : one.lines)
            evidence = evidence || line.target.startsWith(QLatin1String("line:"));
    if (evidence) {
        QPushButton* button = card.add_action(QStringLiteral("Show evidence"),
                                              QStringLiteral("Go to the line or the element that shows it"));
        connect(button, &QPushButton::clicked, this, &AutopsyPane::show_evidence);
    }
    QPushButton* button = card.add_action(QStringLiteral("Copy"), QStringLiteral("Copy the whole autopsy as text"));
    connect(button, &QPushButton::clicked, this, &AutopsyPane::copy);
}

void AutopsyPane::show_evidence() {
    for (const AutopsyCard& card : m_data.cards)
        if (card.kind == AutopsyCard::Kind::happened || card.kind == AutopsyCard::Kind::why)
            for (const AutopsyLine& line : card.lines)
                if (line.target.startsWith(QLatin1String("line:")) ||
                    line.target.startsWith(QLatin1String("element:"))) {
                    open_link(line.target);
                    return;
                }
    if (m_page.map)
        open_link(QStringLiteral("map"));
}

void AutopsyPane::open_link(const QString& target) {
    if (target == QLatin1String("diff")) {
        toggle_diff(m_page);
    } else if (m_page.map && (target == QLatin1String("map") || target.startsWith(QLatin1String("element:")))) {
        if (target.startsWith(QLatin1String("element:")))
            m_page.map->show_element(target.mid(8));
        m_scroll->ensureWidgetVisible(m_page.map, 0, 24);
        m_page.map->map().setFocus(Qt::MouseFocusReason);
    } else if (target.startsWith(QLatin1String("turn:"))) {
        m_context.selection.select({target.mid(5).toInt(), {}});
    } else if (!target.isEmpty()) {
        Q_EMIT link_activated(target);
    }
}

void AutopsyPane::toggle_diff(Page& page) {
    if (!page.changed)
        return;
    m_diff_open = !m_diff_open;
    auto* shown = page.changed->findChild<QLabel*>(QStringLiteral("diff"));
    if (!shown) {
        shown = new QLabel(page.changed);
        shown->setObjectName(QStringLiteral("diff"));
        shown->setAccessibleName(QStringLiteral("Changed lines"));
        shown->setTextFormat(Qt::RichText);
        shown->setFont(mono_font(12));
        shown->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        shown->setText(diff_html(m_data.diff, most_diff_lines));
        auto* area = new QScrollArea(page.changed);
        area->setObjectName(QStringLiteral("diff_area"));
        area->setAccessibleName(QStringLiteral("Changed lines"));
        area->setFrameShape(QFrame::NoFrame);
        area->setWidget(shown);
        area->viewport()->setAutoFillBackground(false);
        shown->setAutoFillBackground(false);
        area->setWidgetResizable(true);
        area->setFixedHeight(std::min(shown->sizeHint().height() + 16, 320));
        page.changed->add_widget(area);
    }
    if (auto* area = page.changed->findChild<QScrollArea*>(QStringLiteral("diff_area")))
        area->setVisible(m_diff_open);
}

void AutopsyPane::copy() const {
    QApplication::clipboard()->setText(text_twin());
}

QString AutopsyPane::text_twin() const {
    return m_state == State::cards ? m_data.text() : m_empty->sentence();
}

QStringList AutopsyPane::export_formats() const {
    if (m_state != State::cards)
        return {};
    QStringList formats{QStringLiteral("txt")};
    if (m_page.map && !m_page.map->map().data().empty())
        formats << QStringLiteral("csv") << QStringLiteral("png") << QStringLiteral("svg");
    else if (m_page.points)
        formats << QStringLiteral("csv") << QStringLiteral("md");
    return formats;
}

Result<QByteArray> AutopsyPane::export_as(const QString& format) const {
    if (m_state != State::cards)
        return make_error("export-empty", "There is no autopsy to export", "Choose a turn first");
    if (format == QLatin1String("txt"))
        return m_data.text().toUtf8() + '\n';
    if (m_page.map && !m_page.map->map().data().empty()) {
        if (format == QLatin1String("csv"))
            return m_page.map->map().csv();
        return m_page.map->map().export_as(format);
    }
    if (const auto table = parse_table_format(format); table && m_page.points)
        return table_of(*m_page.points, *table);
    return Pane::export_as(format);
}

QWidget* AutopsyPane::focus_target() {
    return m_state == State::cards ? static_cast<QWidget*>(m_scroll) : m_empty->button();
}

bool AutopsyPane::set_header(QWidget* header) {
    if (header == m_header)
        return true;
    if (m_header)
        m_column->removeWidget(m_header);
    if (auto* headline = qobject_cast<Headline*>(header ? header : m_header.data()))
        headline->set_compact(header != nullptr);
    m_header = header;
    if (header) {
        m_column->insertWidget(0, header);
        header->show();
    }
    return true;
}

void AutopsyPane::changeEvent(QEvent* event) {
    Pane::changeEvent(event);
    // Colours and sizes stand in the cards' rich text.
    if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) &&
        m_state == State::cards && m_stack)
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (m_state == State::cards) {
                    begin_page();
                    m_making->scrolled = m_scroll->verticalScrollBar()->value();
                }
            },
            Qt::QueuedConnection);
}

void AutopsyPane::contextMenuEvent(QContextMenuEvent* event) {
    if (m_state != State::cards)
        return;
    QMenu menu(this);
    menu.addAction(icon(QStringLiteral("copy")), QStringLiteral("Copy autopsy"), this, &AutopsyPane::copy);
    menu.exec(event->reason() == QContextMenuEvent::Keyboard ? mapToGlobal(QPoint(24, 24)) : event->globalPos());
}

} // namespace kf::ui
