// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/evaluation_text.h"

#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/terminal.h"
#include "core/autopsy/autopsy.h"
#include "core/render/figures.h"
#include "core/render/marks.h"

#include <sstream>

namespace kf::cli {
namespace {

std::vector<std::string> lines_of(const Evaluation& evaluation, const Candidate* candidate, const Task* task,
                                  const TextStyle& style) {
    std::vector<std::string> lines;
    const VerdictMark mark = mark_of(verdict_kind(evaluation.verdict()));
    const std::string level(to_string(evaluation.level));
    std::string head = paint(std::string(mark.shape) + " " + std::string(mark.word), mark.tint, style);
    if (evaluation.accepted() && evaluation.duel)
        head =
            paint(static_cast<int>(evaluation.cases.size()) < evaluation.cases_total ? "✓ right so far" : "✓ accepted",
                  Tint::faster, style) +
            "  " + head;
    head += "  " + std::string(evidence_mark(level)) + " " + level;
    for (const TimingSummary& timing : evaluation.timings)
        head += "  " + format_seconds(timing.median) + (timing.size.empty() ? "" : " at " + plain_text(timing.size));
    lines.push_back(head);
    const auto add = [&](const char* label, const std::string& text) {
        if (!text.empty())
            lines.push_back("  " + pad_right(label, 10) + plain_text(text));
    };
    add("device",
        evaluation.device_name.empty() ? evaluation.device : evaluation.device + " (" + evaluation.device_name + ")");
    add("tunables", to_string(evaluation.tunables));
    add("cases", std::to_string(evaluation.cases.size()) + " of " + std::to_string(evaluation.cases_total));
    if (evaluation.duel)
        add("duel", format_speedup(speedup_of(evaluation.duel->decision)) + " against " + evaluation.duel->against +
                        " · " + describe(evaluation.duel->decision));
    for (const Duel& baseline : evaluation.baselines)
        add("baseline", format_speedup(speedup_of(baseline.decision)) + " against " + baseline.against);
    for (const std::string& flag : evaluation.flags)
        add("flag", flag);
    std::istringstream text(render_text(make_autopsy(evaluation, candidate, task)));
    for (std::string line; std::getline(text, line);)
        lines.push_back("  " + plain_text(line));
    return lines;
}

} // namespace

int show_outcome(const EvaluationOutcome& outcome, bool json, const Candidate* candidate, const Task* task) {
    switch (outcome.outcome) {
    case Outcome::infrastructure:
        return fail(exit_infrastructure, make_error("infrastructure", "no verdict: " + outcome.what,
                                                    "kernelforge doctor checks this machine"));
    case Outcome::cancelled:
        return fail(exit_stopped, make_error("cancelled", "no verdict: " + outcome.what));
    case Outcome::verdict:
    case Outcome::failed:
        break;
    }
    if (!json) {
        Terminal terminal;
        terminal.print(lines_of(*outcome.evaluation, candidate, task, terminal.style()));
    }
    return outcome.evaluation->accepted() ? exit_ok : exit_not_accepted;
}

} // namespace kf::cli
