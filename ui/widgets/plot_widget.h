// SPDX-License-Identifier: GPL-3.0-or-later
// Base of what is drawn by QPainter: one function draws it on the screen and into a PNG or SVG, and a text twin says
// the same to a screen reader.
#pragma once

#include "core/base/result.h"

#include <QRectF>
#include <QWidget>

namespace kf::ui {

class PlotWidget : public QWidget {
    Q_OBJECT
public:
    explicit PlotWidget(const QString& accessible_name, QWidget* parent = nullptr);

    // Draws everything into `area`; uses no state of the widget's size. Text sizes are pixels at 1×.
    virtual void render_to(QPainter& painter, const QRectF& area) const = 0;
    // The same as is shown, as text. Never empty.
    virtual QString text_twin() const = 0;

    QStringList export_formats() const { return {QStringLiteral("png"), QStringLiteral("svg")}; }
    // "png" (at 2×) or "svg", on the theme's panel. Errors: "export-failed".
    Result<QByteArray> export_as(const QString& format, QSize size = {}) const;

    // After any change of the data: repaints and renews the text twin.
    void plot_changed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
};

} // namespace kf::ui
