// SPDX-License-Identifier: GPL-3.0-or-later
// Axes of times: a range that is never empty, ticks at round figures, one unit for the whole axis. Whatever goes in
// (nothing, equal values, NaN, a nanosecond, a day), something sensible comes out.
#pragma once

#include <QString>

#include <vector>

namespace kf::ui {

enum class AxisUnit { ns, us, ms, s };
QString to_string(AxisUnit unit); // "ns", "µs", "ms", "s"
double seconds_of(AxisUnit unit); // 1e-9 …
// The unit in which the time reads best.
AxisUnit unit_for(double seconds);

// "1.512" in the given unit; "–" for what is no time.
QString figure_text(double seconds, AxisUnit unit, int decimals);
// "1.512 ms" with that many significant digits, in the unit that reads best; "–" for what is no time.
QString short_time(double seconds, int digits = 4);
// "−6.7" with a true minus sign.
QString signed_text(double value, int decimals, bool with_plus = true);
// "12,345".
QString count_text(std::int64_t count);

struct Axis {
    double low = 0, high = 1; // seconds; low < high always
    bool log = false;
    AxisUnit unit = AxisUnit::ms;
    int decimals = 1;          // of the ticks
    std::vector<double> ticks; // ascending, inside [low, high]

    // Share of the way from low to high, outside 0 … 1 for what lies outside.
    double position(double seconds) const;
    double value(double position) const;
    QString tick_text(double seconds) const { return figure_text(seconds, unit, decimals); }
};

// An axis over [low, high] with about `wanted` ticks. `rounded`: grown to whole ticks at both ends. A logarithmic axis
// starts at a tenth of a nanosecond at the earliest.
Axis make_axis(double low, double high, int wanted, bool log = false, bool rounded = false);

// Tops of labels of the given height, each wanted at a place, moved as little as is needed so that none overlaps
// another and all lie inside [low, high] where they fit. In the order given.
std::vector<double> push_apart(const std::vector<double>& wanted, double height, double low, double high);

} // namespace kf::ui
