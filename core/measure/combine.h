// SPDX-License-Identifier: GPL-3.0-or-later
// Several problem sizes in one comparison. Every round measures all sizes, so their weighted mean log ratio is again
// one number a round and clusters what the sizes of a round share. The plan looks at that; the sizes on their own can
// only veto (one is slower by more than allowed), and Holm's procedure says on which of them *faster* holds by itself.
#pragma once

#include "core/measure/plan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kf {

struct Size {
    std::string name;
    double weight = 1; // relative; positive and finite
};

struct SizeRounds {
    Size size;
    std::vector<Round> rounds; // round i of every size was measured together
};

struct Combined {
    Decision decision; // of the weighted geometric mean
    std::vector<Decision> sizes;
    std::vector<double> holm_p;          // adjusted one-sided p of each size at this look
    std::vector<bool> faster_after_holm; // at 2.5 % over all sizes together
    bool faster_on_all = false;
    int regressed = -1; // index of the worst size that is *slower* by more than allowed; -1 = none
};

class SizesPlan {
public:
    // Errors: "sizes-invalid" (none, or a weight that is not positive), "level-invalid" (promote has no plan of its
    // own).
    static Result<SizesPlan> create(Level level, std::vector<Size> sizes, Delta delta = {},
                                    double allowed_regression = 0.02);

    void play_all_rounds() { m_plan.play_all_rounds(); } // as RoundPlan's

    // One round of every size, in the order of the sizes; dropped as a whole when one of them is.
    // Errors: "sizes-invalid", "plan-ended", "round-invalid".
    Status add_round(std::vector<Round> rounds);
    // As RoundPlan::look.
    const std::optional<Combined>& look() const { return m_combined; }
    int next_look() const { return m_plan.next_look(); }
    bool ended() const { return m_plan.ended(); }
    void stop_for_budget();
    const RoundPlan& plan() const { return m_plan; }
    const std::vector<SizeRounds>& sizes() const { return m_sizes; }

private:
    SizesPlan(RoundPlan plan, std::vector<Size> sizes, double allowed_regression);
    void judge_sizes();

    RoundPlan m_plan;
    std::vector<SizeRounds> m_sizes;
    double m_allowed_regression;
    std::optional<Combined> m_combined;
};

// Replays matched rounds through a SizesPlan; the answer is that of the first look that decides. Errors: as SizesPlan,
// and "sizes-invalid" when the sizes have different numbers of rounds; a look that is still due is reason
// between_looks.
Result<Combined> combine_sizes(std::span<const SizeRounds> sizes, Level level, Delta delta = {});

Json to_json(const Combined& combined);

} // namespace kf
