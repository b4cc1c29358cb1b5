// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/turn_table.h"

#include "ui/models/timeline_data.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/export.h"
#include "ui/widgets/style.h"
#include "ui/widgets/verdict_delegate.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <array>
#include <cmath>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

struct ColumnLook {
    TurnColumn column;
    VerdictDelegate::Part part;
    int width; // pixels at text scale 1
};
// The most important first: what there is no room for is left out from the end.
constexpr std::array<ColumnLook, 8> by_priority = {{
    {TurnColumn::turn, VerdictDelegate::Part::turn, 92},
    {TurnColumn::verdict, VerdictDelegate::Part::verdict, 132},
    {TurnColumn::time, VerdictDelegate::Part::figure, 92},
    {TurnColumn::speed_against_eager, VerdictDelegate::Part::figure, 116},
    {TurnColumn::evidence, VerdictDelegate::Part::evidence, 98},
    {TurnColumn::against_champion, VerdictDelegate::Part::figure, 138},
    {TurnColumn::error, VerdictDelegate::Part::figure, 92},
    {TurnColumn::registers, VerdictDelegate::Part::figure, 104},
}};

constexpr int pill_margin = 10, nested_width = 118;

bool is_unknown(const QVariant& value) {
    return value.typeId() == QMetaType::Double && std::isinf(value.toDouble());
}

} // namespace

TurnOrder::TurnOrder(TurnModel& turns, RunStore& store, QObject* parent)
    : QSortFilterProxyModel(parent), m_turns(turns), m_store(store) {
    setSourceModel(&turns);
    setSortRole(TurnRole::sort);
    setDynamicSortFilter(true);
    const auto renew = [this] { m_ancestry = champion_ancestry(m_store.state()); };
    connect(&store, &RunStore::changed, this, [renew](const RunChanges& changes) {
        if (changes.champion || changes.header)
            renew();
    });
    connect(&store, &RunStore::was_reset, this, renew);
    renew();
}

QString TurnOrder::folded(const QModelIndex& source) const {
    const QModelIndex first = source.siblingAtColumn(0);
    const int points = m_turns.rowCount(first);
    if (points < 2)
        return {};
    const QString speaker = first.data(TurnRole::evaluation_id).toString();
    std::vector<VerdictKind> kinds;
    for (int row = 0; row < points; ++row) {
        const QModelIndex point = m_turns.index(row, 0, first);
        if (point.data(TurnRole::evaluation_id).toString() != speaker)
            kinds.push_back(static_cast<VerdictKind>(point.data(TurnRole::kind).toInt()));
    }
    return fold_summary(kinds);
}

QVariant TurnOrder::data(const QModelIndex& index, int role) const {
    if (role == TurnRole::champion) {
        const QModelIndex source = mapToSource(index);
        return source.parent().isValid() ? QSortFilterProxyModel::data(index, role)
                                         : QVariant(m_ancestry.contains(source.data(TurnRole::turn_number).toInt()));
    }
    const QVariant value = QSortFilterProxyModel::data(index, role);
    if (role == Qt::DisplayRole && index.column() == static_cast<int>(TurnColumn::turn) &&
        index.data(TurnRole::star).toBool()) // the delegate draws the star
        return value.toString().remove(u" ★"_s);
    if ((role == Qt::DisplayRole || role == Qt::AccessibleTextRole) &&
        index.column() == static_cast<int>(TurnColumn::verdict))
        if (const QString below = folded(mapToSource(index)); !below.isEmpty())
            return value.toString() + u"  "_s + below;
    return value;
}

Chosen TurnOrder::chosen_at(const QModelIndex& index) const {
    return index.isValid() ? m_turns.chosen_at(mapToSource(index)) : Chosen{};
}

QModelIndex TurnOrder::index_of(const Chosen& chosen) const {
    return mapFromSource(m_turns.index_of(chosen));
}

bool TurnOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(sortRole()), b = right.data(sortRole());
    if (is_unknown(a) != is_unknown(b))
        return (sortOrder() == Qt::AscendingOrder) == is_unknown(b);
    if (a == b)
        return sortOrder() == Qt::AscendingOrder ? left.row() < right.row() : left.row() > right.row();
    return QSortFilterProxyModel::lessThan(left, right);
}

TurnTable::TurnTable(TurnModel& turns, RunStore& store, QWidget* parent)
    : QTreeView(parent), m_order(new TurnOrder(turns, store, this)),
      m_latest(new QPushButton(tr("Jump to latest"), this)) {
    setObjectName(u"turn_table"_s);
    setAccessibleName(tr("Turns"));
    setModel(m_order);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSortingEnabled(true);
    sortByColumn(0, Qt::AscendingOrder);
    setIndentation(14);
    setExpandsOnDoubleClick(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideRight);
    setMinimumSize(200, 96);
    for (const ColumnLook& look : by_priority)
        setItemDelegateForColumn(static_cast<int>(look.column), new VerdictDelegate(look.part, this));
    QHeaderView* head = header();
    head->setAccessibleName(tr("Columns of the turns"));
    head->setStretchLastSection(false);
    head->setSectionsMovable(false);
    head->setMinimumSectionSize(48);
    head->setContextMenuPolicy(Qt::CustomContextMenu);
    head->setHighlightSections(false);
    connect(head, &QHeaderView::customContextMenuRequested, this,
            [this](QPoint place) { choose_columns(header()->mapToGlobal(place)); });
    m_latest->setIcon(icon(u"chevron-down"_s));
    m_latest->setFocusPolicy(Qt::NoFocus);
    set_look(*m_latest, ButtonLook::primary);
    m_latest->hide();
    connect(m_latest, &QPushButton::clicked, this, &TurnTable::latest_wanted);
    connect(this, &QTreeView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT row_activated(m_order->chosen_at(index)); });
    connect(&store, &RunStore::changed, this, &TurnTable::fold_finished);
    connect(m_order, &QAbstractItemModel::modelReset, this, [this] {
        m_opened.clear();
        find_nested();
        fold_finished();
    });
    connect(m_order, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex& above) {
        if (above.isValid() && !m_nested)
            find_nested();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &TurnTable::place_pill);
    find_nested();
    fold_finished();
    restyle();
}

void TurnTable::find_nested() {
    bool nested = false;
    for (int row = 0; row < m_order->rowCount() && !nested; ++row)
        nested = m_order->rowCount(m_order->index(row, 0)) > 0;
    if (std::exchange(m_nested, nested) != nested)
        fit_columns();
}

// A sweep is open while it runs, so that its points are seen as they come, and folds when it has ended. What the
// person opens stays.
void TurnTable::fold_finished() {
    for (int row = m_order->rowCount() - 1; row >= 0; --row) {
        const QModelIndex index = m_order->index(row, 0);
        const int turn = index.data(TurnRole::turn_number).toInt();
        const bool running = index.data(TurnRole::running).toBool();
        if (running && m_order->rowCount(index) > 0 && m_opened.insert(turn).second)
            expand(index);
        else if (!running && m_opened.erase(turn) > 0)
            collapse(index);
        if (!running && m_opened.empty() && row < m_order->rowCount() - 3)
            break; // sweeps run at the end
    }
    if (m_following && verticalScrollBar()->value() != verticalScrollBar()->maximum() &&
        header()->sortIndicatorSection() == 0)
        scrollTo(currentIndex());
    place_pill();
}

void TurnTable::show_chosen(const Chosen& chosen) {
    const QScopedValueRollback<bool> showing(m_showing, true);
    QModelIndex index = m_order->index_of(chosen);
    if (index.parent().isValid() && !isExpanded(index.parent()) && !m_order->chosen_at(index).evaluation.empty())
        expand(index.parent());
    if (!index.isValid()) {
        selectionModel()->clear();
        return;
    }
    if (index == currentIndex() && selectionModel()->isSelected(index))
        return; // whoever scrolls away from it is left alone
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(index);
}

void TurnTable::set_following(bool following) {
    m_following = following;
    place_pill();
}

void TurnTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTreeView::currentChanged(current, previous);
    if (!m_showing && current.isValid())
        Q_EMIT row_chosen(m_order->chosen_at(current));
}

void TurnTable::set_wanted(const std::set<TurnColumn>& columns) {
    m_wanted = columns;
    fit_columns();
}

void TurnTable::fit_columns() {
    int room = viewport()->width();
    const double scale = text_scale();
    int used = 0;
    for (const ColumnLook& look : by_priority) {
        const bool wide = look.column == TurnColumn::turn && m_nested;
        const int width = static_cast<int>((wide ? nested_width : look.width) * scale);
        const bool wanted = m_wanted.empty() ? used + width <= room || used == 0 : m_wanted.contains(look.column);
        setColumnHidden(static_cast<int>(look.column), !wanted);
        if (wanted) {
            header()->resizeSection(static_cast<int>(look.column), width);
            used += width;
        }
    }
    // The verdict takes what is left: it is the one text among figures.
    const auto verdict = static_cast<int>(TurnColumn::verdict);
    if (!isColumnHidden(verdict) && room > used)
        header()->resizeSection(verdict, header()->sectionSize(verdict) + std::min(room - used, 420));
}

void TurnTable::choose_columns(QPoint where) {
    QMenu menu;
    std::set<TurnColumn> now;
    for (int column = 0; column < static_cast<int>(TurnColumn::count); ++column)
        if (!isColumnHidden(column))
            now.insert(static_cast<TurnColumn>(column));
    for (int column = 0; column < static_cast<int>(TurnColumn::count); ++column) {
        QAction* action = menu.addAction(m_order->headerData(column, Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        action->setEnabled(column > static_cast<int>(TurnColumn::verdict)); // these two always stay
        action->setData(column);
    }
    menu.addSeparator();
    QAction* automatic = menu.addAction(tr("As many as there is room for"));
    automatic->setCheckable(true);
    automatic->setChecked(m_wanted.empty());
    QAction* chosen = menu.exec(where);
    if (!chosen)
        return;
    if (chosen == automatic) {
        now.clear();
    } else {
        const auto column = static_cast<TurnColumn>(chosen->data().toInt());
        if (chosen->isChecked())
            now.insert(column);
        else
            now.erase(column);
    }
    set_wanted(now);
    Q_EMIT columns_changed();
}

// Children of one turn share a band, as in the chart; a seam parts neighbours.
void TurnTable::drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto parent_of = [](const QModelIndex& row) {
        return row.isValid() && row.data(TurnRole::points).toInt() < 2 ? row.data(TurnRole::parent_turn).toInt() : -1;
    };
    if (!index.parent().isValid() && header()->sortIndicatorSection() == static_cast<int>(TurnColumn::turn))
        if (const int parent = parent_of(index.siblingAtColumn(0)); parent >= 0) {
            const bool above = parent_of(index.sibling(index.row() - 1, 0)) == parent;
            const bool below = parent_of(index.sibling(index.row() + 1, 0)) == parent;
            const Theme& theme = Theme::current();
            if (above || below)
                painter->fillRect(option.rect.adjusted(0, above ? 0 : 1, 0, below ? 0 : -1),
                                  blend(theme.panel, theme.raised, 0.75));
        }
    QTreeView::drawRow(painter, option, index);
}

QByteArray TurnTable::selected_tsv() const {
    QByteArray text;
    const auto line = [&](auto&& cell) {
        QStringList cells;
        for (int column = 0; column < static_cast<int>(TurnColumn::count); ++column)
            if (!isColumnHidden(column))
                cells << tsv_field(cell(column));
        text += cells.join(u'\t').toUtf8() + '\n';
    };
    line([&](int column) { return m_order->headerData(column, Qt::Horizontal).toString(); });
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
              [this](const QModelIndex& a, const QModelIndex& b) { return visualRect(a).top() < visualRect(b).top(); });
    for (const QModelIndex& row : rows)
        line([&](int column) { return row.siblingAtColumn(column).data().toString(); });
    return text;
}

void TurnTable::copy_rows() const {
    if (selectionModel()->hasSelection())
        QGuiApplication::clipboard()->setText(QString::fromUtf8(selected_tsv()));
}

void TurnTable::resizeEvent(QResizeEvent* event) {
    const QRect chosen = visualRect(currentIndex());
    const bool was_seen = currentIndex().isValid() && chosen.top() >= 0 && chosen.bottom() <= event->oldSize().height();
    QTreeView::resizeEvent(event);
    fit_columns();
    if (was_seen)
        scrollTo(currentIndex());
    place_pill();
}

// Only where the newest row is out of sight, so that it covers nothing for nothing.
void TurnTable::place_pill() {
    int newest = -1;
    QModelIndex row;
    for (int i = 0; i < m_order->rowCount(); i += std::max(1, m_order->rowCount() - 1))
        if (const int turn = m_order->index(i, 0).data(TurnRole::turn_number).toInt();
            turn > newest || !row.isValid()) {
            newest = turn;
            row = m_order->index(i, 0);
        }
    if (isExpanded(row) && row.data(TurnRole::running).toBool())
        row = m_order->index(m_order->rowCount(row) - 1, 0, row);
    const QRect place = row.isValid() ? visualRect(row) : QRect();
    m_latest->setVisible(!m_following && row.isValid() && !viewport()->rect().intersects(place));
    m_latest->adjustSize();
    const QRect inside = viewport()->geometry();
    m_latest->move(inside.right() - m_latest->width() - pill_margin,
                   inside.bottom() - m_latest->height() - pill_margin);
    m_latest->raise();
}

void TurnTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copy_rows();
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
        Q_EMIT row_activated(m_order->chosen_at(currentIndex()));
        return;
    }
    QTreeView::keyPressEvent(event);
}

void TurnTable::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const QModelIndex index = by_key ? currentIndex() : indexAt(viewport()->mapFromGlobal(event->globalPos()));
    const QPoint where = by_key ? viewport()->mapToGlobal(visualRect(currentIndex()).center()) : event->globalPos();
    Q_EMIT menu_wanted(m_order->chosen_at(index), where);
}

void TurnTable::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange)
        restyle();
    QTreeView::changeEvent(event);
}

void TurnTable::restyle() {
    header()->setFont(text_font(12));
    setFont(text_font(13));
    fit_columns();
}

} // namespace kf::ui
