// SPDX-License-Identifier: GPL-3.0-or-later
// The distributions of A and B as a widget: shape, logarithmic axis, zoom by wheel, range or keys.
#pragma once

#include "ui/plots/distribution_painter.h"
#include "ui/widgets/plot_widget.h"

namespace kf::ui {

class DistributionPlot : public PlotWidget {
    Q_OBJECT
public:
    explicit DistributionPlot(QWidget* parent = nullptr);

    void set_data(DistributionData data); // zoom stays where it is about the same sides
    const DistributionData& data() const { return m_data; }
    void set_shape(DistributionShape shape);
    DistributionShape shape() const { return m_view.shape; }
    void set_log(bool log);
    bool is_log() const { return m_view.log; }
    void zoom_to(Range range);
    void zoom_by(double factor, double seconds);
    void fit();
    bool is_fitted() const { return !m_view.zoom.known(); }
    Range visible() const;

    void render_to(QPainter& painter, const QRectF& area) const override;
    QString text_twin() const override;
    QSize sizeHint() const override { return {420, 200}; }
    QSize minimumSizeHint() const override { return {180, 84}; }

Q_SIGNALS:
    void menu_wanted(QPoint global);
    void shape_wanted(kf::ui::DistributionShape shape); // keys h, e, b, r
    void log_wanted(bool log);                          // key l

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    DistributionLayout layout_here() const;

    DistributionData m_data;
    DistributionView m_view;
    QPointF m_pressed;
    bool m_down = false;
};

} // namespace kf::ui
