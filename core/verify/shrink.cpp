// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/shrink.h"

#include <algorithm>
#include <set>

namespace kf {
namespace {

// Sizes at which kernels change their mind: 1, small ones, and around powers of two.
std::vector<std::int64_t> ladder_below(std::int64_t value) {
    std::vector<std::int64_t> ladder;
    for (const std::int64_t rung : {1, 2, 3, 4, 5, 7, 8, 9})
        ladder.push_back(rung);
    for (std::int64_t power = 16; power > 0 && power / 2 < value; power *= 2)
        for (const std::int64_t rung : {power - 1, power, power + 1})
            ladder.push_back(rung);
    std::erase_if(ladder, [&](std::int64_t rung) { return rung >= value; });
    return ladder;
}

// How simple values are to look at.
int rank_of(Regime regime) {
    switch (regime) {
    case Regime::integers:
        return 0;
    case Regime::normal:
        return 1;
    case Regime::mixed:
    case Regime::spiky:
    case Regime::cancel:
        return 2;
    case Regime::specials:
        return 3;
    }
    return 3;
}

class Shrinker {
public:
    Shrinker(const Task& task, const TaskCase& failing, std::uint64_t seed, const StillFails& still_fails,
             const ShrinkSettings& settings)
        : m_task(task), m_still_fails(still_fails), m_settings(settings) {
        m_result.smallest = failing;
        m_result.seed = seed;
        m_elements = elements_of(failing.symbols);
        m_tried.insert(key_of(failing));
    }

    ShrinkResult run() {
        shrink_together();
        bool changed = true;
        while (changed && !stopped()) {
            changed = false;
            for (const std::string& name : largest_first())
                changed = shrink_symbol(name) || changed;
            changed = simplify_values() || changed;
        }
        if (m_result.ended.empty())
            m_result.ended = "minimal";
        return std::move(m_result);
    }

private:
    bool stopped() const { return !m_result.ended.empty(); }

    static std::string key_of(const TaskCase& task_case) {
        return to_string(task_case.symbols) + "/" + std::string(to_string(task_case.regime));
    }

    // Elements of every tensor; empty when a shape cannot be computed.
    std::vector<std::int64_t> elements_of(const Symbols& symbols) const {
        std::vector<std::int64_t> counts;
        const auto add = [&](const std::vector<Expression>& shape) {
            const auto concrete = shape_of(shape, symbols);
            if (concrete)
                counts.push_back(element_count(*concrete));
            return concrete.ok();
        };
        for (const InputSpec& input : m_task.inputs)
            if (!add(input.shape))
                return {};
        for (const OutputSpec& output : m_task.outputs)
            if (!add(output.shape))
                return {};
        return counts;
    }

    bool valid(const Symbols& symbols) const {
        const std::vector<std::int64_t> counts = elements_of(symbols);
        if (counts.size() != m_elements.size())
            return false;
        std::int64_t largest = 0;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            if (counts[k] == 0 && m_elements[k] != 0)
                return false;
            largest = std::max(largest, counts[k]);
        }
        return m_elements.empty() || largest <= *std::max_element(m_elements.begin(), m_elements.end());
    }

    // Runs the case unless it was tried or is not valid; takes it over when it fails.
    bool attempt(TaskCase candidate) {
        candidate.size.clear(); // a named size it is no more
        if (stopped() || !valid(candidate.symbols) || !m_tried.insert(key_of(candidate)).second)
            return false;
        if (m_result.attempts >= m_settings.max_attempts) {
            m_result.ended = "attempts";
            return false;
        }
        if (m_settings.out_of_time && m_settings.out_of_time()) {
            m_result.ended = "time";
            return false;
        }
        ++m_result.attempts;
        const auto fails = m_still_fails(candidate, m_result.seed);
        if (!fails) {
            m_result.error = fails.error();
            m_result.ended = fails.error().message;
            if (m_result.ended.empty())
                m_result.ended = fails.error().code;
            return false;
        }
        if (!*fails)
            return false;
        m_result.smallest = std::move(candidate);
        m_result.shrunk = true;
        return true;
    }

    TaskCase with_symbol(const std::string& name, std::int64_t value) const {
        TaskCase candidate = m_result.smallest;
        candidate.symbols[name] = value;
        return candidate;
    }

    // All sizes at once: the cheapest way down when the failure needs no particular size.
    void shrink_together() {
        for (const std::int64_t limit : {1, 4, 9, 17, 33, 65, 129}) {
            TaskCase candidate = m_result.smallest;
            for (auto& [name, value] : candidate.symbols)
                value = std::min(value, limit);
            if (candidate.symbols != m_result.smallest.symbols && attempt(candidate))
                return;
        }
    }

    std::vector<std::string> largest_first() const {
        std::vector<std::pair<std::int64_t, std::string>> sizes;
        for (const auto& [name, value] : m_result.smallest.symbols)
            sizes.emplace_back(-value, name);
        std::sort(sizes.begin(), sizes.end());
        std::vector<std::string> names;
        for (auto& [value, name] : sizes)
            names.push_back(std::move(name));
        return names;
    }

    bool shrink_symbol(const std::string& name) {
        const std::int64_t start = m_result.smallest.symbols.at(name);
        std::int64_t passing = 0; // the largest size below that did not fail
        for (const std::int64_t rung : ladder_below(start)) {
            if (attempt(with_symbol(name, rung)))
                break;
            if (stopped())
                return m_result.smallest.symbols.at(name) != start;
            passing = rung;
        }
        // Between the last rung that passed and the size that fails: halve, which finds a threshold.
        while (!stopped() && m_result.smallest.symbols.at(name) - passing > 1) {
            const std::int64_t middle = passing + (m_result.smallest.symbols.at(name) - passing) / 2;
            if (!attempt(with_symbol(name, middle)))
                passing = middle;
        }
        return m_result.smallest.symbols.at(name) != start;
    }

    bool simplify_values() {
        const int rank = rank_of(m_result.smallest.regime);
        for (const Regime regime : {Regime::integers, Regime::normal}) {
            if (rank_of(regime) >= rank)
                break;
            TaskCase candidate = m_result.smallest;
            candidate.regime = regime;
            if (attempt(std::move(candidate)))
                return true;
        }
        return false;
    }

    const Task& m_task;
    const StillFails& m_still_fails;
    const ShrinkSettings& m_settings;
    std::vector<std::int64_t> m_elements; // of the failing case's tensors
    std::set<std::string> m_tried;
    ShrinkResult m_result;
};

} // namespace

ShrunkCase ShrinkResult::report() const {
    ShrunkCase report;
    report.symbols = smallest.symbols;
    report.regime = smallest.regime;
    report.seed = seed;
    report.attempts = attempts;
    return report;
}

ShrinkResult shrink_case(const Task& task, const TaskCase& failing, std::uint64_t seed, const StillFails& still_fails,
                         const ShrinkSettings& settings) {
    return Shrinker(task, failing, seed, still_fails, settings).run();
}

} // namespace kf
