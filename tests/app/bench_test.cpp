// SPDX-License-Identifier: GPL-3.0-or-later
// A person benches edits while a run goes: the number first, the other cases afterwards, the newest edit wins.
#include "core/engine/control_server.h"
#include "tests/app/cli_fixture.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <thread>

namespace kf {

class BenchTest : public CliTest {
protected:
    void start(Arguments arguments) {
        const std::string told = (home / "folder").string();
        arguments.insert(arguments.end(), {"--folder-file", told});
        ChildSpec child = spec(faked(arguments));
        child.output = ChildOutput::pipe;
        auto started = Child::start(child);
        ASSERT_TRUE(started) << to_string(started.error());
        run = std::move(*started);
        ASSERT_TRUE(eventually([&] { return std::filesystem::exists(told); }));
        std::getline(std::ifstream(told) >> std::ws, line_of_folder);
        folder = line_of_folder;
        ASSERT_TRUE(std::filesystem::is_directory(folder)) << "the folder is there when it is told";
        ASSERT_FALSE(lock_info(folder).control_socket.empty()) << "and the run can be steered";
        client = connect();
    }
    void start_human(const Arguments& start_kernel = {"speed 1"}) {
        start({"run", "stage1/silu_mul", "--start", kernel("start.cu", start_kernel), "--synthesizer", "human"});
    }
    void start_and_wait() {
        start_human();
        ASSERT_TRUE(eventually([&] { return state().champion() != nullptr; }));
    }
    std::unique_ptr<ControlClient> connect() const {
        auto connected = ControlClient::connect(lock_info(folder).control_socket);
        EXPECT_TRUE(connected) << (connected ? "" : to_string(connected.error()));
        return connected ? std::move(*connected) : nullptr;
    }
    RunState state() const { return state_of(folder); }
    static std::string source_of(const std::string& file) { return read_file(file).value(); }
    Json order(const std::vector<std::string>& directives, const std::string& level = "screen") const {
        return Json{{"source", source_of(kernel("draft.cu", directives))},
                    {"file_name", "draft.cu"},
                    {"level", level},
                    {"who", "test"}};
    }
    Json bench(const Json& request, const std::function<void(const Json&)>& progress = {}) {
        auto answer = client->request("bench", request, 60, progress);
        EXPECT_TRUE(answer) << (answer ? "" : to_string(answer.error()));
        return answer ? *answer : Json();
    }
    Json status() {
        auto answer = client->request("status", Json{{"turns", false}});
        EXPECT_TRUE(answer) << (answer ? "" : to_string(answer.error()));
        return answer ? *answer : Json();
    }
    static std::string running(const Json& status) { return get_string(get_member(status, "running"), "what"); }
    static std::size_t cases_of(const Json& answer) { return answer.at("evaluation").at("cases").size(); }
    void stop() {
        ASSERT_TRUE(client->request("stop", Json{{"after", "now"}}));
        const auto ended = run.wait(deadline_after(30));
        ASSERT_TRUE(ended) << "the run does not end";
        EXPECT_EQ(ended->exit_code, 4);
    }

    Child run;
    std::string line_of_folder;
    std::filesystem::path folder;
    std::unique_ptr<ControlClient> client;
};

TEST_F(BenchTest, TheNumberFirstThenTheOtherCases) {
    start_and_wait();
    const Json answer = bench(order({"speed 1.5", "cases 18", "late-slow 300"}));
    EXPECT_EQ(get_string(answer, "outcome"), "verdict");
    EXPECT_EQ(get_int(answer, "turn"), 1);
    EXPECT_EQ(cases_of(answer), 2u);
    EXPECT_EQ(answer.at("evaluation").at("cases_total"), 18);
    EXPECT_EQ(answer.at("evaluation").at("verdict"), "faster");
    const RunState early = state();
    ASSERT_TRUE(early.turns.contains(1)) << "journaled before it is answered";
    ASSERT_EQ(early.turns.at(1).evaluations.size(), 1u);
    EXPECT_EQ(early.turns.at(1).evaluations[0].cases_judged, 2);
    EXPECT_NE(one_line(early.turns.at(1).evaluations[0]).find("2 of 18 cases"), std::string::npos);

    ASSERT_TRUE(eventually([&] { return state().turns.at(1).evaluations[0].cases_judged == 18; }));
    const RunState late = state();
    const EvaluationState& filled = late.turns.at(1).evaluations[0];
    EXPECT_EQ(late.turns.at(1).evaluations.size(), 1u) << "the same evaluation, filled";
    EXPECT_TRUE(filled.complete());
    EXPECT_FALSE(filled.completing);
    EXPECT_EQ(filled.verdict, "faster");
    EXPECT_DOUBLE_EQ(filled.vs_champion.estimate, early.turns.at(1).evaluations[0].vs_champion.estimate);
    EXPECT_EQ(filled.seconds_per_call, early.turns.at(1).evaluations[0].seconds_per_call);
    EXPECT_EQ(late.champion()->turn, 0) << "a screen crowns nothing";
    // What came on the way.
    const auto events = events_of(folder);
    EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& event) {
        return event.type == EventType::stage && get_string(event.fields, "state") == "case" &&
               get_member(event.fields, "evidence") == Json{{"index", 2}, {"total", 18}};
    })) << "the third of 18 cases is told";
    stop();
}

TEST_F(BenchTest, ItTurnsWrong) {
    start_and_wait();
    const Json answer = bench(order({"speed 3", "cases 18", "late-fail mismatch"}));
    EXPECT_EQ(answer.at("evaluation").at("verdict"), "faster");
    ASSERT_TRUE(eventually([&] { return state().turns.at(1).outcome == "failed"; }));
    const RunState late = state();
    ASSERT_TRUE(late.turns.at(1).decisive());
    EXPECT_TRUE(late.turns.at(1).decisive()->failed);
    EXPECT_EQ(late.turns.at(1).decisive()->verdict, "mismatch");
    EXPECT_EQ(late.turns.at(1).decisive()->seconds_per_call, 0) << "a wrong kernel has no time";
    EXPECT_FALSE(late.turns.at(1).decisive()->vs_champion.known());
    EXPECT_EQ(late.champions.size(), 1u);
    EXPECT_EQ(late.champion()->turn, 0);
    // Certified, all cases count: no crown from the two that are right.
    const Json certified = bench(order({"speed 3", "cases 18", "late-fail mismatch"}, "certify"));
    EXPECT_EQ(get_string(certified, "outcome"), "failed");
    EXPECT_EQ(state().champion()->turn, 0);
    auto refused = client->request("bench", [&] {
        Json request = order({"speed 3"}, "certify");
        request["cases"] = "first";
        return request;
    }());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "request-invalid");
    EXPECT_EQ(get_string(bench(order({"speed 3", "cases 18"}, "certify")), "outcome"), "verdict");
    EXPECT_EQ(state().champion()->turn, 3);
    stop();
}

TEST_F(BenchTest, TheNewestWinsOverOneInFlight) {
    start_and_wait();
    Json replaced;
    const auto other = connect();
    std::atomic<bool> begun = false;
    std::jthread first([&] {
        auto answer = other->request("bench", order({"slow 60000"}), 50, [&](const Json& event) {
            begun = begun || get_string(event, "event") == "stage_started";
        });
        if (answer)
            replaced = *answer;
    });
    ASSERT_TRUE(eventually([&] { return begun.load(); }));
    EXPECT_EQ(running(status()), "bench");
    const Json answer = bench(order({"speed 2"}));
    EXPECT_EQ(answer.at("evaluation").at("verdict"), "faster");
    first.join();
    EXPECT_EQ(get_string(replaced, "outcome"), "cancelled");
    EXPECT_TRUE(get_bool(replaced, "replaced"));
    EXPECT_EQ(get_string(replaced, "what"), "replaced by a newer one");
    EXPECT_EQ(get_int(replaced, "turn", 0), -1);
    EXPECT_EQ(get_int(answer, "turn"), 1) << "the replaced one took no turn";
    stop();
}

TEST_F(BenchTest, ANewerOneEndsTheOthersCompletion) {
    start_and_wait();
    EXPECT_EQ(cases_of(bench(order({"cases 18", "late-slow 60000"}))), 2u);
    ASSERT_TRUE(eventually([&] { return running(status()) == "completion"; }));
    EXPECT_TRUE(eventually([&] { return state().turns.at(1).evaluations[0].completing; }))
        << "the journal says so, too";
    EXPECT_EQ(get_int(bench(order({"cases 18", "speed 2"})), "turn"), 2);
    ASSERT_TRUE(eventually([&] { return state().turns.at(2).evaluations[0].complete(); }));
    const EvaluationState older = state().turns.at(1).evaluations[0];
    EXPECT_EQ(older.cases, 2);
    EXPECT_FALSE(older.completing);
    EXPECT_FALSE(older.failed);
    // Stopping ends a completion, too.
    EXPECT_EQ(cases_of(bench(order({"cases 18", "late-slow 60000"}))), 2u);
    stop();
}

TEST_F(BenchTest, ProgressComesBeforeTheVerdict) {
    start_and_wait();
    std::vector<std::string> told;
    int rounds = 0;
    const Json answer = bench(order({"speed 2"}), [&](const Json& event) {
        told.push_back(get_string(event, "event"));
        rounds += told.back() == "round" && get_int(event, "of") == 6;
        EXPECT_LT(event.dump().size(), 1000u) << "reports come with the verdict";
    });
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.front(), "taken");
    EXPECT_EQ(rounds, 6);
    EXPECT_NE(std::find(told.begin(), told.end(), "stage_ended"), told.end());
    EXPECT_NE(std::find(told.begin(), told.end(), "case"), told.end());
    stop();
}

TEST_F(BenchTest, ServedInsideALongEvaluationOfTheLoop) {
    start({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer", "files",
           "--candidate", kernel("slow.cu", {"slow 60000"})});
    ASSERT_TRUE(eventually([&] { return state().turns.contains(1) && running(status()) == "evaluation"; }));
    const Json behind = status();
    EXPECT_EQ(get_int(get_member(behind, "running"), "turn"), 1);
    EXPECT_GT(get_double(get_member(behind, "running"), "since"), 1e9);
    EXPECT_TRUE(get_member(get_member(behind, "queue"), "bench").is_null());
    Json taken;
    const Json answer = bench(order({"speed 2", "cases 18"}), [&](const Json& event) {
        if (get_string(event, "event") == "taken")
            taken = event;
    });
    EXPECT_EQ(get_string(get_member(taken, "behind"), "what"), "evaluation") << taken.dump();
    EXPECT_EQ(get_int(answer, "turn"), 2);
    const RunState early = state();
    EXPECT_FALSE(early.turns.at(1).finished) << "the loop's evaluation still runs";
    EXPECT_EQ(early.turns.at(2).evaluations[0].cases, 2) << "the rest waits until the loop is between evaluations";
    // What could crown is not judged while the loop compares with the present champion.
    std::jthread certified([&, other = connect()] {
        auto request = order({"speed 2"}, "certify");
        if (auto told = other->request("bench", request, 30)) {
            EXPECT_EQ(get_string(*told, "outcome"), "cancelled") << "the run ended before";
        }
    });
    EXPECT_TRUE(eventually([&] { return !get_member(get_member(status(), "queue"), "bench").is_null(); }));
    EXPECT_EQ(get_string(get_member(get_member(status(), "queue"), "bench"), "level"), "certify");
    stop();
    EXPECT_EQ(state().unfinished_turns(), std::vector<int>{1});
}

TEST_F(BenchTest, StatusSaysWhatTheStripShows) {
    start_and_wait();
    ASSERT_TRUE(eventually([&] { return running(status()) == "waiting"; }));
    const Json told = status();
    EXPECT_EQ(get_string(told, "status"), "running");
    EXPECT_EQ(get_int(told, "last_turn"), 0);
    EXPECT_FALSE(get_bool(told, "pausing", true));
    EXPECT_FALSE(get_bool(told, "stopping", true));
    EXPECT_EQ(get_member(told, "evaluator"), (Json{{"state", "ready"}, {"restarts", 0}, {"build", "fake"}}));
    EXPECT_EQ(get_string(get_member(told, "device"), "name"), "Fake device");
    EXPECT_EQ(get_member(get_member(told, "device"), "labels"), (Json{"fake timings"}));
    ASSERT_TRUE(client->request("pause", Json::object()));
    EXPECT_TRUE(eventually([&] { return running(status()) == "paused"; }));
    EXPECT_TRUE(get_bool(status(), "pausing"));
    EXPECT_EQ(get_string(bench(order({"crash-once", "speed 2"})), "outcome"), "verdict") << "a paused run benches";
    EXPECT_EQ(get_int(get_member(status(), "evaluator"), "restarts"), 1);
    stop();
}

TEST_F(BenchTest, APersonWritesTheFirstKernelThatWorks) {
    start_human({"fail mismatch"});
    ASSERT_TRUE(eventually([&] { return running(status()) == "waiting"; }));
    EXPECT_EQ(state().turns.at(0).outcome, "failed");
    EXPECT_EQ(get_string(bench(order({"fail compile"})), "outcome"), "failed");
    const Json right = bench(order({"speed 2"}));
    EXPECT_EQ(right.at("evaluation").at("verdict"), "verified") << "there is nothing to compare it with";
    EXPECT_EQ(state().champion(), nullptr) << "a screen crowns nothing";
    const Json certified = bench(order({"speed 2"}, "certify"));
    EXPECT_EQ(get_int(certified, "turn"), 3);
    ASSERT_TRUE(state().champion());
    EXPECT_EQ(state().champion()->turn, 3);
    EXPECT_EQ(bench(order({"speed 3"})).at("evaluation").at("verdict"), "faster");
    stop();
    // A resumed run waits again and does not judge the start kernel a second time.
    EXPECT_EQ(state().turns.at(0).evaluations.size(), 1u);
}

TEST_F(BenchTest, TheRunOutlivesWhoStartedIt) {
    start_and_wait();
    close(run.take_output().release()); // nobody reads any more
    kill(run.pid(), SIGHUP);            // and there is no terminal
    EXPECT_EQ(get_int(bench(order({"speed 2"})), "turn"), 1);
    EXPECT_TRUE(run.running());
    client = connect();
    stop();
    EXPECT_EQ(state().gaps, 0);
}

} // namespace kf
