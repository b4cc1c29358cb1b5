// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/fonts.h"
#include "ui/widgets/style_draw.h"
#include "ui/widgets/workbench_style.h"

#include <QComboBox>
#include <QDateTime>
#include <QFrame>
#include <QPointer>
#include <QStyleOption>
#include <QTabBar>
#include <QTimer>
#include <algorithm>
#include <cmath>

namespace kf::ui {

void WorkbenchStyle::draw_push_button(const QStyleOptionButton& option, QPainter& painter,
                                      const QWidget* widget) const {
    const ButtonLook look = draw::look(widget, option.features.testFlag(QStyleOptionButton::Flat));
    const QColor colour = draw::button_surface(painter, option.rect, option.state, look,
                                               option.features.testFlag(QStyleOptionButton::DefaultButton));
    const draw::Saved saved(painter);
    if (look == ButtonLook::primary) {
        QFont font = painter.font();
        font.setWeight(QFont::Medium);
        painter.setFont(font);
    }
    const draw::Content content{
        option.icon,          option.iconSize,        option.text,
        draw::detail(widget), draw::key_hint(widget), option.features.testFlag(QStyleOptionButton::HasMenu)};
    const bool enabled = option.state.testFlag(State_Enabled);
    draw::draw_content(painter, subElementRect(SE_PushButtonContents, &option, widget), content, colour, enabled,
                       look == ButtonLook::primary && enabled,
                       styleHint(SH_UnderlineShortcut, &option, widget, nullptr), *this);
    if (draw::keyboard_focus(option)) {
        if (look == ButtonLook::primary)
            draw::focus_ring_on_accent(painter, option.rect);
        else
            draw::focus_ring(painter, option.rect);
    }
}

void WorkbenchStyle::draw_tab(const QStyleOptionTab& option, QPainter& painter) const {
    const Theme& theme = Theme::current();
    const bool selected = option.state.testFlag(State_Selected);
    const bool over = option.state.testFlag(State_MouseOver) && option.state.testFlag(State_Enabled);
    const bool south = option.shape == QTabBar::RoundedSouth || option.shape == QTabBar::TriangularSouth;
    const bool west = option.shape == QTabBar::RoundedWest || option.shape == QTabBar::TriangularWest;
    const bool east = option.shape == QTabBar::RoundedEast || option.shape == QTabBar::TriangularEast;
    const draw::Saved saved(painter);
    painter.setClipRect(option.rect, Qt::IntersectClip);
    // Round at the outer side, open towards the page.
    QRect shape = option.rect;
    if (south)
        shape.adjust(0, -10, 0, -4);
    else if (west)
        shape.adjust(4, 0, 10, 0);
    else if (east)
        shape.adjust(-10, 0, -4, 0);
    else
        shape.adjust(0, 4, 0, 10);
    if (selected) {
        draw::box(painter, shape, theme.panel, theme.name == ThemeName::contrast ? theme.outline : theme.line, 6);
        if (theme.name == ThemeName::contrast && !south && !west && !east)
            painter.fillRect(QRect(option.rect.left() + 6, option.rect.top() + 4, option.rect.width() - 12, 2),
                             theme.accent);
    } else if (over) {
        draw::box(painter, shape.adjusted(3, 2, -3, -2), draw::hovered(theme, theme.window), {}, 5);
        if (!south && !west && !east)
            painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.line);
    }
}

void WorkbenchStyle::draw_tab_label(const QStyleOptionTab& option, QPainter& painter, const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const bool selected = option.state.testFlag(State_Selected);
    const bool over = option.state.testFlag(State_MouseOver);
    const bool upright = option.shape == QTabBar::RoundedWest || option.shape == QTabBar::RoundedEast ||
                         option.shape == QTabBar::TriangularWest || option.shape == QTabBar::TriangularEast;
    const bool enabled = option.state.testFlag(State_Enabled);
    const QColor colour = !enabled ? draw::disabled_text(theme) : selected || over ? theme.text : theme.dim;
    const draw::Saved saved(painter);
    QRect area = option.rect;
    if (upright) {
        painter.translate(area.center());
        painter.rotate(option.shape == QTabBar::RoundedWest || option.shape == QTabBar::TriangularWest ? -90 : 90);
        area = QRect(-area.height() / 2, -area.width() / 2, area.height(), area.width());
    } else if (option.shape == QTabBar::RoundedNorth || option.shape == QTabBar::TriangularNorth) {
        area.adjust(0, 4, 0, 0);
    }
    area.adjust(option.leftButtonSize.isEmpty() ? 0 : option.leftButtonSize.width() + 4, 0,
                option.rightButtonSize.isEmpty() ? 0 : -option.rightButtonSize.width() - 4, 0);
    draw::Content content;
    content.icon = option.icon;
    content.icon_size = option.iconSize.isValid() ? option.iconSize : QSize(16, 16);
    content.text = option.text;
    draw::draw_content(painter, area.adjusted(8, 0, -8, 0), content, colour, enabled, false,
                       styleHint(SH_UnderlineShortcut, &option, widget, nullptr), *this);
    if (option.state.testFlag(State_HasFocus) && selected)
        draw::focus_ring(painter, area.adjusted(3, 3, -3, -3), 4);
}

void WorkbenchStyle::draw_header(ControlElement element, const QStyleOption& option, QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRect rect = option.rect;
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(&option);
    const bool lying = header ? header->orientation == Qt::Horizontal : option.state.testFlag(State_Horizontal);
    if (element == CE_HeaderEmptyArea || element == CE_HeaderSection) {
        const bool over = element == CE_HeaderSection && option.state.testFlag(State_MouseOver) &&
                          option.state.testFlag(State_Enabled);
        painter.fillRect(rect, over ? draw::hovered(theme, theme.panel) : theme.panel);
        if (lying)
            painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line);
        else
            painter.fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), theme.line);
        if (over && lying)
            painter.fillRect(QRect(rect.right(), rect.top() + 6, 1, rect.height() - 12), theme.outline);
        return;
    }
    if (!header)
        return;
    // The label, with room for the arrow behind it.
    QRect area = rect;
    const draw::Saved saved(painter);
    const bool sorted = header->sortIndicator != QStyleOptionHeader::None;
    if (!header->icon.isNull()) {
        const double ratio = painter.device() ? painter.device()->devicePixelRatio() : 1.0;
        drawItemPixmap(&painter, area, Qt::AlignLeft | Qt::AlignVCenter, header->icon.pixmap(QSize(16, 16), ratio));
        area.setLeft(area.left() + 20);
    }
    const bool right = header->textAlignment.testFlag(Qt::AlignRight);
    if (sorted)
        area.adjust(right ? 14 : 0, 0, right ? 0 : -14, 0);
    const bool lines = header->text.contains(u'\n');
    const QString shown =
        lines ? header->text : header->fontMetrics.elidedText(header->text, Qt::ElideRight, std::max(0, area.width()));
    painter.setPen(sorted ? theme.text : theme.dim);
    painter.drawText(area, static_cast<int>(header->textAlignment & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter,
                     shown);
    if (sorted) {
        const int width = header->fontMetrics.horizontalAdvance(shown);
        const bool centred = header->textAlignment.testFlag(Qt::AlignHCenter);
        const int left = right     ? std::max(rect.left(), area.right() - width - 14)
                         : centred ? std::min(area.right() + 4, area.center().x() + width / 2 + 4)
                                   : area.left() + std::min(width, area.width()) + 3;
        draw::chevron(painter, QRectF(left, rect.top(), 10, rect.height()),
                      header->sortIndicator == QStyleOptionHeader::SortUp ? draw::Direction::down : draw::Direction::up,
                      theme.text, 7);
    }
}

void WorkbenchStyle::draw_progress(const QStyleOption& given, QPainter& painter, const QWidget* widget) const {
    const auto* option = qstyleoption_cast<const QStyleOptionProgressBar*>(&given);
    if (!option)
        return;
    const Theme& theme = Theme::current();
    const bool enabled = option->state.testFlag(State_Enabled);
    QRect bar = option->rect;
    if (option->textVisible && !option->text.isEmpty() && bar.height() > 10) {
        const int room = option->fontMetrics.horizontalAdvance(QStringLiteral("100 %")) + 8;
        const int width = std::max(room, option->fontMetrics.horizontalAdvance(option->text) + 8);
        painter.setPen(enabled ? theme.dim : draw::disabled_text(theme));
        painter.drawText(QRect(bar.right() - width + 1, bar.top(), width, bar.height()),
                         Qt::AlignRight | Qt::AlignVCenter, option->text);
        bar.setRight(bar.right() - width);
    }
    const int thickness = std::min(6, bar.height());
    bar = QRect(bar.left(), bar.center().y() - thickness / 2 + (thickness % 2 == 0 ? 1 : 0), bar.width(), thickness);
    const double radius = thickness / 2.0;
    const bool strong = theme.name == ThemeName::contrast;
    draw::box(painter, bar, strong ? theme.panel : theme.line, strong ? theme.outline : QColor(), radius);
    const QColor fill = enabled ? theme.accent : draw::disabled_text(theme);
    if (option->maximum == option->minimum) {
        // Unknown how much: a piece that walks. Each frame asks for the next while the bar can be seen. Where nothing
        // may move it stands in the middle.
        const double phase = reduced_motion()
                                 ? 0.5
                                 : std::fmod(static_cast<double>(QDateTime::currentMSecsSinceEpoch()), 1400.0) / 1400.0;
        const double length = bar.width() * 0.35;
        const double left = -length + (bar.width() + length) * phase;
        const QRectF piece = QRectF(bar.left() + left, bar.top(), length, bar.height()) & QRectF(bar);
        const draw::Saved saved(painter);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(piece, radius, radius);
        if (widget && widget->isVisible() && !reduced_motion() && !widget->property("kf_moving").toBool()) {
            auto* moving = const_cast<QWidget*>(widget);
            moving->setProperty("kf_moving", true);
            QTimer::singleShot(40, moving, [moving] {
                moving->setProperty("kf_moving", false);
                moving->update();
            });
        }
        return;
    }
    const double range = static_cast<double>(option->maximum) - option->minimum;
    const double done = std::clamp((static_cast<double>(option->progress) - option->minimum) / range, 0.0, 1.0);
    if (done <= 0)
        return;
    const int width = std::max(thickness, static_cast<int>(std::lround(bar.width() * done)));
    const bool from_right = (option->direction == Qt::RightToLeft) != option->invertedAppearance;
    draw::box(painter, QRect(from_right ? bar.right() - width + 1 : bar.left(), bar.top(), width, bar.height()), fill,
              {}, radius);
}

// Bars and dividers of windows; false: not one of them.
bool WorkbenchStyle::draw_bar(ControlElement element, const QStyleOption& option, QPainter& painter,
                              const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const QRect rect = option.rect;
    switch (element) {
    case CE_ToolBar: {
        painter.fillRect(rect, theme.window);
        const auto* bar = qstyleoption_cast<const QStyleOptionToolBar*>(&option);
        if (!bar || bar->toolBarArea != Qt::BottomToolBarArea)
            painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line);
        else
            painter.fillRect(QRect(rect.left(), rect.top(), rect.width(), 1), theme.line);
        return true;
    }
    case CE_Splitter: {
        const bool over = option.state.testFlag(State_MouseOver);
        const QColor line = over ? theme.accent : theme.name == ThemeName::contrast ? theme.outline : theme.line;
        if (rect.width() <= 1 || rect.height() <= 1)
            painter.fillRect(rect, line);
        else if (option.state.testFlag(State_Horizontal))
            painter.fillRect(QRect(rect.center().x(), rect.top(), 1, rect.height()), line);
        else
            painter.fillRect(QRect(rect.left(), rect.center().y(), rect.width(), 1), line);
        return true;
    }
    case CE_DockWidgetTitle:
        if (const auto* title = qstyleoption_cast<const QStyleOptionDockWidget*>(&option)) {
            painter.fillRect(rect, theme.window);
            painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line);
            const QRect area = subElementRect(SE_DockWidgetTitleBarText, &option, widget).adjusted(4, 0, -4, 0);
            painter.setFont(text_font(13));
            painter.setPen(theme.text);
            painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(title->title, Qt::ElideMiddle, area.width()));
        }
        return true;
    case CE_ShapedFrame:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(&option)) {
            if (frame->frameShape == QFrame::HLine) {
                painter.fillRect(QRect(rect.left(), rect.center().y(), rect.width(), 1), theme.line);
                return true;
            }
            if (frame->frameShape == QFrame::VLine) {
                painter.fillRect(QRect(rect.center().x(), rect.top(), 1, rect.height()), theme.line);
                return true;
            }
            if (frame->frameShape == QFrame::NoFrame)
                return true;
            drawPrimitive(PE_Frame, &option, &painter, widget);
        }
        return true;
    case CE_RubberBand: {
        QColor fill = theme.accent;
        fill.setAlphaF(0.18f);
        painter.fillRect(rect, fill);
        draw::box(painter, rect, {}, theme.accent, 0);
        return true;
    }
    case CE_SizeGrip:
    case CE_FocusFrame:
        return true;
    default:
        return false;
    }
}

void WorkbenchStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                                 const QWidget* widget) const {
    const Theme& theme = Theme::current();
    switch (element) {
    case CE_PushButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option))
            draw_push_button(*button, *painter, widget);
        return;
    case CE_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
            draw_menu_item(*item, *painter, widget);
        return;
    case CE_MenuEmptyArea:
    case CE_MenuHMargin:
    case CE_MenuVMargin:
        return;
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, theme.window);
        return;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            painter->fillRect(item->rect, theme.window);
            const bool open = item->state.testFlag(State_Sunken);
            const bool over = item->state.testFlag(State_Selected);
            if (open || over)
                draw::box(*painter, item->rect.adjusted(1, 2, -1, -2),
                          open ? theme.selection : draw::pressed(theme, theme.window), {}, 4);
            painter->setPen(item->state.testFlag(State_Enabled) ? theme.text : draw::disabled_text(theme));
            painter->drawText(item->rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextShowMnemonic, item->text);
        }
        return;
    case CE_TabBarTabShape:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option))
            draw_tab(*tab, *painter);
        return;
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option))
            draw_tab_label(*tab, *painter, widget);
        return;
    case CE_Header:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            const draw::Saved saved(*painter);
            painter->setClipRect(header->rect, Qt::IntersectClip);
            draw_header(CE_HeaderSection, *header, *painter);
            QStyleOptionHeader label = *header;
            label.rect = subElementRect(SE_HeaderLabel, header, widget);
            draw_header(CE_HeaderLabel, label, *painter);
        }
        return;
    case CE_HeaderSection:
    case CE_HeaderLabel:
    case CE_HeaderEmptyArea:
        draw_header(element, *option, *painter);
        return;
    case CE_ProgressBar:
        draw_progress(*option, *painter, widget);
        return;
    case CE_ProgressBarContents:
    case CE_ProgressBarGroove:
    case CE_ProgressBarLabel:
        return;
    case CE_CheckBox:
    case CE_RadioButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            const bool box = element == CE_CheckBox;
            QStyleOptionButton part = *button;
            part.rect = subElementRect(box ? SE_CheckBoxIndicator : SE_RadioButtonIndicator, button, widget);
            drawPrimitive(box ? PE_IndicatorCheckBox : PE_IndicatorRadioButton, &part, painter, widget);
            part.rect = subElementRect(box ? SE_CheckBoxContents : SE_RadioButtonContents, button, widget);
            const bool enabled = button->state.testFlag(State_Enabled);
            painter->setPen(enabled ? theme.text : draw::disabled_text(theme));
            QRect area = part.rect;
            if (!button->icon.isNull()) {
                const double ratio = painter->device() ? painter->device()->devicePixelRatio() : 1.0;
                drawItemPixmap(painter, area, Qt::AlignLeft | Qt::AlignVCenter,
                               button->icon.pixmap(button->iconSize, ratio, enabled ? QIcon::Normal : QIcon::Disabled));
                area.setLeft(area.left() + button->iconSize.width() + 6);
            }
            const bool mnemonic = styleHint(SH_UnderlineShortcut, option, widget, nullptr) != 0;
            painter->drawText(
                area, Qt::AlignLeft | Qt::AlignVCenter | (mnemonic ? Qt::TextShowMnemonic : Qt::TextHideMnemonic),
                button->text);
            if (draw::keyboard_focus(*button))
                draw::focus_ring(*painter, button->rect, 4);
        }
        return;
    case CE_ComboBoxLabel:
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            if (combo->editable)
                return;
            const bool enabled = combo->state.testFlag(State_Enabled);
            draw::Content content;
            content.icon = combo->currentIcon;
            content.icon_size = combo->iconSize;
            QString text = combo->currentText;
            content.text = text.replace(u'&', QStringLiteral("&&"));
            const QRect area = subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget);
            // At the left, whatever the width.
            const int width = std::min(area.width(), draw::content_size(content, painter->font()).width());
            const QRect left(area.left(), area.top(), std::max(width, 0), area.height());
            draw::draw_content(*painter, visualRect(combo->direction, area, left), content,
                               enabled ? theme.text : draw::disabled_text(theme), enabled, false, true, *this);
        }
        return;
    default:
        if (!draw_bar(element, *option, *painter, widget))
            QProxyStyle::drawControl(element, option, painter, widget);
        return;
    }
}

} // namespace kf::ui
