// SPDX-License-Identifier: GPL-3.0-or-later
// Differences as the journal keeps them: as `patch` reads them, whatever the texts are.
#include "core/engine/unified_diff.h"

#include "core/base/random.h"
#include "core/process/child.h"
#include "tests/app/cli_fixture.h"

namespace kf {
namespace {

std::string diff(std::string_view before, std::string_view after) {
    return unified_diff(before, after, "turn 1", "turn 2");
}

} // namespace

TEST(UnifiedDiff, IsWrittenAsDiffDoes) {
    EXPECT_EQ(diff("a\nb\n", "a\nb\n"), "");
    EXPECT_EQ(diff("", ""), "");
    EXPECT_EQ(diff("a\nb\nc\n", "a\nx\nc\n"), "--- turn 1\n+++ turn 2\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
    EXPECT_EQ(diff("", "a\n"), "--- turn 1\n+++ turn 2\n@@ -0,0 +1 @@\n+a\n");
    EXPECT_EQ(diff("a\n", ""), "--- turn 1\n+++ turn 2\n@@ -1 +0,0 @@\n-a\n");
    EXPECT_EQ(diff("a", "a\n"), "--- turn 1\n+++ turn 2\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n2\n3\n4\n5\n6\n7\n8\n0\n"),
              "--- turn 1\n+++ turn 2\n@@ -1,4 +1,4 @@\n-1\n+0\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+0\n");
}

TEST(UnifiedDiff, TextsThatHaveNothingInCommonAreReplaced) {
    std::string before, after;
    for (int i = 0; i < 3000; ++i) {
        before += "old " + std::to_string(i) + "\n";
        after += "new " + std::to_string(i) + "\n";
    }
    EXPECT_TRUE(diff(before, after).starts_with("--- turn 1\n+++ turn 2\n@@ -1,3000 +1,3000 @@\n-old 0\n"));
}

class PatchTest : public CliTest {};

// `patch` makes the one out of the other, for random texts of few different lines.
TEST_F(PatchTest, PatchTakesThem) {
    if (!std::filesystem::exists("/usr/bin/patch"))
        GTEST_SKIP() << "patch is not installed";
    SplitMix64 random(7);
    for (int round = 0; round < 60; ++round) {
        const auto text = [&] {
            std::string lines;
            for (int n = static_cast<int>(random.uniform() * 30); n > 0; --n)
                lines += std::string(1, static_cast<char>('a' + static_cast<int>(random.uniform() * 4))) + "\n";
            if (!lines.empty() && random.uniform() < 0.3)
                lines.pop_back();
            return lines;
        };
        const std::string before = text(), after = text();
        const std::string file = write("text", before);
        ChildSpec child;
        child.argv = {"/usr/bin/patch", "-s", "--posix", "-u", file, write("change", diff(before, after))};
        child.cwd = home;
        RunLimits limits;
        limits.deadline = deadline_after(30);
        const auto patched = run_to_end(child, limits);
        ASSERT_TRUE(patched);
        EXPECT_EQ(patched->exit_code, 0) << before << "→\n" << after << patched->out << diff(before, after);
        const auto result = read_file(file);
        EXPECT_EQ(result ? *result : "", after) << before;
    }
}

} // namespace kf
