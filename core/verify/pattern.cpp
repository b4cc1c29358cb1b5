// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/pattern.h"

#include "core/verify/pattern_parts.h"

#include <algorithm>
#include <cstdio>

namespace kf {
namespace pattern_parts {

std::string figure(double value) {
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Inf" : "-Inf";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value == 0 ? 0.0 : value);
    return text;
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * shape[axis];
    return strides;
}

std::string axis_name(const Shape& shape, std::size_t axis) {
    return axis + 1 == shape.size() ? "the last axis" : "axis " + std::to_string(axis);
}

double share_of(const OutputView& view, const BadMask& bad) {
    return static_cast<double>(bad.count()) / static_cast<double>(std::max<std::int64_t>(1, view.elements()));
}

Samples take_samples(const OutputView& view, const BadMask& bad) {
    constexpr std::int64_t wanted = 2048;
    Samples samples;
    const std::int64_t bad_step = std::max<std::int64_t>(1, bad.count() / wanted);
    std::int64_t at = 0;
    bad.for_each([&](std::int64_t i) {
        if (at++ % bad_step == 0 && samples.bad.size() < 2 * wanted)
            samples.bad.push_back(i);
    });
    // An odd step, so that a power of two in the shape does not pick one column.
    const std::int64_t step = std::max<std::int64_t>(1, view.elements() / wanted) | 1;
    for (std::int64_t i = 0; i < view.elements(); i += step) {
        samples.all.push_back(i);
        if (!bad.test(i))
            samples.good.push_back(i);
    }
    return samples;
}

} // namespace pattern_parts

namespace {

// What the bad elements hold, when that is one value: a sentence's tail.
std::string what_they_hold(const OutputView& view, const pattern_parts::Samples& samples) {
    if (samples.bad.empty())
        return {};
    const double value = view.got(samples.bad.front());
    for (const std::int64_t i : samples.bad)
        if (!same_value(view.got(i), value))
            return {};
    // A single element's value is among the first bad ones anyway; zero, NaN and Inf say something about its cause.
    if (samples.bad.size() == 1 && value != 0 && std::isfinite(value))
        return {};
    return "; " + std::string(samples.bad.size() == 1 ? "it holds " : "they hold ") + pattern_parts::figure(value);
}

} // namespace

PatternFinding find_pattern(const OutputView& view, const BadMask& bad, const Tolerance& /*tolerance*/) {
    using namespace pattern_parts;
    if (!bad.any())
        return {};
    if (auto found = find_constant(view))
        return *found;
    const Samples samples = take_samples(view, bad);
    if (auto found = find_transposed(view, bad, samples))
        return *found;
    if (auto found = find_shift(view, bad, samples))
        return *found;
    if (auto found = find_common_factor(view, bad, samples))
        return *found;
    if (auto found = find_broadcast(view, bad, samples))
        return *found;
    if (auto found = find_accumulation(view, bad, samples))
        return *found;
    const std::string held = what_they_hold(view, samples);
    const auto with_held = [&](PatternFinding finding) {
        finding.text += held;
        return finding;
    };
    const std::string counts =
        std::to_string(bad.count()) + " of " + std::to_string(view.elements()) + " elements are wrong";
    if (share_of(view, bad) >= 0.9)
        return with_held({Pattern::all, counts + ", all over the output"});
    if (auto found = find_tail(view, bad))
        return with_held(*found);
    if (auto found = find_lines(view, bad))
        return with_held(*found);
    if (auto found = find_tiles(view, bad))
        return with_held(*found);
    return with_held({Pattern::scattered, counts + ", with no visible order"});
}

} // namespace kf
