// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/tune_search.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kf {

namespace {

constexpr std::size_t listed_limit = 4096;
constexpr int rejection_tries = 4096; // random points drawn before a space counts as used up
constexpr std::size_t pool_per_sample = 16;

} // namespace

Result<TuneSearch> TuneSearch::create(const Plan& plan, const Scope& scope, const Options& options) {
    TuneSearch search;
    if (const Status status = search.start(plan, scope, options); !status)
        return status.error();
    return search;
}

std::uint64_t TuneSearch::random(std::uint64_t below) {
    SplitMix64 generator(m_state);
    m_state = generator.next();
    return SplitMix64(m_state).below(below);
}

Status TuneSearch::start(const Plan& plan, const Scope& scope, const Options& options) {
    m_plan = plan;
    m_scope = &scope;
    m_state = options.seed;
    const std::size_t budget = std::max<std::size_t>(options.budget, 1);
    Point first;
    for (const TuneStatement* tune : m_plan.tunables()) {
        Axis axis{tune->name, tune->values};
        std::sort(axis.values.begin(), axis.values.end());
        const auto at = std::find(axis.values.begin(), axis.values.end(), tune->values.front());
        first.push_back(static_cast<std::uint16_t>(at - axis.values.begin()));
        m_axes.push_back(std::move(axis));
    }
    const Result<bool> first_allowed = tune_allows(m_plan, scope, values_of(first));
    if (!first_allowed)
        return first_allowed.error();

    const Result<std::vector<TunableValues>> points = tune_space(m_plan, scope, listed_limit);
    if (!points && points.error().code != "limits-tune-space")
        return points.error();
    if (points) {
        m_is_listed = true;
        for (const TunableValues& values : *points)
            m_listed.insert(*point_of(values));
        if (m_listed.empty())
            return make_error("search-empty", "no point of the tune space satisfies its conditions", "loosen a `where`",
                              m_plan.statements.front().place);
    }
    m_exhaustive = m_is_listed && m_listed.size() <= budget;
    m_planned = m_is_listed ? std::min(budget, m_listed.size()) : budget;
    if (m_exhaustive) {
        m_queue.assign(m_listed.begin(), m_listed.end());
        for (std::size_t i = m_queue.size(); i > 1; --i) // a search that is cut short has seen all regions
            std::swap(m_queue[i - 1], m_queue[random(i)]);
        if (*first_allowed)
            std::erase(m_queue, first);
    } else {
        // A third of the budget looks around, the rest refines; at least a point a tunable and one more.
        plan_sample(std::min(m_planned, std::max(m_planned / 3, m_axes.size() + 1)));
        std::erase(m_queue, first);
        if (m_queue.empty() && !*first_allowed)
            return make_error("search-empty", "no point of the tune space that satisfies its conditions was found",
                              "loosen a `where`", m_plan.statements.front().place);
    }
    if (*first_allowed)
        m_queue.push_back(first);
    return {};
}

// Points that are far from one another: of a random pool, always the one whose nearest chosen point is farthest.
void TuneSearch::plan_sample(std::size_t count) {
    std::vector<Point> pool;
    for (std::size_t i = 0; i < count * pool_per_sample; ++i) {
        std::optional<Point> point = random_point();
        if (!point)
            break;
        pool.push_back(std::move(*point));
    }
    const auto distance = [&](const Point& a, const Point& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double span = std::max<double>(1, static_cast<double>(m_axes[i].values.size()) - 1);
            const double step = (static_cast<double>(a[i]) - static_cast<double>(b[i])) / span;
            sum += step * step;
        }
        return sum;
    };
    std::vector<Point> chosen;
    std::vector<double> nearest(pool.size(), std::numeric_limits<double>::infinity());
    while (chosen.size() < count && !pool.empty()) {
        const auto farthest = std::max_element(nearest.begin(), nearest.end());
        if (*farthest <= 0)
            break;
        chosen.push_back(pool[static_cast<std::size_t>(farthest - nearest.begin())]);
        for (std::size_t i = 0; i < pool.size(); ++i)
            nearest[i] = std::min(nearest[i], distance(pool[i], chosen.back()));
    }
    std::reverse(chosen.begin(), chosen.end());
    m_queue = std::move(chosen);
}

bool TuneSearch::allowed(const Point& point) const {
    if (m_is_listed)
        return m_listed.contains(point);
    const Result<bool> holds = tune_allows(m_plan, *m_scope, values_of(point));
    return holds && *holds;
}

std::optional<TuneSearch::Point> TuneSearch::random_point() {
    if (m_is_listed)
        return *std::next(m_listed.begin(), static_cast<std::ptrdiff_t>(random(m_listed.size())));
    for (int i = 0; i < rejection_tries; ++i) {
        Point point;
        for (const Axis& axis : m_axes)
            point.push_back(static_cast<std::uint16_t>(random(axis.values.size())));
        if (allowed(point))
            return point;
    }
    return std::nullopt;
}

// All points that differ in one tunable, by distance; equal distances in random order.
std::vector<TuneSearch::Point> TuneSearch::neighbours_of(const Point& point) {
    std::vector<std::pair<std::pair<int, std::uint64_t>, Point>> keyed;
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        for (std::size_t value = 0; value < m_axes[i].values.size(); ++value) {
            if (value == point[i])
                continue;
            Point other = point;
            other[i] = static_cast<std::uint16_t>(value);
            const int distance = std::abs(static_cast<int>(value) - static_cast<int>(point[i]));
            if (!m_outcomes.contains(other) && allowed(other))
                keyed.push_back({{distance, random(std::numeric_limits<std::uint64_t>::max())}, std::move(other)});
        }
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<Point> points;
    for (auto& entry : keyed)
        points.push_back(std::move(entry.second));
    return points;
}

// An untried neighbour of the best point that has one; else any untried point.
std::optional<TuneSearch::Point> TuneSearch::neighbour() {
    std::vector<std::pair<double, const Point*>> ranked;
    for (const Point& point : m_order)
        if (const std::optional<double>& score = m_outcomes.at(point).score)
            ranked.emplace_back(*score, &point);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [score, point] : ranked)
        if (std::vector<Point> around = neighbours_of(*point); !around.empty())
            return around.front();
    if (m_is_listed) {
        std::vector<Point> untried;
        for (const Point& point : m_listed)
            if (!m_outcomes.contains(point))
                untried.push_back(point);
        if (untried.empty())
            return std::nullopt;
        return untried[random(untried.size())];
    }
    for (int i = 0; i < 64; ++i) {
        std::optional<Point> point = random_point();
        if (!point)
            return std::nullopt;
        if (!m_outcomes.contains(*point))
            return point;
    }
    return std::nullopt;
}

std::optional<TunableValues> TuneSearch::next() {
    if (m_order.size() >= m_planned || m_exhausted)
        return std::nullopt;
    while (!m_queue.empty()) {
        const Point point = m_queue.back();
        m_queue.pop_back();
        if (!m_outcomes.contains(point))
            return give(point);
    }
    if (outstanding() > 0)
        return std::nullopt; // the choice depends on their scores
    if (const std::optional<Point> point = neighbour())
        return give(*point);
    m_exhausted = true;
    return std::nullopt;
}

TunableValues TuneSearch::give(const Point& point) {
    m_order.push_back(point);
    m_outcomes.emplace(point, Outcome{});
    return values_of(point);
}

void TuneSearch::report(const TunableValues& values, std::optional<double> score) {
    const std::optional<Point> point = point_of(values);
    if (!point)
        return;
    const auto found = m_outcomes.find(*point);
    if (found == m_outcomes.end() || found->second.reported)
        return;
    found->second.reported = true;
    if (score && std::isfinite(*score))
        found->second.score = score;
    ++m_reported;
}

bool TuneSearch::done() const {
    return outstanding() == 0 && (m_order.size() >= m_planned || m_exhausted);
}

std::optional<TuneSearch::Best> TuneSearch::best() const {
    std::optional<Best> best;
    for (const Point& point : m_order)
        if (const std::optional<double>& score = m_outcomes.at(point).score; score && (!best || *score < best->score))
            best = Best{values_of(point), *score};
    return best;
}

TunableValues TuneSearch::values_of(const Point& point) const {
    TunableValues values;
    for (std::size_t i = 0; i < m_axes.size(); ++i)
        values[m_axes[i].name] = m_axes[i].values[point[i]];
    return values;
}

std::optional<TuneSearch::Point> TuneSearch::point_of(const TunableValues& values) const {
    Point point;
    for (const Axis& axis : m_axes) {
        const auto value = values.find(axis.name);
        if (value == values.end())
            return std::nullopt;
        const auto at = std::find(axis.values.begin(), axis.values.end(), value->second);
        if (at == axis.values.end())
            return std::nullopt;
        point.push_back(static_cast<std::uint16_t>(at - axis.values.begin()));
    }
    return values.size() == m_axes.size() ? std::optional(std::move(point)) : std::nullopt;
}

} // namespace kf
