// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tree_data.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr std::size_t shown_losers = 2; // more children that led nowhere are folded

QString word_of(VerdictKind kind) {
    const VerdictMark mark = mark_of(kind);
    return QString::fromUtf8(mark.word.data(), static_cast<qsizetype>(mark.word.size()));
}

struct Turn {
    const TurnState* state = nullptr;
    const EvaluationState* shown = nullptr;
    std::vector<int> children; // turns
};

} // namespace

int TreeData::node_of(int turn) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].turn == turn && !nodes[i].missing && nodes[i].folded == 0)
            return static_cast<int>(i);
    const auto found = std::find(hidden.begin(), hidden.end(), turn);
    return found == hidden.end() ? -1 : hidden_in[static_cast<std::size_t>(found - hidden.begin())];
}

QStringList TreeData::lines() const {
    QStringList made;
    for (const TreeNode& node : nodes) {
        QString line = QString(std::min(node.generation, 40) * 2, u' ');
        if (node.folded > 0)
            line += u"%1: %2"_s.arg(node.label, node.detail);
        else if (node.missing)
            line += node.label;
        else {
            line += node.turn == 0 ? u"start"_s : u"turn %1"_s.arg(node.turn);
            line += u": "_s + (node.running ? u"running"_s : word_of(node.kind));
            if (!node.detail.isEmpty())
                line += u", %1 %2"_s.arg(node.detail, unit);
            if (node.champion)
                line += u", champion"_s;
            else if (node.best)
                line += u", on the way to the champion"_s;
            if (node.human)
                line += u", by a person"_s;
        }
        made << line;
    }
    return made;
}

TreeData tree_data(const RunState& state, const TreeOptions& options) {
    TreeData made;
    const TimeUnit unit = time_unit(state);
    made.unit = unit.name;
    made.turns = static_cast<int>(state.turns.size());
    std::unordered_map<int, Turn> turns;
    turns.reserve(state.turns.size());
    std::map<int, std::vector<int>> lost; // parents that are not there
    std::vector<int> roots;
    // A turn grows from an earlier one; whatever says otherwise has lost its parent.
    const auto has_parent = [&](int number, int parent) { return parent < number && state.turns.contains(parent); };
    for (const auto& [number, one] : state.turns) {
        Turn& turn = turns[number];
        turn.state = &one;
        turn.shown = shown_evaluation(state, one);
    }
    for (const auto& [number, one] : state.turns) {
        if (one.parent < 0)
            roots.push_back(number);
        else if (has_parent(number, one.parent))
            turns[one.parent].children.push_back(number);
        else
            lost[one.parent].push_back(number);
    }
    std::set<int> best;
    const ChampionState* champion = state.champion();
    for (int at = champion ? champion->turn : -1; at >= 0 && state.turns.contains(at) && best.insert(at).second;) {
        const int parent = state.turns.at(at).parent;
        at = has_parent(at, parent) ? parent : -1;
    }
    std::set<int> kept = best; // and the selected one's line
    for (int at = options.selected; at >= 0 && state.turns.contains(at) && kept.insert(at).second;) {
        const int parent = state.turns.at(at).parent;
        at = has_parent(at, parent) ? parent : -1;
    }
    const bool going = state.status() == RunStatus::running || state.status() == RunStatus::stopping;

    struct Visit {
        int turn = -1;
        int parent = -1; // node
        int generation = 0;
        bool first = true;       // shares its parent's row
        std::vector<int> folded; // a fold of these
        int missing = -1;        // a missing parent of that number
    };
    int row = -1;
    std::vector<Visit> stack;
    const auto visit_children = [&](const std::vector<int>& children, int node, int generation, bool foldable) {
        std::vector<int> shown, folded;
        for (const int child : children)
            if (best.contains(child))
                shown.push_back(child);
        std::size_t losers = 0;
        for (const int child : children) {
            const Turn& turn = turns[child];
            const bool loser = turn.children.empty() && !kept.contains(child) && turn.state->finished;
            losers += loser;
        }
        for (const int child : children) {
            if (best.contains(child))
                continue;
            const Turn& turn = turns[child];
            const bool loser = turn.children.empty() && !kept.contains(child) && turn.state->finished;
            if (loser && foldable && losers > shown_losers)
                folded.push_back(child);
            else
                shown.push_back(child);
        }
        std::vector<Visit> next;
        for (const int child : shown)
            next.push_back({child, node, generation, next.empty(), {}, -1});
        if (!folded.empty())
            next.push_back({folded.front(), node, generation, next.empty(), folded, -1});
        for (auto one = next.rbegin(); one != next.rend(); ++one)
            stack.push_back(std::move(*one));
    };
    for (auto one = lost.rbegin(); one != lost.rend(); ++one)
        stack.push_back({-1, -1, 0, false, one->second, one->first});
    for (auto one = roots.rbegin(); one != roots.rend(); ++one)
        stack.push_back({*one, -1, 0, false, {}, -1});
    while (!stack.empty()) {
        const Visit now = std::move(stack.back());
        stack.pop_back();
        if (!now.first || row < 0)
            ++row;
        TreeNode node;
        node.turn = now.turn;
        node.parent = now.parent;
        node.generation = now.generation;
        node.row = row;
        const int index = static_cast<int>(made.nodes.size());
        made.generations = std::max(made.generations, now.generation + 1);
        if (now.missing >= 0) {
            node.missing = true;
            node.label = u"%1 missing"_s.arg(now.missing);
            ++made.missing;
            made.nodes.push_back(node);
            visit_children(now.folded, index, now.generation + 1, false);
            continue;
        }
        if (!now.folded.empty()) {
            node.folded = static_cast<int>(now.folded.size());
            node.label = u"+%1"_s.arg(node.folded);
            std::map<QString, int> counts;
            for (const int hidden : now.folded) {
                ++counts[word_of(verdict_kind(*turns[hidden].state, turns[hidden].shown))];
                made.hidden.push_back(hidden);
                made.hidden_in.push_back(index);
            }
            std::vector<std::pair<int, QString>> order;
            for (const auto& [word, count] : counts)
                order.emplace_back(-count, word);
            std::sort(order.begin(), order.end());
            QStringList words;
            for (const auto& [count, word] : order)
                words << u"%1 %2"_s.arg(-count).arg(word);
            node.detail = words.join(u", "_s);
            made.nodes.push_back(node);
            continue;
        }
        const Turn& turn = turns[now.turn];
        node.best = best.contains(now.turn);
        node.champion = champion && champion->turn == now.turn;
        node.promoted = turn.state->mark == TurnMark::promoted;
        node.human = turn.state->author == "human";
        node.running = going && !turn.state->finished;
        node.kind = verdict_kind(*turn.state, turn.shown);
        node.label = now.turn == 0 ? u"start"_s : QString::number(now.turn);
        if (turn.shown && !turn.shown->failed)
            node.detail = time_text(turn.shown->seconds_per_call, unit);
        made.branches += turn.children.size() > 1;
        made.nodes.push_back(node);
        visit_children(turn.children, index, now.generation + 1, options.fold && !options.unfolded.contains(now.turn));
    }
    made.rows = row + 1;
    return made;
}

} // namespace kf::ui
