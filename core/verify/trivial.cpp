// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/trivial.h"

#include "core/base/random.h"
#include "core/verify/output_view.h"

#include <algorithm>
#include <unordered_map>

namespace kf {
namespace {

class Answers {
public:
    Answers(const OutputSpec& spec, const Shape& shape, const Golden& golden)
        : m_dtype(spec.dtype), m_shape(shape), m_n(element_count(shape)), m_columns(shape.empty() ? 1 : shape.back()),
          m_rows(m_columns == 0 ? 0 : m_n / m_columns), m_right(static_cast<std::size_t>(m_n) * size_of(spec.dtype)) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(m_n); ++i) {
            if (golden.integers)
                store_integer(m_right, m_dtype, i, load_integer(golden.golden, DType::i64, i));
            else
                store_element(m_right, m_dtype, i, load_element(golden.golden, DType::f64, i));
        }
    }

    std::vector<TrivialAnswer> collect(std::span<const TensorView> inputs, double terms) {
        if (m_n == 0)
            return {};
        constants();
        copies(inputs);
        if (m_columns >= 2)
            row_means();
        transposed();
        tails();
        if (!is_float(m_dtype) && m_columns >= 2)
            each("iota", [&](std::int64_t i) { return static_cast<double>(i % m_columns); });
        half_accumulation(terms);
        return std::move(m_answers);
    }

private:
    double right(std::int64_t i) const { return load_element(m_right, m_dtype, static_cast<std::size_t>(i)); }

    void add(std::string name, std::vector<std::byte> bytes) {
        TrivialAnswer answer{std::move(name), std::move(bytes), true};
        for (std::size_t i = 0; i < static_cast<std::size_t>(m_n) && answer.equals_golden; ++i)
            answer.equals_golden =
                is_float(m_dtype)
                    ? same_value(load_element(answer.bytes, m_dtype, i), right(static_cast<std::int64_t>(i)))
                    : load_integer(answer.bytes, m_dtype, i) == load_integer(m_right, m_dtype, i);
        m_answers.push_back(std::move(answer));
    }
    template<class F> void each(std::string name, F f) {
        std::vector<std::byte> bytes(m_right.size());
        for (std::int64_t i = 0; i < m_n; ++i)
            store_element(bytes, m_dtype, static_cast<std::size_t>(i), f(i));
        add(std::move(name), std::move(bytes));
    }
    // The right answer, whole elements moved or cleared: no conversion, so that 64-bit integers stay exact.
    template<class F> void moved(std::string name, F source) {
        const std::size_t size = size_of(m_dtype);
        std::vector<std::byte> bytes(m_right.size());
        for (std::int64_t i = 0; i < m_n; ++i) {
            const std::int64_t from = source(i);
            if (from >= 0)
                std::copy_n(m_right.begin() + static_cast<std::ptrdiff_t>(from) * static_cast<std::ptrdiff_t>(size),
                            size, bytes.begin() + static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(size));
        }
        add(std::move(name), std::move(bytes));
    }

    // Mean of what is finite in a range.
    double mean(std::int64_t first, std::int64_t count) const {
        double sum = 0;
        std::int64_t finite = 0;
        for (std::int64_t i = first; i < first + count; ++i) {
            const double value = right(i);
            if (std::isfinite(value)) {
                sum += value;
                ++finite;
            }
        }
        return finite > 0 ? sum / static_cast<double>(finite) : 0;
    }

    void constants() {
        each("zeros", [](std::int64_t) { return 0.0; });
        const double centre = mean(0, m_n);
        each("constant-mean", [&](std::int64_t) { return centre; });
        std::unordered_map<double, std::int64_t> counts;
        std::int64_t most = 0, first = 0;
        for (std::int64_t i = 0; i < m_n && counts.size() <= 4096; ++i) {
            const double value = right(i);
            if (std::isnan(value))
                continue;
            const std::int64_t count = ++counts[value == 0 ? 0.0 : value];
            if (count > most) {
                most = count;
                first = i;
            }
        }
        // Few-valued only: in an output of many values the commonest is one among thousands.
        if (most > 1 && counts.size() <= 4096)
            moved("constant-common", [&](std::int64_t) { return first; });
    }

    void copies(std::span<const TensorView> inputs) {
        for (const TensorView& input : inputs) {
            if (element_count(input.shape) != m_n ||
                input.bytes.size() != static_cast<std::size_t>(m_n) * size_of(input.dtype))
                continue;
            std::vector<std::byte> bytes(m_right.size());
            for (std::size_t i = 0; i < static_cast<std::size_t>(m_n); ++i) {
                if (is_float(input.dtype) || is_float(m_dtype))
                    store_element(bytes, m_dtype, i, load_element(input.bytes, input.dtype, i));
                else
                    store_integer(bytes, m_dtype, i, load_integer(input.bytes, input.dtype, i));
            }
            add("copy:" + input.name, std::move(bytes));
        }
    }

    void row_means() {
        std::vector<double> means;
        means.reserve(static_cast<std::size_t>(m_rows));
        for (std::int64_t r = 0; r < m_rows; ++r)
            means.push_back(mean(r * m_columns, m_columns));
        each("row-mean", [&](std::int64_t i) { return means[static_cast<std::size_t>(i / m_columns)]; });
    }

    void transposed() {
        if (m_shape.size() < 2 || m_columns < 2 || m_shape[m_shape.size() - 2] < 2)
            return;
        const std::int64_t height = m_shape[m_shape.size() - 2], slice = height * m_columns;
        moved("transposed", [&](std::int64_t i) { // written as [columns, height] slices
            const std::int64_t at = i % slice;
            return i - at + at % height * m_columns + at / height;
        });
    }

    static std::int64_t tail_of(std::int64_t extent) {
        return extent % 8 != 0 && extent > 8 ? extent % 8 : (extent + 7) / 8;
    }

    void tails() {
        if (m_columns >= 2) {
            const std::int64_t kept = m_columns - tail_of(m_columns);
            moved("skipped-tail", [&](std::int64_t i) { return i % m_columns < kept ? i : -1; });
        }
        if (m_rows >= 2) {
            const std::int64_t kept = m_rows - tail_of(m_rows);
            moved("skipped-rows", [&](std::int64_t i) { return i / m_columns < kept ? i : -1; });
        }
    }

    void half_accumulation(double terms) {
        if (!is_float(m_dtype) || !(terms > 1) || !std::isfinite(terms))
            return;
        const int bits = m_dtype == DType::bf16 ? 8 : 11;
        const double relative = std::ldexp(0.29 * std::sqrt(terms / 3), -bits);
        if (relative < unit_in_last_place(m_dtype, 1.0))
            return;
        each("half-accumulation", [&](std::int64_t i) {
            SplitMix64 random(static_cast<std::uint64_t>(i));
            // Uniform of standard deviation 1.
            const double draw = (random.uniform() - 0.5) * 3.4641016151377544;
            return right(i) * (1 + relative * draw);
        });
    }

    DType m_dtype;
    const Shape& m_shape;
    std::int64_t m_n, m_columns, m_rows;
    std::vector<std::byte> m_right; // the golden in the output's type
    std::vector<TrivialAnswer> m_answers;
};

} // namespace

std::vector<TrivialAnswer> trivial_answers(const OutputSpec& spec, const Shape& shape, const Golden& golden,
                                           std::span<const TensorView> inputs, double terms) {
    return Answers(spec, shape, golden).collect(inputs, terms);
}

std::vector<TrivialVerdict> judge_trivial_answers(const OutputSpec& spec, const Shape& shape,
                                                  const Tolerance& tolerance, const Golden& golden,
                                                  std::span<const TrivialAnswer> answers,
                                                  std::span<const double> values) {
    std::vector<TrivialVerdict> verdicts;
    for (const TrivialAnswer& answer : answers)
        verdicts.push_back({answer.name, answer.equals_golden,
                            compare_output(spec, shape, tolerance, answer.bytes, golden, values).accepted});
    return verdicts;
}

} // namespace kf
