// SPDX-License-Identifier: GPL-3.0-or-later
// The window on the real CPU device: a tuner run by mouse, an edit by hand, a broken one.
#include "tests/ui/e2e/window_test.h"
#include "ui/models/issue_model.h"

namespace kf::scenes {
namespace {

constexpr double patience = 200; // a loaded machine judges slowly

class CpuTest : public WindowTest {
protected:
    // A fresh home, the task's start kernel in the draft.
    void edit_by_hand() {
        player.open(real(), true);
        ASSERT_TRUE(player.until([&] { return !player.window().start_page().task().isEmpty(); }, 20));
        player.window().choose_task(u"silu_mul"_s);
        player.click(button(u"edit"_s));
        ASSERT_TRUE(player.until([&] { return !draft().source().isEmpty(); }, 20)) << "no start kernel in the draft";
        player.act("layout.edit");
        draft().setFocus();
    }
    // Places the caret behind the first place where the draft has this text.
    void go_behind(const QByteArray& text) {
        const auto at = draft().source().indexOf(text);
        ASSERT_GE(at, 0);
        int line = 0, index = 0;
        draft().lineIndexFromPosition(static_cast<int>(at + text.size()), &line, &index);
        draft().setCursorPosition(line, index);
    }
    // F5, then the turn that it gives, with its verdict. The first one may be told before the start kernel is judged.
    const TurnState* bench() {
        const std::size_t before = std::max<std::size_t>(state().turns.size(), 1);
        player.key("F5");
        const bool judged = player.until(
            [&] {
                return state().turns.size() > before && state().turns.rbegin()->second.finished && state().champion();
            },
            patience);
        return judged ? &state().turns.rbegin()->second : nullptr;
    }
    std::vector<int> marked_lines() {
        std::vector<int> lines;
        for (int line = 0; line < draft().lines(); ++line)
            if (draft().markersAtLine(line) & (1u << ui::editor_numbers::marker_error))
                lines.push_back(line + 1);
        return lines;
    }
};

TEST_F(CpuTest, ATunerRunByMouseShowsItsPointsOneByOne) {
    PlayerSettings settings = real();
    settings.points = 4;
    player.open(settings, true);
    EXPECT_LE(start_tuner_by_mouse(), 3);
    std::vector<int> seen;
    ASSERT_TRUE(player.until(
        [&] {
            const int now = points();
            const auto turn = state().turns.find(1);
            const bool judged = turn != state().turns.end() && turn->second.finished;
            if (!judged && now > 0 && (seen.empty() || now > seen.back()))
                seen.push_back(now);
            return judged;
        },
        patience));
    EXPECT_GE(seen.size(), 3u);
    EXPECT_GT(state().turns.at(1).evaluations.front().seconds_per_call, 0);
}

TEST_F(CpuTest, AnEditGivesANewNumber) {
    edit_by_hand();
    go_behind("// SPDX-License-Identifier: GPL-3.0-or-later");
    player.type(u" (edited)"_s);
    const TurnState* turn = bench();
    ASSERT_TRUE(turn) << qPrintable(player.window().editor()->state_text());
    EXPECT_EQ(turn->author, "human");
    ASSERT_TRUE(turn->decisive());
    EXPECT_FALSE(turn->decisive()->failed);
    EXPECT_GT(turn->decisive()->seconds_per_call, 0);
    const QString said = player.window().editor()->state_text();
    EXPECT_TRUE(player.until([&] { return player.window().editor()->state_text().contains(u"screen"_s); }, 20))
        << qPrintable(said);
    EXPECT_EQ(state().champion()->turn, 0) << "a screen makes no champion";
}

TEST_F(CpuTest, ABrokenEditIsMarkedAndRepaired) {
    edit_by_hand();
    const QByteArray whole = draft().source();
    go_behind("__global__ void silu_mul(");
    player.type(u"no_such_type x, "_s);
    const int broken = draft().caret_line() + 1;
    const TurnState* failed = bench();
    ASSERT_TRUE(failed) << qPrintable(player.window().editor()->state_text());
    ASSERT_TRUE(failed->decisive());
    EXPECT_TRUE(failed->decisive()->failed);
    const std::string champion = state().champion()->candidate;
    EXPECT_TRUE(player.until([&] { return !marked_lines().empty(); }, 10)) << "no line is marked";
    const auto marked = marked_lines();
    EXPECT_NE(std::find(marked.begin(), marked.end(), broken), marked.end()) << "line " << broken << " is not marked";
    ui::IssueModel& issues = player.window().models().issues;
    EXPECT_GE(issues.errors(), 1);
    EXPECT_EQ(issues.issue(0).line, broken) << issues.issue(0).message.toStdString();

    player.key("Ctrl+Z");
    for (int i = 0; i < 40 && draft().source() != whole; ++i)
        player.key("Ctrl+Z");
    ASSERT_EQ(draft().source(), whole);
    player.key("Ctrl+End");
    player.type(u"// repaired"_s);
    const TurnState* repaired = bench();
    ASSERT_TRUE(repaired);
    EXPECT_FALSE(repaired->decisive()->failed);
    EXPECT_GT(repaired->decisive()->seconds_per_call, 0);
    EXPECT_TRUE(player.until([&] { return marked_lines().empty(); }, 10)) << "the mark stays";
    EXPECT_EQ(state().champion()->candidate, champion);
    EXPECT_EQ(state().champion()->turn, 0);
}

} // namespace
} // namespace kf::scenes
