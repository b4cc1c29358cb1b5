// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/figures.h"
#include "core/render/marks.h"
#include "core/verify/verdict.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace kf {

TEST(Marks, NoTwoShareAShape) {
    std::set<std::string_view> shapes;
    for (int kind = 0; kind <= static_cast<int>(VerdictKind::none); ++kind) {
        const VerdictMark mark = mark_of(static_cast<VerdictKind>(kind));
        EXPECT_TRUE(shapes.insert(mark.shape).second) << mark.shape;
        EXPECT_EQ(display_width(mark.shape), 1);
        EXPECT_LE(display_width(mark.word), 14);
    }
    TurnState turn;
    turn.outcome = "duplicate";
    const VerdictMark duplicate = mark_of(turn, nullptr);
    EXPECT_EQ(duplicate.word, "duplicate");
    EXPECT_EQ(duplicate.shape, "≡");
    for (const char* level : {"screen", "duel", "certify", "promote"})
        EXPECT_TRUE(shapes.insert(evidence_mark(level)).second) << level;
}

TEST(Marks, EveryFailureClassHasAKind) {
    for (int i = 0; i < failure_class_count; ++i) {
        const auto failure = static_cast<FailureClass>(i);
        const VerdictKind kind = verdict_kind(to_string(failure));
        EXPECT_TRUE(kind == VerdictKind::wrong || kind == VerdictKind::error || kind == VerdictKind::timeout ||
                    kind == VerdictKind::suspect)
            << to_string(failure);
    }
    EXPECT_EQ(verdict_kind("mismatch"), VerdictKind::wrong);
    EXPECT_EQ(verdict_kind("compile"), VerdictKind::error);
    EXPECT_EQ(verdict_kind("no-progress"), VerdictKind::timeout);
    EXPECT_EQ(verdict_kind("suspect"), VerdictKind::suspect);
    EXPECT_EQ(verdict_kind("a word of a newer release"), VerdictKind::none);
}

TEST(Marks, AFinishedTurnsOwnOutcomeWins) {
    TurnState turn;
    turn.number = 3;
    EvaluationState evaluation;
    evaluation.done = true;
    evaluation.verdict = "faster";
    turn.outcome = "infrastructure";
    EXPECT_EQ(verdict_kind(turn, &evaluation), VerdictKind::infrastructure);
    turn.outcome = "cancelled";
    EXPECT_EQ(verdict_kind(turn, nullptr), VerdictKind::cancelled);
    turn.outcome = "verdict";
    EXPECT_EQ(verdict_kind(turn, &evaluation), VerdictKind::faster);
    EXPECT_EQ(verdict_kind(turn, nullptr), VerdictKind::none);
    evaluation.verdict = "verified";
    EXPECT_EQ(verdict_kind(turn, &evaluation), VerdictKind::correct);
    turn.number = 0;
    EXPECT_EQ(verdict_kind(turn, &evaluation), VerdictKind::start);
}

TEST(Figures, WhatIsNoNumberIsADash) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(format_ratio(nan), "–");
    EXPECT_EQ(format_ratio(inf), "–");
    EXPECT_EQ(format_ratio(0), "–");
    EXPECT_EQ(format_ratio(-1), "–");
    EXPECT_EQ(format_ratio(1.0654), "1.065×");
    EXPECT_EQ(format_ratio(12.345), "12.35×");
    EXPECT_EQ(format_ratio(123456), "1.23e+05×");
    EXPECT_EQ(format_speedup({1.065, 1.05, 1.081}), "1.065× [1.050, 1.081]");
    EXPECT_EQ(format_speedup({1.065, 0, inf}), "1.065×");
    EXPECT_EQ(format_speedup({nan, 1, 2}), "–");
    EXPECT_EQ(format_elapsed(0), "0:00");
    EXPECT_EQ(format_elapsed(725.9), "12:05");
    EXPECT_EQ(format_elapsed(3723), "1:02:03");
    EXPECT_EQ(format_elapsed(nan), "–");
    EXPECT_EQ(format_elapsed(-1), "–");
    EXPECT_EQ(format_tunables({{"BLOCK", 256}, {"VEC", 4}}), "BLOCK=256 VEC=4");
    EXPECT_EQ(format_tunables({{"A\x1b[2J", "x\ny"}}), "A[2J=x y");
    EXPECT_EQ(format_tunables(Json::array({1})), "");
}

} // namespace kf
