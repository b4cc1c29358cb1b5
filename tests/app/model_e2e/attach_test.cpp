// SPDX-License-Identifier: GPL-3.0-or-later
// A run that asks a model, and `kernelforge attach` from another terminal: each order is looked for in the journal and
// in what the server was sent next. Kernels are judged by the scripted evaluator.
#include "tests/app/cli_fixture.h"
#include "tests/app/model_e2e/held_server.h"

namespace kf {

class AttachTest : public CliTest {
protected:
    // A kernel that is another one for each `n`: comments make no difference.
    static std::string source(int n, const std::string& directive) {
        return "// fake: " + directive +
               "\n#pragma kf launch copy<<<1, 32>>>(x, out)\n"
               "#include <cuda_bf16.h>\n"
               "__global__ void copy(const __nv_bfloat16* x, __nv_bfloat16* out) { out[0] = x[" +
               std::to_string(n) + "]; }\n";
    }
    static Json reply(int n, const std::string& directive) {
        return Json{{"name", std::to_string(n)},
                    {"times", 1},
                    {"reply", "Here it is.\n\n```cuda\n" + source(n, directive) + "```\n"}};
    }
    static Json script(std::initializer_list<Json> rules) {
        return Json{{"models", {"loopback"}}, {"rules", rules}, {"fallback", {{"reply", "I have no more ideas."}}}};
    }
    void start(HeldServer& server, const Arguments& more) {
        Arguments arguments = {"run",     "stage1/silu_mul", "--provider", server.url(),
                               "--model", "loopback",        "--start",    kernel("start.cu", {"speed 1"})};
        arguments.insert(arguments.end(), more.begin(), more.end());
        ChildSpec child = spec(faked(arguments));
        child.output = ChildOutput::pipe;
        auto started = Child::start(child);
        ASSERT_TRUE(started) << to_string(started.error());
        run = std::move(*started);
        ASSERT_TRUE(server.came(1));
        folder = only_run();
    }
    // A second process, as from another terminal.
    Finished attach(const Arguments& orders) const {
        Arguments arguments = {"attach", folder.string()};
        arguments.insert(arguments.end(), orders.begin(), orders.end());
        return kernelforge(arguments);
    }
    std::vector<Steering> told(const std::string& what) const {
        std::vector<Steering> some;
        for (const Steering& one : state_of(folder).steering)
            if (one.what == what)
                some.push_back(one);
        return some;
    }
    void expect_told(const std::string& what, const std::string& effect) const {
        ASSERT_TRUE(eventually([&] { return !told(what).empty(); })) << what << ": heard while the model writes";
        EXPECT_EQ(told(what).back().who, "attach") << what;
        EXPECT_EQ(told(what).back().effect, effect) << what;
    }
    int exit_code() {
        const auto status = run.wait(deadline_after(60));
        EXPECT_TRUE(status) << "the run does not end";
        return status ? status->exit_code : -1;
    }

    Child run;
    std::filesystem::path folder;
};

TEST_F(AttachTest, HintForkModelAndBudgetAreInTheJournalAndInTheNextRequest) {
    HeldServer server(script({reply(1, "fail mismatch"), reply(2, "speed 1.2"), reply(3, "speed 1.1")}));
    start(server, {"--turns", "1"});
    const Finished hint = attach({"--hint", "mind the second half of each row"});
    EXPECT_EQ(hint.exit_code, 0) << hint.err;
    EXPECT_EQ(hint.out, "hint: for turn 2\n");
    EXPECT_EQ(attach({"--fork", "0", "--hint", "begin again"}).out, "fork: turn 2\n");
    const Finished model = attach({"--model", "loopback-large", "--temperature", "0.25", "--reasoning", "low"});
    EXPECT_EQ(model.exit_code, 0) << model.err;
    EXPECT_EQ(model.out, "model: turn 2\n");
    EXPECT_EQ(attach({"--budget", "turns=2"}).out, "budget: now\n");
    for (const char* what : {"hint", "fork", "model"})
        expect_told(what, "turn 2");
    expect_told("budget", "now");
    EXPECT_EQ(get_string(told("hint")[0].data, "text"), "mind the second half of each row");
    EXPECT_EQ(get_int(told("fork")[0].data, "turn", -1), 0);
    EXPECT_EQ(told("model")[0].data, (Json{{"model", "loopback-large"}, {"temperature", 0.25}, {"reasoning", "low"}}));

    server.let_go(1);
    ASSERT_TRUE(server.came(2)) << "the budget of one turn was raised to two";
    const Json first = server.request(1).body, second = server.request(2).body;
    EXPECT_EQ(get_string(first, "model"), "loopback") << "the turn that runs is not changed";
    EXPECT_FALSE(first.contains("temperature"));
    EXPECT_EQ(get_string(second, "model"), "loopback-large");
    EXPECT_EQ(get_double(second, "temperature"), 0.25);
    EXPECT_EQ(get_member(second, "chat_template_kwargs"), (Json{{"enable_thinking", true}, {"low_effort", true}}));
    for (const char* text : {"mind the second half of each row", "begin again"}) {
        EXPECT_EQ(server.prompt(1).find(text), std::string::npos) << text;
        EXPECT_NE(server.prompt(2).find(text), std::string::npos) << text;
    }
    EXPECT_EQ(server.prompt(2).find("out[0] = x[1]"), std::string::npos) << "grown from turn 0, not mended";
    server.let_go(2);
    EXPECT_EQ(exit_code(), 0);
    EXPECT_EQ(server.posts(), 2u);
    const RunState state = state_of(folder);
    EXPECT_EQ(state.stop->reason, "turns");
    EXPECT_EQ(state.turns.at(2).parent, 0);
    EXPECT_EQ(state.turns.at(2).hint, "mind the second half of each row\n\nbegin again");
    ASSERT_EQ(state.turns.at(2).exchanges.size(), 1u);
    for (const Event& event : events_of(folder))
        if (event.type == EventType::model_exchange) {
            EXPECT_EQ(get_string(event.fields, "model"),
                      get_int(event.fields, "turn") == 1 ? "loopback" : "loopback-large");
        }
}

TEST_F(AttachTest, AnEditIsJudgedWhileTheModelWritesAndTheNextRequestGrowsFromIt) {
    HeldServer server(script({reply(1, "speed 1.1"), reply(2, "speed 1.2")}));
    start(server, {"--turns", "2"}); // what a person tries comes on top
    const Finished edit = attach({"--edit", write("mine.cu", source(77, "speed 1.5")), "--hint", "keep what I began"});
    EXPECT_EQ(edit.exit_code, 0) << edit.err;
    EXPECT_NE(edit.out.find("turn 2\n"), std::string::npos) << edit.out;
    ASSERT_TRUE(eventually([&] { return !told("edit").empty(); }));
    EXPECT_EQ(told("edit")[0].who, "attach");
    EXPECT_EQ(get_string(told("edit")[0].data, "file_name"), "mine.cu");
    EXPECT_EQ(server.posts(), 1u) << "the model still writes";
    server.let_go(1);
    ASSERT_TRUE(server.came(2));
    EXPECT_NE(server.prompt(2).find("out[0] = x[77]"), std::string::npos) << "the person's text is the parent";
    EXPECT_NE(server.prompt(2).find("keep what I began"), std::string::npos);
    server.let_go(2);
    EXPECT_EQ(exit_code(), 0);
    const RunState state = state_of(folder);
    EXPECT_EQ(state.turns.at(2).author, "human");
    EXPECT_EQ(state.turns.at(3).parent, 2);
    EXPECT_EQ(state.turns.at(3).hint, "keep what I began");
}

TEST_F(AttachTest, AnotherProviderIsAskedFromTheNextTurnOn) {
    HeldServer server(script({reply(1, "speed 1.1")})), other(script({reply(2, "speed 1.2")}));
    start(server, {"--turns", "2"});
    const Finished provider = attach({"--provider", other.url(), "--model", "elsewhere"});
    EXPECT_EQ(provider.exit_code, 0) << provider.err;
    expect_told("model", "turn 2");
    EXPECT_EQ(get_string(told("model")[0].data, "url"), other.url());
    server.let_go(1);
    ASSERT_TRUE(other.came(1));
    EXPECT_EQ(get_string(other.request(1).body, "model"), "elsewhere");
    other.open();
    EXPECT_EQ(exit_code(), 0);
    EXPECT_EQ(server.posts(), 1u);
    EXPECT_EQ(state_of(folder).turns.size(), 3u);
}

TEST_F(AttachTest, APauseHoldsTheNextRequestBackAndAStopAfterTheTurnIsAnEnd) {
    HeldServer server(script({reply(1, "speed 1.1"), reply(2, "speed 1.2")}));
    start(server, {});
    EXPECT_EQ(attach({"--pause"}).exit_code, 0);
    expect_told("pause", "");
    server.let_go(1);
    ASSERT_TRUE(eventually([&] { return state_of(folder).turns.at(1).finished; }));
    EXPECT_EQ(attach({"--hint", "told in the pause"}).out, "hint: for turn 2\n");
    EXPECT_FALSE(server.came(2, 0.5)) << "it is paused";
    EXPECT_EQ(attach({"--continue"}).exit_code, 0);
    ASSERT_TRUE(server.came(2));
    EXPECT_NE(server.prompt(2).find("told in the pause"), std::string::npos);
    EXPECT_EQ(attach({"--stop-after-turn"}).exit_code, 0);
    server.let_go(2);
    EXPECT_EQ(exit_code(), 4);
    EXPECT_EQ(server.posts(), 2u);
    EXPECT_TRUE(state_of(folder).turns.at(2).finished);
}

TEST_F(AttachTest, StopNowGivesTheReplyUpAndResumeAsksTheTurnAgain) {
    HeldServer server(script({reply(1, "speed 1.1"), reply(2, "speed 1.2")}));
    start(server, {"--turns", "1"});
    EXPECT_EQ(attach({"--stop"}).exit_code, 0);
    EXPECT_EQ(exit_code(), 4);
    EXPECT_EQ(state_of(folder).unfinished_turns(), std::vector<int>{1});
    server.open();
    const Finished resumed = kernelforge({"resume", folder.string()});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(server.posts(), 2u);
    // The budget is used up: going on needs a larger one, and nothing is written without it.
    const std::size_t events = events_of(folder).size();
    expect_one_error(kernelforge({"resume", folder.string()}), 2, "--turns");
    EXPECT_EQ(events_of(folder).size(), events);
    const Finished more = kernelforge({"resume", folder.string(), "--turns", "2"});
    const RunState state = state_of(folder);
    ASSERT_TRUE(state.turns.contains(2)) << more.out << more.err;
    EXPECT_EQ(state.turns.at(2).outcome, "no_candidate");
    EXPECT_EQ(told("budget").back().who, "terminal");
}

TEST_F(AttachTest, ABudgetThatCannotBeCountedIsRefusedBeforeARunBegins) {
    HeldServer server(script({reply(1, "speed 1.1")}));
    expect_one_error(
        kernelforge({"run", "stage1/silu_mul", "--provider", server.url(), "--model", "loopback", "--money", "2"}), 2,
        "what loopback costs is not known");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--money", "2"}), 2, "a run that asks a model");
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty());
    // With its price in the user's file it is held: 100 tokens of the reply are more than what may be spent.
    write("config/providers.json",
          Json{{"providers",
                Json::array({Json{
                    {"id", "box"},
                    {"base_url", server.url()},
                    {"models", Json::array({Json{{"id", "loopback"}, {"price_in", 1000}, {"price_out", 1000}}})}}})}}
              .dump());
    server.open();
    const Finished finished = kernelforge(faked({"run", "stage1/silu_mul", "--provider", "box", "--model", "loopback",
                                                 "--start", kernel("start.cu", {"speed 1"}), "--money", "0.0001"}));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(state_of(only_run()).stop->reason, "money");
    EXPECT_EQ(server.posts(), 1u);
}

TEST_F(AttachTest, OrdersThatCannotBeObeyedAreRefusedInOneLineAndNotWritten) {
    HeldServer server(script({reply(1, "speed 1.1")}));
    start(server, {"--turns", "1"});
    expect_one_error(attach({"--fork", "9"}), 2, "the run has no turn 9");
    expect_one_error(attach({"--fork", "1"}), 2, "no candidate");
    expect_one_error(attach({"--provider", "nobody"}), 2, "there is no provider 'nobody'");
    expect_one_error(attach({"--budget", "turns=many"}), 2, "NAME=NUMBER");
    expect_one_error(attach({"--budget", "money=2"}), 2, "price_in");
    expect_one_error(attach({"--temperature", "7"}), 2, "--temperature");
    EXPECT_TRUE(state_of(folder).steering.empty());
    server.open();
    EXPECT_EQ(exit_code(), 0);
}

} // namespace kf
