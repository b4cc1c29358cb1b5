// SPDX-License-Identifier: GPL-3.0-or-later
// `kernelforge` as a person runs it: in a home of its own, with the scripted evaluator where judging matters.
#pragma once

#include "core/base/files.h"
#include "core/journal/projection.h"
#include "core/journal/reader.h"
#include "core/journal/run_folder.h"
#include "core/process/child.h"
#include "core/process/process_tree.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace kf {

class CliTest : public ::testing::Test {
protected:
    using Arguments = std::vector<std::string>;

    void SetUp() override {
        auto made = make_private_folder("kf-cli-");
        ASSERT_TRUE(made);
        home = *made;
        std::filesystem::create_directories(home / "state");
        std::filesystem::create_directories(home / "tmp");
    }
    void TearDown() override {
        EXPECT_TRUE(left_processes().empty()) << "a process was left behind";
        std::error_code ignored;
        std::filesystem::remove_all(home, ignored);
    }

    ChildSpec spec(const Arguments& arguments) const {
        ChildSpec child;
        child.argv = {KF_BIN_DIR "/kernelforge"};
        child.argv.insert(child.argv.end(), arguments.begin(), arguments.end());
        child.env = {{"KERNELFORGE_HOME", home.string()},
                     {"KERNELFORGE_RESOURCES", KF_SOURCE_DIR},
                     {"TMPDIR", (home / "tmp").string()}};
        child.cwd = home;
        return child;
    }
    Finished kernelforge(const Arguments& arguments, double seconds = 60) const {
        RunLimits limits;
        limits.deadline = deadline_after(seconds);
        auto finished = run_to_end(spec(arguments), limits);
        EXPECT_TRUE(finished) << (finished ? "" : to_string(finished.error()));
        if (!finished)
            return {};
        EXPECT_FALSE(finished->timed_out) << finished->out << finished->err;
        EXPECT_EQ(finished->signal, 0) << finished->ending();
        return *finished;
    }
    // The same with the scripted evaluator, which starts in the way that `start` says.
    Arguments faked(Arguments arguments, const std::string& start = "") const {
        arguments.insert(arguments.end(),
                         {"--evaluator", KF_BIN_DIR "/kf_fake_evaluator", "--launcher",
                          "env KF_FAKE_STATE=" + (home / "state").string() + " KF_FAKE_START=" + start});
        return arguments;
    }

    // A kernel that parses, with directives for the scripted evaluator ("speed 2", "fail mismatch").
    std::string kernel(const std::string& name, const std::vector<std::string>& directives,
                       const std::string& plan = "") const {
        std::string text = "// " + name + "\n";
        for (const std::string& directive : directives)
            text += "// fake: " + directive + "\n";
        text += plan + "#pragma kf launch copy<<<1, 32>>>(x, out)\n"
                       "#include <cuda_bf16.h>\n"
                       "__global__ void copy(const __nv_bfloat16* x, __nv_bfloat16* out) { out[0] = x[0]; }\n";
        return write(name, text);
    }
    std::string write(const std::string& name, std::string_view text) const {
        const auto path = home / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
        return path.string();
    }

    std::filesystem::path only_run() const {
        const auto runs = list_runs(home / "data" / "runs");
        EXPECT_EQ(runs.size(), 1u);
        return runs.empty() ? std::filesystem::path() : runs.front().folder;
    }
    static std::vector<Event> events_of(const std::filesystem::path& run) {
        auto reader = JournalReader::open(run);
        if (!reader)
            return {};
        auto events = reader->poll();
        EXPECT_TRUE(events);
        return events ? *events : std::vector<Event>{};
    }
    static RunState state_of(const std::filesystem::path& run) {
        RunState state;
        state.apply(events_of(run));
        return state;
    }

    // Processes of this test's home, by what they were started with.
    std::vector<pid_t> left_processes() const {
        std::vector<pid_t> left;
        const std::string entry = "KERNELFORGE_HOME=" + home.string();
        // What was killed needs a moment until it is gone; what lives is there after two seconds as well.
        for (const Deadline until = deadline_after(2);;) {
            left.clear();
            for (const auto& item : std::filesystem::directory_iterator("/proc")) {
                const std::string name = item.path().filename().string();
                if (name.find_first_not_of("0123456789") == std::string::npos &&
                    has_environment(static_cast<pid_t>(std::stol(name)), entry))
                    left.push_back(static_cast<pid_t>(std::stol(name)));
            }
            if (left.empty() || seconds_left(until) == 0)
                return left;
            usleep(20'000);
        }
    }
    // Until the condition holds; false at the deadline.
    template<class Condition> static bool eventually(Condition condition, double seconds = 30) {
        for (const Deadline until = deadline_after(seconds); seconds_left(until) > 0; usleep(10'000))
            if (condition())
                return true;
        return condition();
    }
    static int lines_in(const std::string& text) {
        return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    }
    // A failure is one line on standard error that says place or remedy; never a stack trace, never silence.
    static void expect_one_error(const Finished& finished, int code, const std::string& text) {
        EXPECT_EQ(finished.exit_code, code) << finished.out << finished.err;
        EXPECT_EQ(lines_in(finished.err), 1) << finished.err;
        EXPECT_TRUE(finished.err.starts_with("kernelforge: ")) << finished.err;
        EXPECT_NE(finished.err.find(text), std::string::npos) << finished.err;
    }

    std::filesystem::path home;
};

} // namespace kf
