// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"
#include "ui/widgets/style_draw.h"
#include "ui/widgets/workbench_style.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStyleOption>
#include <QTabBar>
#include <QTextEdit>

namespace kf::ui {
namespace {

void draw_indicator(QPainter& painter, const QRect& rect, const QStyleOption& option, bool round) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool partly = option.state.testFlag(QStyle::State_NoChange);
    const bool on = option.state.testFlag(QStyle::State_On) || partly;
    const bool over = option.state.testFlag(QStyle::State_MouseOver);
    const double radius = round ? rect.height() / 2.0 : 3.5;
    const QColor mark = enabled ? theme.on_accent : theme.panel;
    if (!on) {
        const QColor line = !enabled ? draw::disabled_text(theme) : over ? theme.text : theme.outline;
        draw::box(painter, rect, enabled ? draw::field(theme) : QColor(), line, radius, over && enabled ? 1.5 : 1);
        return;
    }
    const QColor fill = !enabled ? draw::disabled_text(theme)
                        : over   ? blend(theme.accent, theme.text, 0.12)
                                 : theme.accent;
    draw::box(painter, rect, fill, {}, radius);
    if (round)
        draw::box(painter, rect.adjusted(5, 5, -5, -5), mark, {}, radius);
    else if (partly)
        painter.fillRect(QRectF(rect.left() + 4, rect.center().y() - 0.5, rect.width() - 8, 2), mark);
    else
        draw::check(painter, rect, mark);
}

void draw_item_ground(QPainter& painter, const QStyleOptionViewItem& option, const QWidget* widget) {
    const Theme& theme = Theme::current();
    if (option.backgroundBrush.style() != Qt::NoBrush)
        painter.fillRect(option.rect, option.backgroundBrush);
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter.fillRect(option.rect, theme.selection);
        // The edge says which list has the keyboard. Lists that pop up have no use for it.
        const auto* view = qobject_cast<const QAbstractItemView*>(widget);
        if (view && option.rect.left() <= 0 && option.rect.width() > 3)
            painter.fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()),
                             view->hasFocus() ? theme.accent : theme.outline);
    } else if (option.state.testFlag(QStyle::State_MouseOver) && option.state.testFlag(QStyle::State_Enabled)) {
        painter.fillRect(option.rect, draw::hovered(theme, theme.panel));
    }
}

void draw_field(QPainter& painter, const QStyleOption& option) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool focused = enabled && option.state.testFlag(QStyle::State_HasFocus);
    const bool over = enabled && option.state.testFlag(QStyle::State_MouseOver);
    draw::box(painter, option.rect, enabled ? draw::field(theme) : theme.panel,
              !enabled  ? theme.line
              : focused ? theme.accent
              : over    ? theme.dim
                        : theme.outline,
              metrics::radius, focused ? 2 : 1);
}

// A frame around a scrolled area: text that is written has an outline, text that is read has none.
void draw_frame(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
    const Theme& theme = Theme::current();
    const auto* plain = qobject_cast<const QPlainTextEdit*>(widget);
    const auto* rich = qobject_cast<const QTextEdit*>(widget);
    if (plain || rich) {
        if (plain ? plain->isReadOnly() : rich->isReadOnly()) {
            if (widget->hasFocus())
                draw::box(painter, option.rect, {}, theme.accent, 2);
            return;
        }
        const bool focused = widget->hasFocus();
        draw::box(painter, option.rect, {}, focused ? theme.accent : theme.outline, 2, 1);
        return;
    }
    if (qobject_cast<const QAbstractItemView*>(widget) && !widget->isWindow())
        return;
    // Lists of combo boxes and other popups stand out by an outline.
    const bool popup = widget && widget->isWindow();
    draw::box(painter, option.rect, popup ? theme.raised : QColor(), popup ? theme.outline : theme.line,
              popup ? 0 : metrics::radius);
}

} // namespace

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const QColor arrow = option->state.testFlag(State_Enabled) ? theme.dim : draw::disabled_text(theme);
    switch (element) {
    case PE_FrameFocusRect: {
        if (const auto* view = qobject_cast<const QAbstractItemView*>(widget)) {
            // A chosen row shows the keyboard by its edge; the list of a combo box has nothing else to be chosen.
            const bool row =
                view->selectionBehavior() == QAbstractItemView::SelectRows && option->state.testFlag(State_Selected);
            if (!row && view->window()->windowType() != Qt::Popup)
                draw::focus_ring(*painter, view->visualRect(view->currentIndex()), 0);
            return;
        }
        draw::focus_ring(*painter, option->rect, 4);
        return;
    }
    case PE_PanelButtonCommand:
        draw::button_surface(*painter, option->rect, option->state, draw::look(widget, false), false);
        return;
    case PE_PanelButtonTool:
    case PE_PanelButtonBevel:
        draw::button_surface(*painter, option->rect, option->state,
                             draw::look(widget, option->state.testFlag(State_AutoRaise)), false);
        return;
    case PE_FrameDefaultButton:
    case PE_FrameButtonBevel:
    case PE_FrameButtonTool:
    case PE_FrameDockWidget:
    case PE_FrameStatusBarItem:
    case PE_FrameTabWidget:
    case PE_FrameWindow:
    case PE_IndicatorToolBarHandle:
        return;
    case PE_IndicatorDockWidgetResizeHandle: {
        // Five pixels for the mouse, one to see.
        const QRect rect = option->rect;
        const QColor line = option->state.testFlag(State_MouseOver) ? theme.accent : theme.line;
        painter->fillRect(rect, theme.window);
        if (rect.width() < rect.height())
            painter->fillRect(QRect(rect.center().x(), rect.top(), 1, rect.height()), line);
        else
            painter->fillRect(QRect(rect.left(), rect.center().y(), rect.width(), 1), line);
        return;
    }
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        draw_indicator(*painter, option->rect, *option, false);
        return;
    case PE_IndicatorRadioButton:
        draw_indicator(*painter, option->rect, *option, true);
        return;
    case PE_PanelLineEdit:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option)) {
            if (frame->lineWidth > 0)
                draw_field(*painter, *option);
            else if (widget && widget->parentWidget() && widget->parentWidget()->inherits("QAbstractItemView"))
                painter->fillRect(option->rect, draw::field(theme));
        }
        return;
    case PE_FrameLineEdit:
        return;
    case PE_Frame:
        draw_frame(*painter, *option, widget);
        return;
    case PE_FrameGroupBox:
        draw::box(*painter, option->rect, {}, theme.line, 6);
        return;
    case PE_FrameMenu:
        draw::box(*painter, option->rect, {}, theme.outline, 0);
        return;
    case PE_PanelMenu:
        painter->fillRect(option->rect, theme.raised);
        return;
    case PE_PanelTipLabel:
        draw::box(*painter, option->rect, theme.raised, theme.outline, 0);
        return;
    case PE_PanelMenuBar:
    case PE_PanelToolBar:
        painter->fillRect(option->rect, theme.window);
        return;
    case PE_PanelStatusBar:
        painter->fillRect(option->rect, theme.window);
        painter->fillRect(QRect(option->rect.left(), option->rect.top(), option->rect.width(), 1), theme.line);
        return;
    case PE_PanelScrollAreaCorner:
        painter->fillRect(option->rect, theme.panel);
        return;
    case PE_PanelItemViewItem:
    case PE_PanelItemViewRow:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option))
            draw_item_ground(*painter, *item, widget);
        return;
    case PE_IndicatorBranch:
        if (option->state.testFlag(State_Children))
            draw::chevron(*painter, option->rect,
                          option->state.testFlag(State_Open) ? draw::Direction::down : draw::Direction::right,
                          option->state.testFlag(State_MouseOver) ? theme.text : theme.dim, 7);
        return;
    case PE_IndicatorArrowDown:
        draw::chevron(*painter, option->rect, draw::Direction::down, arrow);
        return;
    case PE_IndicatorArrowUp:
        draw::chevron(*painter, option->rect, draw::Direction::up, arrow);
        return;
    case PE_IndicatorArrowLeft:
        draw::chevron(*painter, option->rect, draw::Direction::left, arrow);
        return;
    case PE_IndicatorArrowRight:
        draw::chevron(*painter, option->rect, draw::Direction::right, arrow);
        return;
    case PE_IndicatorHeaderArrow:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
            draw::chevron(*painter, option->rect,
                          header->sortIndicator == QStyleOptionHeader::SortUp ? draw::Direction::down
                                                                              : draw::Direction::up,
                          theme.dim, 7);
        return;
    case PE_IndicatorTabClose: {
        const bool over = option->state.testFlag(State_MouseOver) && option->state.testFlag(State_Enabled);
        if (over)
            draw::box(*painter, option->rect, draw::pressed(theme, theme.panel), {}, 3);
        const double ratio = painter->device() ? painter->device()->devicePixelRatio() : 1.0;
        proxy()->drawItemPixmap(painter, option->rect, Qt::AlignCenter,
                                icon_pixmap(QStringLiteral("close"), 12, over ? theme.text : theme.dim, ratio));
        return;
    }
    case PE_IndicatorToolBarSeparator: {
        const QRect rect = option->rect;
        if (option->state.testFlag(State_Horizontal))
            painter->fillRect(QRect(rect.center().x(), rect.top() + 4, 1, rect.height() - 8), theme.line);
        else
            painter->fillRect(QRect(rect.left() + 4, rect.center().y(), rect.width() - 8, 1), theme.line);
        return;
    }
    case PE_FrameTabBarBase:
        if (const auto* base = qstyleoption_cast<const QStyleOptionTabBarBase*>(option)) {
            const QRect bar = base->rect;
            const bool upright = base->shape == QTabBar::RoundedWest || base->shape == QTabBar::RoundedEast;
            if (!upright)
                painter->fillRect(
                    QRect(bar.left(), base->shape == QTabBar::RoundedSouth ? bar.top() : bar.bottom(), bar.width(), 1),
                    theme.line);
        }
        return;
    case PE_IndicatorItemViewItemDrop:
        painter->fillRect(option->rect.height() < 2
                              ? option->rect.adjusted(0, -1, 0, 1)
                              : QRect(option->rect.left(), option->rect.bottom() - 1, option->rect.width(), 2),
                          theme.accent);
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        return;
    }
}

} // namespace kf::ui
