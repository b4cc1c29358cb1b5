// SPDX-License-Identifier: GPL-3.0-or-later
// The lineage drawn: generations from left to right as bands, a row a branch, verdict marks, the way to the champion
// in bold. Arrows walk it; only what is seen is drawn.
#pragma once

#include "ui/models/tree_data.h"
#include "ui/widgets/plot_widget.h"

namespace kf::ui {

class TreePlot : public PlotWidget {
    Q_OBJECT
public:
    explicit TreePlot(QWidget* parent = nullptr);

    void set_data(TreeData data);
    const TreeData& data() const { return m_data; }
    void set_selected(int turn);
    void set_pinned(int turn);
    QRect rect_of(int turn) const; // empty: it is not drawn

    void render_to(QPainter& painter, const QRectF& area) const override;
    QString text_twin() const override;
    QSize sizeHint() const override;
    QSize content_size() const;

Q_SIGNALS:
    void chosen(int turn);
    void unfold_requested(int parent_turn);
    void menu_requested(int turn, const QPoint& global);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void draw(QPainter& painter, const QRectF& area, const QRectF& seen, bool interactive) const;
    QRectF cell(const TreeNode& node) const;
    int node_at(QPointF point) const;
    void act(int node);
    void walk(int key);
    int parent_turn(int node) const;

    TreeData m_data;
    int m_selected = -1, m_pinned = -1, m_hovered = -1;
};

} // namespace kf::ui
