// SPDX-License-Identifier: GPL-3.0-or-later
// Which points of a candidate's tune space to try, and in which order. A space that fits the budget is tried in full,
// the default first. A larger one gets the default, a seeded sample that fills the space evenly, and then the
// neighbours of the best points: single steps of one tunable, then longer ones. Deterministic from seed and reports.
#pragma once

#include "core/candidate/candidate.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace kf {

class TuneSearch {
public:
    struct Options {
        std::uint64_t seed = 1;
        std::size_t budget = 48; // points that next() gives out in all, at least 1
    };
    struct Best {
        TunableValues values;
        double score = 0;
    };

    // `scope` holds the symbols and device facts that `where` conditions may name; both are only used here and in
    // next(), and `scope` must outlive the search. Errors: those of tune_allows, "search-empty" when no point
    // satisfies the conditions.
    static Result<TuneSearch> create(const Plan& plan, const Scope& scope, const Options& options);

    // The next point to try; none when done(), or when the choice depends on points that are still to be reported.
    // Several points may be out at once.
    std::optional<TunableValues> next();
    // The outcome of a point that next() gave: lower scores are better; failed points (did not compile, wrong, slow
    // beyond measure) are nullopt. Unknown points and second reports are ignored.
    void report(const TunableValues& values, std::optional<double> score);
    // Every point that will be tried has been given out and reported.
    bool done() const;

    std::optional<Best> best() const; // of the points that did not fail; the earlier one of equals
    bool exhaustive() const { return m_exhaustive; }
    std::size_t given() const { return m_order.size(); }
    std::size_t planned() const { return m_planned; } // points that will be tried at most

private:
    using Point = std::vector<std::uint16_t>; // index of each tunable's value, values in rising order
    struct Axis {
        std::string name;
        std::vector<std::int64_t> values; // rising
    };
    struct Outcome {
        bool reported = false;
        std::optional<double> score;
    };

    TuneSearch() = default;
    std::uint64_t random(std::uint64_t below);
    Status start(const Plan& plan, const Scope& scope, const Options& options);
    void plan_sample(std::size_t count);
    bool allowed(const Point& point) const;
    std::optional<Point> random_point();
    std::optional<Point> neighbour();
    std::vector<Point> neighbours_of(const Point& point);
    TunableValues values_of(const Point& point) const;
    std::optional<Point> point_of(const TunableValues& values) const;
    TunableValues give(const Point& point);
    std::size_t outstanding() const { return m_order.size() - m_reported; }

    Plan m_plan;
    const Scope* m_scope = nullptr;
    std::vector<Axis> m_axes;
    std::set<Point> m_listed; // all points, when they could be listed
    bool m_is_listed = false, m_exhaustive = false;
    std::uint64_t m_state = 0;
    std::size_t m_planned = 0;
    std::vector<Point> m_queue; // chosen in advance, the next one last
    std::vector<Point> m_order; // given out
    std::map<Point, Outcome> m_outcomes;
    std::size_t m_reported = 0;
    bool m_exhausted = false; // nothing new is left
};

} // namespace kf
