// SPDX-License-Identifier: GPL-3.0-or-later
// `kernelforge report` as a person calls it.
#include "core/journal/packed_run.h"
#include "tests/report/report_fixture.h"

namespace kf {
namespace {

class ReportCommand : public ReportTest {
protected:
    Finished report(std::vector<std::string> arguments) const {
        ChildSpec spec;
        spec.argv = {KF_BIN_DIR "/kernelforge", "report"};
        spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
        spec.env = {{"KERNELFORGE_HOME", home.string()}, {"KERNELFORGE_RESOURCES", KF_SOURCE_DIR}};
        spec.cwd = home;
        RunLimits limits;
        limits.deadline = deadline_after(60);
        auto finished = run_to_end(spec, limits);
        EXPECT_TRUE(finished);
        return finished ? *finished : Finished{};
    }
    std::string read_text(const std::string& name) const {
        auto text = read_file(home / name);
        return text ? *text : std::string();
    }
};

TEST_F(ReportCommand, WritesEveryFormThatIsNamed) {
    const auto run = fixture("swiglu");
    const Finished done =
        report({run.string(), "--html", "a.html", "--markdown", "a.md", "--json", "a.json", "--csv", "a.csv"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(read_text("a.html").starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(read_text("a.md").starts_with("# swiglu"));
    EXPECT_TRUE(parse_json(read_text("a.json"), "a.json"));
    EXPECT_TRUE(read_text("a.csv").starts_with("turn,parent,"));
}

TEST_F(ReportCommand, KeepsAFileThatIsThereUnlessForced) {
    const auto run = fixture("turns_1");
    write("mine.html", "mine");
    const Finished refused = report({run.string(), "--csv", "new.csv", "--html", "mine.html"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("mine.html: this file is there already (name another one, or add --force)"),
              std::string::npos)
        << refused.err;
    EXPECT_EQ(read_text("mine.html"), "mine");
    EXPECT_FALSE(std::filesystem::exists(home / "new.csv")) << "nothing is written when one of the files cannot be";
    EXPECT_EQ(report({run.string(), "--html", "mine.html", "--force"}).exit_code, 0);
    EXPECT_NE(read_text("mine.html"), "mine");
}

TEST_F(ReportCommand, TellsAPackedRunAndARunByItsName) {
    const auto run = fixture("swiglu");
    ASSERT_TRUE(pack_run(run, home / "a.kfrun"));
    EXPECT_EQ(report({"a.kfrun", "--json", "packed.json"}).exit_code, 0);
    EXPECT_EQ(report({"last", "--runs", run.parent_path().string(), "--json", "last.json"}).exit_code, 0);
    EXPECT_EQ(report({run.filename().string(), "--runs", run.parent_path().string(), "--json", "name.json"}).exit_code,
              0);
    EXPECT_FALSE(read_text("packed.json").empty());
    EXPECT_EQ(read_text("packed.json"), read_text("name.json"));
    EXPECT_EQ(read_text("last.json"), read_text("name.json"));
}

TEST_F(ReportCommand, SaysWhatIsWrongInOneLine) {
    const auto run = fixture("turns_1");
    const std::vector<std::pair<std::vector<std::string>, const char*>> wrong = {
        {{run.string()}, "no file is named"},
        {{"no-such-run", "--html", "x.html"}, "no-such-run"},
        {{fixture("not_json").string(), "--html", "x.html"}, "no event"},
        {{fixture("newer_only").string(), "--html", "x.html"}, "newer"},
        {{run.string(), "--html", "/nowhere/x.html"}, "/nowhere"},
        {{write("noise.kfrun", "noise").string(), "--html", "x.html"}, "noise.kfrun"},
    };
    for (const auto& [arguments, expected] : wrong) {
        const Finished done = report(arguments);
        EXPECT_NE(done.exit_code, 0) << expected;
        EXPECT_NE(done.err.find(expected), std::string::npos) << done.err;
        EXPECT_EQ(count(done.err, "\n"), 1u) << done.err;
        EXPECT_FALSE(std::filesystem::exists(home / "x.html"));
    }
}

} // namespace
} // namespace kf
