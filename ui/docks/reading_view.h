// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a ReadingModel: a column of rows of their own heights, of which only those in view are laid out. It stays at
// the bottom while somebody writes there, and stays where it is when the reader has gone elsewhere. Text is selected
// with the mouse within a row; the keyboard walks rows, folds, and copies.
#pragma once

#include "ui/docks/reading_layout.h"
#include "ui/models/reading_model.h"

#include <QAbstractScrollArea>

#include <functional>
#include <memory>
#include <vector>

class QMenu;
class QPushButton;

namespace kf::ui {

class ReadingView : public QAbstractScrollArea {
    Q_OBJECT
public:
    ReadingView(ReadingModel& model, const QString& accessible_name, QWidget* parent = nullptr);
    ~ReadingView() override;

    // Its first line at the top; with `whole`, only as far as is needed to see it.
    void show_row(int row, bool whole = false);
    void jump_to_latest();
    bool follows() const { return m_follow; }
    int cursor() const { return m_cursor; }
    void set_cursor(int row);
    // Words that are marked wherever they stand.
    void set_found(const QString& words);
    // Selected text, else all of what the cursor's row belongs to.
    QString copied() const;
    // Puts its own actions before Copy.
    void set_menu(std::function<void(QMenu&, int row)> fill) { m_fill_menu = std::move(fill); }
    // Whether the end is where something new comes: then a button leads there.
    void set_grows(bool grows);
    QPushButton& pill() const { return *m_pill; }

    QSize sizeHint() const override { return {360, 420}; }

Q_SIGNALS:
    void heading_activated(int row); // by click or Enter
    void link_activated(const QString& target);
    void copied_text(const QString& what); // "block", "selection", …, for a toast

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Row {
        int height = 0;
        bool exact = false;
        std::shared_ptr<ReadingLayout> layout;
    };
    void forget_layouts();
    void model_reset();
    void rows_inserted(int first, int last);
    void rows_removed(int first, int last);
    void rows_changed(int first, int last);
    void settle(); // after any change: heights in view are exact, the range is right, the place is kept
    void queue_settle();
    ReadingLayout& layout(int row);
    int top_of(int row) const;
    int total() const;
    int row_at(int y) const; // of the whole column; −1: below all
    QPointF in_row(int row, QPoint point) const;
    void act_on(int row);
    void move_cursor(int row);
    void tell_cursor();
    void place_pill();
    void copy_now();
    int width_of_rows() const { return viewport()->width(); }

    ReadingModel& m_model;
    std::vector<Row> m_rows;
    mutable std::vector<int> m_tops; // of m_rows, and the total behind them
    mutable bool m_tops_known = false;
    int m_cursor = -1, m_hovered = -1;
    int m_select_row = -1, m_select_anchor = -1, m_select_to = -1;
    int m_anchor_row = 0, m_anchor_offset = 0; // what stands at the top
    bool m_grows = false;
    bool m_follow = true, m_settling = false, m_settle_queued = false, m_selecting = false;
    int m_wanted_row = -1; // to be brought to the top when its height is known
    QString m_found;
    std::function<void(QMenu&, int)> m_fill_menu;
    QPushButton* m_pill;
};

} // namespace kf::ui
