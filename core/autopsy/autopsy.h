// SPDX-License-Identifier: GPL-3.0-or-later
// What became of a candidate and what to do about it: data, not prose. Cards in the window, the text for a person and
// the text for a model are renderings of it. Deterministic from the evaluation, so it is recomputed, not stored.
//
// Causes and things to try come from one table by failure class and error pattern (rules.h); they hold no figures of a
// case. Figures stand in `evidence` only, which is what keeps held-out cases out of the model's text.
#pragma once

#include "core/autopsy/evaluation.h"

#include <optional>
#include <string>
#include <vector>

namespace kf {

struct Cause {
    std::string what;
    double confidence = 0; // 0 … 1, of the rule; not a probability that was measured
};

// Something that a card links to.
struct EvidenceRef {
    enum class Kind { line, element, metric, test_case, log, figure } kind = Kind::figure;
    std::string target; // "start.cu:12:3", "out[3, 300]", "spill_bytes", "M=1 N=9", …
    std::string text;   // "got 0, expected 1.25"
};
std::string_view to_string(EvidenceRef::Kind kind);

struct Autopsy {
    std::optional<Stage> stage;          // where it failed; none for a correct kernel
    std::optional<FailureClass> failure; // none for a correct kernel
    Pattern pattern = Pattern::none;
    std::string verdict;    // Evaluation::verdict()
    std::string bottleneck; // of a correct kernel: "spills", "fallback-path", …, "unknown"; "" else
    std::string headline;   // one sentence
    std::string place;      // as Failure::place
    Place source;
    std::vector<EvidenceRef> evidence;
    std::vector<Cause> causes;         // likeliest first; at least one
    std::vector<std::string> tries;    // at least one
    std::vector<std::string> unknowns; // what nobody looked at, said
    // It failed on a held-out case: `evidence` and `headline` are for people only.
    bool held_out = false;
};

// `candidate` and `task`, where given, let it look at the plan and at the least bytes that the task must move.
Autopsy make_autopsy(const Evaluation& evaluation, const Candidate* candidate = nullptr, const Task* task = nullptr);

Json to_json(const Autopsy& autopsy);

// For a person: at most 20 lines of at most 160 bytes each.
std::string render_text(const Autopsy& autopsy);

// For a model: at most `max_model_text` bytes; of a compiler's log the first three errors; the smallest failing case
// with values; nothing of a held-out case but that one failed, its class and the kind of its error.
inline constexpr std::size_t max_model_text = 2500;
std::string render_for_model(const Autopsy& autopsy);

} // namespace kf
