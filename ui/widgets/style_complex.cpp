// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/fonts.h"
#include "ui/widgets/style_draw.h"
#include "ui/widgets/workbench_style.h"

#include <QStyleOption>
#include <QToolButton>
#include <algorithm>

namespace kf::ui {
namespace {

constexpr int combo_arrow = 26;
constexpr int spin_width = 22;
constexpr int menu_part = 20; // of a split tool button

void draw_scroll_bar(const WorkbenchStyle& style, const QStyleOptionSlider& option, QPainter& painter,
                     const QWidget* widget) {
    const Theme& theme = Theme::current();
    painter.fillRect(option.rect, theme.panel);
    if (option.maximum <= option.minimum)
        return;
    const QRect handle = style.subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, widget);
    const bool held =
        option.state.testFlag(QStyle::State_Sunken) && option.activeSubControls == QStyle::SC_ScrollBarSlider;
    const bool over = option.state.testFlag(QStyle::State_MouseOver) && option.state.testFlag(QStyle::State_Enabled);
    const QColor colour = held ? theme.dim : over ? blend(theme.outline, theme.text, 0.25) : theme.outline;
    const bool lying = option.orientation == Qt::Horizontal;
    const int slim = over || held ? 2 : 3;
    draw::box(painter, lying ? handle.adjusted(1, slim, -1, -slim) : handle.adjusted(slim, 1, -slim, -1), colour, {},
              (metrics::scroll_bar - 2 * slim) / 2.0);
}

void draw_slider(const WorkbenchStyle& style, const QStyleOptionSlider& option, QPainter& painter,
                 const QWidget* widget) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool lying = option.orientation == Qt::Horizontal;
    const QRect rect = option.rect;
    const QRect handle = style.subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, widget);
    const QPoint middle = handle.center();
    const QRect groove = lying ? QRect(rect.left(), middle.y() - 1, rect.width(), 4)
                               : QRect(middle.x() - 1, rect.top(), 4, rect.height());
    draw::box(painter, groove, enabled ? theme.outline : theme.line, {}, 2);
    const QColor colour = enabled ? theme.accent : draw::disabled_text(theme);
    // From the end that is the least.
    const bool flipped = option.upsideDown;
    QRect done = groove;
    if (lying)
        flipped ? done.setLeft(middle.x()) : done.setRight(middle.x());
    else
        flipped ? done.setTop(middle.y()) : done.setBottom(middle.y());
    draw::box(painter, done, colour, {}, 2);
    if (option.tickPosition != QSlider::NoTicks && option.tickInterval > 0 && option.maximum > option.minimum) {
        painter.setPen(enabled ? theme.outline : theme.line);
        const int span = lying ? rect.width() - handle.width() : rect.height() - handle.height();
        for (int value = option.minimum; value <= option.maximum; value += option.tickInterval) {
            const int at = QStyle::sliderPositionFromValue(option.minimum, option.maximum, value, span, flipped) +
                           (lying ? handle.width() : handle.height()) / 2;
            if (lying)
                painter.drawLine(at, middle.y() + 9, at, middle.y() + 11);
            else
                painter.drawLine(middle.x() + 9, at, middle.x() + 11, at);
        }
    }
    QRect knob(0, 0, 15, 15);
    knob.moveCenter(middle);
    const bool over =
        option.activeSubControls == QStyle::SC_SliderHandle && option.state.testFlag(QStyle::State_MouseOver);
    draw::box(painter, knob, over && enabled ? blend(theme.accent, theme.text, 0.15) : colour, theme.panel, 8, 2);
    if (draw::keyboard_focus(option))
        draw::box(painter, knob.adjusted(-3, -3, 3, 3), {}, theme.accent, 11, 2);
}

void draw_combo(const WorkbenchStyle& style, const QStyleOptionComboBox& option, QPainter& painter,
                const QWidget* widget) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool over = enabled && option.state.testFlag(QStyle::State_MouseOver);
    const bool focus = draw::keyboard_focus(option);
    const QColor calm = option.editable ? draw::field(theme) : theme.raised;
    const QColor fill = !enabled ? theme.panel : over && !option.editable ? draw::hovered(theme, calm) : calm;
    draw::box(painter, option.rect, fill,
              !enabled ? theme.line
              : focus  ? theme.accent
                       : theme.outline,
              metrics::radius, focus ? 2 : 1);
    draw::chevron(painter, style.subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxArrow, widget),
                  draw::Direction::down, enabled ? theme.dim : draw::disabled_text(theme), 8);
}

void draw_spin(const WorkbenchStyle& style, const QStyleOptionSpinBox& option, QPainter& painter,
               const QWidget* widget) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool focus = enabled && option.state.testFlag(QStyle::State_HasFocus);
    const bool over = enabled && option.state.testFlag(QStyle::State_MouseOver);
    draw::box(painter, option.rect, enabled ? draw::field(theme) : theme.panel,
              !enabled ? theme.line
              : focus  ? theme.accent
              : over   ? theme.dim
                       : theme.outline,
              metrics::radius, focus ? 2 : 1);
    if (option.buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    for (const auto part : {QStyle::SC_SpinBoxUp, QStyle::SC_SpinBoxDown}) {
        const bool up = part == QStyle::SC_SpinBoxUp;
        const QRect area = style.subControlRect(QStyle::CC_SpinBox, &option, part, widget);
        const bool usable = enabled && option.stepEnabled.testFlag(up ? QAbstractSpinBox::StepUpEnabled
                                                                      : QAbstractSpinBox::StepDownEnabled);
        const bool active = usable && option.activeSubControls == part;
        if (active && (over || option.state.testFlag(QStyle::State_Sunken)))
            draw::box(painter, area.adjusted(1, 1, -2, -1),
                      option.state.testFlag(QStyle::State_Sunken) ? draw::pressed(theme, theme.raised)
                                                                  : draw::hovered(theme, theme.raised),
                      {}, 3);
        draw::chevron(painter, area, up ? draw::Direction::up : draw::Direction::down,
                      !usable  ? draw::disabled_text(theme)
                      : active ? theme.text
                               : theme.dim,
                      7);
    }
}

} // namespace

void WorkbenchStyle::draw_tool_button(const QStyleOptionToolButton& option, QPainter& painter,
                                      const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const bool auto_raise = option.state.testFlag(State_AutoRaise);
    const ButtonLook look = draw::look(widget, auto_raise);
    const bool enabled = option.state.testFlag(State_Enabled);
    State state = option.state;
    if (!(option.activeSubControls & SC_ToolButton) && !(option.activeSubControls & SC_ToolButtonMenu) &&
        !option.state.testFlag(State_On))
        state &= ~State_Sunken;
    const QColor colour = draw::button_surface(painter, option.rect, state, look, false);
    const bool split = option.features.testFlag(QStyleOptionToolButton::MenuButtonPopup);
    const bool menu = !split && option.features.testFlag(QStyleOptionToolButton::HasMenu);
    QRect area = subControlRect(CC_ToolButton, &option, SC_ToolButton, widget);
    if (option.features.testFlag(QStyleOptionToolButton::Arrow) && option.arrowType != Qt::NoArrow &&
        option.icon.isNull()) {
        const auto direction = option.arrowType == Qt::UpArrow     ? draw::Direction::up
                               : option.arrowType == Qt::DownArrow ? draw::Direction::down
                               : option.arrowType == Qt::LeftArrow ? draw::Direction::left
                                                                   : draw::Direction::right;
        draw::chevron(painter, area, direction, enabled ? theme.dim : colour);
    } else {
        draw::Content content{option.icon,          option.iconSize,        option.text,
                              draw::detail(widget), draw::key_hint(widget), menu};
        if (option.toolButtonStyle == Qt::ToolButtonIconOnly || option.toolButtonStyle == Qt::ToolButtonFollowStyle) {
            if (!option.icon.isNull())
                content.text.clear();
        } else if (option.toolButtonStyle == Qt::ToolButtonTextOnly) {
            content.icon = {};
        }
        content.icon_above = option.toolButtonStyle == Qt::ToolButtonTextUnderIcon;
        const bool bare = content.text.isEmpty() && content.detail.isEmpty() && content.key.isEmpty();
        const draw::Saved saved(painter);
        painter.setFont(option.font);
        const int pad = content.icon_above ? 2 : bare ? 4 : 10;
        draw::draw_content(painter, area.adjusted(pad, 0, -pad, 0), content, colour, enabled,
                           look == ButtonLook::primary && enabled, true, *this);
    }
    if (split) {
        const QRect part = subControlRect(CC_ToolButton, &option, SC_ToolButtonMenu, widget);
        const bool accent = look == ButtonLook::primary && enabled;
        painter.fillRect(QRect(part.left(), part.top() + 6, 1, part.height() - 12), accent ? colour : theme.line);
        draw::chevron(painter, part, draw::Direction::down, enabled && !accent ? theme.dim : colour, 7);
    }
    if (draw::keyboard_focus(option)) {
        if (look == ButtonLook::primary)
            draw::focus_ring_on_accent(painter, option.rect);
        else
            draw::focus_ring(painter, option.rect);
    }
}

QRect WorkbenchStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                                     const QWidget* widget) const {
    const QRect rect = option->rect;
    switch (control) {
    case CC_ScrollBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            const bool lying = bar->orientation == Qt::Horizontal;
            const int length = lying ? rect.width() : rect.height();
            const double range = static_cast<double>(bar->maximum) - bar->minimum;
            int slider = length;
            if (range > 0) {
                slider = static_cast<int>(length * (bar->pageStep / (range + bar->pageStep)));
                slider = std::min(length, std::max(slider, pixelMetric(PM_ScrollBarSliderMin, bar, widget)));
            }
            const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - slider,
                                                      bar->upsideDown);
            const auto along = [&](int from, int size) {
                return lying ? visualRect(bar->direction, rect,
                                          QRect(rect.left() + from, rect.top(), size, rect.height()))
                             : QRect(rect.left(), rect.top() + from, rect.width(), size);
            };
            switch (sub) {
            case SC_ScrollBarGroove:
                return rect;
            case SC_ScrollBarSlider:
                return along(start, slider);
            case SC_ScrollBarSubPage:
                return along(0, start);
            case SC_ScrollBarAddPage:
                return along(start + slider, length - start - slider);
            default:
                return {};
            }
        }
        break;
    case CC_Slider:
        if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            const bool lying = slider->orientation == Qt::Horizontal;
            const int size = pixelMetric(PM_SliderLength, slider, widget);
            const int span = (lying ? rect.width() : rect.height()) - size;
            const int at = sliderPositionFromValue(slider->minimum, slider->maximum, slider->sliderPosition, span,
                                                   slider->upsideDown);
            if (sub == SC_SliderHandle)
                return lying ? QRect(rect.left() + at, rect.center().y() - size / 2 + 1, size, size)
                             : QRect(rect.center().x() - size / 2 + 1, rect.top() + at, size, size);
            return rect;
        }
        break;
    case CC_ComboBox:
        switch (sub) {
        case SC_ComboBoxFrame:
        case SC_ComboBoxListBoxPopup:
            return rect;
        case SC_ComboBoxArrow:
            return visualRect(option->direction, rect,
                              QRect(rect.right() - combo_arrow + 1, rect.top(), combo_arrow - 2, rect.height()));
        case SC_ComboBoxEditField:
            return visualRect(option->direction, rect, rect.adjusted(10, 1, -combo_arrow, -1));
        default:
            break;
        }
        break;
    case CC_SpinBox:
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
            const bool buttons = spin->buttonSymbols != QAbstractSpinBox::NoButtons;
            const int left = rect.right() - spin_width + 1;
            const int half = rect.height() / 2;
            switch (sub) {
            case SC_SpinBoxFrame:
                return rect;
            case SC_SpinBoxUp:
                return buttons
                           ? visualRect(spin->direction, rect, QRect(left, rect.top() + 2, spin_width - 2, half - 2))
                           : QRect();
            case SC_SpinBoxDown:
                return buttons ? visualRect(spin->direction, rect,
                                            QRect(left, rect.top() + half, spin_width - 2, rect.height() - half - 2))
                               : QRect();
            case SC_SpinBoxEditField:
                return visualRect(spin->direction, rect, rect.adjusted(8, 1, buttons ? -spin_width : -8, -1));
            default:
                break;
            }
        }
        break;
    case CC_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            const bool split = button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup);
            if (sub == SC_ToolButtonMenu)
                return split ? visualRect(option->direction, rect,
                                          QRect(rect.right() - menu_part + 1, rect.top(), menu_part, rect.height()))
                             : QRect();
            return split ? visualRect(option->direction, rect, rect.adjusted(0, 0, -menu_part, 0)) : rect;
        }
        break;
    case CC_GroupBox:
        if (const auto* group = qstyleoption_cast<const QStyleOptionGroupBox*>(option)) {
            const bool titled = !group->text.isEmpty() || (group->subControls & SC_GroupBoxCheckBox);
            const int head = titled ? std::max(24, group->fontMetrics.height() + 8) : 0;
            const bool checkable = group->subControls & SC_GroupBoxCheckBox;
            switch (sub) {
            case SC_GroupBoxFrame:
                return rect.adjusted(0, head, 0, 0);
            case SC_GroupBoxContents:
                return rect.adjusted(1, head + 1, -1, -1);
            case SC_GroupBoxCheckBox:
                return visualRect(group->direction, rect, QRect(rect.left() + 2, rect.top() + (head - 16) / 2, 16, 16));
            case SC_GroupBoxLabel:
                return visualRect(
                    group->direction, rect,
                    QRect(rect.left() + (checkable ? 26 : 2), rect.top(), rect.width() - (checkable ? 28 : 4), head));
            default:
                break;
            }
        }
        break;
    default:
        break;
    }
    return QProxyStyle::subControlRect(control, option, sub, widget);
}

void WorkbenchStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                        const QWidget* widget) const {
    const Theme& theme = Theme::current();
    switch (control) {
    case CC_ScrollBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
            draw_scroll_bar(*this, *bar, *painter, widget);
        return;
    case CC_Slider:
        if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option))
            draw_slider(*this, *slider, *painter, widget);
        return;
    case CC_ComboBox:
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option))
            draw_combo(*this, *combo, *painter, widget);
        return;
    case CC_SpinBox:
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option))
            draw_spin(*this, *spin, *painter, widget);
        return;
    case CC_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option))
            draw_tool_button(*button, *painter, widget);
        return;
    case CC_GroupBox:
        if (const auto* group = qstyleoption_cast<const QStyleOptionGroupBox*>(option)) {
            const bool enabled = group->state.testFlag(State_Enabled);
            if (!group->features.testFlag(QStyleOptionFrame::Flat))
                draw::box(*painter, subControlRect(CC_GroupBox, group, SC_GroupBoxFrame, widget), {}, theme.line, 6);
            const draw::Saved saved(*painter);
            QFont font = widget ? widget->font() : painter->font();
            font.setWeight(QFont::DemiBold);
            painter->setFont(font);
            painter->setPen(enabled ? theme.dim : draw::disabled_text(theme));
            const QRect label = subControlRect(CC_GroupBox, group, SC_GroupBoxLabel, widget);
            painter->drawText(label, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic, group->text);
            if (group->subControls & SC_GroupBoxCheckBox) {
                QStyleOptionButton box;
                box.QStyleOption::operator=(*group);
                box.rect = subControlRect(CC_GroupBox, group, SC_GroupBoxCheckBox, widget);
                drawPrimitive(PE_IndicatorCheckBox, &box, painter, widget);
            }
            if (draw::keyboard_focus(*group)) {
                const int width = QFontMetrics(font).horizontalAdvance(group->text);
                draw::focus_ring(*painter, label.adjusted(-2, 1, width + 6 - label.width(), -1), 4);
            }
        }
        return;
    default:
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        return;
    }
}

} // namespace kf::ui
