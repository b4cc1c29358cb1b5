// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/run_rows.h"

#include "ui/models/run_list_model.h"
#include "ui/models/task_list_model.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/style.h"

#include <QApplication>
#include <QPainter>

namespace kf::ui {
namespace {

constexpr int padding = 8, gap = 8, dot = 8;

// The row's surface (selection, hover, focus), without text.
void draw_surface(QPainter* painter, QStyleOptionViewItem option) {
    option.text.clear();
    option.icon = {};
    option.features &= ~QStyleOptionViewItem::HasDecoration;
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget);
}

void draw_text(QPainter* painter, const QRectF& area, const QString& text, Qt::TextElideMode elide,
               Qt::Alignment align) {
    painter->drawText(area, static_cast<int>(align) | Qt::AlignVCenter | Qt::TextSingleLine,
                      QFontMetricsF(painter->font()).elidedText(text, elide, area.width()));
}

} // namespace

RunRows::RunRows(std::function<QString()> shown, std::function<bool(const QString&)> pinned, QObject* parent)
    : QStyledItemDelegate(parent), m_shown(std::move(shown)), m_pinned(std::move(pinned)) {}

QSize RunRows::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {120, std::max(metrics::row_height - 2, QFontMetrics(text_font(13)).height() + 8)};
}

void RunRows::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    draw_surface(painter, option);
    const Theme& theme = Theme::current();
    const QString folder = index.data(RunListRole::folder).toString();
    const bool is_task = folder.isEmpty();
    const bool live = index.data(RunListRole::live).toBool();
    const bool loading = index.data(RunListRole::loading).toBool();
    const bool trouble = !index.data(RunListRole::trouble).toString().isEmpty();
    const auto status = static_cast<RunStatus>(index.data(RunListRole::status).toInt());
    const bool shown = !is_task && folder == m_shown();
    const double best = index.data(RunListRole::best).toDouble();

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    QRectF area = QRectF(option.rect).adjusted(is_task ? 2 : 0, 0, -padding, 0);
    const double middle = area.center().y();
    if (!is_task) {
        const QPointF at(area.left() + dot / 2.0, middle);
        if (live) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.accent);
            painter->drawEllipse(at, dot / 2.0, dot / 2.0);
        } else if (trouble) {
            painter->drawPixmap(
                QPointF(area.left() - 3, middle - 7),
                icon_pixmap(QStringLiteral("warning"), 14, theme.inconclusive, painter->device()->devicePixelRatioF()));
        } else if (status == RunStatus::interrupted) {
            painter->setPen(QPen(theme.inconclusive, 1.5));
            painter->setBrush(Qt::NoBrush);
            painter->drawEllipse(at, dot / 2.0 - 0.5, dot / 2.0 - 0.5);
        } else if (!loading) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.faint);
            painter->drawEllipse(at, 2, 2);
        }
        area.setLeft(area.left() + dot + gap);
    }
    const QString side = index.data(RunListRole::side).toString();
    painter->setFont(text_font(12, is_task && best > 0 ? Weight::medium : Weight::regular));
    const double side_width = std::min(QFontMetricsF(painter->font()).horizontalAdvance(side) + 1, area.width() * 0.6);
    painter->setPen(live && !is_task      ? theme.text
                    : trouble             ? theme.inconclusive
                    : is_task && best > 1 ? theme.accent
                                          : theme.dim);
    draw_text(painter, QRectF(area.right() - side_width, area.top(), side_width, area.height()), side, Qt::ElideRight,
              Qt::AlignRight);
    area.setRight(area.right() - side_width - gap);
    if (is_task && m_pinned(index.data(RunListRole::task).toString())) {
        painter->drawPixmap(QPointF(area.right() - 12, middle - 6),
                            icon_pixmap(QStringLiteral("pin"), 12, theme.dim, painter->device()->devicePixelRatioF()));
        area.setRight(area.right() - 16);
    }
    painter->setFont(text_font(13, shown ? Weight::semibold : Weight::regular));
    painter->setPen(is_task || live || shown ? theme.text : theme.dim);
    draw_text(painter, area, index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle, Qt::AlignLeft);
    painter->restore();
}

QSize TaskRows::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {120, QFontMetrics(text_font(13)).height() + QFontMetrics(text_font(12)).height() + 16};
}

void TaskRows::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    draw_surface(painter, option);
    const Theme& theme = Theme::current();
    const QString trouble = index.data(TaskRole::trouble).toString();
    painter->save();
    QRectF area = QRectF(option.rect).adjusted(padding + 2, 6, -padding - 2, -6);
    painter->setFont(text_font(12));
    painter->setPen(theme.dim);
    const QString stage = index.data(TaskRole::stage).toString();
    const double first = QFontMetricsF(text_font(13)).height();
    const double stage_width = QFontMetricsF(painter->font()).horizontalAdvance(stage) + 1;
    draw_text(painter, QRectF(area.right() - stage_width, area.top(), stage_width, first), stage, Qt::ElideRight,
              Qt::AlignRight);
    QString second = trouble.isEmpty() ? index.data(TaskRole::title).toString() : trouble;
    const QString shape = index.data(TaskRole::shape).toString();
    if (trouble.isEmpty() && !shape.isEmpty()) {
        const QString both = second.isEmpty() ? shape : second + QStringLiteral(" · ") + shape;
        // What it computes comes first; the tool tip has both.
        if (second.isEmpty() || QFontMetricsF(painter->font()).horizontalAdvance(both) <= area.width())
            second = both;
    }
    painter->setPen(trouble.isEmpty() ? theme.dim : theme.inconclusive);
    draw_text(painter, QRectF(area.left(), area.top() + first + 2, area.width(), area.height() - first - 2), second,
              Qt::ElideRight, Qt::AlignLeft);
    painter->setFont(text_font(13));
    painter->setPen(trouble.isEmpty() ? theme.text : theme.dim);
    draw_text(painter, QRectF(area.left(), area.top(), area.width() - stage_width - gap, first),
              index.data(TaskRole::name).toString(), Qt::ElideMiddle, Qt::AlignLeft);
    painter->restore();
}

} // namespace kf::ui
