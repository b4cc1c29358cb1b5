// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_summary.h"

#include "core/render/figures.h"
#include "core/render/marks.h"

#include <cmath>
#include <limits>

namespace kf::ui {
namespace {

double finite(double value) {
    return std::isfinite(value) && value > 0 ? value : 0;
}

} // namespace

RunSummary summarize(const RunEntry& entry, const RunState& state) {
    RunSummary summary;
    summary.folder = entry.folder.string();
    summary.name = entry.name.text();
    summary.task = state.start.task.empty() ? entry.name.task : state.start.task;
    summary.title = state.start.title;
    summary.synthesizer = get_string(state.start.settings, "synthesizer");
    summary.device = get_string(state.start.device, "name");
    summary.started_at = state.started_at;
    summary.lock = entry.lock.state;
    summary.status = state.status(entry.lock.state);
    summary.loaded = true;
    summary.paused = state.paused;
    summary.turns = static_cast<int>(std::min<std::size_t>(state.turns.size(), std::numeric_limits<int>::max()));
    summary.last_turn = state.turns.empty() ? -1 : state.turns.rbegin()->first;
    if (const ChampionState* champion = state.champion()) {
        summary.champion = champion->turn;
        summary.champion_seconds = finite(champion->seconds_per_call);
        summary.against_start = finite(against_start(state).estimate);
        if (const auto turn = state.turns.find(champion->turn); turn != state.turns.end())
            if (const EvaluationState* shown = shown_evaluation(state, turn->second))
                if (const auto eager = shown->vs_baselines.find("eager"); eager != shown->vs_baselines.end())
                    summary.eager = finite(eager->second.estimate);
    }
    return summary;
}

std::vector<RunSummary> RunScanner::list(const std::filesystem::path& runs) {
    std::map<std::string, Known> known;
    for (RunEntry& entry : list_runs(runs)) {
        const std::string folder = entry.folder.string();
        auto node = m_known.extract(folder);
        Known& one = known[folder];
        if (node)
            one = std::move(node.mapped());
        std::error_code error;
        const auto journal = entry.folder / "journal.jsonl";
        const std::uintmax_t size = std::filesystem::file_size(journal, error);
        const auto changed = std::filesystem::last_write_time(journal, error);
        const bool same_lock = one.entry.lock.state == entry.lock.state;
        one.fresh = one.summary.loaded && !error && size == one.size && changed == one.changed && same_lock;
        one.entry = std::move(entry);
        one.size = size;
        one.changed = changed;
        if (!one.summary.loaded) {
            one.summary.folder = folder;
            one.summary.name = one.entry.name.text();
            one.summary.task = one.entry.name.task;
            one.summary.lock = one.entry.lock.state;
        }
    }
    m_known = std::move(known);
    std::vector<RunSummary> list;
    for (const auto& [folder, one] : m_known)
        list.push_back(one.summary);
    return list;
}

bool RunScanner::read_next() {
    // The newest first: names begin with the time.
    for (auto it = m_known.rbegin(); it != m_known.rend(); ++it)
        if (!it->second.fresh) {
            read(it->second);
            m_last_read = it->first;
            return true;
        }
    return false;
}

void RunScanner::read(Known& known) {
    known.fresh = true;
    std::string trouble;
    if (!known.reader) {
        known.state = RunState();
        auto opened = JournalReader::open(known.entry.folder);
        if (opened)
            known.reader = std::move(*opened);
        else
            trouble = opened.error().message;
    }
    if (known.reader) {
        for (;;) { // in pieces: what is folded need not stay in memory
            auto events = known.reader->poll(2000);
            if (!events) {
                trouble = events.error().message;
                break;
            }
            if (events->empty())
                break;
            known.state.apply(*events);
        }
    }
    known.summary = summarize(known.entry, known.state);
    known.summary.trouble = trouble;
    if (known.entry.lock.state != LockState::held || !trouble.empty()) {
        known.reader.reset();
        known.state = RunState();
    }
}

const RunSummary* RunScanner::find(const std::string& folder) const {
    const auto found = m_known.find(folder);
    return found == m_known.end() ? nullptr : &found->second.summary;
}

} // namespace kf::ui
