// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/candidate/support.h"

namespace kf::test {
namespace {

Plan plan_of(const std::string& lines) {
    return parsed(lines + a_launch + kernels).plan;
}

const std::string two = "#pragma kf tune BLOCK in {256, 128, 512}\n#pragma kf tune VEC in {4, 1}\n";

std::vector<std::string> texts(const Result<std::vector<TunableValues>>& points) {
    std::vector<std::string> texts;
    if (points)
        for (const TunableValues& point : *points)
            texts.push_back(to_string(point));
    return texts;
}

TEST(Tunables, CompleteTakesDefaultsAndChecksChoices) {
    const Plan plan = plan_of(two);
    EXPECT_EQ(to_string(*complete_tunables(plan, {})), "BLOCK=256 VEC=4");
    EXPECT_EQ(to_string(*complete_tunables(plan, {{"VEC", 1}})), "BLOCK=256 VEC=1");
    EXPECT_EQ(describe(complete_tunables(plan, {{"BLOCK", 64}}).error()),
              "plan-tunable a.cu:1:12: `BLOCK` = 64 is not in the tune space (accepted: 256, 128, 512)");
    EXPECT_EQ(describe(complete_tunables(plan, {{"BLOK", 64}}).error()),
              "plan-tunable the plan has no tunable `BLOK` (did you mean `BLOCK`? tunables: BLOCK, VEC)");
    EXPECT_EQ(complete_tunables(plan_of(""), {{"BLOCK", 64}}).error().remedy, "it has none");
    EXPECT_EQ(to_string(*complete_tunables(plan_of(""), {})), "");
}

TEST(Tunables, SpaceIsTheProductWithTheDefaultFirst) {
    EXPECT_EQ(texts(tune_space(plan_of(two), SymbolTable())),
              (std::vector<std::string>{"BLOCK=256 VEC=4", "BLOCK=256 VEC=1", "BLOCK=128 VEC=4", "BLOCK=128 VEC=1",
                                        "BLOCK=512 VEC=4", "BLOCK=512 VEC=1"}));
    EXPECT_EQ(texts(tune_space(plan_of(""), SymbolTable())), std::vector<std::string>{""});
}

TEST(Tunables, WhereNarrowsWithSymbolsOtherTunablesAndDefines) {
    SymbolTable scope;
    scope.set("N", 1024);
    const auto space = [&](const std::string& lines) { return texts(tune_space(plan_of(lines), scope)); };
    // A condition may name a tunable that comes later.
    EXPECT_EQ(space("#pragma kf tune BLOCK in {256, 512} where BLOCK * VEC <= N\n#pragma kf tune VEC in {4, 2}\n"),
              (std::vector<std::string>{"BLOCK=256 VEC=4", "BLOCK=256 VEC=2", "BLOCK=512 VEC=2"}));
    EXPECT_EQ(space("#pragma kf tune BLOCK in {256, 512} where TILE < 1000\n#pragma kf define TILE = 2*BLOCK\n"),
              std::vector<std::string>{"BLOCK=256"});
    EXPECT_TRUE(space("#pragma kf tune BLOCK in {256, 512} where BLOCK > N\n").empty());
    const Result<std::vector<TunableValues>> unknown =
        tune_space(plan_of("#pragma kf tune BLOCK in {256} where BLOCK > Q\n"), scope);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, "plan-expression");
    EXPECT_EQ(to_string(unknown.error().place), "a.cu:1:46");
    const Plan plan =
        plan_of("#pragma kf tune BLOCK in {256, 512} where TILE < 1000\n#pragma kf define TILE = 2*BLOCK\n");
    EXPECT_TRUE(*tune_allows(plan, scope, {{"BLOCK", 256}}));
    EXPECT_FALSE(*tune_allows(plan, scope, {{"BLOCK", 512}}));
}

TEST(Tunables, SpaceLimits) {
    EXPECT_EQ(texts(tune_space(plan_of(two), SymbolTable(), 6)).size(), 6u);
    const Result<std::vector<TunableValues>> over = tune_space(plan_of(two), SymbolTable(), 5);
    ASSERT_FALSE(over);
    EXPECT_EQ(describe(over.error()), "limits-tune-space a.cu:1:12: the tune space has more than 5 points (give fewer "
                                      "values, or narrow them with `where`)");
    // 10^12 raw points: a condition that is decided early prunes them, one that is decided late gives up in time.
    std::string lines;
    const auto many = [&](const std::string& where) {
        std::string text;
        for (int i = 0; i < 12; ++i)
            text += "#pragma kf tune AX" + std::to_string(i) + " in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}" +
                    (where.empty() || (where != "AX" && i != 11)
                         ? ""
                         : " where " + (where == "AX" ? "AX" + std::to_string(i) + " < 1" : where)) +
                    "\n";
        return tune_space(plan_of(text), SymbolTable());
    };
    EXPECT_EQ(texts(many("AX")).size(), 1u);
    EXPECT_EQ(many("").error().code, "limits-tune-space");
    const Result<std::vector<TunableValues>> hopeless = many("AX0 + AX11 > 100");
    ASSERT_FALSE(hopeless);
    EXPECT_EQ(hopeless.error().message, "the tune space is too large to list");
}

} // namespace
} // namespace kf::test
