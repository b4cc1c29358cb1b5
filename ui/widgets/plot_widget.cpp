// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plot_widget.h"

#include "ui/theme/theme.h"
#include "ui/widgets/export.h"

#include <QEvent>
#include <QPainter>

namespace kf::ui {

PlotWidget::PlotWidget(const QString& accessible_name, QWidget* parent) : QWidget(parent) {
    setAccessibleName(accessible_name);
    setFocusPolicy(Qt::StrongFocus);
}

Result<QByteArray> PlotWidget::export_as(const QString& format, QSize wanted) const {
    const Draw draw = [this](QPainter& painter, const QRectF& area) { render_to(painter, area); };
    const QSize drawn = wanted.isEmpty() ? size() : wanted;
    const QColor background = Theme::current().panel;
    if (format == QLatin1String("png"))
        return png_of(draw, drawn, background);
    if (format == QLatin1String("svg"))
        return svg_of(draw, drawn, background, accessibleName());
    return make_error("export-failed", "A plot cannot be exported as " + format.toStdString(), "Choose png or svg");
}

void PlotWidget::plot_changed() {
    setAccessibleDescription(text_twin());
    update();
}

void PlotWidget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    render_to(painter, QRectF(rect()));
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(Theme::current().accent, 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

void PlotWidget::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
    QWidget::changeEvent(event);
}

} // namespace kf::ui
