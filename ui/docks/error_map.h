// SPDX-License-Identifier: GPL-3.0-or-later
// Where an output is wrong: its bad elements counted over at most 64 × 64 cells. Arrow keys and the pointer name a
// cell.
#pragma once

#include "ui/models/autopsy_data.h"
#include "ui/widgets/plot_widget.h"

#include <optional>

namespace kf::ui {

class ErrorMap : public PlotWidget {
    Q_OBJECT
public:
    explicit ErrorMap(QWidget* parent = nullptr);

    void set_data(ErrorMapData data);
    const ErrorMapData& data() const { return m_data; }
    // Row and column of the cell that is named; nothing: none.
    std::optional<std::pair<int, int>> cell() const { return m_cell; }
    void choose(std::optional<std::pair<int, int>> cell);
    // "row 3, columns 256–258: 2 of 3 wrong" of the named cell; "" when none is.
    QString cell_text() const;

    void render_to(QPainter& painter, const QRectF& area) const override;
    QString text_twin() const override;
    // A row a cell: first and last row and column, count.
    QByteArray csv() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void cell_changed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QRectF cells_rect(const QRectF& area) const;
    QRectF cell_rect(const QRectF& cells, int row, int column) const;
    std::optional<std::pair<int, int>> cell_at(QPointF point) const;
    QColor colour(std::uint32_t bad) const;
    QString axis_label(bool rows, int cell, bool last) const;

    ErrorMapData m_data;
    std::optional<std::pair<int, int>> m_cell;
    bool m_kept = false; // chosen by key or click: leaving with the pointer keeps it
};

} // namespace kf::ui
