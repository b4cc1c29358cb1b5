// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/judge.h"
#include "core/verify/close_rows.h"
#include "core/verify/output_view.h"

#include <algorithm>
#include <bit>

namespace kf::cuda {
namespace {

constexpr std::uint64_t most_segment = 4096; // elements of one warp
constexpr double most_one_off = 0.001;       // of the rule `codes` (compare.h)

void take_counters(const JudgeCounters& counters, Comparison& comparison) {
    comparison.nan_got = static_cast<std::int64_t>(counters.nan_got);
    comparison.nan_expected = static_cast<std::int64_t>(counters.nan_expected);
    comparison.inf_got = static_cast<std::int64_t>(counters.inf_got);
    comparison.inf_expected = static_cast<std::int64_t>(counters.inf_expected);
    comparison.bad = static_cast<std::int64_t>(counters.bad + counters.bad_nonfinite);
    comparison.failed_nonfinite = counters.bad_nonfinite > 0;
}

} // namespace

Result<Comparison> Judge::compare(const OutputSpec& spec, const Shape& shape, const Tolerance& tolerance,
                                  DevicePointer got, DevicePointer golden, bool integers, DevicePointer trusted) const {
    Comparison comparison;
    comparison.output = spec.name;
    comparison.elements = element_count(shape);
    if (comparison.elements == 0) {
        comparison.accepted = true;
        return comparison;
    }
    if (spec.compare == CompareKind::close) {
        JudgeCloseArguments arguments;
        arguments.got = got;
        arguments.golden = golden;
        arguments.trusted = trusted;
        arguments.golden_integers = integers;
        return compare_close(std::move(comparison), spec, shape, tolerance, arguments);
    }
    auto memory = DeviceMemory::allocate(m_device.driver(), sizeof(JudgeCounters));
    if (!memory)
        return memory.error();
    JudgeCounters counters;
    if (auto status = memory->upload(0, std::as_bytes(std::span(&counters, 1))); !status)
        return status.error();
    std::uint64_t count = static_cast<std::uint64_t>(comparison.elements);
    int dtype = static_cast<int>(spec.dtype), golden_integers = integers, codes = spec.compare == CompareKind::codes;
    double largest = OutputView::largest_finite(spec.dtype);
    DevicePointer out = memory->get();
    if (auto status =
            launch("kf_exact", count, {&got, &golden, &count, &dtype, &golden_integers, &codes, &largest, &out});
        !status)
        return status.error();
    if (auto status = memory->download(0, std::as_writable_bytes(std::span(&counters, 1))); !status)
        return status.error();
    take_counters(counters, comparison);
    comparison.max_abs_error = std::bit_cast<double>(counters.max_error_bits);
    comparison.max_rel_error = std::bit_cast<double>(counters.max_relative_bits);
    comparison.accepted = counters.bad == 0 && static_cast<double>(counters.one_off) <=
                                                   most_one_off * static_cast<double>(comparison.elements);
    comparison.failed_exact = !comparison.accepted;
    return comparison;
}

Result<Comparison> Judge::compare_close(Comparison comparison, const OutputSpec& spec, const Shape& shape,
                                        const Tolerance& tolerance, JudgeCloseArguments arguments) const {
    const CloseRows rows(comparison.elements, row_elements(spec, shape));
    const auto longest = static_cast<std::uint64_t>(rows.length_of(rows.rows - 1));
    arguments.elements = static_cast<std::uint64_t>(comparison.elements);
    arguments.row = static_cast<std::uint64_t>(rows.row);
    arguments.rows = static_cast<std::uint64_t>(rows.rows);
    arguments.segment = std::min(longest, most_segment);
    arguments.segments_a_row = (longest + arguments.segment - 1) / arguments.segment;
    arguments.atol = tolerance.atol;
    arguments.rtol = tolerance.rtol;
    arguments.largest = OutputView::largest_finite(spec.dtype);
    arguments.dtype = static_cast<int>(spec.dtype);
    const std::uint64_t count = arguments.rows * arguments.segments_a_row;
    auto memory = DeviceMemory::allocate(m_device.driver(), count * sizeof(JudgeSegment) + sizeof(JudgeCounters));
    if (!memory)
        return memory.error();
    JudgeCounters counters;
    if (auto status = memory->upload(count * sizeof(JudgeSegment), std::as_bytes(std::span(&counters, 1))); !status)
        return status.error();
    DevicePointer segments = memory->get(), counted = memory->get() + count * sizeof(JudgeSegment);
    if (auto status = launch("kf_close", count * 32, {&arguments, &segments, &counted}); !status)
        return status.error();
    std::vector<JudgeSegment> parts(count);
    if (auto status = memory->download(0, std::as_writable_bytes(std::span(parts))); !status)
        return status.error();
    if (auto status = memory->download(count * sizeof(JudgeSegment), std::as_writable_bytes(std::span(&counters, 1)));
        !status)
        return status.error();
    std::vector<RowSums> sums(arguments.rows);
    for (std::uint64_t i = 0; i < count; ++i) {
        const JudgeSegment& part = parts[i];
        RowSums one;
        one.max_error = part.max_error;
        one.squares = part.squares;
        one.max_trusted = part.max_trusted;
        one.trusted_squares = part.trusted_squares;
        one.largest = part.largest;
        one.left_out = static_cast<std::int64_t>(part.left_out);
        one.trusted_left_out = static_cast<std::int64_t>(part.trusted_left_out);
        sums[i / arguments.segments_a_row].add(one);
        comparison.max_abs_error = std::max(comparison.max_abs_error, part.max_error);
        comparison.max_rel_error = std::max(comparison.max_rel_error, part.max_relative);
    }
    take_counters(counters, comparison);
    comparison.failed_elementwise = counters.bad > 0;
    (void)judge_close_rows(rows, sums, spec.dtype, arguments.trusted != 0, comparison);
    comparison.accepted = comparison.bad == 0 && !comparison.failed_row;
    return comparison;
}

} // namespace kf::cuda
