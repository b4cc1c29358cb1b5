// SPDX-License-Identifier: GPL-3.0-or-later
// A journal from a stranger: whatever stands in it stays text.
#include "tests/report/report_fixture.h"

namespace kf {
namespace {

constexpr const char* attack = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'&#x3c;svg onload=alert(3)//";

class HostileReport : public ReportTest {
protected:
    std::filesystem::path attacked() {
        const std::string source = std::string("// </span></pre><script>alert(4)</script>\n/* ") + attack + "\n\"" +
                                   attack + "\n#pragma kf " + attack + "\n\xff\xfe\x1b[31m\xe2\x80\xae reversed\n";
        const std::string diff = std::string("--- a\n+++ b\n@@ -1 +1 @@\n-") + attack + "\n+" + attack + "\n";
        const std::string reply =
            dump_line(Json{{"content", attack}, {"reasoning", attack}, {"finish_reason", "stop"}});
        const std::string request = dump_line(
            Json{{"model", attack}, {"max_tokens", 16}, {"messages", {{{"role", attack}, {"content", attack}}}}});
        const auto hash = [](const std::string& text) { return sha256(text); };
        const Json speed{{"estimate", 1.5}, {"low", 1.4}, {"high", 1.6}};
        const auto folder = by_hand(
            "attack",
            {{{"type", "run_started"},
              {"run", attack},
              {"task", attack},
              {"title", attack},
              {"device", {{"name", attack}, {attack, attack}}},
              {"versions", {{attack, attack}}},
              {"settings",
               {{"synthesizer", attack},
                {"seed", "$(touch x)`id`'"},
                {"api_key", "hunter2"},
                {"model",
                 {{"url", "https://user:hunter2@example.org/v1?key=hunter2"},
                  {"model", attack},
                  {"token", "hunter2"}}}}},
              {"baselines", {{attack, {{"seconds", 1e-3}}}}}},
             {{"type", "turn_started"}, {"turn", 0}, {"author", attack}, {"strategy", attack}, {"hint", attack}},
             {{"type", "candidate"},
              {"turn", 0},
              {"source", hash(source)},
              {"file_name", attack},
              {"diff", hash(diff)}},
             {{"type", "model_exchange"},
              {"turn", 0},
              {"model", attack},
              {"provider", ""},
              {"url", "https://user:hunter2@example.org/v1"},
              {"request", hash(request)},
              {"reply", hash(reply)},
              {"error", attack}},
             {{"type", "infrastructure"}, {"turn", 0}, {"where", attack}, {"what", attack}},
             {{"type", "evaluation"},
              {"turn", 0},
              {"evaluation", attack},
              {"verdict", attack},
              {"level", attack},
              {"summary", attack},
              {"seconds_per_call", 1e-3},
              {"low", 9e-4},
              {"high", 1.1e-3},
              {"flags", {attack}},
              {"tunables", {{attack, attack}}},
              {"vs_champion", speed},
              {"vs_baselines", {{attack, speed}, {"eager", speed}}}},
             {{"type", "champion"},
              {"turn", 0},
              {"evaluation", attack},
              {"level", attack},
              {"tunables", {{attack, attack}}},
              {"seconds_per_call", 1e-3}},
             {{"type", "turn_finished"}, {"turn", 0}, {"outcome", attack}, {"text", attack}},
             {{"type", "stop"}, {"reason", attack}, {"text", std::string(attack) + " https://u:hunter2@h/"}},
             {{"type", attack}}});
        for (const std::string& text : {source, diff, reply, request})
            blob(folder, text);
        return folder;
    }
};

TEST_F(HostileReport, NothingBecomesMarkup) {
    const auto report = read(attacked());
    ASSERT_TRUE(report) << to_string(report.error());
    const std::string html = page(*report);
    EXPECT_EQ(structure_of(html), "") << "the parser knows which elements and attributes belong into a report";
    EXPECT_EQ(count(html, "<script"), 1u);
    EXPECT_EQ(count(html, "<img"), 0u);
    EXPECT_NE(html.find("&lt;script&gt;alert(4)"), std::string::npos) << "it is shown, as text";
    EXPECT_EQ(html.find("\xe2\x80\xae"), std::string::npos) << "no text runs backwards";
    EXPECT_EQ(html.find('\x1b'), std::string::npos);
    EXPECT_EQ(html.find('\xff'), std::string::npos);
}

TEST_F(HostileReport, MarkdownHoldsNoMarkupOfTheJournal) {
    const auto report = read(attacked());
    ASSERT_TRUE(report);
    std::string markdown = markdown_report(*report);
    // Outside of the fenced blocks, where text is text.
    std::string outside;
    bool inside = false;
    for (std::size_t from = 0; from < markdown.size();) {
        const std::size_t end = std::min(markdown.find('\n', from), markdown.size());
        const std::string line = markdown.substr(from, end - from);
        if (line.starts_with("```"))
            inside = !inside;
        else if (!inside)
            outside += line + "\n";
        from = end + 1;
    }
    EXPECT_FALSE(inside) << "a block is never closed";
    EXPECT_EQ(outside.find("<script"), std::string::npos);
    EXPECT_EQ(outside.find("<img"), std::string::npos);
}

TEST_F(HostileReport, NoSecretLeavesInAnyForm) {
    const auto report = read(attacked());
    ASSERT_TRUE(report);
    EXPECT_EQ(page(*report).find("hunter2"), std::string::npos);
    EXPECT_EQ(dump_line(json_report(*report)).find("hunter2"), std::string::npos);
    EXPECT_EQ(csv_report(*report).find("hunter2"), std::string::npos);
    EXPECT_EQ(markdown_report(*report).find("hunter2"), std::string::npos);
}

TEST_F(HostileReport, CommandsAreQuotedForAShell) {
    const auto report = read(attacked());
    ASSERT_TRUE(report);
    const std::string& command = report->commands.front().value;
    EXPECT_NE(command.find("--seed '$(touch x)`id`'\\'''"), std::string::npos) << command;
}

TEST_F(HostileReport, AFormulaInACsvIsText) {
    const auto folder =
        by_hand("formula",
                {{{"type", "run_started"}, {"task", "t"}},
                 {{"type", "turn_started"}, {"turn", 0}, {"author", "=cmd|' /C calc'!A0"}, {"strategy", "a,\"b\"\n"}}});
    const auto report = read(folder);
    ASSERT_TRUE(report);
    const std::string csv = csv_report(*report);
    EXPECT_NE(csv.find(",'=cmd"), std::string::npos) << csv;
    EXPECT_NE(csv.find("\"a,\"\"b\"\""), std::string::npos) << csv;
}

TEST_F(HostileReport, ARunWithoutTurnsIsToldToo) {
    const auto report = read(by_hand("bare", {{{"type", "note"}, {"text", "hello"}}}));
    ASSERT_TRUE(report);
    const std::string html = page(*report);
    EXPECT_EQ(structure_of(html), "");
    EXPECT_NE(html.find("There was no turn."), std::string::npos);
    EXPECT_NE(html.find("A run without a task"), std::string::npos);
}

} // namespace
} // namespace kf
