// SPDX-License-Identifier: GPL-3.0-or-later
// Axes and the two charts of a report, as inline SVG that takes its colours from the page. Each comes wide and narrow:
// text keeps its size, and the page shows the one that fits.
#pragma once

#include "core/report/facts.h"

#include <string>
#include <vector>

namespace kf {

// Maps values to pixels; logarithmic where the values span more than a factor of twenty.
class ChartAxis {
public:
    // Values must be positive and finite. `from`, `to`: pixels of low and high.
    ChartAxis(double low, double high, double from, double to);
    double at(double value) const; // clamped to the axis
    bool log() const { return m_log; }
    double low() const { return m_low; }
    double high() const { return m_high; }
    std::vector<double> ticks(int about) const;

private:
    double m_low, m_high, m_from, m_to;
    bool m_log;
};

enum class ChartWidth { narrow, wide };
// More turns than this are drawn as bins.
inline constexpr std::size_t most_single_points = 500;

// "" when nothing was timed and nothing failed. `id`: makes ids unique in the page.
std::string timeline_svg(const RunReport& report, ChartWidth width);
// Reference lines of the run: name and seconds; those that are no times left out.
std::vector<std::pair<std::string, double>> reference_times(const RunReport& report);
// "" when there are no samples of both.
std::string distribution_svg(const ReportDuel& duel, ChartWidth width);

struct HistogramBin {
    double low = 0, high = 0;
    int a = 0, b = 0;
};
// The same bins for both sides, over the bulk of the samples; `outside` counts those beyond it.
std::vector<HistogramBin> histogram(const ReportDuel& duel, int& outside);

} // namespace kf
