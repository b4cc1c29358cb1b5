// SPDX-License-Identifier: GPL-3.0-or-later
// The duel that made the present champion, and the speed-ups with what they rest on. Samples of different duels are
// never compared.
#include "core/measure/statistics.h"
#include "core/render/figures.h"
#include "core/report/reading.h"

#include <algorithm>
#include <array>

namespace kf {
namespace {

int rank(const std::string& level) {
    constexpr std::array<std::string_view, 4> levels = {"screen", "duel", "certify", "promote"};
    return static_cast<int>(std::find(levels.begin(), levels.end(), level) - levels.begin());
}

std::string weaker(const std::string& a, const std::string& b) {
    return rank(a) <= rank(b) ? a : b;
}

std::string baseline_words(const std::string& name) {
    return name == "eager" ? "PyTorch eager" : name == "inductor" ? "TorchInductor" : name;
}

const EvaluationState* evaluation_of(const RunState& state, const ChampionState& champion) {
    const auto turn = state.turns.find(champion.turn);
    if (turn != state.turns.end())
        for (const EvaluationState& evaluation : turn->second.evaluations)
            if (evaluation.id == champion.evaluation)
                return &evaluation;
    return nullptr;
}

ReportSpeedup against_the_start(const RunState& state) {
    ReportSpeedup entry;
    entry.against = "the start kernel";
    entry.name = "start";
    const ChampionState* champion = state.champion();
    if (!champion) {
        entry.missing = "There is no champion.";
        return entry;
    }
    if (champion->turn == 0) {
        entry.missing = "The start kernel is the champion.";
        return entry;
    }
    entry.speedup = against_start(state);
    int links = 0;
    entry.level = "promote";
    for (std::size_t i = 1; i < state.champions.size(); ++i)
        if (const EvaluationState* link = evaluation_of(state, state.champions[i]);
            link && state.champions[i].evaluation != state.champions[i - 1].evaluation) {
            entry.level = weaker(entry.level, link->level);
            ++links;
        }
    entry.how = links == 1 ? "one duel" : "product of " + std::to_string(links) + " duels, champion by champion";
    if (!entry.speedup.known())
        entry.missing = "A link in the chain of champions was not compared.";
    return entry;
}

void fill(ReportSide& side, const SizeSamples& samples, Arm arm) {
    for (const auto& round : samples.rounds)
        for (const PairSample& pair : round) {
            const double seconds = arm == Arm::champion ? pair.champion_s : pair.candidate_s;
            if (pair.drop != Drop::none || !credible_seconds(seconds))
                ++side.dropped;
            else
                side.sorted.push_back(seconds);
        }
    side.summary = summarise(side.sorted);
    std::sort(side.sorted.begin(), side.sorted.end());
}

} // namespace

void read_speedups(RunReport& report) {
    const RunState& state = report.state;
    report.speedups.push_back(against_the_start(state));
    const ChampionState* champion = state.champion();
    const auto turn = champion ? state.turns.find(champion->turn) : state.turns.end();
    const EvaluationState* shown = turn == state.turns.end() ? nullptr : shown_evaluation(state, turn->second);
    std::vector<std::string> names = {"eager", "inductor"};
    if (shown)
        for (const auto& [name, speedup] : shown->vs_baselines)
            if (name != "eager" && name != "inductor" && name != "start")
                names.push_back(name);
    for (const std::string& name : names) {
        ReportSpeedup entry;
        entry.name = name;
        entry.against = baseline_words(name);
        if (!shown)
            entry.missing = "There is no champion.";
        else if (const auto found = shown->vs_baselines.find(name);
                 found != shown->vs_baselines.end() && found->second.known()) {
            entry.speedup = found->second;
            entry.level = shown->level;
            entry.how = "timed in turn with it, in the same rounds";
        } else
            entry.missing = "Not measured in this run.";
        report.speedups.push_back(std::move(entry));
    }
}

void read_duel(const JournalReader& reader, const ReportLimits& limits, RunReport& report) {
    ReportDuel& duel = report.duel;
    const std::vector<ChampionState>& champions = report.state.champions;
    if (champions.empty()) {
        duel.missing = "There is no champion, so there is no duel to show.";
        return;
    }
    const ChampionState& last = champions.back();
    const ChampionState* before = nullptr;
    for (const ChampionState& champion : champions)
        if (champion.place.sequence < last.place.sequence &&
            !(champion.candidate == last.candidate && champion.tunables == last.tunables))
            before = &champion;
    if (!before) {
        duel.missing = "The start kernel is still the champion: there was no other one before it.";
        return;
    }
    const EvaluationState* evaluation = evaluation_of(report.state, last);
    duel.a = {turn_name(before->turn), before->turn, {}, {}, 0};
    duel.b = {turn_name(last.turn), last.turn, {}, {}, 0};
    if (!evaluation || !evaluation->done) {
        duel.missing = "The evaluation that made the champion is missing from the journal.";
        return;
    }
    const auto fields = read_evaluation(reader, *evaluation);
    const auto judged =
        fields ? evaluation_from_json(get_member(*fields, "result")) : Result<Evaluation>(fields.error());
    if (!judged || !judged->duel) {
        duel.missing = "The duel that made the champion cannot be read from the journal.";
        return;
    }
    duel.decision = judged->duel->decision;
    duel.sizes = judged->duel->sizes;
    if (evaluation->samples.empty()) {
        duel.missing = "The samples of this duel were not kept.";
        return;
    }
    const auto text = reader.blob(evaluation->samples, limits.samples_bytes);
    const auto json = text ? parse_json(*text, "samples", limits.samples_bytes) : Result<Json>(text.error());
    const auto samples = json ? samples_from_json(get_member(*json, judged->duel->against.c_str()))
                              : Result<EvaluationSamples>(json.error());
    if (!samples || samples->sizes.empty()) {
        duel.missing = "The samples of this duel are missing from the run's folder.";
        return;
    }
    const SizeSamples& size = samples->sizes.front();
    duel.size = size.size;
    duel.timer = size.timer;
    duel.l2 = size.l2;
    duel.floor_s = size.floor_s;
    fill(duel.a, size, Arm::champion);
    fill(duel.b, size, Arm::candidate);
    if (duel.a.sorted.empty() || duel.b.sorted.empty())
        duel.missing = "No sample of this duel is credible.";
}

} // namespace kf
