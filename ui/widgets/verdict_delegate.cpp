// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/verdict_delegate.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/marks.h"
#include "ui/widgets/style.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

namespace kf::ui {
namespace {

constexpr int padding = 8;

// Of a mark, across; it grows with the text.
double mark_size() {
    return 10 * std::max(1.0, text_scale());
}

QFont font_of(VerdictDelegate::Part part, bool bold) {
    const Weight weight = bold ? Weight::semibold : Weight::regular;
    return part == VerdictDelegate::Part::figure ? mono_font(12, weight) : text_font(13, weight);
}

// Icons that tell what a person left on the turn.
QStringList signs_of(const QModelIndex& index, const VerdictRoles& roles) {
    QStringList signs;
    if (index.data(roles.marked).toBool())
        signs << QStringLiteral("star");
    if (!index.data(roles.note).toString().isEmpty())
        signs << QStringLiteral("note");
    return signs;
}

bool valid_kind(int kind) {
    return kind >= 0 && kind <= static_cast<int>(VerdictKind::none);
}

bool valid_level(int level) {
    return level >= 0 && level <= static_cast<int>(Level::promote);
}

} // namespace

VerdictDelegate::VerdictDelegate(Part part, QObject* parent, VerdictRoles roles)
    : QStyledItemDelegate(parent), m_part(part), m_roles(roles) {}

void VerdictDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    const QString text = option.text;
    option.text.clear();
    option.icon = {};
    style->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget);

    const Theme& theme = Theme::current();
    const QModelIndex first = index.siblingAtColumn(0);
    const bool champion = first.data(m_roles.champion).toBool();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    QColor colour =
        enabled ? option.palette.color(QPalette::Text) : option.palette.color(QPalette::Disabled, QPalette::Text);
    const QVariant foreground = index.data(Qt::ForegroundRole);
    if (foreground.canConvert<QBrush>())
        colour = foreground.value<QBrush>().color();
    QRect area = option.rect.adjusted(padding, 0, -padding, 0);
    const double middle = option.rect.center().y() + 0.5;
    const double mark = mark_size();
    painter->save();
    painter->setClipRect(option.rect, Qt::IntersectClip);
    painter->setRenderHint(QPainter::Antialiasing);
    Qt::TextElideMode elide = Qt::ElideRight;
    Qt::Alignment align = Qt::AlignVCenter | Qt::AlignLeft;
    bool star = false;
    QStringList signs;
    switch (m_part) {
    case Part::verdict: {
        const QVariant kind = index.data(m_roles.kind);
        if (kind.isValid() && valid_kind(kind.toInt())) {
            const bool human = index.data(m_roles.human).toBool();
            const double size = human ? mark * 1.7 : mark;
            draw_mark(*painter, static_cast<VerdictKind>(kind.toInt()), {area.left() + mark * 0.85, middle}, size,
                      human);
            area.setLeft(area.left() + static_cast<int>(mark * 1.7) + 6);
        }
        break;
    }
    case Part::evidence: {
        const QVariant level = index.data(m_roles.level);
        if (level.isValid() && valid_level(level.toInt())) {
            draw_evidence(*painter, static_cast<Level>(level.toInt()), {area.left() + mark / 2, middle}, mark);
            area.setLeft(area.left() + static_cast<int>(mark) + 6);
        }
        if (enabled && !foreground.isValid())
            colour = theme.dim;
        break;
    }
    case Part::turn:
        star = index.data(m_roles.star).toBool();
        signs = signs_of(index, m_roles);
        break;
    case Part::figure:
        align = Qt::AlignVCenter | Qt::AlignRight;
        break;
    case Part::text:
        elide = Qt::ElideMiddle;
        break;
    }
    const QFont font = font_of(m_part, champion && m_part != Part::evidence);
    const QFontMetrics font_metrics(font);
    painter->setFont(font);
    painter->setPen(colour);
    const int sign = static_cast<int>(mark * 1.2);
    const int star_room = star ? static_cast<int>(mark * 1.8) : 0;
    // The number comes first; signs that would cut it are left to the tooltip.
    while (!signs.isEmpty() &&
           font_metrics.horizontalAdvance(text) + star_room + 5 + static_cast<int>(signs.size()) * (sign + 3) >
               area.width())
        signs.removeFirst();
    const int room = area.width() - star_room;
    const QString shown = font_metrics.elidedText(text, elide, std::max(0, room));
    painter->drawText(area, static_cast<int>(align) | Qt::TextSingleLine, shown);
    if (star)
        draw_star(*painter, {area.left() + font_metrics.horizontalAdvance(shown) + mark * 1.1, middle - 0.5},
                  mark * 1.2, theme.text);
    int at = area.left() + font_metrics.horizontalAdvance(shown) + star_room + 5;
    const double ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
    for (const QString& name : signs) {
        if (name == QLatin1String("star"))
            draw_open_star(*painter, {at + sign / 2.0, middle - 0.5}, sign, theme.text);
        else
            painter->drawPixmap(QRect(at, option.rect.center().y() - sign / 2 + 1, sign, sign),
                                icon_pixmap(name, sign, theme.dim, ratio));
        at += sign + 3;
    }
    painter->restore();
}

QSize VerdictDelegate::sizeHint(const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const QFontMetrics font_metrics(font_of(m_part, true));
    int width = font_metrics.horizontalAdvance(option.text) + 2 * padding + 2;
    const double mark = mark_size();
    if (m_part == Part::verdict)
        width += static_cast<int>(mark * 1.7) + 6;
    else if (m_part == Part::evidence)
        width += static_cast<int>(mark) + 6;
    else if (m_part == Part::turn)
        width += static_cast<int>(mark * 1.8) +
                 static_cast<int>(signs_of(index, m_roles).size()) * (static_cast<int>(mark * 1.2) + 3);
    return {width, std::max(metrics::row_height, font_metrics.height() + 10)};
}

} // namespace kf::ui
