// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/close_rule.h"

#include "core/verify/close_rows.h"

#include <algorithm>
#include <array>

namespace kf {
namespace {

constexpr std::size_t block = 1024; // elements converted at once: three blocks of doubles fit the L1 cache
constexpr std::size_t lanes = 4;    // independent running values, so that a loop is not bound by one chain
double larger(double a, double b) {
    return a > b ? a : b; // false for NaN in a: NaN is counted elsewhere
}

class CloseRule {
public:
    CloseRule(const OutputView& view, std::int64_t row, const Tolerance& tolerance, std::span<const std::byte> got,
              const Golden& golden, BadMask& bad, Comparison& comparison)
        : m_view(view), m_tolerance(tolerance), m_got(got), m_golden(golden), m_bad(bad), m_comparison(comparison),
          m_rows(view.elements(), row) {}

    void run() {
        std::vector<RowSums> sums(static_cast<std::size_t>(m_rows.rows));
        for (std::int64_t r = 0; r < m_rows.rows; ++r)
            sums[static_cast<std::size_t>(r)] = scan(m_rows.begin_of(r), m_rows.end_of(r));
        for (const RowLimit& guilty :
             judge_close_rows(m_rows, sums, m_view.dtype(), !m_golden.trusted.empty(), m_comparison))
            mark_row(guilty.row, guilty.limit);
    }

private:
    void load(std::int64_t first, std::size_t n) {
        const auto at = static_cast<std::size_t>(first);
        load_elements(m_got, m_view.dtype(), at, std::span(m_y).first(n));
        load_elements(m_golden.golden, m_golden.integers ? DType::i64 : DType::f64, at, std::span(m_g).first(n));
        if (!m_golden.trusted.empty())
            load_elements(m_golden.trusted, m_view.dtype(), at, std::span(m_t).first(n));
    }

    RowSums scan(std::int64_t begin, std::int64_t end) {
        RowSums total;
        for (std::int64_t first = begin; first < end; first += static_cast<std::int64_t>(block)) {
            const auto n = static_cast<std::size_t>(std::min(end - first, static_cast<std::int64_t>(block)));
            load(first, n);
            if (!scan_fast(n, total))
                scan_careful(first, n, total);
        }
        return total;
    }

    // All elements finite and within the element-wise rule; anything else makes it give up, with nothing changed.
    bool scan_fast(std::size_t n, RowSums& total) {
        std::array<double, lanes> error{}, squares{}, largest{}, relative{}, trusted{}, trusted_squares{};
        std::array<std::int64_t, lanes> fine{};
        const bool with_trusted = !m_golden.trusted.empty();
        const double limit = m_view.largest();
        const auto element = [&](std::size_t i, std::size_t k) {
            const double magnitude = std::fabs(m_g[i]), difference = std::fabs(m_y[i] - m_g[i]);
            // `<` infinity: an infinite golden of a 64-bit type must not compare equal to a tolerance of infinity.
            fine[k] += static_cast<std::int64_t>(difference <= m_tolerance.atol + m_tolerance.rtol * magnitude) &
                       static_cast<std::int64_t>(magnitude <= limit) &
                       static_cast<std::int64_t>(magnitude < std::numeric_limits<double>::infinity());
            error[k] = larger(difference, error[k]);
            squares[k] += difference * difference;
            largest[k] = larger(magnitude, largest[k]);
            const double ratio = difference / magnitude;
            relative[k] = magnitude > 0 ? larger(ratio, relative[k]) : relative[k];
        };
        const auto trusted_element = [&](std::size_t i, std::size_t k) {
            const double difference = std::fabs(m_t[i] - m_g[i]);
            trusted[k] = larger(difference, trusted[k]);
            trusted_squares[k] += difference * difference;
        };
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k)
                element(i + k, k);
        for (; i < n; ++i)
            element(i, 0);
        std::int64_t all_fine = 0;
        for (const std::int64_t count : fine)
            all_fine += count;
        if (all_fine != static_cast<std::int64_t>(n))
            return false;
        if (with_trusted) {
            for (i = 0; i + lanes <= n; i += lanes)
                for (std::size_t k = 0; k < lanes; ++k)
                    trusted_element(i + k, k);
            for (; i < n; ++i)
                trusted_element(i, 0);
        }
        RowSums sums;
        double relative_error = 0;
        for (std::size_t k = 0; k < lanes; ++k) {
            sums.max_error = std::max(sums.max_error, error[k]);
            sums.squares += squares[k];
            sums.largest = std::max(sums.largest, largest[k]);
            sums.max_trusted = std::max(sums.max_trusted, trusted[k]);
            sums.trusted_squares += trusted_squares[k];
            relative_error = std::max(relative_error, relative[k]);
        }
        // A NaN or Inf of the trusted implementation makes its sum useless.
        if (!std::isfinite(sums.trusted_squares))
            return false;
        total.add(sums);
        note_errors(sums.max_error, relative_error);
        return true;
    }

    void scan_careful(std::int64_t first, std::size_t n, RowSums& total) {
        const bool with_trusted = !m_golden.trusted.empty();
        for (std::size_t i = 0; i < n; ++i) {
            const double expected = m_view.fit(m_g[i]), got = m_y[i];
            const bool finite = std::isfinite(expected) && std::isfinite(got);
            m_comparison.nan_got += std::isnan(got);
            m_comparison.nan_expected += std::isnan(expected);
            m_comparison.inf_got += std::isinf(got);
            m_comparison.inf_expected += std::isinf(expected);
            if (!finite) {
                ++total.left_out;
                if (!same_value(got, expected)) {
                    m_comparison.failed_nonfinite = true;
                    m_bad.set(first + static_cast<std::int64_t>(i));
                }
            } else {
                const double magnitude = std::fabs(expected), difference = std::fabs(got - expected);
                if (!(difference <= m_tolerance.atol + m_tolerance.rtol * magnitude)) {
                    m_comparison.failed_elementwise = true;
                    m_bad.set(first + static_cast<std::int64_t>(i));
                }
                total.max_error = std::max(total.max_error, difference);
                total.squares += difference * difference;
                total.largest = std::max(total.largest, magnitude);
                note_errors(difference, magnitude > 0 ? difference / magnitude : 0);
            }
            const double trusted = with_trusted ? std::fabs(m_t[i] - expected) : 0;
            if (!std::isfinite(expected) || !std::isfinite(trusted)) {
                ++total.trusted_left_out;
            } else {
                total.max_trusted = std::max(total.max_trusted, trusted);
                total.trusted_squares += trusted * trusted;
            }
        }
    }

    void note_errors(double absolute, double relative) {
        m_comparison.max_abs_error = std::max(m_comparison.max_abs_error, absolute);
        m_comparison.max_rel_error = std::max(m_comparison.max_rel_error, relative);
    }

    void mark_row(std::int64_t row, double limit) {
        for (std::int64_t first = m_rows.begin_of(row); first < m_rows.end_of(row);
             first += static_cast<std::int64_t>(block)) {
            const auto n =
                static_cast<std::size_t>(std::min(m_rows.end_of(row) - first, static_cast<std::int64_t>(block)));
            load(first, n);
            for (std::size_t i = 0; i < n; ++i) {
                const double expected = m_view.fit(m_g[i]);
                if (std::isfinite(expected) && std::isfinite(m_y[i]) && !(std::fabs(m_y[i] - expected) <= limit))
                    m_bad.set(first + static_cast<std::int64_t>(i));
            }
        }
    }

    const OutputView& m_view;
    const Tolerance& m_tolerance;
    std::span<const std::byte> m_got;
    const Golden& m_golden;
    BadMask& m_bad;
    Comparison& m_comparison;
    CloseRows m_rows;
    std::array<double, block> m_y{}, m_g{}, m_t{};
};

} // namespace

void apply_close(const OutputView& view, std::int64_t row, const Tolerance& tolerance, std::span<const std::byte> got,
                 const Golden& golden, BadMask& bad, Comparison& comparison) {
    CloseRule(view, row, tolerance, got, golden, bad, comparison).run();
}

} // namespace kf
