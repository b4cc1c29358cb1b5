// SPDX-License-Identifier: GPL-3.0-or-later
// One row of a ReadingView laid out for a width: how high it is, where its parts are, how it is drawn. Made only for
// rows that are seen.
#pragma once

#include "ui/theme/theme.h"

#include <QModelIndex>
#include <QRectF>
#include <QString>
#include <QTextLayout>

#include <memory>
#include <vector>

class QPainter;

namespace kf::ui {

struct ReadingLook {
    bool cursor = false; // has the keyboard
    bool hovered = false;
    int select_from = -1, select_to = -1; // of the body's text
    QString found;                        // words that are marked
};

class ReadingLayout {
public:
    ReadingLayout(const QModelIndex& index, int width);

    int height() const { return m_height; }
    void paint(QPainter& painter, QPointF origin, const ReadingLook& look) const;

    // Of the row's own coordinates. Empty: it has none.
    const QRectF& link() const { return m_link; }
    const QRectF& chevron() const { return m_chevron; }
    const QRectF& copy() const { return m_copy; }
    // Place in the body's text; −1: not over it.
    int position_at(QPointF point) const;
    const QString& body() const { return m_body; }

    // Before it is laid out; cheap.
    static int estimate(const QModelIndex& index, int width);

private:
    struct Box {
        std::unique_ptr<QTextLayout> text;
        QPointF at;
        QColor colour;
    };
    // Gives its height.
    double add(const QString& text, const QFont& font, const QColor& colour, QPointF at, double width,
               const QList<QTextLayout::FormatRange>& formats = {}, bool body = false, bool elide = false);
    void lay_out_heading(const QModelIndex& index, int width);
    void lay_out_card(const QModelIndex& index, int width);
    void lay_out_code(const QModelIndex& index, int width);
    void lay_out_prose(const QModelIndex& index, int width);
    void lay_out_line(const QModelIndex& index, int width);

    int m_kind = 0, m_height = 0, m_width = 0;
    std::vector<Box> m_boxes;
    int m_body_box = -1;
    QString m_body;
    QRectF m_link, m_chevron, m_copy, m_surface;
    QColor m_fill, m_line, m_edge;
    int m_verdict = -1, m_level = -1;
    QPointF m_mark, m_disc;
    bool m_human = false, m_open = false, m_current = false, m_first = false, m_last = false, m_star = false;
    struct Number {
        QString text;
        double baseline = 0;
    };
    std::vector<Number> m_numbers;
    double m_numbers_right = 0;
};

} // namespace kf::ui
