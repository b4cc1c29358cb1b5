// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/distribution_painter.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr double gap = 8;
constexpr int most_bins = 120;
constexpr double rug_height = 7;

QFont label_font() {
    return text_font(11);
}

class Painting {
public:
    Painting(QPainter& painter, const DistributionData& data, const DistributionView& view,
             const DistributionLayout& layout)
        : m_painter(painter), m_data(data), m_view(view), m_layout(layout),
          m_theme(Theme::current()), m_range{layout.axis.low, layout.axis.high} {}

    void paint() {
        m_painter.save();
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.setFont(label_font());
        axis();
        // B over A: it is the one that is selected.
        for (const bool is_b : {false, true}) {
            const DistributionSide& side = is_b ? m_data.b : m_data.a;
            if (side.empty())
                continue;
            m_painter.save();
            m_painter.setClipRect(m_layout.plot.adjusted(-1, -1, 1, 1), Qt::IntersectClip);
            switch (m_view.shape) {
            case DistributionShape::histogram:
                histogram_of(side, colour(is_b), is_b);
                break;
            case DistributionShape::ecdf:
                ecdf_of(side, colour(is_b));
                break;
            case DistributionShape::box:
                box_of_side(side, colour(is_b), is_b);
                break;
            case DistributionShape::raw:
                raw_of(side, colour(is_b), is_b);
                break;
            }
            m_painter.restore();
        }
        if (m_view.shape != DistributionShape::raw)
            beyond();
        names();
        pointed();
        dragged();
        m_painter.restore();
    }

private:
    // Lines of the high-contrast set are as loud as the data: those behind it step back.
    QColor grid_colour() const {
        return m_theme.name == ThemeName::contrast ? blend(m_theme.panel, m_theme.line, 0.3) : m_theme.line;
    }

    QColor colour(bool is_b) const { return is_b ? m_theme.accent : m_theme.dim; }

    void axis() {
        const QFontMetricsF metrics(label_font());
        if (m_layout.upright) {
            for (const double tick : m_layout.axis.ticks) {
                const double y = std::round(m_layout.place(tick)) + 0.5;
                m_painter.setPen(QPen(grid_colour(), 1));
                m_painter.drawLine(QPointF(m_layout.plot.left(), y), QPointF(m_layout.plot.right(), y));
                m_painter.setPen(m_theme.dim);
                m_painter.drawText(QRectF(m_layout.ticks.left(), y - metrics.height() / 2, m_layout.ticks.width() - gap,
                                          metrics.height()),
                                   Qt::AlignRight | Qt::AlignVCenter,
                                   m_layout.axis.tick_text(tick) + u' ' + to_string(m_layout.axis.unit));
            }
            return;
        }
        const double base = m_layout.plot.bottom();
        m_painter.setPen(QPen(m_theme.outline, 1));
        m_painter.drawLine(QPointF(m_layout.plot.left(), std::round(base) + 0.5),
                           QPointF(m_layout.plot.right(), std::round(base) + 0.5));
        double free_from = -HUGE_VAL;
        for (const double tick : m_layout.axis.ticks) {
            const double x = std::round(m_layout.place(tick)) + 0.5;
            m_painter.setPen(QPen(grid_colour(), 1));
            if (m_view.shape != DistributionShape::histogram)
                m_painter.drawLine(QPointF(x, m_layout.plot.top()), QPointF(x, base));
            const QString text = m_layout.axis.tick_text(tick) + u' ' + to_string(m_layout.axis.unit);
            const double width = metrics.horizontalAdvance(text);
            const double left = std::clamp(x - width / 2, m_layout.ticks.left(), m_layout.ticks.right() - width);
            if (left < free_from + gap)
                continue;
            free_from = left + width;
            m_painter.setPen(m_theme.dim);
            m_painter.drawText(QRectF(left, m_layout.ticks.top(), width + 2, m_layout.ticks.height()),
                               Qt::AlignLeft | Qt::AlignVCenter, text);
        }
    }

    // Bars as measured, a smooth line for the eye, one tick a sample below.
    void histogram_of(const DistributionSide& side, const QColor& colour, bool is_b) {
        const double top = m_layout.plot.top() + 2, base = m_layout.plot.bottom() - rug_height - 2;
        const std::vector<double> edges = bin_edges(side.sorted, m_range, m_layout.axis.log, most_bins);
        const std::vector<int> counts = histogram(side.sorted, edges);
        const int most = std::max(1, counts.empty() ? 1 : *std::max_element(counts.begin(), counts.end()));
        QColor filled = colour;
        filled.setAlphaF(is_b ? 0.42F : 0.34F);
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (counts[i] > 0) {
                const double left = m_layout.place(edges[i]), right = m_layout.place(edges[i + 1]);
                const double height = (base - top) * counts[i] / most;
                m_painter.fillRect(QRectF(left, base - height, std::max(1.0, right - left - 0.5), height), filled);
            }
        const std::vector<CurvePoint> curve = density(side.sorted, m_range, m_layout.axis.log,
                                                      std::clamp(static_cast<int>(m_layout.plot.width()), 64, 500));
        if (curve.size() > 1 && side.sorted.size() >= 8 && side.sorted.back() > side.sorted.front()) {
            // Of the same area as the bars: scaled by what the densest bar holds.
            QPolygonF line;
            for (const CurvePoint& point : curve)
                line << QPointF(m_layout.place(point.seconds), base - (base - top) * point.value);
            m_painter.setBrush(Qt::NoBrush);
            m_painter.setPen(QPen(colour, 1.5));
            m_painter.drawPolyline(line);
        }
        rug(side, colour);
        median_line(side, colour, top);
    }

    void rug(const DistributionSide& side, const QColor& colour) {
        QColor faint = colour;
        faint.setAlphaF(0.55F);
        m_painter.setPen(QPen(faint, 1));
        double drawn = -HUGE_VAL; // one tick a pixel is all that can be seen
        for (auto it = std::lower_bound(side.sorted.begin(), side.sorted.end(), m_range.low);
             it != side.sorted.end() && *it <= m_range.high;) {
            const double x = m_layout.place(*it);
            if (x >= drawn + 1) {
                m_painter.drawLine(QPointF(x, m_layout.plot.bottom() - rug_height),
                                   QPointF(x, m_layout.plot.bottom() - 1));
                drawn = x;
                ++it;
            } else { // on to the first that is a pixel further
                it = std::lower_bound(it, side.sorted.end(), m_layout.time_at({drawn + 1, 0}));
                if (it != side.sorted.end() && m_layout.place(*it) < drawn + 1)
                    ++it;
            }
        }
    }

    void median_line(const DistributionSide& side, const QColor& colour, double top) {
        const double x = m_layout.place(side.summary.median_s);
        m_painter.setPen(QPen(colour, 1, Qt::DashLine));
        m_painter.drawLine(QPointF(x, top), QPointF(x, m_layout.plot.bottom()));
    }

    void ecdf_of(const DistributionSide& side, const QColor& colour) {
        const auto y = [&](double share) { return m_layout.plot.bottom() - share * (m_layout.plot.height() - 2); };
        QPainterPath path(QPointF(m_layout.plot.left(), y(0)));
        for (const CurvePoint& point :
             distribution_function(side.sorted, std::max(64, static_cast<int>(m_layout.plot.width())))) {
            path.lineTo(m_layout.place(point.seconds), path.currentPosition().y());
            path.lineTo(m_layout.place(point.seconds), y(point.value));
        }
        path.lineTo(std::max(m_layout.plot.right(), path.currentPosition().x()), path.currentPosition().y());
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(colour, 1.75));
        m_painter.drawPath(path);
        m_painter.setPen(QPen(grid_colour(), 1, Qt::DashLine));
        m_painter.drawLine(QPointF(m_layout.plot.left(), y(0.5)), QPointF(m_layout.plot.right(), y(0.5)));
        median_line(side, colour, y(0.5));
    }

    void box_of_side(const DistributionSide& side, const QColor& colour, bool is_b) {
        const Box box = box_of(side.sorted);
        const bool both = !m_data.a.empty() && !m_data.b.empty();
        const double band = m_layout.plot.height() / (both ? 2 : 1);
        const double middle = m_layout.plot.top() + (both && is_b ? 1.5 : 0.5) * band;
        const double half = std::clamp(band * 0.26, 6.0, 26.0);
        const auto x = [&](double seconds) { return m_layout.place(seconds); };
        m_painter.setPen(QPen(colour, 1.5));
        m_painter.drawLine(QPointF(x(box.low), middle), QPointF(x(box.q1), middle));
        m_painter.drawLine(QPointF(x(box.q3), middle), QPointF(x(box.high), middle));
        for (const double end : {box.low, box.high})
            m_painter.drawLine(QPointF(x(end), middle - half / 2), QPointF(x(end), middle + half / 2));
        QColor filled = colour;
        filled.setAlphaF(0.32F);
        m_painter.setBrush(filled);
        m_painter.drawRect(QRectF(x(box.q1), middle - half, std::max(1.0, x(box.q3) - x(box.q1)), 2 * half));
        m_painter.setPen(QPen(m_theme.text, 2));
        m_painter.drawLine(QPointF(x(box.median), middle - half), QPointF(x(box.median), middle + half));
        // What is beyond the whiskers, one dot a pixel.
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour);
        double drawn = -HUGE_VAL;
        const auto dots = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i)
                if (const double place = x(side.sorted[i]); place >= drawn + 1) {
                    m_painter.drawEllipse(QPointF(place, middle), 1.75, 1.75);
                    drawn = place;
                }
        };
        dots(0, box.outliers_low);
        drawn = -HUGE_VAL;
        dots(side.sorted.size() - box.outliers_high, side.sorted.size());
    }

    // In the order in which they were taken; the lowest and highest of every pixel.
    void raw_of(const DistributionSide& side, const QColor& colour, bool is_b) {
        const double n = static_cast<double>(std::max(m_data.a.series.size(), m_data.b.series.size()));
        const auto x = [&](std::size_t i) {
            return m_layout.plot.left() + (static_cast<double>(i) + 0.5) / n * m_layout.plot.width();
        };
        if (is_b || m_data.b.empty()) {
            m_painter.setPen(QPen(grid_colour(), 1));
            if (side.rounds.size() > 1 && m_layout.plot.width() / static_cast<double>(side.rounds.size()) > 6)
                for (std::size_t i = 1; i < side.rounds.size(); ++i) {
                    const double edge = std::round(x(side.rounds[i]) - m_layout.plot.width() / n / 2) + 0.5;
                    m_painter.drawLine(QPointF(edge, m_layout.plot.top()), QPointF(edge, m_layout.plot.bottom()));
                }
        }
        const double room = m_layout.plot.width() * static_cast<double>(side.series.size()) / n;
        const int columns = std::max(1, static_cast<int>(room));
        const bool single = static_cast<double>(side.series.size()) <= room / 2.5;
        m_painter.setPen(single ? QPen(Qt::NoPen) : QPen(colour, 1));
        m_painter.setBrush(colour);
        const auto y = [&](double seconds) {
            return std::clamp(m_layout.place(seconds), m_layout.plot.top(), m_layout.plot.bottom());
        };
        for (const Column& one : columns_of(side.series, 0, side.series.size(), columns)) {
            const double place = x(one.first);
            if (single)
                m_painter.drawEllipse(QPointF(place, y(one.low)), 1.75, 1.75);
            else
                m_painter.drawLine(QPointF(place, y(one.high) - 0.5), QPointF(place, y(one.low) + 0.5));
        }
        m_painter.setPen(QPen(colour, 1, Qt::DashLine));
        const double median = m_layout.place(side.summary.median_s);
        m_painter.drawLine(QPointF(m_layout.plot.left(), median), QPointF(m_layout.plot.right(), median));
    }

    // How many samples the axis leaves out at either end.
    void beyond() {
        const QFontMetricsF metrics(label_font());
        std::size_t below = 0, above = 0;
        double farthest = 0;
        for (const DistributionSide* side : {&m_data.a, &m_data.b})
            if (!side->empty()) {
                below += count_below(side->sorted, m_range.low);
                above += count_above(side->sorted, m_range.high);
                farthest = std::max(farthest, side->sorted.back());
            }
        m_painter.setPen(m_theme.faint);
        const double top = m_layout.plot.bottom() - rug_height - metrics.height() - 4;
        if (above > 0)
            m_painter.drawText(
                QRectF(m_layout.plot.left(), top, m_layout.plot.width() - 2, metrics.height()),
                Qt::AlignRight | Qt::AlignVCenter,
                u"%1 up to %2 →"_s.arg(count_text(static_cast<std::int64_t>(above)), short_time(farthest, 3)));
        if (below > 0)
            m_painter.drawText(QRectF(m_layout.plot.left() + 2, top, m_layout.plot.width(), metrics.height()),
                               Qt::AlignLeft | Qt::AlignVCenter,
                               u"← %1"_s.arg(count_text(static_cast<std::int64_t>(below))));
    }

    // "A turn 6, pinned" and "B turn 8" above their medians, side by side.
    void names() {
        const QFontMetricsF metrics(label_font());
        const double y = m_layout.plot.top() - metrics.height() - 4;
        struct Name {
            QString text;
            QColor colour;
            double centre = 0, width = 0;
        };
        std::vector<Name> shown;
        const bool two = !m_data.a.empty() && !m_data.b.empty();
        if (!m_data.a.empty())
            shown.push_back({u"A "_s + m_data.a.name + u", pinned"_s, colour(false), m_data.a.summary.median_s, 0});
        if (!m_data.b.empty())
            shown.push_back({(two ? u"B "_s : QString()) + m_data.b.name, colour(true), m_data.b.summary.median_s, 0});
        if (two && shown[0].centre > shown[1].centre)
            std::swap(shown[0], shown[1]);
        double left = m_layout.plot.left();
        for (Name& name : shown) {
            const double most = m_layout.plot.width() / static_cast<double>(shown.size()) - gap;
            name.text = metrics.elidedText(name.text, Qt::ElideMiddle, most);
            name.width = metrics.horizontalAdvance(name.text) + 2;
            // Raw samples and boxes have no place of their own for a name: it stands at the left.
            const bool on_median =
                m_view.shape == DistributionShape::histogram || m_view.shape == DistributionShape::ecdf;
            name.centre = on_median ? m_layout.place(name.centre) : left + name.width / 2;
            name.centre = std::clamp(name.centre, left + name.width / 2,
                                     std::max(left + name.width / 2, m_layout.plot.right() - name.width / 2));
            left = name.centre + name.width / 2 + 2 * gap;
        }
        if (two) // the right one may have been pushed out of the plot: the left one gives way
            for (std::size_t i = shown.size() - 1; i-- > 0;)
                shown[i].centre = std::min(shown[i].centre,
                                           shown[i + 1].centre - shown[i + 1].width / 2 - 2 * gap - shown[i].width / 2);
        for (const Name& name : shown) {
            m_painter.setPen(name.colour);
            m_painter.drawText(QRectF(name.centre - name.width / 2, y, name.width, metrics.height()), Qt::AlignCenter,
                               name.text);
        }
    }

    void pointed() {
        if (m_view.pointed <= 0)
            return;
        const QFontMetricsF metrics(label_font());
        const QString text = short_time(m_view.pointed);
        const double width = metrics.horizontalAdvance(text) + 8;
        m_painter.setPen(QPen(m_theme.outline, 1, Qt::DotLine));
        const double place = m_layout.place(m_view.pointed);
        QRectF flag;
        if (m_layout.upright) {
            m_painter.drawLine(QPointF(m_layout.plot.left(), place), QPointF(m_layout.plot.right(), place));
            flag = QRectF(m_layout.plot.right() - width, place - metrics.height() - 2, width, metrics.height());
        } else {
            m_painter.drawLine(QPointF(place, m_layout.plot.top()), QPointF(place, m_layout.plot.bottom()));
            flag = QRectF(std::min(place + 4, m_layout.plot.right() - width), m_layout.plot.top() + 2, width,
                          metrics.height());
        }
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.raised);
        m_painter.drawRoundedRect(flag, 3, 3);
        m_painter.setPen(m_theme.text);
        m_painter.drawText(flag, Qt::AlignCenter, text);
    }

    void dragged() {
        if (m_view.drag_from == m_view.drag_to)
            return;
        const double from = m_layout.place(m_view.drag_from), to = m_layout.place(m_view.drag_to);
        QRectF range =
            m_layout.upright
                ? QRectF(m_layout.plot.left(), std::min(from, to), m_layout.plot.width(), std::abs(to - from))
                : QRectF(std::min(from, to), m_layout.plot.top(), std::abs(to - from), m_layout.plot.height());
        QColor veil = m_theme.accent;
        veil.setAlphaF(0.18F);
        m_painter.fillRect(range.intersected(m_layout.plot), veil);
    }

    QPainter& m_painter;
    const DistributionData& m_data;
    const DistributionView& m_view;
    const DistributionLayout& m_layout;
    const Theme& m_theme;
    Range m_range;
};

} // namespace

Range whole_range(const DistributionData& data) {
    return united(bulk_range(data.a.sorted), bulk_range(data.b.sorted));
}

DistributionLayout layout_distribution(const DistributionData& data, const DistributionView& view, const QRectF& area) {
    const QFontMetricsF metrics(label_font());
    DistributionLayout layout;
    layout.upright = view.shape == DistributionShape::raw;
    Range range = view.zoom;
    if (!range.known()) {
        range = whole_range(data);
        if (range.known() && !view.log) { // some air, so that nothing sits on the edge
            const double air = std::max(0.05 * (range.high - range.low), 0.004 * range.high);
            range = {std::max(0.0, range.low - air), range.high + air};
        }
    }
    const double names = metrics.height() + 8;
    const double bottom = layout.upright ? 4 : metrics.height() + 6;
    const double length = layout.upright ? area.height() - names - bottom : area.width() - 2 * gap;
    const double each = layout.upright ? 2.6 * metrics.height() : 1.9 * metrics.horizontalAdvance(u"0.000 ms"_s);
    layout.axis = range.known()
                      ? make_axis(range.low, range.high, std::clamp(static_cast<int>(length / each), 2, 9), view.log)
                      : make_axis(0, 1e-3, 4);
    double left = area.left() + gap;
    if (layout.upright)
        for (const double tick : layout.axis.ticks)
            left = std::max(left,
                            area.left() + 2 * gap + metrics.horizontalAdvance(layout.axis.tick_text(tick) + u" ms"_s));
    layout.plot = QRectF(left, area.top() + names, std::max(20.0, area.right() - gap - left),
                         std::max(12.0, area.height() - names - bottom));
    layout.ticks = layout.upright ? QRectF(area.left(), layout.plot.top(), left - area.left(), layout.plot.height())
                                  : QRectF(area.left(), layout.plot.bottom() + 2, area.width(), bottom - 2);
    return layout;
}

void paint_distribution(QPainter& painter, const DistributionData& data, const DistributionView& view,
                        const DistributionLayout& layout) {
    Painting(painter, data, view, layout).paint();
}

} // namespace kf::ui
