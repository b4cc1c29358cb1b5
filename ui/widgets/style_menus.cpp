// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/fonts.h"
#include "ui/widgets/style_draw.h"
#include "ui/widgets/workbench_style.h"

#include <QComboBox>
#include <QStyleOption>

namespace kf::ui {

void WorkbenchStyle::draw_menu_item(const QStyleOptionMenuItem& item, QPainter& painter, const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const QRect rect = item.rect;
    const draw::Saved saved(painter);
    if (item.menuItemType == QStyleOptionMenuItem::Separator) {
        if (item.text.isEmpty()) {
            painter.fillRect(QRect(rect.left() + 8, rect.center().y(), rect.width() - 16, 1), theme.line);
            return;
        }
        painter.setFont(text_font(11, Weight::semibold));
        painter.setPen(theme.dim);
        painter.drawText(rect.adjusted(12, 2, -12, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextHideMnemonic,
                         item.text);
        return;
    }
    const bool enabled = item.state.testFlag(State_Enabled);
    const bool chosen = item.state.testFlag(State_Selected);
    if (chosen && enabled) {
        painter.fillRect(rect, theme.selection);
        if (theme.name == ThemeName::contrast)
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), theme.accent);
    } else if (chosen) {
        // Keyboard users have to see where they are, even on what cannot be chosen.
        draw::box(painter, rect.adjusted(2, 0, -2, 0), {}, theme.line, 3);
    }
    const QColor colour = enabled ? theme.text : draw::disabled_text(theme);
    const QRect marks = visualRect(item.direction, rect, QRect(rect.left() + 9, rect.center().y() - 7, 16, 16));
    const bool checkable = item.checkType != QStyleOptionMenuItem::NotCheckable;
    if (checkable && item.icon.isNull()) {
        if (item.checkType == QStyleOptionMenuItem::Exclusive) {
            if (item.checked)
                draw::box(painter, marks.adjusted(5, 5, -5, -5), enabled ? theme.accent : colour, {}, 4);
        } else {
            QStyleOptionButton box;
            box.rect = marks.adjusted(1, 1, -1, -1);
            box.state = (item.state & State_Enabled) | (item.checked ? State_On : State_Off);
            drawPrimitive(PE_IndicatorCheckBox, &box, &painter, widget);
        }
    } else if (!item.icon.isNull()) {
        if (item.checked)
            draw::box(painter, marks.adjusted(-3, -3, 3, 3), theme.selection, theme.accent, 4);
        const double ratio = painter.device() ? painter.device()->devicePixelRatio() : 1.0;
        drawItemPixmap(&painter, marks, Qt::AlignCenter,
                       item.icon.pixmap(QSize(16, 16), ratio, enabled ? QIcon::Normal : QIcon::Disabled));
    }
    QRect area = visualRect(item.direction, rect, rect.adjusted(34, 0, -28, 0));
    // Combo boxes show their list as a menu only in some styles; there the text starts further left.
    if (qobject_cast<const QComboBox*>(widget))
        area = rect.adjusted(10, 0, -10, 0);
    QFont font = item.font;
    if (item.menuItemType == QStyleOptionMenuItem::DefaultItem)
        font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(colour);
    const qsizetype tab = item.text.indexOf(u'\t');
    const QString label = tab < 0 ? item.text : item.text.left(tab);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextShowMnemonic, label);
    if (tab >= 0) {
        painter.setFont(mono_font(11));
        painter.setPen(enabled ? theme.dim : colour);
        painter.drawText(visualRect(item.direction, rect, rect.adjusted(34, 0, -14, 0)),
                         Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, item.text.mid(tab + 1));
    }
    if (item.menuItemType == QStyleOptionMenuItem::SubMenu) {
        const QRect arrow = visualRect(item.direction, rect, QRect(rect.right() - 22, rect.top(), 12, rect.height()));
        draw::chevron(painter, arrow,
                      item.direction == Qt::RightToLeft ? draw::Direction::left : draw::Direction::right,
                      enabled ? theme.dim : colour, 7);
    }
}

} // namespace kf::ui
