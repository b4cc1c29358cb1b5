// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/row_delegate.h"

#include "ui/theme/fonts.h"

#include <QPainter>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int padding = 12, radius = 6;

QFont title_font() {
    return text_font(13, Weight::semibold);
}

} // namespace

RowDelegate::RowDelegate(std::function<RowTexts(const QModelIndex&)> texts, QObject* parent)
    : QStyledItemDelegate(parent), m_texts(std::move(texts)) {}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {240, QFontMetrics(title_font()).height() + QFontMetrics(text_font(12)).height() + 14};
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = Theme::current();
    const RowTexts texts = m_texts(index);
    const bool chosen = option.state.testFlag(QStyle::State_Selected);
    const bool pointed = option.state.testFlag(QStyle::State_MouseOver);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(option.rect).adjusted(1, 1, -1, -1);
    if (chosen || pointed) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(chosen ? theme.selection : theme.raised);
        painter->drawRoundedRect(box, radius, radius);
    }
    if (chosen && option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    }
    const QRect area = option.rect.adjusted(padding, 6, -padding, -6);
    const QRect upper(area.left(), area.top(), area.width(), area.height() / 2);
    const QRect lower(area.left(), upper.bottom() + 1, area.width(), area.height() - upper.height());
    const auto right = [&](const QRect& row, const QString& text, const QFont& font, const QColor& colour) {
        painter->setFont(font);
        painter->setPen(colour);
        painter->drawText(row, Qt::AlignRight | Qt::AlignVCenter, text);
        return text.isEmpty() ? 0 : QFontMetrics(font).horizontalAdvance(text) + padding;
    };
    const auto left = [&](const QRect& row, const QString& text, const QFont& font, const QColor& colour, int used) {
        painter->setFont(font);
        painter->setPen(colour);
        const QRect rest = row.adjusted(0, 0, -used, 0);
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                          QFontMetrics(font).elidedText(text, Qt::ElideMiddle, std::max(0, rest.width())));
    };
    const int side = right(upper, texts.side, mono_font(13, Weight::medium), theme.*texts.side_colour);
    const int side_detail = right(lower, texts.side_detail, mono_font(11), theme.dim);
    left(upper, texts.title, title_font(), texts.dimmed ? theme.faint : theme.text, side);
    left(lower, texts.detail, text_font(12), texts.dimmed ? theme.faint : theme.dim, side_detail);
    painter->restore();
}

} // namespace kf::ui
