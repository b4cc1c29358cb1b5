// SPDX-License-Identifier: GPL-3.0-or-later
// Every form of a report of every run there is a fixture of: nothing crashes, the page is well formed, figures are the
// journal's.
#include "core/render/figures.h"
#include "core/report/code_html.h"
#include "core/report/privacy.h"
#include "tests/report/report_fixture.h"

namespace kf {
namespace {

const std::vector<std::string_view> unreadable = {"empty", "newer_only", "not_json", "no_journal"};

TEST_F(ReportTest, EveryFixtureGivesFourWellFormedReports) {
    int told = 0;
    for (const auto& info : scenes::fixtures()) {
        SCOPED_TRACE(info.name);
        const auto report = read(fixture(info.name));
        if (std::find(unreadable.begin(), unreadable.end(), info.name) != unreadable.end()) {
            ASSERT_FALSE(report);
            EXPECT_FALSE(report.error().message.empty());
            continue;
        }
        ASSERT_TRUE(report) << to_string(report.error());
        ++told;
        const std::string html = page(*report);
        EXPECT_EQ(structure_of(html), "");
        EXPECT_LT(html.size(), 4u << 20);
        const auto json = parse_json(dump_line(json_report(*report)), "report", std::size_t{256} << 20);
        ASSERT_TRUE(json);
        EXPECT_EQ(get_member(*json, "turns").size(), report->state.turns.size());
        EXPECT_EQ(count(csv_report(*report), "\r\n"), report->state.turns.size() + 1);
        EXPECT_NE(markdown_report(*report).find("## Do it again"), std::string::npos);
        for (const char* bad : {">nan", ">inf<", ">-nan", "nan×", "inf×"})
            EXPECT_EQ(html.find(bad), std::string::npos) << bad;
    }
    EXPECT_GT(told, 30);
}

TEST_F(ReportTest, FiguresAreTheJournals) {
    const auto folder = fixture("swiglu");
    const auto report = read(folder);
    ASSERT_TRUE(report);
    const RunState state = scenes::state_of(folder);
    const Json json = json_report(*report);
    ASSERT_EQ(json["turns"].size(), state.turns.size());
    for (const Json& turn : json["turns"]) {
        const TurnState& told = state.turns.at(turn["turn"]);
        const EvaluationState* shown = shown_evaluation(state, told);
        ASSERT_TRUE(shown);
        EXPECT_EQ(turn["verdict"], shown->verdict);
        EXPECT_EQ(turn["level"], shown->level);
        EXPECT_EQ(get_double(turn, "seconds_per_call"), shown->seconds_per_call);
        EXPECT_EQ(get_double(get_member(turn, "vs_champion"), "estimate"), shown->vs_champion.estimate);
        EXPECT_EQ(get_double(get_member(turn, "vs_champion"), "low"), shown->vs_champion.low);
        EXPECT_EQ(get_member(turn, "vs_baselines").size(), shown->vs_baselines.size());
        EXPECT_TRUE(turn.contains("autopsy"));
    }
    const Speedup start = against_start(state);
    EXPECT_EQ(json["speedups"]["start"]["estimate"], start.estimate);
    EXPECT_EQ(json["speedups"]["start"]["high"], start.high);
    // The weakest link speaks for the chain, not the champion's own promotion.
    EXPECT_EQ(state.champion()->level, "promote");
    EXPECT_EQ(json["speedups"]["start"]["level"], "certify");
    const std::string html = page(*report);
    EXPECT_NE(html.find(format_ratio(start.estimate)), std::string::npos);
    EXPECT_NE(html.find("1.512 ms"), std::string::npos);
    for (const auto& [number, turn] : state.turns)
        EXPECT_EQ(count(html, "id=\"turn-" + std::to_string(number) + "\""), 1u);
}

TEST_F(ReportTest, TheDuelShowsTheSamplesOfTheLastTwoChampions) {
    const auto report = read(fixture("swiglu"));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->duel.missing, "");
    EXPECT_EQ(report->duel.a.turn, 6);
    EXPECT_EQ(report->duel.b.turn, 8);
    EXPECT_GT(report->duel.a.summary.median_s, report->duel.b.summary.median_s);
    EXPECT_EQ(report->duel.b.sorted.size(), 192u);
}

TEST_F(ReportTest, MissingBlobsAreSaidNotHidden) {
    const auto folder = fixture("swiglu");
    std::filesystem::remove_all(folder / "blobs");
    const auto report = read(folder);
    ASSERT_TRUE(report);
    const std::string html = page(*report);
    EXPECT_EQ(structure_of(html), "");
    EXPECT_NE(html.find("The samples of this duel are missing from the run&#39;s folder."), std::string::npos);
    EXPECT_NE(html.find("Source: Its file is missing from the run&#39;s folder."), std::string::npos);
    EXPECT_NE(html.find("10 sources are missing"), std::string::npos);
    EXPECT_NE(html.find("1.512 ms"), std::string::npos) << "figures are in the journal itself";
}

TEST_F(ReportTest, ADiffThatTheJournalDoesNotKeepIsMadeFromBothSources) {
    const auto folder =
        by_hand("nodiff", {{{"type", "run_started"}, {"task", "t"}},
                           {{"type", "turn_started"}, {"turn", 0}},
                           {{"type", "candidate"}, {"turn", 0}, {"source", sha256("one\n")}, {"file_name", "a.cu"}},
                           {{"type", "turn_started"}, {"turn", 1}, {"parent", 0}},
                           {{"type", "candidate"}, {"turn", 1}, {"source", sha256("two\n")}, {"file_name", "a.cu"}},
                           {{"type", "turn_started"}, {"turn", 2}, {"parent", 1}},
                           {{"type", "candidate"}, {"turn", 2}, {"source", sha256("two\n")}, {"file_name", "a.cu"}}});
    blob(folder, "one\n");
    blob(folder, "two\n");
    const auto report = read(folder);
    ASSERT_TRUE(report);
    EXPECT_NE(report->turns[1].diff.text.find("-one\n+two\n"), std::string::npos) << report->turns[1].diff.text;
    EXPECT_EQ(report->turns[2].diff.missing, "It is the same text as its parent's.");
}

TEST_F(ReportTest, ADamagedBlobIsNotShown) {
    const auto folder = fixture("swiglu");
    const RunState state = scenes::state_of(folder);
    std::ofstream(folder / "blobs" / state.turns.at(8).source) << "forged source";
    const auto report = read(folder);
    ASSERT_TRUE(report);
    EXPECT_EQ(page(*report).find("forged source"), std::string::npos);
}

TEST_F(ReportTest, TenThousandTurnsFoldAndTheTableOfThemIsWhole) {
    const auto report = read(fixture("turns_10000"));
    ASSERT_TRUE(report);
    EXPECT_LE(report->detailed, ReportLimits{}.detailed_turns);
    const std::string html = page(*report);
    EXPECT_LT(html.size(), 2u << 20);
    EXPECT_NE(html.find("class=\"folded\""), std::string::npos);
    for (const ChampionState& champion : report->state.champions)
        EXPECT_NE(html.find("id=\"turn-" + std::to_string(champion.turn) + "\""), std::string::npos) << champion.turn;
    EXPECT_EQ(count(csv_report(*report), "\r\n"), 10'002u);
}

TEST_F(ReportTest, TextsAreCutAtTheirLimitAndSayIt) {
    ReportLimits limits;
    limits.text_bytes = 1000;
    limits.all_text_bytes = 4000;
    const auto report = read(fixture("swiglu"), limits);
    ASSERT_TRUE(report);
    std::size_t all = 0;
    for (const ReportTurn& turn : report->turns) {
        all += turn.source.text.size() + turn.diff.text.size();
        EXPECT_LE(turn.source.text.size(), 1000u);
    }
    EXPECT_LE(all, 4000u);
    EXPECT_FALSE(report->champion()->source.text.empty()) << "the champion's comes first";
    const std::string html = page(*report);
    EXPECT_NE(html.find("Cut here"), std::string::npos);
    EXPECT_NE(html.find("Left out to keep this file small"), std::string::npos);
}

TEST_F(ReportTest, ResourcesThatAreMissingOrForgedAreRefused) {
    const auto report = read(fixture("turns_1"));
    ASSERT_TRUE(report);
    EXPECT_FALSE(html_report(*report, home));
    std::filesystem::create_directories(home / "ui" / "theme");
    std::filesystem::create_directories(home / "report");
    std::filesystem::copy_file(KF_SOURCE_DIR "/resources/report/style.css", home / "report" / "style.css");
    std::filesystem::copy_file(KF_SOURCE_DIR "/resources/report/script.js", home / "report" / "script.js");
    std::ofstream(home / "ui" / "theme" / "theme.json")
        << R"({"light":{"text":"red;}</style><script>alert(1)</script>"},"dark":{"text":"#000000"},"contrast":{"text":"#000000"}})";
    const auto html = html_report(*report, home);
    ASSERT_FALSE(html);
    EXPECT_EQ(html.error().code, "theme-invalid");
}

TEST(ReportPrivacy, AddressesLoseUserAndQuery) {
    EXPECT_EQ(without_credentials("at https://me:hunter2@host:8000/v1?key=abc#x, then"),
              "at https://host:8000/v1 then");
    EXPECT_EQ(without_credentials("http://a@b@c/"), "http://c/");
    EXPECT_EQ(without_credentials("no address: a@b"), "no address: a@b");
    EXPECT_EQ(without_credentials("https://host/a@b"), "https://host/a@b");
}

TEST(ReportPrivacy, NamesOfSecretsHoldNothing) {
    const Json clean =
        without_secrets(Json{{"api_key", "sk-1"},
                             {"nested", {{"Authorization", "Bearer x"}, {"list", {{{"access_token", "y"}}}}}},
                             {"max_tokens", 16},
                             {"tokens_in", 3}});
    const std::string text = dump_line(clean);
    for (const char* secret : {"sk-1", "Bearer x", "\"y\""})
        EXPECT_EQ(text.find(secret), std::string::npos) << secret;
    EXPECT_EQ(clean["max_tokens"], 16);
    EXPECT_EQ(clean["tokens_in"], 3);
}

TEST(ReportCode, ChangesAreCountedBehindTheHead) {
    const auto count = html::count_changes("--- a\n+++ b\n@@ -1,2 +1,2 @@\n---x\n+++y\n same\n+z\n");
    EXPECT_EQ(count.added, 2);
    EXPECT_EQ(count.removed, 1);
}

} // namespace
} // namespace kf
