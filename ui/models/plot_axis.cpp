// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plot_axis.h"

#include "ui/models/words.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace kf::ui {
namespace {

constexpr double smallest = 1e-10, largest = 1e7; // seconds that an axis can show

QString dash() {
    return QStringLiteral("–");
}

QString fixed(double value, int decimals) {
    return QString::number(value, 'f', std::clamp(decimals, 0, 12));
}

// 1, 2 or 5 times a power of ten, `step` or a little less.
double round_step(double step) {
    const double power = std::pow(10.0, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= step * 0.75)
            return factor * power;
    return 10 * power;
}

int decimals_for(double step) {
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
}

void add_linear_ticks(Axis& axis, int wanted, bool rounded) {
    const double step = round_step((axis.high - axis.low) / std::max(1, wanted));
    if (rounded) {
        axis.low = std::max(0.0, std::floor(axis.low / step + 1e-9) * step);
        axis.high = std::ceil(axis.high / step - 1e-9) * step;
        if (!(axis.high > axis.low))
            axis.high = axis.low + step;
    }
    const double first = std::ceil(axis.low / step - 1e-9);
    for (int i = 0; i < 64; ++i) {
        const double tick = (first + i) * step;
        if (tick > axis.high + step * 1e-6)
            break;
        axis.ticks.push_back(tick);
    }
    axis.decimals = decimals_for(step / seconds_of(axis.unit));
}

void add_log_ticks(Axis& axis, int wanted) {
    const double decades = std::log10(axis.high / axis.low);
    static const std::vector<std::vector<double>> sets = {{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1}};
    if (decades < 0.4) { // too narrow for a decade's figures
        add_linear_ticks(axis, wanted, false);
        return;
    }
    for (const auto& set : sets) {
        axis.ticks.clear();
        for (int power = static_cast<int>(std::floor(std::log10(axis.low))); std::pow(10.0, power) <= axis.high;
             ++power)
            for (const double factor : set)
                if (const double tick = factor * std::pow(10.0, power); tick >= axis.low && tick <= axis.high)
                    axis.ticks.push_back(tick);
        if (static_cast<int>(axis.ticks.size()) <= wanted + 1)
            break;
    }
    while (static_cast<int>(axis.ticks.size()) > 2 * wanted) { // more decades than there is room for
        std::vector<double> half;
        for (std::size_t i = 0; i < axis.ticks.size(); i += 2)
            half.push_back(axis.ticks[i]);
        axis.ticks = half;
    }
    double finest = axis.high;
    for (const double tick : axis.ticks)
        finest =
            std::min(finest, std::pow(10.0, std::floor(std::log10(tick))) *
                                 (std::fmod(tick / std::pow(10.0, std::floor(std::log10(tick))), 1.0) > 0.1 ? 0.1 : 1));
    axis.decimals = decimals_for(finest / seconds_of(axis.unit));
}

} // namespace

QString to_string(AxisUnit unit) {
    switch (unit) {
    case AxisUnit::ns:
        return QStringLiteral("ns");
    case AxisUnit::us:
        return QStringLiteral("µs");
    case AxisUnit::ms:
        return QStringLiteral("ms");
    case AxisUnit::s:
        return QStringLiteral("s");
    }
    return {};
}

double seconds_of(AxisUnit unit) {
    constexpr std::array<double, 4> factors = {1e-9, 1e-6, 1e-3, 1};
    return factors[static_cast<std::size_t>(unit)];
}

AxisUnit unit_for(double seconds) {
    // A figure that rounds up to 1000 of a unit reads better as 1 of the next.
    for (const AxisUnit unit : {AxisUnit::s, AxisUnit::ms, AxisUnit::us})
        if (std::abs(seconds) >= seconds_of(unit) * 0.99995)
            return unit;
    return AxisUnit::ns;
}

QString figure_text(double seconds, AxisUnit unit, int decimals) {
    return std::isfinite(seconds) ? fixed(seconds / seconds_of(unit), decimals) : dash();
}

QString short_time(double seconds, int digits) {
    if (!is_time(seconds))
        return dash();
    const AxisUnit unit = unit_for(seconds);
    const double value = seconds / seconds_of(unit);
    const int before = std::max(1, static_cast<int>(std::floor(std::log10(std::max(value, 1e-3)) + 1e-9)) + 1);
    return fixed(value, digits - before) + QLatin1Char(' ') + to_string(unit);
}

QString signed_text(double value, int decimals, bool with_plus) {
    if (!std::isfinite(value))
        return std::isnan(value) ? dash() : value > 0 ? QStringLiteral("+∞") : QStringLiteral("−∞");
    const QString digits = fixed(std::abs(value), decimals);
    const bool zero = std::all_of(digits.begin(), digits.end(),
                                  [](QChar c) { return c == QLatin1Char('0') || c == QLatin1Char('.'); });
    const QString sign = zero        ? QString()
                         : value < 0 ? QStringLiteral("−")
                         : with_plus ? QStringLiteral("+")
                                     : QString();
    return sign + digits;
}

QString count_text(std::int64_t count) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(count));
}

double Axis::position(double seconds) const {
    if (!log)
        return (seconds - low) / (high - low);
    return std::log(std::max(seconds, low * 1e-9) / low) / std::log(high / low); // 0 has no place
}

double Axis::value(double position) const {
    return log ? low * std::pow(high / low, position) : low + position * (high - low);
}

Axis make_axis(double low, double high, int wanted, bool log, bool rounded) {
    Axis axis;
    axis.log = log;
    const bool known = std::isfinite(low) && std::isfinite(high);
    axis.low = known ? std::clamp(std::min(low, high), 0.0, largest) : 0;
    axis.high = known ? std::clamp(std::max(low, high), 0.0, largest) : 1e-3;
    if (log)
        axis.low = std::max(axis.low, smallest);
    // Equal values get room around them; 1e-6 of the value is finer than any timer.
    if (axis.high - axis.low <= 1e-6 * axis.high) {
        const double middle = std::max(axis.high, smallest);
        axis.low = middle * 0.9;
        axis.high = middle * 1.1;
    }
    if (log)
        axis.high = std::max(axis.high, axis.low * 1.0001);
    axis.unit = unit_for(axis.high);
    if (log)
        add_log_ticks(axis, std::max(2, wanted));
    else
        add_linear_ticks(axis, std::max(1, wanted), rounded);
    return axis;
}

std::vector<double> push_apart(const std::vector<double>& wanted, double height, double low, double high) {
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    // Neighbours that touch become one block, centred on the mean of what its members wanted.
    struct Block {
        double sum = 0; // of wanted place minus place in the block
        std::size_t count = 0;
        double first = 0; // place of the first
    };
    const auto place = [&](Block& block) {
        const double size = height * static_cast<double>(block.count);
        const double free = block.sum / static_cast<double>(block.count);
        block.first = std::max(low, std::min(free, high - size));
    };
    std::vector<Block> blocks;
    for (const std::size_t index : order) {
        Block block{std::isfinite(wanted[index]) ? wanted[index] : low, 1, 0};
        place(block);
        while (!blocks.empty() &&
               blocks.back().first + height * static_cast<double>(blocks.back().count) > block.first) {
            const Block& before = blocks.back();
            block.sum =
                before.sum + block.sum - height * static_cast<double>(before.count) * static_cast<double>(block.count);
            block.count += before.count;
            place(block);
            blocks.pop_back();
        }
        blocks.push_back(block);
    }
    std::vector<double> placed(wanted.size());
    std::size_t next = 0;
    for (const Block& block : blocks)
        for (std::size_t i = 0; i < block.count; ++i)
            placed[order[next++]] = block.first + height * static_cast<double>(i);
    return placed;
}

} // namespace kf::ui
