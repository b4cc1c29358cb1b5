// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/marks.h"

#include <QPainterPath>
#include <cmath>
#include <numbers>

namespace kf::ui {
namespace {

class Saved {
public:
    explicit Saved(QPainter& painter) : m_painter(painter) {
        m_painter.save();
        m_painter.setRenderHint(QPainter::Antialiasing);
    }
    ~Saved() { m_painter.restore(); }
    Saved(const Saved&) = delete;
    Saved& operator=(const Saved&) = delete;

private:
    QPainter& m_painter;
};

void stroke(QPainter& painter, const QColor& colour, double width, Qt::PenJoinStyle join = Qt::MiterJoin) {
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, join));
    painter.setBrush(Qt::NoBrush);
}

void fill(QPainter& painter, const QColor& colour) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
}

// `h`: half the size; the origin is the centre.
void draw_shape(QPainter& painter, VerdictKind kind, double h, const QColor& colour) {
    const double line = std::max(1.25, h * 0.3);
    switch (kind) {
    case VerdictKind::faster:
        fill(painter, colour);
        painter.drawPolygon(QPolygonF({{-h, -h * 0.8}, {h, -h * 0.8}, {0, h * 0.9}}));
        return;
    case VerdictKind::slower:
        fill(painter, colour);
        painter.drawPolygon(QPolygonF({{-h, h * 0.8}, {h, h * 0.8}, {0, -h * 0.9}}));
        return;
    case VerdictKind::equivalent:
        fill(painter, colour);
        painter.drawRect(QRectF(-h * 0.8, -h * 0.8, h * 1.6, h * 1.6));
        return;
    case VerdictKind::inconclusive: {
        stroke(painter, colour, line);
        const double r = h - line / 2;
        painter.drawEllipse(QPointF(0, 0), r, r);
        return;
    }
    case VerdictKind::correct:
        stroke(painter, colour, line, Qt::RoundJoin);
        painter.drawPolyline(QPolygonF({{-h * 0.8, h * 0.05}, {-h * 0.2, h * 0.65}, {h * 0.8, -h * 0.6}}));
        return;
    case VerdictKind::wrong: {
        stroke(painter, colour, line);
        const double r = h - line / 2;
        painter.drawPolygon(QPolygonF({{0, -r}, {r, 0}, {0, r}, {-r, 0}}));
        return;
    }
    case VerdictKind::error: {
        stroke(painter, colour, line * 1.15);
        const double r = h * 0.7;
        painter.drawLine(QPointF(-r, -r), QPointF(r, r));
        painter.drawLine(QPointF(-r, r), QPointF(r, -r));
        return;
    }
    case VerdictKind::timeout:
        fill(painter, colour);
        painter.drawPolygon(QPolygonF({{-h * 0.75, -h}, {h * 0.75, -h}, {0, h * 0.12}}));
        painter.drawPolygon(QPolygonF({{-h * 0.75, h}, {h * 0.75, h}, {0, -h * 0.12}}));
        return;
    case VerdictKind::suspect:
        fill(painter, colour);
        painter.drawPolygon(QPolygonF({{-h * 0.55, -h}, {h * 0.9, -h * 0.4}, {-h * 0.55, h * 0.2}}));
        stroke(painter, colour, line * 0.85);
        painter.drawLine(QPointF(-h * 0.6, -h * 0.9), QPointF(-h * 0.6, h * 0.9));
        return;
    case VerdictKind::infrastructure: {
        stroke(painter, colour, line * 0.85);
        const double r = h - line / 2;
        painter.drawEllipse(QPointF(0, 0), r, r);
        const double d = r * std::numbers::sqrt2 / 2;
        painter.drawLine(QPointF(-d, d), QPointF(d, -d));
        return;
    }
    case VerdictKind::cancelled: {
        stroke(painter, colour, line * 0.85);
        const double r = h * 0.8 - line / 2;
        painter.drawRect(QRectF(-r, -r, 2 * r, 2 * r));
        return;
    }
    case VerdictKind::duplicate: // three strokes: the same once more
        stroke(painter, colour, line * 0.85);
        for (const double y : {-h * 0.6, 0.0, h * 0.6})
            painter.drawLine(QPointF(-h * 0.8, y), QPointF(h * 0.8, y));
        return;
    case VerdictKind::start:
        fill(painter, colour);
        painter.drawRect(QRectF(-h, -h * 0.35, h * 2, h * 0.7));
        return;
    case VerdictKind::none:
        // Three dots: something is there, nothing is known of it.
        fill(painter, colour);
        for (const double x : {-h * 0.7, 0.0, h * 0.7})
            painter.drawEllipse(QPointF(x, 0), h * 0.2, h * 0.2);
        return;
    }
}

QPolygonF star_at(QPointF centre, double size) {
    QPolygonF star;
    for (int point = 0; point < 10; ++point) {
        const double angle = std::numbers::pi * (point / 5.0 - 0.5);
        const double r = size / 2 * (point % 2 == 0 ? 1.0 : 0.45);
        star << centre + QPointF(r * std::cos(angle), r * std::sin(angle));
    }
    return star;
}

} // namespace

void draw_mark(QPainter& painter, VerdictKind kind, QPointF centre, double size, bool ringed, const Theme& theme) {
    const Saved saved(painter);
    painter.translate(centre);
    if (ringed) {
        stroke(painter, theme.human, std::max(1.0, size * 0.09));
        const double r = size * 0.5 - std::max(1.0, size * 0.09) / 2;
        painter.drawEllipse(QPointF(0, 0), r, r);
    }
    draw_shape(painter, kind, ringed ? size * 0.29 : size / 2, theme.of(kind));
}

void draw_evidence(QPainter& painter, Level level, QPointF centre, double size, const Theme& theme) {
    const Saved saved(painter);
    painter.translate(centre);
    const double line = std::max(1.0, size * 0.1);
    const double r = size / 2 - line / 2;
    const int quarters = static_cast<int>(level) + 1;
    stroke(painter, theme.dim, line);
    painter.drawEllipse(QPointF(0, 0), r, r);
    fill(painter, theme.dim);
    if (quarters == 4)
        painter.drawEllipse(QPointF(0, 0), r, r);
    else // clockwise from the top, as ◔ ◑ ◕
        painter.drawPie(QRectF(-r, -r, 2 * r, 2 * r), 90 * 16, -90 * 16 * quarters);
}

void draw_star(QPainter& painter, QPointF centre, double size, const QColor& colour) {
    const Saved saved(painter);
    fill(painter, colour);
    painter.drawPolygon(star_at(centre, size));
}

void draw_open_star(QPainter& painter, QPointF centre, double size, const QColor& colour) {
    const Saved saved(painter);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, size / 10, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolygon(star_at(centre, size * 0.92));
}

QString mark_word(VerdictKind kind) {
    const std::string_view word = mark_of(kind).word;
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

QString evidence_word(Level level) {
    switch (level) {
    case Level::screen:
        return QStringLiteral("screen");
    case Level::duel:
        return QStringLiteral("duel");
    case Level::certify:
        return QStringLiteral("certified");
    case Level::promote:
        return QStringLiteral("promoted");
    }
    return {};
}

} // namespace kf::ui
