// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeline_painter.h"

#include "ui/theme/fonts.h"
#include "ui/theme/marks.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <span>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr double gap = 8;
constexpr double bin_width = 8; // pixels

QFont label_font() {
    return text_font(11);
}

int first_slot(const TimelineView& view) {
    return std::max(0, static_cast<int>(std::ceil(view.first - 1e-9)));
}

int last_slot(const TimelineData& data, const TimelineView& view) {
    return std::min(static_cast<int>(data.points.size()) - 1, static_cast<int>(std::floor(view.last + 1e-9)));
}

QString reference_text(const TimelineReference& reference, const Axis& axis) {
    // In the axis's unit, without naming it, unless that would leave no digits.
    const bool fine =
        reference.seconds >= 0.1 * seconds_of(axis.unit) && reference.seconds < 1e5 * seconds_of(axis.unit);
    return reference.name + u' ' +
           (fine ? figure_text(reference.seconds, axis.unit, std::max(axis.decimals, 3))
                 : short_time(reference.seconds));
}

QColor reference_colour(const TimelineReference& reference, const Theme& theme) {
    return reference.kind == ReferenceKind::baseline ? theme.dim : theme.bound;
}

QPen reference_pen(const TimelineReference& reference, const Theme& theme) {
    QPen pen(reference_colour(reference, theme), 1.25);
    if (reference.kind == ReferenceKind::bound)
        return pen;
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern(reference.compiler ? QList<qreal>{1.2, 2.4} : QList<qreal>{4, 3});
    return pen;
}

double mark_size(const TimelineLayout& layout) {
    return std::clamp(layout.spacing() * 0.8, 5.0, 11.0);
}

double clamped_y(const TimelineLayout& layout, double seconds) {
    return std::clamp(layout.y(seconds), layout.plot.top(), layout.plot.bottom());
}

class Painting {
public:
    Painting(QPainter& painter, const TimelineData& data, const TimelineView& view, const TimelineLayout& layout)
        : m_painter(painter), m_data(data), m_view(view), m_layout(layout), m_theme(Theme::current()) {}

    void paint() {
        m_painter.save();
        m_painter.setRenderHint(QPainter::Antialiasing);
        m_painter.setFont(label_font());
        surfaces();
        grid();
        references();
        steps();
        if (is_binned(m_view))
            bins();
        else
            for (int slot = first_slot(m_view); slot <= last_slot(m_data, m_view); ++slot)
                point(slot);
        turn_labels();
        for (const int slot : {m_view.pinned, m_view.selected})
            if (is_binned(m_view) && is_visible(slot))
                point(slot);
        tags();
        dragged();
        m_painter.restore();
    }

private:
    // Lines of the high-contrast set are as loud as the data: those behind it step back.
    QColor grid_colour() const {
        return m_theme.name == ThemeName::contrast ? blend(m_theme.panel, m_theme.line, 0.3) : m_theme.line;
    }

    bool is_visible(int slot) const {
        return slot >= 0 && slot < static_cast<int>(m_data.points.size()) && slot >= m_layout.first &&
               slot <= m_layout.last;
    }

    const TimelinePoint& at(int slot) const { return m_data.points[static_cast<std::size_t>(slot)]; }

    QRectF column(double from, double to) const {
        const double left = std::max(m_layout.plot.left(), m_layout.x(from));
        const double right = std::min(m_layout.plot.right(), m_layout.x(to));
        return {left, m_layout.plot.top(), std::max(0.0, right - left), m_layout.lane.bottom() - m_layout.plot.top()};
    }

    void surfaces() {
        const QColor soft = blend(m_theme.panel, m_theme.raised, 0.75);
        for (const TimelineBand& band : m_data.bands)
            if (band.last >= m_layout.first && band.first <= m_layout.last) {
                // A seam between neighbours, where there is room for one.
                const double seam = std::min(1.0, m_layout.spacing() / 8);
                m_painter.fillRect(column(band.first - 0.5, band.last + 0.5).adjusted(seam, 0, -seam, 0), soft);
            }
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.raised);
        m_painter.drawRoundedRect(m_layout.lane, 3, 3);
        if (is_visible(m_view.selected)) {
            const double half = std::max(0.5, 5 / m_layout.spacing());
            m_painter.fillRect(column(m_view.selected - std::min(half, 5 / m_layout.spacing() + 0.25),
                                      m_view.selected + std::min(half, 5 / m_layout.spacing() + 0.25)),
                               m_theme.selection);
        }
        if (is_visible(m_view.hovered)) {
            m_painter.setPen(QPen(m_theme.outline, 1, Qt::DotLine));
            const double x = std::round(m_layout.x(m_view.hovered)) + 0.5;
            m_painter.drawLine(QPointF(x, m_layout.plot.top()), QPointF(x, m_layout.lane.bottom()));
        }
    }

    void grid() {
        const QFontMetricsF metrics(label_font());
        for (const double tick : m_layout.axis.ticks) {
            const double y = std::round(m_layout.y(tick)) + 0.5;
            m_painter.setPen(QPen(grid_colour(), 1));
            m_painter.drawLine(QPointF(m_layout.plot.left(), y), QPointF(m_layout.plot.right(), y));
            m_painter.setPen(m_theme.dim);
            m_painter.drawText(QRectF(m_layout.plot.left() - gap - 80, y - metrics.height(), 80, 2 * metrics.height()),
                               Qt::AlignRight | Qt::AlignVCenter, m_layout.axis.tick_text(tick));
        }
        m_painter.setPen(m_theme.faint);
        const QString what = to_string(m_layout.axis.unit) +
                             (m_data.conditions.isEmpty() ? QString() : u", "_s + m_data.conditions) +
                             u" · lower is better"_s;
        const double room = m_layout.lane.bottom() - m_layout.plot.top() + 2 * gap;
        m_painter.save();
        m_painter.translate(m_layout.plot.left() - gap - ticks_width(metrics) - gap,
                            (m_layout.plot.top() + m_layout.plot.bottom()) / 2);
        m_painter.rotate(-90);
        m_painter.drawText(QRectF(-room / 2, -metrics.height(), room, metrics.height()),
                           Qt::AlignHCenter | Qt::AlignVCenter, metrics.elidedText(what, Qt::ElideRight, room));
        m_painter.restore();
        m_painter.setPen(m_theme.dim);
        const QString lane = m_data.only_failures_in_lane ? u"failed"_s : u"not timed"_s;
        m_painter.drawText(QRectF(m_layout.right, m_layout.lane.top(), 90, m_layout.lane.height()),
                           Qt::AlignLeft | Qt::AlignVCenter, lane);
    }

    double ticks_width(const QFontMetricsF& metrics) const {
        double width = 0;
        for (const double tick : m_layout.axis.ticks)
            width = std::max(width, metrics.horizontalAdvance(m_layout.axis.tick_text(tick)));
        return width;
    }

    void references() {
        for (const ReferenceLabel& label : reference_labels(m_data, m_layout)) {
            if (!label.outside) {
                const double y = m_layout.y(label.reference->seconds);
                m_painter.setPen(reference_pen(*label.reference, m_theme));
                m_painter.drawLine(QPointF(m_layout.plot.left(), y), QPointF(m_layout.plot.right(), y));
                const double middle = label.place.center().y();
                if (std::abs(middle - y) > 2) { // pushed away: a leader to its line
                    m_painter.setPen(QPen(reference_colour(*label.reference, m_theme), 0.75));
                    m_painter.drawLine(QPointF(m_layout.plot.right(), y), QPointF(label.place.left() - 2, middle));
                }
            }
            m_painter.setPen(reference_colour(*label.reference, m_theme));
            m_painter.drawText(label.place, Qt::AlignLeft | Qt::AlignVCenter, label.text);
        }
    }

    void steps() {
        if (m_data.steps.empty())
            return;
        QPainterPath path;
        const double end = m_layout.x(std::min(m_layout.last, static_cast<double>(m_data.points.size()) - 1));
        bool begun = false;
        for (const TimelineStep& step : m_data.steps) {
            const QPointF place(m_layout.x(step.slot), m_layout.y(step.seconds));
            if (begun)
                path.lineTo(place.x(), path.currentPosition().y());
            if (begun)
                path.lineTo(place);
            else
                path.moveTo(place);
            begun = true;
        }
        path.lineTo(std::max(end, path.currentPosition().x()), path.currentPosition().y());
        m_painter.save();
        m_painter.setClipRect(m_layout.plot.adjusted(0, -1, 0, 1), Qt::IntersectClip);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.accent, 1.75, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        m_painter.drawPath(path);
        m_painter.restore();
    }

    void point(int slot) {
        const TimelinePoint& point = at(slot);
        const double x = m_layout.x(slot);
        const double size = mark_size(m_layout);
        if (!point.timed()) {
            draw_mark(m_painter, point.state == PointState::done ? point.kind : VerdictKind::none,
                      {x, m_layout.lane.center().y()}, point.human ? size * 1.6 : size, point.human);
            halo(slot, m_layout.lane.center().y(), size);
            return;
        }
        const double y = clamped_y(m_layout, point.seconds);
        const QColor colour = m_theme.of(point.kind);
        const double top = clamped_y(m_layout, point.high), bottom = clamped_y(m_layout, point.low);
        if (bottom - top > size * 0.8) {
            m_painter.setPen(QPen(blend(m_theme.panel, colour, 0.75), 1));
            m_painter.drawLine(QPointF(x, top), QPointF(x, bottom));
            const double cap = std::min(3.0, size / 3);
            if (layout_has(point.high))
                m_painter.drawLine(QPointF(x - cap, top), QPointF(x + cap, top));
            if (layout_has(point.low))
                m_painter.drawLine(QPointF(x - cap, bottom), QPointF(x + cap, bottom));
        }
        draw_mark(m_painter, point.kind, {x, y}, point.human ? size * 1.6 : size, point.human);
        halo(slot, y, size);
    }

    bool layout_has(double seconds) const {
        const double place = m_layout.axis.position(seconds);
        return place >= 0 && place <= 1;
    }

    void halo(int slot, double y, double size) {
        if (slot != m_view.selected)
            return;
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme.accent, 1.5));
        const double r = size * 0.5 + 5;
        m_painter.drawEllipse(QPointF(m_layout.x(slot), y), r, r);
    }

    void bins() {
        const std::vector<TimelineBin> bins = visible_bins(m_data, m_view, m_layout);
        int most_failed = 1;
        for (const TimelineBin& bin : bins)
            most_failed = std::max(most_failed, bin.failed);
        for (const TimelineBin& bin : bins) {
            const double left = m_layout.x(bin.first - 0.5), right = m_layout.x(bin.last + 0.5);
            const double inset = right - left > 3 ? 0.75 : 0;
            if (bin.timed > 0) {
                const double top = clamped_y(m_layout, bin.worst), bottom = clamped_y(m_layout, bin.best);
                m_painter.fillRect(QRectF(left + inset, top, right - left - 2 * inset, std::max(1.0, bottom - top)),
                                   blend(m_theme.panel, m_theme.faster, 0.28));
                m_painter.fillRect(
                    QRectF(left + inset, clamped_y(m_layout, bin.median) - 1, right - left - 2 * inset, 2),
                    blend(m_theme.panel, m_theme.faster, 0.8));
            }
            if (bin.failed > 0) {
                const double height = std::max(2.0, (m_layout.lane.height() - 4) * bin.failed / most_failed);
                m_painter.fillRect(
                    QRectF(left + inset, m_layout.lane.bottom() - 2 - height, right - left - 2 * inset, height),
                    m_theme.error);
            }
        }
        if (bins.empty())
            return;
        const int each = bins.front().last - bins.front().first + 1;
        m_painter.setPen(m_theme.faint);
        m_painter.drawText(m_layout.plot.adjusted(gap, 0, -gap, -3), Qt::AlignLeft | Qt::AlignBottom,
                           u"%1 points, about %2 a bar"_s.arg(
                               count_text(static_cast<std::int64_t>(m_data.points.size())), count_text(each)));
    }

    void turn_labels() {
        const QFontMetricsF metrics(label_font());
        // Shaping a text is dear, and of ten thousand turns few get a label: a number is as wide as its digits at most.
        double digit = 0;
        for (char16_t c = u'0'; c <= u'9'; ++c)
            digit = std::max(digit, metrics.horizontalAdvance(QChar(c)));
        const double start = metrics.horizontalAdvance(TimelineData::turn_text(0));
        double free_from = m_layout.plot.left() - 30;
        for (const TimelineTurn& turn : visible_turns()) {
            const double middle = (m_layout.x(std::max<double>(turn.first, m_layout.first)) +
                                   m_layout.x(std::min<double>(turn.last, m_layout.last))) /
                                  2;
            if (middle < free_from + gap)
                continue;
            const QString text = TimelineData::turn_text(turn.turn);
            const double width = turn.turn == 0 ? start : digit * static_cast<double>(text.size());
            if (middle - width / 2 < free_from + gap)
                continue;
            const bool selected = m_view.selected >= turn.first && m_view.selected <= turn.last;
            m_painter.setPen(selected ? m_theme.text : m_theme.dim);
            m_painter.drawText(
                QRectF(middle - width / 2 - 2, m_layout.labels.top(), width + 4, m_layout.labels.height()),
                Qt::AlignCenter, text);
            free_from = middle + width / 2;
        }
    }

    // Turns with a slot in sight; they are in the slots' order.
    std::span<const TimelineTurn> visible_turns() const {
        const auto begin = std::partition_point(m_data.turns.begin(), m_data.turns.end(),
                                                [this](const TimelineTurn& t) { return t.last < m_layout.first; });
        const auto end = std::partition_point(begin, m_data.turns.end(),
                                              [this](const TimelineTurn& t) { return t.first <= m_layout.last; });
        return {begin, end};
    }

    // A and B at the top of their columns.
    void tags() {
        if (!is_visible(m_view.pinned))
            return;
        const double x = m_layout.x(m_view.pinned);
        m_painter.setPen(QPen(m_theme.dim, 1, Qt::DashLine));
        m_painter.drawLine(QPointF(x, m_layout.plot.top() + 8), QPointF(x, m_layout.lane.bottom()));
        tag(x, u"A"_s, m_theme.dim, m_theme.panel);
        if (is_visible(m_view.selected) && m_view.selected != m_view.pinned)
            tag(m_layout.x(m_view.selected), u"B"_s, m_theme.accent, m_theme.on_accent);
    }

    void tag(double x, const QString& text, const QColor& surface, const QColor& colour) {
        const QFont font = text_font(11, Weight::semibold);
        const double height = QFontMetricsF(font).height() + 1;
        const double left = std::clamp(x - height / 2, m_layout.plot.left(), m_layout.plot.right() - height);
        const QRectF place(left, m_layout.plot.top() - height / 2, height, height);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(surface);
        m_painter.drawRoundedRect(place, 3, 3);
        m_painter.setFont(font);
        m_painter.setPen(colour);
        m_painter.drawText(place, Qt::AlignCenter, text);
        m_painter.setFont(label_font());
    }

    void dragged() {
        if (m_view.drag_from == m_view.drag_to)
            return;
        const QRectF range =
            column(std::min(m_view.drag_from, m_view.drag_to), std::max(m_view.drag_from, m_view.drag_to));
        QColor veil = m_theme.accent;
        veil.setAlphaF(0.18F);
        m_painter.fillRect(range, veil);
        m_painter.setPen(QPen(m_theme.accent, 1));
        m_painter.drawLine(range.topLeft(), range.bottomLeft());
        m_painter.drawLine(range.topRight(), range.bottomRight());
    }

    QPainter& m_painter;
    const TimelineData& m_data;
    const TimelineView& m_view;
    const TimelineLayout& m_layout;
    const Theme& m_theme;
};

} // namespace

bool is_binned(const TimelineView& view) {
    return view.last - view.first + 1 > most_single_points;
}

std::vector<TimelineBin> visible_bins(const TimelineData& data, const TimelineView& view,
                                      const TimelineLayout& layout) {
    return bin_points(data, first_slot(view), last_slot(data, view),
                      std::max(8, static_cast<int>(layout.plot.width() / bin_width)));
}

TimelineLayout layout_timeline(const TimelineData& data, const TimelineView& view, const QRectF& area) {
    const QFontMetricsF metrics(label_font());
    TimelineLayout layout;
    const double lane = std::max(18.0, metrics.height() + 4), labels = metrics.height() + 6;
    const double height = std::max(20.0, area.height() - lane - labels - 26);
    layout.axis =
        timeline_axis(data, first_slot(view), last_slot(data, view), std::clamp(static_cast<int>(height / 42), 2, 8));
    double ticks = 0;
    for (const double tick : layout.axis.ticks)
        ticks = std::max(ticks, metrics.horizontalAdvance(layout.axis.tick_text(tick)));
    double names = metrics.horizontalAdvance(u"not timed"_s);
    for (const TimelineReference& reference : data.references)
        names = std::max(names, metrics.horizontalAdvance(reference_text(reference, layout.axis) + u" ↑"_s));
    const double left = area.left() + metrics.height() + 3 * gap + ticks;
    const double right = std::max(left + 40, area.right() - names - 2 * gap);
    layout.plot = QRectF(left, area.top() + 16, right - left, height);
    layout.lane = QRectF(left, layout.plot.bottom() + 8, right - left, lane);
    layout.labels = QRectF(left, layout.lane.bottom() + 2, right - left, labels);
    layout.right = right + gap;
    layout.first = view.first - 0.5;
    layout.last = std::max(view.last + 0.5, layout.first + 1);
    return layout;
}

void paint_timeline(QPainter& painter, const TimelineData& data, const TimelineView& view,
                    const TimelineLayout& layout) {
    Painting(painter, data, view, layout).paint();
}

std::vector<ReferenceLabel> reference_labels(const TimelineData& data, const TimelineLayout& layout) {
    const QFontMetricsF metrics(label_font());
    std::vector<ReferenceLabel> labels;
    std::vector<double> wanted;
    for (const TimelineReference& reference : data.references) {
        ReferenceLabel label;
        label.reference = &reference;
        label.text = reference_text(reference, layout.axis);
        const double place = layout.axis.position(reference.seconds);
        label.outside = place < 0 || place > 1;
        if (label.outside)
            label.text += place < 0 ? u" ↓"_s : u" ↑"_s;
        wanted.push_back(layout.plot.bottom() - std::clamp(place, 0.0, 1.0) * layout.plot.height() -
                         metrics.height() / 2);
        labels.push_back(label);
    }
    // Above the lane, whose own label stands in the same column.
    const std::vector<double> placed =
        push_apart(wanted, metrics.height(), layout.plot.top() - metrics.height() / 2, layout.lane.top());
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i].place =
            QRectF(layout.right, placed[i], metrics.horizontalAdvance(labels[i].text) + 2, metrics.height());
    return labels;
}

} // namespace kf::ui
