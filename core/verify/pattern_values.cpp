// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns that show in the values: the right ones at the wrong place, one for all, or all of them imprecise.
#include "core/verify/pattern_parts.h"

#include "core/base/random.h"

#include <algorithm>
#include <array>

namespace kf::pattern_parts {
namespace {

constexpr double most = 0.9;         // share of the samples that must agree
constexpr double whole_output = 0.4; // a permuted or shifted output is wrong nearly everywhere; chance hits aside
constexpr std::size_t few = 4;       // fewer samples than this prove nothing

// Is what bad element `i` holds the golden's element `j`? It must fit ten times better than at its own place, so that
// values that are close together anyway do not count.
bool holds(const OutputView& view, std::int64_t i, std::int64_t j) {
    const double got = view.got(i), other = view.expected(j), own = std::fabs(got - view.expected(i));
    if (got == other)
        return true;
    return std::fabs(got - other) <= 0.1 * own; // false for NaN
}

// Share of samples for which `source` gives an element that the sample holds. Negative: no source.
template<class Source> bool explained(const OutputView& view, const Samples& samples, Source source) {
    std::size_t tried = 0, hits = 0;
    for (const std::int64_t i : samples.bad) {
        const std::int64_t j = source(i);
        if (j < 0 || j == i)
            continue;
        ++tried;
        hits += holds(view, i, j);
        if (tried >= 64 && hits * 2 < tried)
            return false;
    }
    return tried >= std::min(few, samples.bad.size()) && tried * 2 >= samples.bad.size() &&
           static_cast<double>(hits) >= most * static_cast<double>(tried) && hits > 1;
}

double median(std::vector<double> values) {
    if (values.empty())
        return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double quantile(std::vector<double> values, double q) {
    if (values.empty())
        return 0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

// One value, well away from nothing, for nearly all: its spread is a tenth of its size at most.
bool is_common(const std::vector<double>& values, double centre, double neutral) {
    std::vector<double> spread;
    spread.reserve(values.size());
    for (const double value : values)
        spread.push_back(std::fabs(value - centre));
    return quantile(std::move(spread), most) <= 0.1 * std::fabs(centre - neutral);
}

} // namespace

Found find_constant(const OutputView& view) {
    if (view.elements() < 2)
        return std::nullopt;
    const double value = view.got(0);
    bool golden_varies = false;
    for (std::int64_t i = 1; i < view.elements(); ++i) {
        if (!same_value(view.got(i), value))
            return std::nullopt;
        golden_varies = golden_varies || !same_value(view.expected(i), view.expected(0));
    }
    if (!golden_varies)
        return PatternFinding{Pattern::all,
                              "every element is " + figure(value) + " instead of " + figure(view.expected(0))};
    return PatternFinding{Pattern::constant, "every element is " + figure(value)};
}

Found find_transposed(const OutputView& view, const BadMask& bad, const Samples& samples) {
    const Shape& shape = view.shape();
    if (shape.size() < 2 || share_of(view, bad) < whole_output)
        return std::nullopt;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        for (std::size_t b = a + 1; b < shape.size(); ++b) {
            if (shape[a] < 2 || shape[b] < 2)
                continue;
            Shape swapped = shape;
            std::swap(swapped[a], swapped[b]);
            // Written with the axes exchanged, or read so: for unequal extents these are different permutations.
            const auto permuted = [&](const Shape& from, const Shape& to) {
                return [&, strides = strides_of(to)](std::int64_t i) {
                    std::vector<std::int64_t> index = unravel(i, from);
                    std::swap(index[a], index[b]);
                    std::int64_t flat = 0;
                    for (std::size_t axis = 0; axis < index.size(); ++axis)
                        flat += index[axis] * strides[axis];
                    return flat;
                };
            };
            if (explained(view, samples, permuted(swapped, shape)) ||
                explained(view, samples, permuted(shape, swapped)))
                return PatternFinding{Pattern::transposed, "the right values with axes " + std::to_string(a) + " and " +
                                                               std::to_string(b) + " exchanged"};
        }
    }
    return std::nullopt;
}

Found find_shift(const OutputView& view, const BadMask& bad, const Samples& samples) {
    const Shape& shape = view.shape();
    if (share_of(view, bad) < whole_output)
        return std::nullopt;
    const std::vector<std::int64_t> strides = strides_of(shape);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] < 2)
            continue;
        for (const int step : {-1, 1}) {
            const auto neighbour = [&](std::int64_t i) -> std::int64_t {
                const std::int64_t at = i / strides[axis] % shape[axis] + step;
                return at < 0 || at >= shape[axis] ? -1 : i + step * strides[axis];
            };
            if (explained(view, samples, neighbour))
                return PatternFinding{Pattern::off_by_one, "each element holds the value of its neighbour at index " +
                                                               std::string(step < 0 ? "- 1" : "+ 1") + " along " +
                                                               axis_name(shape, axis)};
        }
    }
    return std::nullopt;
}

Found find_common_factor(const OutputView& view, const BadMask& bad, const Samples& samples) {
    if (share_of(view, bad) < 0.6 || samples.bad.size() < few)
        return std::nullopt;
    std::vector<double> factors, offsets;
    for (const std::int64_t i : samples.bad) {
        const double expected = view.expected(i), got = view.got(i);
        if (!std::isfinite(got) || !std::isfinite(expected))
            return std::nullopt;
        offsets.push_back(got - expected);
        if (expected != 0)
            factors.push_back(got / expected);
    }
    const double factor = median(factors), offset = median(offsets);
    if (factors.size() * 10 >= offsets.size() * 9 && is_common(factors, factor, 1))
        return PatternFinding{Pattern::all, "every element is " + figure(factor) + " times what it should be"};
    if (is_common(offsets, offset, 0))
        return PatternFinding{Pattern::all, "every element is off by the same " + figure(offset)};
    return std::nullopt;
}

namespace {

// The output does not change along an axis although the golden does.
Found find_repeated(const OutputView& view, const Samples& samples) {
    const Shape& shape = view.shape();
    const std::vector<std::int64_t> strides = strides_of(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] < 2)
            continue;
        std::size_t tried = 0, repeated = 0, golden_varies = 0;
        for (const std::int64_t i : samples.all) {
            const std::int64_t at = i / strides[axis] % shape[axis];
            if (at == 0)
                continue;
            const std::int64_t first = i - at * strides[axis];
            ++tried;
            repeated += same_value(view.got(i), view.got(first));
            golden_varies += !same_value(view.expected(i), view.expected(first));
        }
        if (tried >= 3 && repeated * 20 >= tried * 19 && golden_varies * 2 >= tried)
            return PatternFinding{Pattern::broadcast, "the output does not change along " + axis_name(shape, axis) +
                                                          ": element 0 of it is repeated"};
    }
    return std::nullopt;
}

// Is the error (or the factor) a term of the row plus (times) a term of the column?
Found find_vector_term(const OutputView& view, bool factor) {
    const std::int64_t rows = view.rows(), columns = view.columns();
    if (rows < 3 || columns < 3)
        return std::nullopt;
    bool usable = true;
    const auto term = [&](std::int64_t r, std::int64_t c) {
        const double got = view.got(r * columns + c), expected = view.expected(r * columns + c);
        const double value = factor ? std::log(got / expected) : got - expected;
        usable = usable && std::isfinite(value);
        return value;
    };
    SplitMix64 random(1);
    std::vector<double> sizes, mixed, along_row, along_column;
    for (int k = 0; k < 256; ++k) {
        const auto draw = [&](std::int64_t n) {
            const auto first = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
            const auto step = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n - 1)));
            return std::pair(first, (first + step) % n);
        };
        const auto [r0, r1] = draw(rows);
        const auto [c0, c1] = draw(columns);
        usable = true;
        const double e00 = term(r0, c0), e01 = term(r0, c1), e10 = term(r1, c0), e11 = term(r1, c1);
        if (!usable)
            continue; // a zero, a changed sign or an infinity: no factor
        sizes.push_back(std::fabs(e00));
        along_row.push_back(std::fabs(e01 - e00));
        along_column.push_back(std::fabs(e10 - e00));
        mixed.push_back(std::fabs(e00 - e01 - e10 + e11));
    }
    if (sizes.size() < 128)
        return std::nullopt;
    const double size = median(sizes), row_change = median(along_row), column_change = median(along_column);
    if (!(size > 0) || quantile(mixed, most) > 0.1 * std::max({size, row_change, column_change}))
        return std::nullopt;
    const bool by_column = row_change > 0.2 * size, by_row = column_change > 0.2 * size;
    const std::string what = factor ? "every element is multiplied by a wrong factor that depends on "
                                    : "the error of an element depends on ";
    if (by_column && by_row)
        return PatternFinding{Pattern::broadcast,
                              what + "its row and on its column alone: a vector was applied along the wrong axis"};
    if (by_column || by_row)
        return PatternFinding{Pattern::broadcast, what + std::string(by_column ? "its column" : "its row") +
                                                      " alone: a vector is missing, repeated or along the wrong axis"};
    return std::nullopt;
}

} // namespace

Found find_broadcast(const OutputView& view, const BadMask& bad, const Samples& samples) {
    if (share_of(view, bad) < whole_output)
        return std::nullopt;
    if (auto found = find_repeated(view, samples))
        return found;
    if (share_of(view, bad) < 0.6)
        return std::nullopt;
    if (auto found = find_vector_term(view, false))
        return found;
    return find_vector_term(view, true);
}

namespace {

// The size of values near element i: of its row, or of its neighbourhood in a one-dimensional output.
double local_scale(const OutputView& view, std::int64_t i) {
    const std::int64_t columns = view.columns();
    std::int64_t begin = i / columns * columns, length = columns;
    if (columns < 2 || view.rows() == 1) {
        begin = std::max<std::int64_t>(0, i - 16);
        length = std::min<std::int64_t>(33, view.elements() - begin);
    }
    double scale = std::fabs(view.expected(i));
    for (std::int64_t k = 0; k < 16; ++k) {
        const double value = std::fabs(view.expected(begin + k * length / 16));
        if (std::isfinite(value))
            scale = std::max(scale, value);
    }
    return scale;
}

} // namespace

Found find_accumulation(const OutputView& view, const BadMask& bad, const Samples& samples) {
    if (!is_float(view.dtype()) || samples.bad.size() < few)
        return std::nullopt;
    std::vector<double> relative;
    double early = 0, late = 0;
    std::int64_t early_count = 0, late_count = 0;
    for (const std::int64_t i : samples.bad) {
        const double error = std::fabs(view.got(i) - view.expected(i)), scale = local_scale(view, i);
        if (!std::isfinite(error) || !(scale > 0))
            return std::nullopt;
        relative.push_back(error / scale);
    }
    const double typical = median(relative);
    if (!(typical <= 0.05 && quantile(relative, most) <= 0.2))
        return std::nullopt;
    // Imprecise everywhere: accepted elements are off by more than rounding their result once can explain.
    std::size_t noisy = 0;
    for (const std::int64_t i : samples.good) {
        const double expected = view.expected(i), error = std::fabs(view.got(i) - expected);
        noisy += std::isfinite(error) && error > 0.75 * unit_in_last_place(view.dtype(), expected);
    }
    const double good_share = 1 - share_of(view, bad);
    const double noisy_share =
        samples.good.empty() ? 0 : static_cast<double>(noisy) / static_cast<double>(samples.good.size());
    if (noisy_share < 0.25 && good_share * (1 - noisy_share) > 0.25)
        return std::nullopt;
    const std::int64_t columns = view.columns();
    for (const std::int64_t i : samples.all) {
        const double error = std::fabs(view.got(i) - view.expected(i));
        const std::int64_t column = i % columns;
        if (!std::isfinite(error))
            continue;
        if (column * 4 < columns) {
            early += error;
            ++early_count;
        } else if (column * 4 >= columns * 3) {
            late += error;
            ++late_count;
        }
    }
    const bool grows = early_count > 0 && late_count > 0 &&
                       late / static_cast<double>(late_count) > 3 * early / static_cast<double>(early_count);
    return PatternFinding{Pattern::accumulation, "small errors everywhere, typically " + figure(100 * typical) +
                                                     " % of the values' size" +
                                                     (grows ? ", growing along the last axis" : "") +
                                                     ": sums in too narrow a type, or an approximation"};
}

} // namespace kf::pattern_parts
