// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/synthesizer.h"

#include "core/base/files.h"

#include <algorithm>

namespace kf {
namespace {

int champion_turn(const RunView& view) {
    return view.state->champion() ? view.state->champion()->turn : -1;
}

// One sweep over the champion's tune space; then it has nothing more to say.
class Tuner final : public Synthesizer {
public:
    Result<Proposed> propose(const RunView& view) override {
        for (const auto& [number, turn] : view.state->turns)
            if (turn.author == "tuner" && turn.finished)
                return Proposed(NothingLeft{"the tune space was searched"});
        auto candidate = parse_candidate(view.champion_source, view.champion_file);
        if (!candidate)
            return candidate.error();
        if (candidate->plan.tunables().empty())
            return Proposed(NothingLeft{"the champion has no tunables (`tune` statements)"});
        Proposal proposal;
        proposal.source = view.champion_source;
        proposal.file_name = view.champion_file;
        proposal.sweep = true;
        proposal.parent = champion_turn(view);
        proposal.author = "tuner";
        proposal.strategy = "sweep of the tune space";
        proposal.hint = view.hint;
        return Proposed(std::move(proposal));
    }
};

// The given files one after another, each a turn.
class Files final : public Synthesizer {
public:
    explicit Files(std::vector<std::string> files) : m_files(std::move(files)) {}

    Result<Proposed> propose(const RunView& view) override {
        const auto done = static_cast<std::size_t>(
            std::count_if(view.state->turns.begin(), view.state->turns.end(), [](const auto& entry) {
                return entry.first > 0 && entry.second.author == "file" && entry.second.finished;
            }));
        if (done >= m_files.size())
            return Proposed(NothingLeft{"all " + std::to_string(m_files.size()) + " files were judged"});
        auto source = read_file(m_files[done], std::size_t{1} << 20);
        if (!source)
            return source.error();
        Proposal proposal;
        proposal.source = std::move(*source);
        proposal.file_name = std::filesystem::path(m_files[done]).filename().string();
        proposal.parent = champion_turn(view);
        proposal.author = "file";
        proposal.hint = view.hint;
        return Proposed(std::move(proposal));
    }

private:
    std::vector<std::string> m_files;
};

// A language model's next child; its text comes when the turn has begun.
class Model final : public Synthesizer {
public:
    explicit Model(const ModelSearchSettings& settings) : m_settings(settings) {}

    Result<Proposed> propose(const RunView& view) override {
        auto next = next_child(*view.state, m_settings, view.forced_parent, view.bottleneck_of);
        if (auto* done = std::get_if<SearchDone>(&next))
            return Proposed(NothingLeft{std::move(done->why)});
        NextChild& child = std::get<NextChild>(next);
        Proposal proposal;
        proposal.asks_model = true;
        proposal.parent = child.parent;
        proposal.author = "model";
        proposal.strategy = std::move(child.strategy);
        proposal.hint = view.hint;
        return Proposed(std::move(proposal));
    }

private:
    ModelSearchSettings m_settings;
};

class Human final : public Synthesizer {
public:
    Result<Proposed> propose(const RunView&) override { return Proposed(WaitForPeople{}); }
};

} // namespace

std::unique_ptr<Synthesizer> make_synthesizer(const RunSettings& settings) {
    switch (settings.synthesizer) {
    case SynthesizerKind::tuner:
        return std::make_unique<Tuner>();
    case SynthesizerKind::files:
        return std::make_unique<Files>(settings.candidate_files);
    case SynthesizerKind::model:
        return std::make_unique<Model>(settings.model.search);
    case SynthesizerKind::human:
        return std::make_unique<Human>();
    }
    return std::make_unique<Human>();
}

} // namespace kf
