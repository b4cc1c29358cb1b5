// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chart.h"
#include "core/report/html_text.h"

#include <algorithm>
#include <cmath>

namespace kf {
namespace {

using html::coordinate;
using html::escaped;

constexpr int most_bins = 60;

double at_share(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// The range in which the bulk lies: all of it, but no more than eight quartile distances beyond the quartiles.
std::pair<double, double> bulk(const std::vector<double>& sorted) {
    const double q1 = at_share(sorted, 0.25), q3 = at_share(sorted, 0.75);
    // Without a spread (a coarse timer) a per cent on either side keeps the axis from collapsing.
    const double reach = std::max(8 * (q3 - q1), 0.01 * q3);
    return {std::max(sorted.front(), q1 - reach), std::min(sorted.back(), q3 + reach)};
}

std::size_t bin_of(const std::vector<HistogramBin>& bins, double value) {
    const auto over = std::upper_bound(bins.begin(), bins.end(), value,
                                       [](double v, const HistogramBin& bin) { return v < bin.low; });
    return over == bins.begin() ? 0 : static_cast<std::size_t>(over - bins.begin()) - 1;
}

} // namespace

std::vector<HistogramBin> histogram(const ReportDuel& duel, int& outside) {
    outside = 0;
    if (duel.a.sorted.empty() || duel.b.sorted.empty())
        return {};
    const auto [a_low, a_high] = bulk(duel.a.sorted);
    const auto [b_low, b_high] = bulk(duel.b.sorted);
    const double low = std::min(a_low, b_low);
    const double high = std::max({a_high, b_high, low * 1.0001});
    // Freedman and Diaconis, by the narrower of the two.
    const auto width = [](const std::vector<double>& sorted) {
        return 2 * (at_share(sorted, 0.75) - at_share(sorted, 0.25)) / std::cbrt(static_cast<double>(sorted.size()));
    };
    const double wa = width(duel.a.sorted), wb = width(duel.b.sorted);
    const double wanted = wa > 0 && wb > 0 ? std::min(wa, wb) : std::max(wa, wb);
    const int count =
        wanted > 0 ? static_cast<int>(std::clamp(std::ceil((high - low) / wanted), 12.0, double{most_bins})) : 24;
    std::vector<HistogramBin> bins(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        bins[static_cast<std::size_t>(i)].low = low + (high - low) * i / count;
        bins[static_cast<std::size_t>(i)].high = low + (high - low) * (i + 1) / count;
    }
    const auto fill = [&](const std::vector<double>& sorted, int HistogramBin::*member) {
        for (const double value : sorted)
            if (value < low || value > high)
                ++outside;
            else
                ++(bins[bin_of(bins, value)].*member);
    };
    fill(duel.a.sorted, &HistogramBin::a);
    fill(duel.b.sorted, &HistogramBin::b);
    return bins;
}

std::string distribution_svg(const ReportDuel& duel, ChartWidth width) {
    int outside = 0;
    const std::vector<HistogramBin> bins = histogram(duel, outside);
    if (bins.empty())
        return {};
    const bool wide = width == ChartWidth::wide;
    const double w = wide ? 560 : 400, left = 14, right = w - 14, top = 44, bottom = 232, height = 268;
    const ChartAxis x(bins.front().low, bins.back().high, left, right);
    const TimeUnit unit = unit_for(bins.back().high);
    // Each side's tallest bar is as high as the plot: shapes are compared, not counts (one may have more samples).
    int most_a = 1, most_b = 1;
    for (const HistogramBin& bin : bins) {
        most_a = std::max(most_a, bin.a);
        most_b = std::max(most_b, bin.b);
    }
    const std::string id = wide ? "di-wide" : "di-narrow";
    std::string out =
        "<svg class=\"chart " + std::string(wide ? "wide" : "narrow") + "\" viewBox=\"0 0 " + coordinate(w) + " " +
        coordinate(height) + "\" role=\"img\" aria-labelledby=\"" + id + "-t " + id + "-d\"><title id=\"" + id +
        "-t\">Distribution of the times of A, " + escaped(duel.a.name) + ", and B, " + escaped(duel.b.name) +
        "</title><desc id=\"" + id + "-d\">Median of A " + time_with_unit(duel.a.summary.median_s, unit) + ", of B " +
        time_with_unit(duel.b.summary.median_s, unit) + ". The tables beside it hold the same figures.</desc>\n";
    const auto outline = [&](int HistogramBin::*member, int most, const char* classes) {
        std::string path = "M" + coordinate(x.at(bins.front().low)) + " " + coordinate(bottom);
        for (const HistogramBin& bin : bins)
            path += "V" + coordinate(bottom - (bottom - top) * (bin.*member) / most) + "H" + coordinate(x.at(bin.high));
        out += std::string("<path class=\"") + classes + "\" d=\"" + path + "V" + coordinate(bottom) + "Z\"/>\n";
    };
    outline(&HistogramBin::a, most_a, "side-a");
    outline(&HistogramBin::b, most_b, "side-b");
    double last_tick = -100;
    for (const double tick : x.ticks(wide ? 6 : 4)) {
        const double at = x.at(tick);
        if (at - last_tick < 60)
            continue;
        last_tick = at;
        out += "<line class=\"grid\" x1=\"" + coordinate(at) + "\" x2=\"" + coordinate(at) + "\" y1=\"" +
               coordinate(bottom) + "\" y2=\"" + coordinate(bottom + 5) + "\"/><text class=\"tick middle\" x=\"" +
               coordinate(std::clamp(at, left + 24, right - 24)) + "\" y=\"" + coordinate(bottom + 22) + "\">" +
               escaped(time_with_unit(tick, unit)) + "</text>";
    }
    out += "<line class=\"base\" x1=\"" + coordinate(left) + "\" x2=\"" + coordinate(right) + "\" y1=\"" +
           coordinate(bottom) + "\" y2=\"" + coordinate(bottom) + "\"/>";
    // Names over the medians; where those are near, one to the left and one to the right.
    const double ax = x.at(duel.a.summary.median_s), bx = x.at(duel.b.summary.median_s);
    const auto name = [&](double at, double other, const char* classes, const std::string& text) {
        const bool near = std::abs(at - other) < 130;
        const bool first = at < other || (at == other && classes[5] == 'b');
        const char* anchor = at < left + 70 ? "" : at > right - 70 ? " end" : !near ? " middle" : first ? " end" : "";
        const double y = near && (at < left + 70 || at > right - 70) && !first ? 16 : 34;
        out += std::string("<line class=\"") + classes + "\" x1=\"" + coordinate(at) + "\" x2=\"" + coordinate(at) +
               "\" y1=\"" + coordinate(y + 6) + "\" y2=\"" + coordinate(bottom) + "\"/><text class=\"" + classes +
               anchor + "\" x=\"" + coordinate(at) + "\" y=\"" + coordinate(y) + "\">" + escaped(text) + "</text>";
    };
    name(ax, bx, "name-a", "A " + duel.a.name);
    name(bx, ax, "name-b", "B " + duel.b.name);
    return out + "</svg>\n";
}

} // namespace kf
