// SPDX-License-Identifier: GPL-3.0-or-later
// Each pattern is planted on several shapes, types and seeds; the confusion table must be diagonal.
#include "tests/core/verify/buffers.h"

#include <gtest/gtest.h>
#include <iomanip>
#include <iostream>
#include <map>

namespace kf::test {
namespace {

struct Planted {
    Pattern pattern;
    std::string name;
    Shape shape;
    std::vector<double> golden, got;
};

std::vector<double> rounded(DType dtype, const std::vector<double>& values) {
    std::vector<double> result(values.size());
    const Bytes bytes = encode(dtype, values);
    load_elements(bytes, dtype, 0, result);
    return result;
}

std::string shape_text(const Shape& shape) {
    std::string text;
    for (const std::int64_t extent : shape)
        text += (text.empty() ? "" : "×") + std::to_string(extent);
    return text;
}

// Every planted error on one golden of this shape.
class Planter {
public:
    Planter(Shape shape, std::uint64_t seed, std::vector<Planted>& out)
        : m_shape(std::move(shape)), m_random(seed), m_out(out),
          m_golden(values_of(element_count(m_shape), seed * 77 + 5)), m_columns(m_shape.back()),
          m_rows(static_cast<std::int64_t>(m_golden.size()) / m_columns) {}

    void plant_all() {
        const auto n = static_cast<std::int64_t>(m_golden.size());
        const bool matrix = m_rows >= 8 && m_columns >= 8;
        // all: garbage, a factor, an offset
        where(Pattern::all, "garbage", [](auto, auto) { return true; });
        each(Pattern::all, "factor", [](double g, auto, auto) { return 1.25 * g; });
        each(Pattern::all, "offset", [](double g, auto, auto) { return g + 0.7; });
        each(Pattern::constant, "zeros", [](double, auto, auto) { return 0.0; });
        each(Pattern::constant, "NaN", [](double, auto, auto) { return std::nan(""); });
        // tails, stale (zero or garbage)
        for (const bool zero : {true, false}) {
            const std::string kind = zero ? " zero" : " garbage";
            if (m_columns >= 8) {
                where(
                    Pattern::tail, "last columns" + kind, [&](auto, auto c) { return c >= m_columns - m_columns / 4; },
                    zero);
                where(
                    Pattern::tail, "last column" + kind, [&](auto, auto c) { return c == m_columns - 1; }, zero);
            }
            if (m_rows >= 8) {
                where(
                    Pattern::tail, "last rows" + kind, [&](auto r, auto) { return r >= m_rows - 3; }, zero);
                where(
                    Pattern::tail, "last row" + kind, [&](auto r, auto) { return r == m_rows - 1; }, zero);
            }
            where(
                Pattern::tail, "flat end" + kind, [&](auto r, auto c) { return r * m_columns + c >= n - n / 5 - 1; },
                zero);
            where(
                Pattern::tail, "last element" + kind, [&](auto r, auto c) { return r * m_columns + c == n - 1; }, zero);
            if (matrix) {
                where(
                    Pattern::row, "one row" + kind, [&](auto r, auto) { return r == m_rows / 3; }, zero);
                where(
                    Pattern::row, "first row" + kind, [&](auto r, auto) { return r == 0; }, zero);
                where(
                    Pattern::row, "every other row" + kind, [&](auto r, auto) { return r % 2 == 0; }, zero);
                where(
                    Pattern::row, "some rows" + kind, [&](auto r, auto) { return r == 1 || r == 4 || r == 5; }, zero);
                where(
                    Pattern::column, "one column" + kind, [&](auto, auto c) { return c == m_columns / 2; }, zero);
                where(
                    Pattern::column, "every 4th column" + kind, [&](auto, auto c) { return c % 4 == 1; }, zero);
                where(
                    Pattern::tile, "one tile" + kind,
                    [&](auto r, auto c) { return r >= 2 && r < 6 && c >= 1 && c < 6; }, zero);
            }
            if (m_rows >= 32 && m_columns >= 32) {
                where(
                    Pattern::tile, "tile at a corner" + kind,
                    [&](auto r, auto c) { return r / 16 == m_rows / 16 - 1 && c / 16 == m_columns / 16 - 1; }, zero);
                where(
                    Pattern::tile, "checkerboard" + kind, [&](auto r, auto c) { return (r / 16 + c / 16) % 2 == 0; },
                    zero);
                where(
                    Pattern::tile, "two tiles" + kind,
                    [&](auto r, auto c) { return (r / 8 == 0 && c / 8 == 2) || (r / 8 == 2 && c / 8 == 0); }, zero);
            }
            if (m_rows == 1 && n >= 128) {
                where(
                    Pattern::tile, "a block" + kind, [&](auto, auto c) { return c >= 32 && c < 64; }, zero);
                where(
                    Pattern::tile, "every other block" + kind, [&](auto, auto c) { return c / 16 % 2 == 0; }, zero);
            }
        }
        if (matrix) {
            plant_transposed();
            std::vector<double> row = values_of(m_columns, 91), column = values_of(m_rows, 92);
            const auto at = [](const std::vector<double>& v, std::int64_t i) { return v[static_cast<std::size_t>(i)]; };
            each(Pattern::broadcast, "bias along the wrong axis",
                 [&](double g, auto r, auto c) { return g + at(column, r) - at(row, c); });
            each(Pattern::broadcast, "bias missing", [&](double g, auto, auto c) { return g - at(row, c); });
            each(Pattern::broadcast, "row term missing", [&](double g, auto r, auto) { return g - at(column, r); });
            each(Pattern::broadcast, "weight missing",
                 [&](double g, auto, auto c) { return g / (0.2 + std::fabs(at(row, c))); });
            each(Pattern::broadcast, "first row repeated",
                 [&](double, auto, auto c) { return m_golden[static_cast<std::size_t>(c)]; });
            each(Pattern::broadcast, "first column repeated",
                 [&](double, auto r, auto) { return m_golden[static_cast<std::size_t>(r * m_columns)]; });
        }
        const auto neighbour = [&](std::int64_t step) {
            return [this, step, n](double g, auto r, auto c) {
                const std::int64_t at = r * m_columns + c + step;
                return at < 0 || at >= n ? g : m_golden[static_cast<std::size_t>(at)];
            };
        };
        each(Pattern::off_by_one, "left neighbour", neighbour(-1));
        each(Pattern::off_by_one, "right neighbour", neighbour(1));
        if (matrix) {
            each(Pattern::off_by_one, "upper neighbour", neighbour(-m_columns));
            each(Pattern::off_by_one, "lower neighbour", neighbour(m_columns));
        }
        if (n >= 64) {
            each(Pattern::accumulation, "noise of 2 %",
                 [&](double g, auto, auto) { return g + 0.02 * normal(m_random); });
            each(Pattern::accumulation, "noise that grows", [&](double g, auto, auto c) {
                return g + 0.06 * normal(m_random) * static_cast<double>(c) / static_cast<double>(m_columns);
            });
        }
        if (n >= 256) {
            where(Pattern::scattered, "3 % at random", [&](auto, auto) { return m_random.below(33) == 0; });
            where(Pattern::scattered, "20 % at random", [&](auto, auto) { return m_random.below(5) == 0; });
            where(Pattern::scattered, "three elements", [&, n](auto r, auto c) {
                const std::int64_t i = r * m_columns + c;
                return i == n / 7 || i == n / 2 + 1 || i == n - 6;
            });
        }
    }

private:
    template<class F> void each(Pattern pattern, const std::string& name, F f) {
        std::vector<double> got = m_golden;
        for (std::int64_t r = 0; r < m_rows; ++r)
            for (std::int64_t c = 0; c < m_columns; ++c) {
                double& value = got[static_cast<std::size_t>(r * m_columns + c)];
                value = f(value, r, c);
            }
        m_out.push_back({pattern, name, m_shape, m_golden, std::move(got)});
    }
    template<class F> void where(Pattern pattern, const std::string& name, F f, bool zero = false) {
        each(pattern, name, [&](double g, auto r, auto c) {
            if (!f(r, c))
                return g;
            return zero ? 0.0 : g + (m_random.below(2) ? 1 : -1) * (1 + 3 * m_random.uniform());
        });
    }
    void plant_transposed() {
        const auto rank = m_shape.size();
        Shape swapped = m_shape;
        std::swap(swapped[rank - 1], swapped[rank - 2]);
        // Written as if the last two axes were exchanged.
        std::vector<double> got(m_golden.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            auto index = unravel(static_cast<std::int64_t>(i), swapped);
            std::swap(index[rank - 1], index[rank - 2]);
            std::int64_t flat = 0;
            for (std::size_t axis = 0; axis < rank; ++axis)
                flat = flat * m_shape[axis] + index[axis];
            got[i] = m_golden[static_cast<std::size_t>(flat)];
        }
        m_out.push_back({Pattern::transposed, "last two axes", m_shape, m_golden, got});
        if (rank < 3 || m_shape[0] < 2)
            return;
        std::vector<double> other(m_golden.size()); // first two axes
        Shape front = m_shape;
        std::swap(front[0], front[1]);
        for (std::size_t i = 0; i < other.size(); ++i) {
            auto index = unravel(static_cast<std::int64_t>(i), front);
            std::swap(index[0], index[1]);
            std::int64_t flat = 0;
            for (std::size_t axis = 0; axis < rank; ++axis)
                flat = flat * m_shape[axis] + index[axis];
            other[i] = m_golden[static_cast<std::size_t>(flat)];
        }
        m_out.push_back({Pattern::transposed, "first two axes", m_shape, m_golden, other});
    }

    Shape m_shape;
    SplitMix64 m_random;
    std::vector<Planted>& m_out;
    std::vector<double> m_golden;
    std::int64_t m_columns, m_rows;
};

TEST(Pattern, planted_patterns_are_not_confused) {
    std::map<Pattern, std::map<Pattern, int>> confusion;
    int confusions = 0, total = 0;
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
        std::uint64_t seed = 1;
        for (const Shape& shape : {Shape{64, 96}, Shape{67, 143}, Shape{33, 33}, Shape{8, 9}, Shape{3, 16, 40},
                                   Shape{2, 3, 8, 16}, Shape{1000}, Shape{1, 2051}, Shape{130}}) {
            std::vector<Planted> planted;
            Planter(shape, ++seed, planted).plant_all();
            for (const Planted& p : planted) {
                const auto golden = rounded(dtype, p.golden); // as if the kernel were exact but for the planted error
                const auto c = compare_values(dtype, p.shape, p.got, p.golden, golden,
                                              dtype == DType::bf16 ? Tolerance{2e-2, 2e-2} : half_tolerance);
                ++confusion[p.pattern][c.pattern];
                ++total;
                ASSERT_FALSE(c.accepted) << p.name;
                EXPECT_FALSE(c.pattern_text.empty());
                if (c.pattern != p.pattern) {
                    ++confusions;
                    ADD_FAILURE() << to_string(dtype) << " " << shape_text(p.shape) << " " << p.name << ": planted "
                                  << to_string(p.pattern) << ", found " << to_string(c.pattern) << " ("
                                  << c.pattern_text << ")";
                }
            }
        }
    }
    std::cout << "planted \\ found";
    for (int k = 1; k < pattern_count - 1; ++k)
        std::cout << std::setw(13) << to_string(static_cast<Pattern>(k));
    for (int p = 1; p < pattern_count - 1; ++p) {
        std::cout << "\n" << std::setw(15) << std::left << to_string(static_cast<Pattern>(p)) << std::right;
        for (int k = 1; k < pattern_count - 1; ++k)
            std::cout << std::setw(13) << confusion[static_cast<Pattern>(p)][static_cast<Pattern>(k)];
        EXPECT_GT(confusion[static_cast<Pattern>(p)][static_cast<Pattern>(p)], 0);
    }
    std::cout << "\n" << confusions << " confusions in " << total << "\n";
    RecordProperty("confusions", confusions);
    RecordProperty("planted", total);
}

std::string text_of(const Shape& shape, const std::function<double(double, std::int64_t, std::int64_t)>& f) {
    const auto golden = values_of(element_count(shape), 3);
    auto got = golden;
    const std::int64_t columns = shape.back();
    for (std::size_t i = 0; i < got.size(); ++i)
        got[i] = f(got[i], static_cast<std::int64_t>(i) / columns, static_cast<std::int64_t>(i) % columns);
    return compare_values(DType::f32, shape, got, golden, golden).pattern_text;
}

TEST(Pattern, sentences_name_the_place_and_what_is_there) {
    EXPECT_EQ(text_of({257, 343}, [](double g, auto, auto c) { return c >= 256 ? 0 : g; }),
              "the last 87 of 343 columns of every row; they hold 0");
    EXPECT_EQ(text_of({64, 32}, [](double g, auto r, auto) { return r >= 61 ? std::nan("") : g; }),
              "the last 3 of 64 rows; they hold NaN");
    EXPECT_EQ(text_of({1000}, [](double g, auto, auto c) { return c >= 992 ? g + 9 : g; }),
              "the last 8 of 1000 elements");
    EXPECT_EQ(text_of({4, 10, 16}, [](double g, auto r, auto) { return r % 10 >= 8 ? 0 : g; }),
              "the last 2 of 10 along axis 1; they hold 0");
    EXPECT_EQ(text_of({64, 64}, [](double g, auto r, auto) { return r == 5 ? 0 : g; }), "row 5 of 64; they hold 0");
    EXPECT_EQ(text_of({64, 64}, [](double g, auto, auto c) { return c % 4 == 1 ? g + 9 : g; }),
              "every 4th column from 1 of 64");
    EXPECT_EQ(text_of({64, 64}, [](double g, auto r, auto c) { return r / 16 == 1 && c / 16 == 2 ? g + 9 : g; }),
              "rows 16–31, columns 32–47 of 64 × 64");
    EXPECT_EQ(text_of({64, 64}, [](double g, auto r, auto c) { return r == 7 && c == 9 ? g + 9 : g; }),
              "1 of 4096 elements are wrong, with no visible order");
    EXPECT_EQ(text_of({64, 64}, [](double g, auto, auto) { return 2 * g; }),
              "every element is 2 times what it should be");
    EXPECT_EQ(text_of({64, 64}, [](double, auto, auto) { return -0.0; }), "every element is 0");
}

TEST(Pattern, integers_too) {
    const std::int64_t n = 256;
    std::vector<std::int64_t> counts(n);
    SplitMix64 random(4);
    for (auto& count : counts)
        count = static_cast<std::int64_t>(random.below(100000));
    auto shifted = counts;
    for (std::size_t i = 1; i < shifted.size(); ++i)
        shifted[i] = counts[i - 1];
    const Bytes golden = encode_integers(DType::i64, counts);
    const auto c = compare_output(output_spec(DType::i32, CompareKind::exact), {n}, {},
                                  encode_integers(DType::i32, shifted), {golden, true, {}});
    EXPECT_EQ(c.pattern, Pattern::off_by_one);
    EXPECT_NE(c.pattern_text.find("- 1 along the last axis"), std::string::npos);
}

TEST(Pattern, odd_shapes_do_not_break_it) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{2}, Shape{1, 1}, Shape{1, 2}, Shape{2, 1}, Shape{5, 1, 3},
                               Shape{2, 2}, Shape{3, 2}, Shape{1, 1, 1, 1, 4}}) {
        const auto golden = values_of(element_count(shape), 6);
        SplitMix64 random(7);
        for (int k = 0; k < 50; ++k) {
            auto got = golden;
            bool any = false;
            for (double& value : got)
                if (random.below(2)) {
                    value += 5;
                    any = true;
                }
            const auto c = compare_values(DType::f32, shape, got, golden, golden);
            EXPECT_EQ(c.accepted, !any);
            EXPECT_EQ(c.pattern == Pattern::none, !any);
        }
    }
}

} // namespace
} // namespace kf::test
