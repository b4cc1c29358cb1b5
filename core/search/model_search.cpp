// SPDX-License-Identifier: GPL-3.0-or-later
// All three kinds are one process: a generation grows `children` children from each of its bases, mends a child that
// failed before it goes on, and then chooses the next bases. Serial refinement is one base and one child, best of n is
// one base and n children. The place within that process is found by following the finished turns again.
#include "core/search/model_search.h"

#include "core/search/strategies.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace kf {
namespace {

constexpr std::array<std::string_view, 3> kind_names = {"serial", "best_of", "beam"};

enum class TurnResult { neutral, right, failed, nothing };

TurnResult result_of(const TurnState& turn) {
    if (turn.outcome == "infrastructure" || turn.outcome == "cancelled")
        return TurnResult::neutral;
    if (turn.outcome == "no_candidate")
        return TurnResult::nothing;
    const EvaluationState* decisive = turn.decisive();
    if (turn.outcome == "failed" || (decisive && decisive->failed))
        return turn.source.empty() ? TurnResult::nothing : TurnResult::failed;
    return decisive ? TurnResult::right : TurnResult::nothing; // e.g. a duplicate: it was not paid for
}

std::string verdict_of(const TurnState& turn) {
    const EvaluationState* decisive = turn.decisive();
    return decisive ? decisive->verdict : std::string();
}

// The words after the label: "beam 2.3: wider loads" → "wider loads".
std::string idea_of(const std::string& strategy) {
    const std::size_t colon = strategy.find(": ");
    return colon == std::string::npos ? strategy : strategy.substr(colon + 2);
}

std::optional<std::string> journal_problem(const RunState& state) {
    for (const auto& [number, turn] : state.turns) {
        if (!turn.started || turn.parent == -1)
            continue;
        const std::string text = "turn " + std::to_string(number) + " names turn " + std::to_string(turn.parent);
        if (turn.parent >= number)
            return text + " as its parent, which is not an earlier one: the journal is damaged";
        const auto parent = state.turns.find(turn.parent);
        if (parent == state.turns.end() || !parent->second.started)
            return text + " as its parent, which the journal does not hold: fork from a turn that it holds";
    }
    return std::nullopt;
}

class Follower {
public:
    Follower(const RunState& state, const ModelSearchSettings& settings, const BottleneckOf& bottleneck_of)
        : m_state(state), m_settings(settings), m_bottleneck_of(bottleneck_of),
          m_width(settings.kind == SearchKind::beam ? std::max(1, settings.width) : 1),
          m_children(settings.kind == SearchKind::serial ? 1 : std::max(1, settings.children)) {}

    std::variant<NextChild, SearchDone> next() {
        for (const auto& [number, turn] : m_state.turns) {
            if (!turn.started || !turn.finished)
                continue;
            if (turn.author == "model")
                follow(turn);
            advance(turn);
        }
        if (m_mending)
            return mend(m_mending->last, m_mending->attempts);
        choose_bases();
        if (m_bases.empty())
            return SearchDone{"there is no champion to grow from: no start kernel was accepted"};
        for (std::size_t i = 0; i < m_bases.size(); ++i)
            if (m_grown[i] < m_children)
                return grow(m_bases[i], label(i, m_grown[i]));
        return SearchDone{"the search has no child left to grow"}; // follow() begins a new generation before this
    }

    NextChild grow(int parent, const std::string& label) const {
        std::set<std::string> used;
        for (const auto& [number, turn] : m_state.turns)
            if (turn.parent == parent && turn.finished && turn.author == "model" &&
                result_of(turn) != TurnResult::neutral)
                used.insert(idea_of(turn.strategy));
        const std::string bottleneck = m_bottleneck_of ? m_bottleneck_of(parent) : std::string();
        return {parent, false, label + ": " + growing_strategy(bottleneck, used)};
    }

    NextChild mend(int parent, int attempts) const {
        return {parent, true,
                "mend " + std::to_string(attempts + 1) + " of " + std::to_string(m_settings.fixes_in_a_row) + ": " +
                    mending_strategy(verdict_of(m_state.turns.at(parent)), attempts)};
    }

private:
    struct Mending {
        std::set<int> chain; // the failed child and what was made of it
        int last = -1;       // the latest of them that has a text
        int attempts = 0;
    };

    std::string label(std::size_t base, int child) const {
        if (m_settings.kind == SearchKind::serial)
            return "refine";
        const std::string count = std::to_string(child + 1);
        if (m_settings.kind == SearchKind::best_of)
            return "best of " + std::to_string(m_children) + ", " + count;
        return "beam " + std::to_string(base + 1) + "." + count;
    }

    void follow(const TurnState& turn) {
        const TurnResult result = result_of(turn);
        if (result == TurnResult::neutral)
            return;
        if (m_mending && m_mending->chain.contains(turn.parent)) {
            ++m_mending->attempts;
            if (result == TurnResult::failed) {
                m_mending->chain.insert(turn.number);
                m_mending->last = turn.number;
            }
            if (result == TurnResult::right || m_mending->attempts >= m_settings.fixes_in_a_row)
                m_mending.reset();
            end_of_generation();
            return;
        }
        choose_bases();
        m_mending.reset(); // a person led elsewhere
        const auto base = std::find(m_bases.begin(), m_bases.end(), turn.parent);
        if (base != m_bases.end())
            ++m_grown[static_cast<std::size_t>(base - m_bases.begin())];
        if (result == TurnResult::failed && m_settings.fixes_in_a_row > 0)
            m_mending = Mending{{turn.number}, turn.number, 0};
        end_of_generation();
    }

    void end_of_generation() {
        if (m_mending || m_bases.empty())
            return;
        if (std::all_of(m_grown.begin(), m_grown.end(), [this](int grown) { return grown >= m_children; }))
            m_bases.clear();
    }

    // What is known once the turn is over.
    void advance(const TurnState& turn) {
        const EvaluationState* decisive = turn.decisive();
        if (result_of(turn) == TurnResult::right && decisive->seconds_per_call > 0 && !turn.source.empty())
            m_ranking.emplace(decisive->seconds_per_call, turn.number);
        const std::vector<ChampionState>& champions = m_state.champions;
        for (; m_champions < champions.size() && champions[m_champions].turn <= turn.number; ++m_champions) {
            const auto found = m_state.turns.find(champions[m_champions].turn);
            if (found != m_state.turns.end() && found->second.finished)
                m_champion = found->first;
        }
        // A generation that has not begun grows from the present champion.
        if (!m_mending && std::all_of(m_grown.begin(), m_grown.end(), [](int grown) { return grown == 0; }))
            m_bases.clear();
    }

    void choose_bases() {
        if (!m_bases.empty() || m_champion < 0)
            return;
        m_bases = {m_champion};
        std::set<std::string> texts = {m_state.turns.at(m_champion).source};
        for (auto it = m_ranking.begin(); it != m_ranking.end() && static_cast<int>(m_bases.size()) < m_width; ++it)
            if (it->second != m_champion && texts.insert(m_state.turns.at(it->second).source).second)
                m_bases.push_back(it->second);
        m_grown.assign(m_bases.size(), 0);
    }

    const RunState& m_state;
    const ModelSearchSettings& m_settings;
    const BottleneckOf& m_bottleneck_of;
    int m_width, m_children;
    std::vector<int> m_bases; // of the present generation; empty before it is chosen
    std::vector<int> m_grown; // children of each base so far
    std::optional<Mending> m_mending;
    std::set<std::pair<double, int>> m_ranking; // verified turns by seconds a call
    std::size_t m_champions = 0;
    int m_champion = -1;
};

} // namespace

std::string_view to_string(SearchKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<SearchKind> parse_search_kind(std::string_view name) {
    for (std::size_t i = 0; i < kind_names.size(); ++i)
        if (kind_names[i] == name)
            return static_cast<SearchKind>(i);
    return std::nullopt;
}

Json to_json(const ModelSearchSettings& settings) {
    return Json{{"kind", to_string(settings.kind)},
                {"width", settings.width},
                {"children", settings.children},
                {"fixes_in_a_row", settings.fixes_in_a_row}};
}

Result<ModelSearchSettings> model_search_settings_from_json(const Json& json) {
    ModelSearchSettings settings;
    if (json.is_null())
        return settings;
    if (!json.is_object())
        return make_error("settings-search", "the search's settings are no object", "write {\"kind\": \"serial\"}");
    if (const Json& kind = get_member(json, "kind"); !kind.is_null()) {
        const auto known = kind.is_string() ? parse_search_kind(kind.get<std::string>()) : std::nullopt;
        if (!known)
            return make_error("settings-kind", "unknown search kind " + dump_line(kind),
                              "accepted: serial, best_of, beam");
        settings.kind = *known;
    }
    struct Field {
        const char* name;
        int least, most;
        int* value;
    };
    for (const Field& field : {Field{"width", 1, 64, &settings.width}, Field{"children", 1, 64, &settings.children},
                               Field{"fixes_in_a_row", 0, 100, &settings.fixes_in_a_row}}) {
        const Json& value = get_member(json, field.name);
        if (value.is_null())
            continue;
        // Compared as a double: a JSON integer may be larger than any of ours.
        if (!value.is_number_integer() || value.get<double>() < field.least || value.get<double>() > field.most) {
            std::string code = "settings-";
            for (const char* c = field.name; *c; ++c)
                code += *c == '_' ? '-' : *c;
            return make_error(code, "`" + std::string(field.name) + "` is " + dump_line(value),
                              "accepted: a whole number from " + std::to_string(field.least) + " to " +
                                  std::to_string(field.most));
        }
        *field.value = value.get<int>();
    }
    return settings;
}

std::variant<NextChild, SearchDone> next_child(const RunState& state, const ModelSearchSettings& settings,
                                               int forced_parent, const BottleneckOf& bottleneck_of) {
    Follower follower(state, settings, bottleneck_of);
    if (forced_parent >= 0) {
        const auto turn = state.turns.find(forced_parent);
        const std::string name = "turn " + std::to_string(forced_parent);
        if (turn == state.turns.end() || !turn->second.started)
            return SearchDone{name + " cannot be forked: the run has no such turn"};
        if (turn->second.source.empty())
            return SearchDone{name + " cannot be forked: it left no kernel"};
        if (result_of(turn->second) == TurnResult::failed)
            return follower.mend(forced_parent, 0);
        return follower.grow(forced_parent, "fork");
    }
    if (const auto problem = journal_problem(state))
        return SearchDone{*problem};
    return follower.next();
}

} // namespace kf
