// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/tree_plot.h"

#include "ui/theme/fonts.h"
#include "ui/theme/marks.h"
#include "ui/theme/theme.h"
#include "ui/widgets/style_draw.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int most_twin_lines = 200;

// Sizes follow the text.
double column() {
    return std::ceil(132 * text_scale());
}
double row_height() {
    return std::max(28.0, std::ceil(28 * text_scale()));
}
double head() {
    return std::ceil(26 * text_scale());
}
constexpr double left = 10;

} // namespace

TreePlot::TreePlot(QWidget* parent) : PlotWidget(u"Lineage of the turns"_s, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

QSize TreePlot::content_size() const {
    return {static_cast<int>(2 * left + column() * std::max(1, m_data.generations)),
            static_cast<int>(head() + row_height() * std::max(1, m_data.rows) + 10)};
}

QSize TreePlot::sizeHint() const {
    return content_size();
}

void TreePlot::set_data(TreeData data) {
    m_data = std::move(data);
    m_hovered = -1;
    setMinimumSize(content_size());
    updateGeometry();
    plot_changed();
}

void TreePlot::set_selected(int turn) {
    if (turn == m_selected)
        return;
    m_selected = turn;
    plot_changed();
}

void TreePlot::set_pinned(int turn) {
    if (turn == m_pinned)
        return;
    m_pinned = turn;
    update();
}

QRectF TreePlot::cell(const TreeNode& node) const {
    return {left + node.generation * column(), head() + node.row * row_height(), column() - 18, row_height()};
}

QRect TreePlot::rect_of(int turn) const {
    const int node = m_data.node_of(turn);
    return node < 0 ? QRect() : cell(m_data.nodes[static_cast<std::size_t>(node)]).toAlignedRect();
}

void TreePlot::render_to(QPainter& painter, const QRectF& area) const {
    draw(painter, area, area, false);
}

void TreePlot::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), Theme::current().panel);
    draw(painter, QRectF(rect()), QRectF(event->rect()), true);
}

void TreePlot::draw(QPainter& painter, const QRectF& area, const QRectF& seen, bool interactive) const {
    const Theme& theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    const double height = std::max(area.height(), static_cast<double>(content_size().height()));
    const QFont small = text_font(11), label = text_font(12), bold = text_font(12, Weight::semibold),
                figure = mono_font(11);
    // Bands: each generation has its own.
    for (int generation = 0; generation < m_data.generations; ++generation) {
        const QRectF band(left + generation * column() - 6, 0, column(), height);
        if (!band.intersects(seen))
            continue;
        if (generation % 2 == 1)
            painter.fillRect(band, blend(theme.panel, theme.raised, 0.55));
        painter.setFont(small);
        painter.setPen(theme.dim);
        painter.drawText(QRectF(band.left() + 6, 4, column() - 12, head() - 8), Qt::AlignLeft | Qt::AlignVCenter,
                         generation == 0 ? u"start"_s : u"generation %1"_s.arg(generation));
    }
    // Lines first, the way to the champion over the others.
    for (const bool best : {false, true})
        for (const TreeNode& node : m_data.nodes) {
            if (node.parent < 0 || node.best != best)
                continue;
            const TreeNode& parent = m_data.nodes[static_cast<std::size_t>(node.parent)];
            const QRectF from = cell(parent), to = cell(node);
            if (to.top() < seen.top() - row_height() && from.bottom() < seen.top())
                continue;
            if (from.top() > seen.bottom() || to.left() - 20 > seen.right() || to.bottom() < seen.top() - row_height())
                continue;
            // It leaves below its parent's mark and turns at the child's row.
            const double y = to.center().y();
            QPainterPath path;
            if (node.row == parent.row) {
                path.moveTo(from.right() + 1, y);
                path.lineTo(to.left() - 1, y);
            } else {
                const double x = to.left() - 11;
                path.moveTo(x, from.center().y());
                path.lineTo(x, y - 6);
                path.quadTo(x, y, x + 6, y);
                path.lineTo(to.left() - 1, y);
            }
            QPen pen(best                                      ? theme.accent
                     : contrast(theme.line, theme.panel) < 1.6 ? theme.outline
                                                               : theme.line,
                     best ? 2.5 : 1);
            if (parent.missing)
                pen.setStyle(Qt::DashLine);
            painter.setPen(pen);
            painter.setBrush(Qt::NoBrush);
            painter.drawPath(path);
        }
    for (std::size_t i = 0; i < m_data.nodes.size(); ++i) {
        const TreeNode& node = m_data.nodes[i];
        const QRectF box = cell(node);
        if (!box.intersects(seen))
            continue;
        const QRect inner = box.adjusted(0, 2, 0, -2).toRect();
        const bool selected = !node.missing && node.folded == 0 && node.turn == m_selected;
        if (selected)
            draw::box(painter, inner, theme.selection, theme.accent, 5);
        else if (interactive && static_cast<int>(i) == m_hovered)
            draw::box(painter, inner, draw::hovered(theme, theme.panel), {}, 5);
        if (selected && interactive && hasFocus())
            draw::focus_ring(painter, inner, 5);
        double x = box.left() + 12;
        const double y = box.center().y();
        if (node.missing) {
            painter.setPen(QPen(theme.outline, 1, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(inner).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
            painter.setFont(label);
            painter.setPen(theme.dim);
            painter.drawText(box.adjusted(8, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft, node.label);
            continue;
        }
        if (node.folded > 0) {
            draw::chevron(painter, QRectF(box.left() + 4, y - 6, 12, 12), draw::Direction::right, theme.dim, 7);
            painter.setFont(label);
            painter.setPen(theme.dim);
            const QString text = u"%1: %2"_s.arg(node.label, node.detail);
            painter.drawText(box.adjusted(20, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft,
                             QFontMetricsF(label).elidedText(text, Qt::ElideRight, box.width() - 22));
            continue;
        }
        draw_mark(painter, node.running ? VerdictKind::none : node.kind, {x, y}, 11, node.human);
        x += 13;
        painter.setFont(node.best ? bold : label);
        painter.setPen(theme.text);
        const double advance = QFontMetricsF(painter.font()).horizontalAdvance(node.label);
        painter.drawText(QRectF(x, box.top(), advance + 4, box.height()), Qt::AlignVCenter | Qt::AlignLeft, node.label);
        x += advance + 6;
        if (node.promoted || node.champion) {
            draw_star(painter, {x + 5, y}, 10, node.champion ? theme.accent : theme.text);
            x += 14;
        }
        if (m_pinned == node.turn) {
            painter.setFont(bold);
            painter.setPen(theme.accent);
            painter.drawText(QRectF(x, box.top(), 14, box.height()), Qt::AlignVCenter | Qt::AlignLeft, u"A"_s);
            x += 14;
        }
        const QString detail = node.running ? u"running"_s : node.detail;
        if (!detail.isEmpty()) {
            painter.setFont(figure);
            painter.setPen(node.best || selected ? theme.text : theme.dim);
            const QRectF room(x, box.top(), box.right() - x - 5, box.height());
            painter.drawText(room, Qt::AlignVCenter | Qt::AlignRight,
                             QFontMetricsF(figure).elidedText(detail, Qt::ElideRight, room.width()));
        }
    }
}

QString TreePlot::text_twin() const {
    if (m_data.nodes.empty())
        return u"There is no turn yet."_s;
    QStringList lines;
    lines
        << u"%1 turns in %2 generations, %3 branches."_s.arg(m_data.turns).arg(m_data.generations).arg(m_data.branches);
    if (m_data.missing > 0)
        lines << (m_data.missing == 1 ? u"1 parent is missing in the journal."_s
                                      : u"%1 parents are missing in the journal."_s.arg(m_data.missing));
    const QStringList all = m_data.lines();
    lines << all.mid(0, most_twin_lines);
    if (all.size() > most_twin_lines)
        lines << u"and %1 more"_s.arg(all.size() - most_twin_lines);
    return lines.join(u'\n');
}

int TreePlot::node_at(QPointF point) const {
    const int row = static_cast<int>(std::floor((point.y() - head()) / row_height()));
    for (std::size_t i = 0; i < m_data.nodes.size(); ++i)
        if (m_data.nodes[i].row == row && cell(m_data.nodes[i]).contains(point))
            return static_cast<int>(i);
    return -1;
}

int TreePlot::parent_turn(int node) const {
    const int parent = m_data.nodes[static_cast<std::size_t>(node)].parent;
    return parent < 0 ? -1 : m_data.nodes[static_cast<std::size_t>(parent)].turn;
}

void TreePlot::act(int node) {
    const TreeNode& one = m_data.nodes[static_cast<std::size_t>(node)];
    if (one.missing)
        return;
    if (one.folded > 0)
        Q_EMIT unfold_requested(parent_turn(node));
    else
        Q_EMIT chosen(one.turn);
}

void TreePlot::walk(int key) {
    const auto& nodes = m_data.nodes;
    const int now = m_data.node_of(m_selected);
    if (now < 0) {
        for (const TreeNode& node : nodes)
            if (!node.missing && node.folded == 0) {
                Q_EMIT chosen(node.turn);
                return;
            }
        return;
    }
    const TreeNode& here = nodes[static_cast<std::size_t>(now)];
    int to = -1;
    const auto can = [](const TreeNode& node) { return !node.missing && node.folded == 0; };
    if (key == Qt::Key_Left) {
        to = here.parent;
    } else if (key == Qt::Key_Right) {
        for (std::size_t i = 0; i < nodes.size() && to < 0; ++i)
            if (nodes[i].parent == now && can(nodes[i]))
                to = static_cast<int>(i);
    } else {
        // The nearest one of the same generation; else of the next row.
        const bool down = key == Qt::Key_Down;
        int best = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const int away = (nodes[i].row - here.row) * (down ? 1 : -1);
            if (away <= 0 || !can(nodes[i]))
                continue;
            const int cost = away + 1000 * std::abs(nodes[i].generation - here.generation);
            if (to < 0 || cost < best) {
                to = static_cast<int>(i);
                best = cost;
            }
        }
    }
    if (to >= 0 && can(nodes[static_cast<std::size_t>(to)]))
        Q_EMIT chosen(nodes[static_cast<std::size_t>(to)].turn);
}

void TreePlot::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers() & ~Qt::KeypadModifier) {
        PlotWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        walk(event->key());
        return;
    case Qt::Key_Plus:
        Q_EMIT unfold_requested(m_selected);
        return;
    default:
        PlotWidget::keyPressEvent(event);
    }
}

void TreePlot::mousePressEvent(QMouseEvent* event) {
    if (const int node = node_at(event->position()); node >= 0)
        act(node);
}

void TreePlot::mouseMoveEvent(QMouseEvent* event) {
    const int node = node_at(event->position());
    if (node == m_hovered)
        return;
    m_hovered = node;
    setCursor(node >= 0 && !m_data.nodes[static_cast<std::size_t>(node)].missing ? Qt::PointingHandCursor
                                                                                 : Qt::ArrowCursor);
    update();
}

void TreePlot::leaveEvent(QEvent*) {
    m_hovered = -1;
    update();
}

void TreePlot::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const int node = by_key ? m_data.node_of(m_selected) : node_at(event->pos());
    if (node < 0 || m_data.nodes[static_cast<std::size_t>(node)].missing ||
        m_data.nodes[static_cast<std::size_t>(node)].folded > 0)
        return;
    const QPoint place = by_key ? cell(m_data.nodes[static_cast<std::size_t>(node)]).center().toPoint() : event->pos();
    Q_EMIT menu_requested(m_data.nodes[static_cast<std::size_t>(node)].turn, mapToGlobal(place));
}

bool TreePlot::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int node = node_at(help->pos());
        QString text;
        if (node >= 0) {
            const TreeNode& one = m_data.nodes[static_cast<std::size_t>(node)];
            text = one.missing ? u"The journal holds no such turn; those that name it as parent are shown behind it."_s
                   : one.folded > 0
                       ? u"%1 turns that led nowhere: %2. Click to see them."_s.arg(one.folded).arg(one.detail)
                       : m_data.lines().value(node).trimmed();
        }
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return PlotWidget::event(event);
}

void TreePlot::focusInEvent(QFocusEvent* event) {
    PlotWidget::focusInEvent(event);
    update();
}

void TreePlot::focusOutEvent(QFocusEvent* event) {
    PlotWidget::focusOutEvent(event);
    update();
}

void TreePlot::changeEvent(QEvent* event) {
    PlotWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        setMinimumSize(content_size());
        updateGeometry();
    }
}

} // namespace kf::ui
