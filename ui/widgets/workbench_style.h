// SPDX-License-Identifier: GPL-3.0-or-later
// How every control looks: everything that is seen is drawn here from Theme; Fusion only measures what we do not.
// Only style.cpp makes one. Its parts: workbench_style.cpp (sizes and places), style_primitives.cpp,
// style_controls.cpp, style_menus.cpp, style_complex.cpp.
#pragma once

#include <QProxyStyle>

class QStyleOptionButton;
class QStyleOptionMenuItem;
class QStyleOptionTab;
class QStyleOptionToolButton;

namespace kf::ui {

class WorkbenchStyle : public QProxyStyle {
    Q_OBJECT
public:
    WorkbenchStyle();

    using QProxyStyle::polish;
    void polish(QWidget* widget) override;

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                         const QWidget* widget) const override;
    QIcon standardIcon(StandardPixmap pixmap, const QStyleOption* option, const QWidget* widget) const override;
    // Pictures in their own colour keep it in a selected row.
    QPixmap generatedIconPixmap(QIcon::Mode mode, const QPixmap& pixmap, const QStyleOption* option) const override;

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;

private:
    void draw_push_button(const QStyleOptionButton& option, QPainter& painter, const QWidget* widget) const;
    void draw_tool_button(const QStyleOptionToolButton& option, QPainter& painter, const QWidget* widget) const;
    void draw_menu_item(const QStyleOptionMenuItem& option, QPainter& painter, const QWidget* widget) const;
    void draw_tab(const QStyleOptionTab& option, QPainter& painter) const;
    void draw_tab_label(const QStyleOptionTab& option, QPainter& painter, const QWidget* widget) const;
    void draw_header(ControlElement element, const QStyleOption& option, QPainter& painter) const;
    void draw_progress(const QStyleOption& option, QPainter& painter, const QWidget* widget) const;
    bool draw_bar(ControlElement element, const QStyleOption& option, QPainter& painter, const QWidget* widget) const;
};

} // namespace kf::ui
