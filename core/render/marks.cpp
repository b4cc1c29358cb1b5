// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/marks.h"

#include "core/verify/verdict.h"

namespace kf {
namespace {

VerdictKind kind_of(FailureClass failure) {
    switch (failure) {
    case FailureClass::compile_timeout:
    case FailureClass::timeout:
    case FailureClass::no_progress:
        return VerdictKind::timeout;
    case FailureClass::suspect:
        return VerdictKind::suspect;
    case FailureClass::out_of_bounds:
    case FailureClass::input_written:
    case FailureClass::unwritten:
    case FailureClass::unstable:
    case FailureClass::mismatch:
    case FailureClass::nonfinite:
    case FailureClass::race:
    case FailureClass::after_timing:
        return VerdictKind::wrong;
    case FailureClass::parse:
    case FailureClass::plan:
    case FailureClass::limits:
    case FailureClass::compile:
    case FailureClass::compiler_crash:
    case FailureClass::state:
    case FailureClass::host_code:
    case FailureClass::needs_gpu:
    case FailureClass::sandbox:
    case FailureClass::launch:
    case FailureClass::crash:
    case FailureClass::exit:
    case FailureClass::barrier:
    case FailureClass::misaligned:
    case FailureClass::flood:
    case FailureClass::memory:
        return VerdictKind::error;
    }
    return VerdictKind::error;
}

} // namespace

VerdictKind verdict_kind(std::string_view verdict) {
    if (verdict == "faster")
        return VerdictKind::faster;
    if (verdict == "slower")
        return VerdictKind::slower;
    if (verdict == "equivalent")
        return VerdictKind::equivalent;
    if (verdict == "inconclusive")
        return VerdictKind::inconclusive;
    if (verdict == "verified")
        return VerdictKind::correct;
    if (const auto failure = parse_failure_class(verdict))
        return kind_of(*failure);
    return VerdictKind::none;
}

VerdictKind verdict_kind(const TurnState& turn, const EvaluationState* shown) {
    if (turn.outcome == "infrastructure")
        return VerdictKind::infrastructure;
    if (turn.outcome == "cancelled")
        return VerdictKind::cancelled;
    if (turn.outcome == "duplicate")
        return VerdictKind::duplicate;
    if (turn.outcome == "no_candidate")
        return VerdictKind::error;
    if (!shown)
        return turn.outcome == "failed" ? VerdictKind::error : VerdictKind::none;
    const VerdictKind kind = verdict_kind(shown->verdict);
    return kind == VerdictKind::correct && turn.number == 0 ? VerdictKind::start : kind;
}

VerdictMark mark_of(VerdictKind kind) {
    switch (kind) {
    case VerdictKind::faster:
        return {"▼", "faster", Tint::faster};
    case VerdictKind::slower:
        return {"▲", "slower", Tint::slower};
    case VerdictKind::equivalent:
        return {"■", "equivalent", Tint::dim};
    case VerdictKind::inconclusive:
        return {"○", "inconclusive", Tint::caution};
    case VerdictKind::correct:
        return {"✓", "accepted", Tint::faster};
    case VerdictKind::wrong:
        return {"◇", "wrong", Tint::wrong};
    case VerdictKind::error:
        return {"✕", "error", Tint::error};
    case VerdictKind::timeout:
        return {"⧗", "timeout", Tint::slower};
    case VerdictKind::suspect:
        return {"⚑", "suspect", Tint::suspect};
    case VerdictKind::infrastructure:
        return {"⊘", "infrastructure", Tint::dim};
    case VerdictKind::cancelled:
        return {"□", "cancelled", Tint::dim};
    case VerdictKind::duplicate:
        return {"≡", "duplicate", Tint::dim};
    case VerdictKind::start:
        return {"▬", "start kernel", Tint::bold};
    case VerdictKind::none:
        return {"?", "no verdict", Tint::dim};
    }
    return {"?", "no verdict", Tint::dim};
}

VerdictMark mark_of(const TurnState& turn, const EvaluationState* shown) {
    return mark_of(verdict_kind(turn, shown));
}

std::string_view evidence_mark(std::string_view level) {
    if (level == "screen")
        return "◔";
    if (level == "duel")
        return "◑";
    if (level == "certify")
        return "◕";
    if (level == "promote")
        return "●";
    return " ";
}

const EvaluationState* shown_evaluation(const RunState& state, const TurnState& turn) {
    for (auto champion = state.champions.rbegin(); champion != state.champions.rend(); ++champion)
        if (champion->turn == turn.number)
            for (const EvaluationState& evaluation : turn.evaluations)
                if (evaluation.done && evaluation.id == champion->evaluation)
                    return &evaluation;
    return turn.decisive();
}

} // namespace kf
