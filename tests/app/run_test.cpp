// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs with the scripted evaluator: how they go, why they end, what is told.
#include "tests/app/cli_fixture.h"

namespace kf {

class RunTest : public CliTest {
protected:
    // `run` over these kernels, each a turn.
    Arguments files(const Arguments& candidates, const Arguments& more = {}, const std::string& start = "") const {
        Arguments arguments = {"run",  "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer",
                               "files"};
        for (const std::string& file : candidates)
            arguments.insert(arguments.end(), {"--candidate", file});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return faked(arguments, start);
    }
    void expect_stop(const std::string& reason) const {
        const RunState state = state_of(only_run());
        ASSERT_TRUE(state.stop);
        EXPECT_EQ(state.stop->reason, reason) << state.stop->text;
        EXPECT_TRUE(state.end);
        EXPECT_EQ(state.gaps, 0);
        EXPECT_TRUE(lock_info(only_run()).state == LockState::free);
        EXPECT_TRUE(std::filesystem::is_empty(home / "tmp")) << "the control socket's folder is gone";
    }
};

TEST_F(RunTest, AFasterKernelBecomesChampion) {
    const Finished run = kernelforge(files({kernel("a.cu", {"speed 1.5"}), kernel("b.cu", {"speed 1.2"})}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_stop("nothing_left");
    const RunState state = state_of(only_run());
    ASSERT_EQ(state.champions.size(), 2u);
    EXPECT_EQ(state.champion()->turn, 1);
    EXPECT_EQ(state.turns.size(), 3u);
    EXPECT_NE(run.out.find("▬ start kernel"), std::string::npos);
    EXPECT_NE(run.out.find("▼ faster"), std::string::npos);
    EXPECT_NE(run.out.find("▲ slower"), std::string::npos);
    EXPECT_NE(run.out.find("champion  turn 1 · 667 µs · 1.500× [1.485, 1.515] against the start kernel"),
              std::string::npos)
        << run.out;
    EXPECT_NE(run.out.find("journal   " + only_run().string()), std::string::npos);
    EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << "no colour on a pipe";
    EXPECT_EQ(run.err, "");

    // Replay shows the same lines, from the folder and from a packed file.
    const auto rows = [](const std::string& text) {
        std::vector<std::string> lines;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            if (!line.starts_with("journal") && !line.starts_with("REPLAY"))
                lines.push_back(line);
        return lines;
    };
    EXPECT_EQ(rows(kernelforge({"replay", "last", "--fast"}).out), rows(run.out));
    const std::string packed = (home / "run.kfrun").string();
    EXPECT_EQ(kernelforge({"pack", "last", packed}).exit_code, 0);
    expect_one_error(kernelforge({"pack", "last", packed}), 2, "--force");
    EXPECT_EQ(rows(kernelforge({"replay", packed, "--fast"}).out), rows(run.out));
    std::filesystem::resize_file(packed, std::filesystem::file_size(packed) / 2);
    expect_one_error(kernelforge({"replay", packed, "--fast"}), 2, "run.kfrun");
    EXPECT_NE(kernelforge({"runs"}).out.find("finished"), std::string::npos);
    expect_one_error(kernelforge({"attach", "last"}), 2, "nobody drives this run");
    expect_one_error(kernelforge({"resume", "last"}), 2, "has ended");
    const auto slow = std::chrono::steady_clock::now();
    EXPECT_EQ(kernelforge({"replay", "last", "--speed", "1000"}).exit_code, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - slow, std::chrono::seconds(20));
}

TEST_F(RunTest, JsonIsTheJournal) {
    const Finished run = kernelforge(files({kernel("a.cu", {"speed 2"})}, {"--json"}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, *read_file(only_run() / "journal.jsonl"));
}

TEST_F(RunTest, StopsWithoutProgress) {
    const std::string slow = kernel("slow.cu", {"speed 0.5"});
    EXPECT_EQ(kernelforge(files({slow, slow, slow, slow})).exit_code, 0);
    expect_stop("no-progress");
    EXPECT_EQ(state_of(only_run()).turns.size(), 3u); // start kernel and two
}

TEST_F(RunTest, StopsAfterFailedTurns) {
    const std::string wrong = kernel("wrong.cu", {"fail mismatch"});
    const Finished run = kernelforge(files({wrong, wrong, wrong, wrong, wrong, wrong}));
    EXPECT_EQ(run.exit_code, 0) << "the start kernel is the champion";
    expect_stop("failures");
    EXPECT_EQ(state_of(only_run()).turns.size(), 5u);
    EXPECT_NE(run.out.find("◇ wrong"), std::string::npos);
    EXPECT_NE(run.out.find("the script says so"), std::string::npos);
    EXPECT_NE(run.out.find("try: "), std::string::npos);
}

TEST_F(RunTest, StopsAtTheBudgetOfTurns) {
    const std::string fast = kernel("a.cu", {"speed 1.5"});
    EXPECT_EQ(kernelforge(files({fast, kernel("b.cu", {"speed 2"}), kernel("c.cu", {"speed 3"})}, {"--turns", "2"}))
                  .exit_code,
              0);
    expect_stop("turns");
    EXPECT_EQ(state_of(only_run()).turns.size(), 3u);
}

TEST_F(RunTest, StopsAtTheBudgetOfSeconds) {
    EXPECT_EQ(kernelforge(files({kernel("a.cu", {"speed 1.5", "slow 400"}), kernel("b.cu", {"speed 2"})},
                                {"--minutes", "0.005"}))
                  .exit_code,
              0);
    expect_stop("seconds");
}

TEST_F(RunTest, StopsAtTheBudgetOfDeviceTime) {
    EXPECT_EQ(kernelforge(files({kernel("a.cu", {"speed 1.5", "device 70"}), kernel("b.cu", {"speed 2"})},
                                {"--device-minutes", "1"}))
                  .exit_code,
              0);
    expect_stop("device-seconds");
    EXPECT_EQ(state_of(only_run()).turns.size(), 2u);
}

TEST_F(RunTest, ARejectedStartKernelIsNoChampion) {
    const Finished run =
        kernelforge(faked({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"fail compile"})}));
    expect_one_error(run, 1, "the start kernel is rejected");
    EXPECT_NE(run.out.find("champion  none"), std::string::npos) << run.out;
    expect_stop("start_rejected");
}

TEST_F(RunTest, ASweepIsOneTurn) {
    const std::string start =
        kernel("tuned.cu", {"speed 1", "tunable BLOCK 128 1.4", "tunable BLOCK 64 0.5", "tunable VEC 4 1.1"},
               "#pragma kf tune BLOCK in {256, 128, 64}\n#pragma kf tune VEC in {1, 2, 4}\n");
    const Finished run = kernelforge(faked({"tune", "stage1/silu_mul", start, "--points", "9", "--seed", "7"}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const RunState state = state_of(only_run());
    ASSERT_EQ(state.turns.size(), 2u) << run.out;
    EXPECT_EQ(state.turns.at(1).author, "tuner");
    ASSERT_TRUE(state.champion());
    EXPECT_EQ(get_int(state.champion()->tunables, "BLOCK"), 128) << run.out;
    EXPECT_EQ(get_int(state.champion()->tunables, "VEC"), 4) << run.out;
    EXPECT_NE(run.out.find("new champion · "), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("BLOCK=128 VEC=4"), std::string::npos) << run.out;
}

// --- Faults of the evaluator -----------------------------------------------------------------------------------------

TEST_F(RunTest, WhatFailsOnceIsTriedAgain) {
    for (const char* fault : {"crash-once", "garbage-once", "infrastructure-once"}) {
        const std::string name = std::string(fault) + ".cu";
        const Finished run = kernelforge(files({kernel(name, {"speed 2", fault})}));
        EXPECT_EQ(run.exit_code, 0) << fault << run.err;
        const RunState state = state_of(only_run());
        ASSERT_TRUE(state.champion()) << fault;
        EXPECT_EQ(state.champion()->turn, 1) << fault << "\n" << run.out;
        EXPECT_FALSE(state.turns.at(1).infrastructure.empty()) << fault;
        EXPECT_NE(run.out.find("tried again"), std::string::npos) << fault << run.out;
        EXPECT_TRUE(left_processes().empty());
        std::filesystem::remove_all(home / "data");
    }
}

TEST_F(RunTest, WhatFailsEveryTimeEndsTheRunAndCountsForNothing) {
    const Finished run = kernelforge(files({kernel("crash.cu", {"crash"}), kernel("b.cu", {"speed 2"})}), 120);
    EXPECT_EQ(run.exit_code, 3) << run.out;
    EXPECT_EQ(lines_in(run.err), 1) << run.err;
    expect_stop("infrastructure");
    EXPECT_EQ(state_of(only_run()).champion()->turn, 0);
}

TEST_F(RunTest, BannersBeforeTheHandshakeAreSkipped) {
    EXPECT_EQ(kernelforge(files({kernel("a.cu", {"speed 2"})}, {}, "banner")).exit_code, 0);
    expect_stop("nothing_left");
}

TEST_F(RunTest, AnEvaluatorThatDoesNotStartIsOneClearError) {
    const auto refused = [&](const std::string& how, const std::string& text) {
        const Finished run = kernelforge(files({kernel("a.cu", {"speed 2"})}, {}, how), 100);
        expect_one_error(run, 3, text);
        EXPECT_EQ(run.out, "");
        EXPECT_TRUE(list_runs(home / "data" / "runs").empty()) << "nothing is kept of a run that never began";
    };
    refused("exit", "kf-evaluator did not start");
    refused("nonsense", "kf-evaluator did not start");
    refused("flood", "kf-evaluator did not start");
    refused("old", "protocol");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--evaluator", "/no/such/evaluator"}), 3,
                     "/no/such/evaluator");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--launcher", "no-such-launcher -v"}), 3,
                     "no-such-launcher");
}

TEST_F(RunTest, InfiniteOutputEndsTheEvaluatorNotUs) {
    const Finished run = kernelforge(files({kernel("flood.cu", {"flood"})}), 120);
    EXPECT_EQ(run.exit_code, 3);
    expect_stop("infrastructure");
}

TEST_F(RunTest, EvalSaysAcceptedByItsExitCode) {
    const auto eval = [&](const std::vector<std::string>& directives, Arguments more = {}) {
        Arguments arguments = {"eval", "stage1/silu_mul", kernel("k.cu", directives)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return kernelforge(faked(arguments));
    };
    Finished accepted = eval({"speed 2"});
    EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
    EXPECT_NE(accepted.out.find("✓ accepted"), std::string::npos) << accepted.out;
    accepted = eval({"speed 0.5"}, {"--against", kernel("other.cu", {"speed 1"}), "--level", "duel"});
    EXPECT_EQ(accepted.exit_code, 0) << "right, though slower";
    EXPECT_NE(accepted.out.find("▲ slower"), std::string::npos) << accepted.out;
    EXPECT_NE(accepted.out.find("0.500×"), std::string::npos) << accepted.out;
    for (const char* failure : {"mismatch", "compile", "timeout", "suspect"}) {
        const Finished rejected = eval({std::string("fail ") + failure});
        EXPECT_EQ(rejected.exit_code, 1) << failure;
        EXPECT_NE(rejected.out.find(failure), std::string::npos) << rejected.out;
    }
    expect_one_error(eval({"infrastructure"}), 3, "the device fell off the bus");
    expect_one_error(eval({"crash"}), 3, "no verdict");
    const Finished json = eval({"speed 2"}, {"--json"});
    const auto parsed = parse_json(json.out, "eval");
    ASSERT_TRUE(parsed) << json.out;
    EXPECT_TRUE(get_bool(*parsed, "accepted"));
    EXPECT_EQ(lines_in(json.out), 1);
}

TEST_F(RunTest, DoctorSaysWhetherTheCpuDeviceCanJudge) {
    const Finished good = kernelforge(faked({"doctor"}));
    EXPECT_EQ(good.exit_code, 0) << good.out;
    EXPECT_NE(good.out.find("The CPU device can judge."), std::string::npos);
    const Finished bad = kernelforge(faked({"doctor", "--json"}, "exit"));
    EXPECT_EQ(bad.exit_code, 3) << bad.out;
    const auto parsed = parse_json(bad.out, "doctor");
    ASSERT_TRUE(parsed) << bad.out;
    for (const Json& one : get_member(*parsed, "checks"))
        EXPECT_TRUE(get_bool(one, "ok") || !get_string(one, "remedy").empty()) << dump_line(one);
}

TEST_F(CliTest, CompileOnlyGivesTheOutcome) {
    const auto compile = [&](const std::string& file, const Arguments& more) {
        Arguments arguments = {"eval", "stage1/silu_mul", file, "--compile-only"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return kernelforge(faked(arguments));
    };
    const Finished good = compile(kernel("good.cu", {}), {"--json"});
    EXPECT_EQ(good.exit_code, 0) << good.err;
    EXPECT_EQ(lines_in(good.out), 1);
    const Json outcome = Json::parse(good.out);
    EXPECT_EQ(outcome.at("outcome"), "verdict");
    EXPECT_EQ(outcome.at("compiled"), true);
    EXPECT_EQ(outcome.at("accepted"), false) << "nothing of it was run";
    EXPECT_EQ(compile(kernel("good.cu", {}), {}).out, "compiles; nothing of it was run\n");
    const Finished bad = compile(kernel("bad.cu", {"fail compile"}), {"--json"});
    EXPECT_EQ(bad.exit_code, 1) << bad.err;
    const Json refused = Json::parse(bad.out);
    EXPECT_EQ(refused.at("outcome"), "failed");
    EXPECT_EQ(refused.at("compiled"), false);
    EXPECT_EQ(refused.at("evaluation").at("failure").at("diagnostics").at(0).at("place"),
              (Json{{"file", "bad.cu"}, {"line", 3}, {"column", 5}}));
    expect_one_error(compile(kernel("good.cu", {}), {"--held-out"}), 2, "--held-out");
}

TEST_F(CliTest, DoctorAsJson) {
    const Finished doctor = kernelforge(faked({"doctor", "--json"}));
    EXPECT_EQ(doctor.exit_code, 0) << doctor.err;
    EXPECT_EQ(lines_in(doctor.out), 1);
    const Json report = Json::parse(doctor.out);
    EXPECT_EQ(report.at("can_judge"), true);
    std::set<std::string> names;
    for (const Json& check : report.at("checks")) {
        for (const char* field : {"name", "ok", "found", "remedy", "disables"})
            EXPECT_TRUE(check.contains(field)) << check.dump();
        names.insert(check.at("name"));
    }
    EXPECT_TRUE(names.contains("evaluator") && names.contains("C++ compiler") && names.contains("run folder"));
    const Finished without = kernelforge(faked({"doctor", "--json"}, "exit"));
    EXPECT_EQ(without.exit_code, 3);
    EXPECT_EQ(Json::parse(without.out).at("can_judge"), false);
}

// The program in a folder of its own, with a window beside it that says what it was started with.
class WindowTest : public CliTest {
protected:
    Finished start(const Arguments& arguments, bool window, const char* display) {
        const auto bin = home / "bin";
        std::filesystem::create_directories(bin);
        std::filesystem::copy_file(KF_BIN_DIR "/kernelforge", bin / "kernelforge",
                                   std::filesystem::copy_options::skip_existing);
        const auto workbench = bin / "kernelforge-workbench";
        std::filesystem::remove(workbench);
        if (window) {
            write("bin/kernelforge-workbench", "#!/bin/sh\necho window \"$@\"\nexit 7\n");
            std::filesystem::permissions(workbench, std::filesystem::perms::owner_all);
        }
        ChildSpec child = spec(arguments);
        child.argv[0] = (bin / "kernelforge").string();
        if (display)
            child.env[display] = "test";
        RunLimits limits;
        limits.deadline = deadline_after(30);
        auto finished = run_to_end(child, limits);
        EXPECT_TRUE(finished);
        return finished ? *finished : Finished{};
    }
};

TEST_F(WindowTest, WithADisplayItBecomesTheWindow) {
    for (const char* display : {"WAYLAND_DISPLAY", "DISPLAY"}) {
        const Finished window = start({}, true, display);
        EXPECT_EQ(window.exit_code, 7);
        EXPECT_EQ(window.out, "window\n");
    }
    const Finished terminal = start({}, true, nullptr);
    EXPECT_EQ(terminal.exit_code, 0);
    EXPECT_NE(terminal.out.find("kernelforge doctor"), std::string::npos);
    EXPECT_EQ(terminal.out.find("no window"), std::string::npos);
    const Finished missing = start({}, false, "DISPLAY");
    EXPECT_EQ(missing.exit_code, 0);
    EXPECT_NE(missing.out.find("There is no window here"), std::string::npos) << missing.out;
}

TEST_F(WindowTest, OpenNamesARun) {
    EXPECT_EQ(kernelforge(faked({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer",
                                 "files", "--candidate", kernel("a.cu", {"speed 2"})}))
                  .exit_code,
              0);
    EXPECT_EQ(start({"open"}, true, "DISPLAY").out, "window\n");
    EXPECT_EQ(start({"open", "last"}, true, "DISPLAY").out, "window " + only_run().string() + "\n");
    const std::string packed = write("a.kfrun", "");
    EXPECT_EQ(start({"open", packed}, true, "DISPLAY").out, "window " + packed + "\n");
    expect_one_error(start({"open", "none"}, true, "DISPLAY"), 2, "none");
    expect_one_error(start({"open"}, false, "DISPLAY"), 2, "there is no window in this build");
    expect_one_error(start({"open"}, true, nullptr), 2, "there is no display");
}

TEST_F(CliTest, TheFolderIsToldEvenWhenTheEvaluatorDoesNotStart) {
    const std::string told = (home / "told").string();
    expect_one_error(kernelforge(faked(
                         {"run", "stage1/silu_mul", "--start", kernel("start.cu", {}), "--folder-file", told}, "exit")),
                     3, "kf-evaluator");
    const std::string line = read_file(told).value();
    EXPECT_TRUE(line.ends_with("\n")) << line;
    EXPECT_FALSE(std::filesystem::exists(line.substr(0, line.size() - 1))) << "a run that never began leaves nothing";
    expect_one_error(kernelforge(faked({"run", "stage1/silu_mul", "--start", kernel("start.cu", {}), "--folder-file",
                                        (home / "none" / "told").string()})),
                     2, "told");
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty());
}

} // namespace kf
