// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chart.h"

#include <algorithm>
#include <cmath>

namespace kf {
namespace {

constexpr double logarithmic_from = 20; // highest ÷ lowest
constexpr std::size_t most_ticks = 40;

} // namespace

ChartAxis::ChartAxis(double low, double high, double from, double to)
    : m_low(low), m_high(high > low ? high : low * 1.01), m_from(from), m_to(to),
      m_log(m_high / m_low > logarithmic_from) {}

double ChartAxis::at(double value) const {
    const double inside = std::clamp(value, m_low, m_high);
    const double share =
        m_log ? std::log(inside / m_low) / std::log(m_high / m_low) : (inside - m_low) / (m_high - m_low);
    return m_from + share * (m_to - m_from);
}

std::vector<double> ChartAxis::ticks(int about) const {
    std::vector<double> ticks;
    if (m_log) {
        const double decades = std::log10(m_high / m_low);
        const int each = std::max(1, static_cast<int>(std::ceil(decades / about)));
        for (double power = std::ceil(std::log10(m_low)); power <= std::log10(m_high) && ticks.size() < most_ticks;
             power += each)
            ticks.push_back(std::pow(10, power));
        if (ticks.size() >= 2)
            return ticks;
        ticks.clear();
    }
    const double rough = (m_high - m_low) / about;
    const double base = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough / base > 5 ? 10 * base : rough / base > 2 ? 5 * base : rough / base > 1 ? 2 * base : base;
    for (double n = std::ceil(m_low / step); n * step <= m_high * (1 + 1e-9) && ticks.size() < most_ticks; ++n)
        ticks.push_back(n * step);
    return ticks;
}

} // namespace kf
