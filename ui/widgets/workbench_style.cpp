// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/workbench_style.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/style_draw.h"

#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitterHandle>
#include <QStyleOption>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTextEdit>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

constexpr int side = 10;       // of a button's content
constexpr int arrow_area = 26; // of a combo box
constexpr int spin_area = 22;
constexpr int menu_part = 20; // of a split tool button

int height_for(const QFontMetrics& font, int least = metrics::control_height) {
    return std::max(least, font.height() + 12);
}

const char* icon_name(QStyle::StandardPixmap pixmap) {
    switch (pixmap) {
    case QStyle::SP_LineEditClearButton:
    case QStyle::SP_TitleBarCloseButton:
    case QStyle::SP_DockWidgetCloseButton:
    case QStyle::SP_DialogCloseButton:
    case QStyle::SP_DialogCancelButton:
    case QStyle::SP_TabCloseButton:
        return "close";
    case QStyle::SP_MessageBoxWarning:
        return "warning";
    case QStyle::SP_MessageBoxCritical:
        return "error";
    case QStyle::SP_MessageBoxInformation:
        return "info";
    case QStyle::SP_MessageBoxQuestion:
    case QStyle::SP_DialogHelpButton:
    case QStyle::SP_TitleBarContextHelpButton:
        return "help";
    case QStyle::SP_DialogApplyButton:
    case QStyle::SP_DialogOkButton:
    case QStyle::SP_DialogYesButton:
        return "check";
    case QStyle::SP_DialogSaveButton:
        return "save";
    case QStyle::SP_DialogOpenButton:
    case QStyle::SP_DirIcon:
    case QStyle::SP_DirOpenIcon:
    case QStyle::SP_DirClosedIcon:
    case QStyle::SP_DirHomeIcon:
        return "folder";
    case QStyle::SP_FileIcon:
    case QStyle::SP_FileDialogDetailedView:
        return "file";
    case QStyle::SP_FileDialogNewFolder:
        return "plus";
    case QStyle::SP_FileDialogListView:
        return "log";
    case QStyle::SP_FileDialogToParent:
    case QStyle::SP_ArrowUp:
        return "chevron-up";
    case QStyle::SP_ArrowDown:
        return "chevron-down";
    case QStyle::SP_ArrowLeft:
    case QStyle::SP_ArrowBack:
    case QStyle::SP_FileDialogBack:
        return "chevron-left";
    case QStyle::SP_ArrowRight:
    case QStyle::SP_ArrowForward:
        return "chevron-right";
    case QStyle::SP_TitleBarNormalButton:
        return "detach";
    case QStyle::SP_TitleBarMaxButton:
        return "maximize";
    case QStyle::SP_TitleBarMinButton:
        return "minus";
    case QStyle::SP_ToolBarHorizontalExtensionButton:
    case QStyle::SP_ToolBarVerticalExtensionButton:
        return "more";
    case QStyle::SP_BrowserReload:
        return "refresh";
    case QStyle::SP_TrashIcon:
        return "trash";
    default:
        return nullptr;
    }
}

} // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void WorkbenchStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
        qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QAbstractSlider*>(widget) ||
        qobject_cast<QTabBar*>(widget) || qobject_cast<QHeaderView*>(widget) || qobject_cast<QLineEdit*>(widget) ||
        qobject_cast<QSplitterHandle*>(widget))
        widget->setAttribute(Qt::WA_Hover);
    // A click on a button leaves the keyboard where it is, in the editor or in a list.
    if (qobject_cast<QAbstractButton*>(widget) && widget->focusPolicy() == Qt::StrongFocus)
        widget->setFocusPolicy(Qt::TabFocus);
    if (auto* view = qobject_cast<QAbstractItemView*>(widget))
        view->viewport()->setAttribute(Qt::WA_Hover);
    if (auto* table = qobject_cast<QTableView*>(widget))
        table->setShowGrid(false);
    if (auto* tabs = qobject_cast<QTabBar*>(widget)) {
        set_surface(*tabs, Surface::window);
        tabs->setExpanding(false);
    }
    // Only so does the strip reach over the whole width.
    if (auto* pages = qobject_cast<QTabWidget*>(widget))
        pages->setDocumentMode(true);
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_ButtonMargin:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ButtonDefaultIndicator:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_TabBarBaseHeight:
    case PM_ScrollView_ScrollBarSpacing:
    case PM_ScrollView_ScrollBarOverlap:
    case PM_ToolBarFrameWidth:
    case PM_DockWidgetFrameWidth:
    case PM_MenuBarPanelWidth:
    case PM_MenuHMargin:
    case PM_ComboBoxFrameWidth:
    case PM_SpinBoxFrameWidth:
        return 0;
    case PM_DefaultFrameWidth:
        // Tables and scrolled pages fill their pane.
        if (qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QScrollArea*>(widget))
            return 0;
        return 1;
    case PM_MenuPanelWidth:
    case PM_SplitterWidth: // QSplitter makes five pixels of it for the mouse
        return 1;
    case PM_DockWidgetSeparatorExtent:
        return 5;
    case PM_MenuVMargin:
        return 4;
    case PM_MenuButtonIndicator:
        return 18;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize:
    case PM_ListViewIconSize:
    case PM_TabBarIconSize:
    case PM_LineEditIconSize:
        return static_cast<int>(std::lround(16 * std::max(1.0, text_scale())));
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
        return 8;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
        return metrics::gap;
    case PM_LayoutLeftMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutBottomMargin:
        return 12;
    case PM_TabBarTabHSpace:
        return 28;
    case PM_TabBarTabVSpace:
        return 16;
    case PM_TabBarScrollButtonWidth:
        return 24;
    case PM_TabCloseIndicatorWidth:
    case PM_TabCloseIndicatorHeight:
        return 18;
    case PM_ToolBarItemSpacing:
        return metrics::gap;
    case PM_ToolBarItemMargin:
        return 6;
    case PM_ToolBarSeparatorExtent:
        return 9;
    case PM_ScrollBarExtent:
        return metrics::scroll_bar;
    case PM_ScrollBarSliderMin:
        return 24;
    case PM_SliderThickness:
    case PM_SliderControlThickness:
        return 24;
    case PM_SliderLength:
        return 16;
    case PM_HeaderMargin:
        return 8;
    case PM_HeaderMarkSize:
        return 10;
    case PM_HeaderDefaultSectionSizeVertical:
        return metrics::row_height;
    case PM_TreeViewIndentation:
        return 18;
    case PM_FocusFrameHMargin: // text of cells starts one pixel behind it
        return 7;
    case PM_FocusFrameVMargin:
        return 2;
    case PM_ToolTipLabelFrameWidth:
        return 7;
    case PM_TextCursorWidth:
        return Theme::current().name == ThemeName::contrast ? 2 : 1;
    case PM_DockWidgetTitleMargin:
        return 8;
    case PM_DockWidgetTitleBarButtonMargin:
        return 4;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* data) const {
    switch (hint) {
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_ComboBox_Popup: // a list below the box
    case SH_DialogButtonBox_ButtonsHaveIcons:
    case SH_DockWidget_ButtonsHaveFrame:
    case SH_ItemView_ActivateItemOnSingleClick:
    case SH_ScrollBar_Transient:
    case SH_UnderlineShortcut:
    case SH_Widget_Animation_Duration:
        return 0;
    case SH_ItemView_ShowDecorationSelected:
    case SH_ItemView_PaintAlternatingRowColorsForEmptyArea:
    case SH_Menu_MouseTracking:
    case SH_MenuBar_MouseTracking:
    case SH_MenuBar_AltKeyNavigation:
    case SH_ComboBox_ListMouseTracking:
    case SH_Menu_Scrollable:
        return hint != SH_ItemView_PaintAlternatingRowColorsForEmptyArea;
    case SH_ToolTipLabel_Opacity:
        return 255;
    case SH_Table_GridLineColor:
        return static_cast<int>(Theme::current().line.rgb());
    case SH_TabBar_ElideMode:
        return Qt::ElideMiddle;
    case SH_TabBar_Alignment:
        return Qt::AlignLeft;
    case SH_Slider_AbsoluteSetButtons:
        return Qt::LeftButton;
    case SH_ToolTip_WakeUpDelay:
        return 500;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize WorkbenchStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                       const QWidget* widget) const {
    const QFont font = widget ? widget->font() : QFont();
    switch (type) {
    case CT_PushButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            const draw::Content content{button->icon,           button->iconSize,
                                        button->text,           draw::detail(widget),
                                        draw::key_hint(widget), button->features.testFlag(QStyleOptionButton::HasMenu)};
            QFont measured = font;
            if (draw::look(widget, false) == ButtonLook::primary)
                measured.setWeight(QFont::Medium);
            return {draw::content_size(content, measured).width() + 2 * side, height_for(button->fontMetrics)};
        }
        break;
    case CT_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            draw::Content content{button->icon,           button->iconSize,
                                  button->text,           draw::detail(widget),
                                  draw::key_hint(widget), button->features.testFlag(QStyleOptionToolButton::HasMenu)};
            if (button->toolButtonStyle == Qt::ToolButtonIconOnly ||
                button->toolButtonStyle == Qt::ToolButtonFollowStyle)
                content.text = button->icon.isNull() ? button->text : QString();
            if (button->toolButtonStyle == Qt::ToolButtonTextOnly)
                content.icon = {};
            content.icon_above = button->toolButtonStyle == Qt::ToolButtonTextUnderIcon;
            const QSize inner = draw::content_size(content, font);
            if (content.icon_above)
                return {std::max(44, inner.width() + 8), inner.height() + 12};
            const bool bare = content.text.isEmpty() && content.detail.isEmpty() && content.key.isEmpty();
            const int pad = bare ? 6 : side;
            const int split = button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup) ? menu_part : 0;
            return {std::max(metrics::control_height, inner.width() + 2 * pad) + split,
                    height_for(button->fontMetrics)};
        }
        break;
    case CT_ComboBox:
        return {size.width() + side + arrow_area + 8, height_for(QFontMetrics(font))};
    case CT_LineEdit:
        return {size.width() + 14, height_for(QFontMetrics(font))};
    case CT_SpinBox:
        return {size.width() + spin_area + 12, height_for(QFontMetrics(font))};
    case CT_CheckBox:
    case CT_RadioButton: {
        const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {base.width() + 4, std::max(24, base.height())};
    }
    case CT_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            if (item->menuItemType == QStyleOptionMenuItem::Separator)
                return {size.width(), item->text.isEmpty() ? 9 : 26};
            return {size.width() + 34 + 30, height_for(QFontMetrics(item->font))};
        }
        break;
    case CT_MenuBarItem:
        return {size.width() + 16, height_for(QFontMetrics(font))};
    case CT_ItemViewItem: {
        const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
        const int least =
            option ? std::max(metrics::row_height, option->fontMetrics.height() + 10) : metrics::row_height;
        return {base.width(), std::max(base.height(), least)};
    }
    case CT_HeaderSection:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            const QSize text = header->fontMetrics.size(0, header->text);
            const int arrow = header->sortIndicator == QStyleOptionHeader::None ? 0 : 14;
            const int icon = header->icon.isNull() ? 0 : 20;
            if (header->orientation == Qt::Horizontal)
                return {text.width() + arrow + icon + 16, std::max(metrics::row_height, text.height() + 12)};
            return {text.width() + icon + 16, metrics::row_height};
        }
        break;
    case CT_TabBarTab:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            const bool upright = tab->shape == QTabBar::RoundedWest || tab->shape == QTabBar::RoundedEast ||
                                 tab->shape == QTabBar::TriangularWest || tab->shape == QTabBar::TriangularEast;
            if (upright)
                return {std::max(metrics::tab_height, size.width()), size.height()};
            return {size.width(), std::max(metrics::tab_height, size.height())};
        }
        break;
    case CT_ProgressBar:
        return {size.width(), std::max(size.height(), 6)};
    case CT_Slider:
        return size;
    default:
        break;
    }
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

QRect WorkbenchStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    switch (element) {
    case SE_LineEditContents: {
        // Without a frame it is part of a combo or spin box, or of a cell.
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        return frame && frame->lineWidth > 0 ? option->rect.adjusted(6, 1, -6, -1) : option->rect;
    }
    case SE_PushButtonContents:
        return option->rect.adjusted(side, 0, -side, 0);
    case SE_PushButtonFocusRect:
        return option->rect;
    case SE_CheckBoxFocusRect:
    case SE_RadioButtonFocusRect:
        return option->rect;
    case SE_CheckBoxIndicator:
    case SE_RadioButtonIndicator: {
        const int size = pixelMetric(PM_IndicatorWidth, option, widget);
        return visualRect(option->direction, option->rect,
                          QRect(option->rect.left() + 2, option->rect.center().y() - size / 2 + 1, size, size));
    }
    case SE_CheckBoxContents:
    case SE_RadioButtonContents:
        return visualRect(option->direction, option->rect,
                          option->rect.adjusted(pixelMetric(PM_IndicatorWidth, option, widget) + 10, 0, -2, 0));
    case SE_CheckBoxClickRect:
    case SE_RadioButtonClickRect:
        return option->rect;
    case SE_ProgressBarGroove:
    case SE_ProgressBarContents:
        return option->rect;
    case SE_TabBarTabLeftButton:
    case SE_TabBarTabRightButton:
        // The tab itself begins four pixels below its top.
        return QProxyStyle::subElementRect(element, option, widget).translated(0, 2);
    case SE_HeaderLabel:
        return option->rect.adjusted(8, 0, -8, 0);
    default:
        return QProxyStyle::subElementRect(element, option, widget);
    }
}

QIcon WorkbenchStyle::standardIcon(StandardPixmap pixmap, const QStyleOption* option, const QWidget* widget) const {
    if (const char* name = icon_name(pixmap))
        return icon(QString::fromLatin1(name));
    return QProxyStyle::standardIcon(pixmap, option, widget);
}

QPixmap WorkbenchStyle::generatedIconPixmap(QIcon::Mode mode, const QPixmap& pixmap, const QStyleOption*) const {
    return mode == QIcon::Disabled ? draw::tinted(pixmap, draw::disabled_text(Theme::current())) : pixmap;
}

} // namespace kf::ui
