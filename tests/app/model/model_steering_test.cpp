// SPDX-License-Identifier: GPL-3.0-or-later
// What people tell a run while a model writes, and the run that repeats another one.
#include "core/engine/control_server.h"
#include "tests/app/model/scripted_model.h"

namespace kf {

class ModelSteeringTest : public ModelTest {
protected:
    // An answer that waits until the test lets it go; a cancellation ends it.
    ScriptedModel::Answer held(ChatReply reply) {
        return [this, reply = std::move(reply)](const ChatRequest&, const std::stop_token& stop) -> ChatOutcome {
            ++waiting;
            while (!release && !stop.stop_requested())
                usleep(2000);
            --waiting;
            if (stop.stop_requested())
                return ScriptedModel::failing(ModelFailure::cancelled, "cancelled");
            return reply;
        };
    }
    void start() {
        run = create();
        ASSERT_TRUE(run);
        auto opened = ControlServer::open(*run);
        ASSERT_TRUE(opened) << to_string(opened.error());
        control = std::move(*opened);
        thread = std::thread([this] { result = run->run(); });
        ASSERT_TRUE(eventually([this] { return waiting == 1; }));
        auto connected = ControlClient::connect(control->path());
        ASSERT_TRUE(connected);
        client = std::move(*connected);
    }
    void finish() {
        release = true;
        if (thread.joinable())
            thread.join();
    }
    void TearDown() override {
        if (run)
            run->steering().stop_now("test");
        finish();
        client.reset();
        control.reset();
        run.reset();
        ModelTest::TearDown();
    }
    std::vector<Steering> told(const std::string& what) {
        std::vector<Steering> some;
        for (const Steering& one : state_of(run->journal().folder()).steering)
            if (one.what == what)
                some.push_back(one);
        return some;
    }

    std::unique_ptr<kf::Run> run;
    std::unique_ptr<ControlServer> control;
    std::unique_ptr<ControlClient> client;
    std::thread thread;
    RunResult result;
    std::atomic<int> waiting = 0;
    std::atomic<bool> release = false;
};

TEST_F(ModelSteeringTest, OrdersAreInTheJournalAndInTheNextRequest) {
    settings.stop.turns = 1;
    model->then(held(reply(1, {"speed 2"})));
    model->then(reply(2, {"speed 3"}));
    start();
    ASSERT_TRUE(client->request("hint", Json{{"text", "mind the second half"}, {"who", "test"}}));
    const auto fork = client->request("fork", Json{{"turn", 0}, {"who", "test"}});
    ASSERT_TRUE(fork) << to_string(fork.error());
    EXPECT_EQ(get_int(*fork, "turn"), 2);
    const auto changed = client->request(
        "model", Json{{"model", "scripted-2"}, {"temperature", 0.5}, {"reasoning", "low"}, {"who", "test"}});
    ASSERT_TRUE(changed) << to_string(changed.error());
    ASSERT_TRUE(client->request("budget", Json{{"turns", 2}, {"who", "test"}}));
    ASSERT_TRUE(eventually([&] { return told("budget").size() == 1; })) << "heard while the model writes";
    for (const char* what : {"hint", "fork", "model"}) {
        ASSERT_EQ(told(what).size(), 1u) << what;
        EXPECT_EQ(told(what)[0].effect, "turn 2") << what;
        EXPECT_EQ(told(what)[0].who, "test");
    }
    finish();
    EXPECT_EQ(result.reason, "turns");
    ASSERT_EQ(model->asked(), 2u);
    const ChatRequest request = model->requests().at(1);
    EXPECT_EQ(request.model, "scripted-2");
    EXPECT_EQ(request.temperature, 0.5);
    EXPECT_EQ(request.reasoning, ReasoningEffort::low);
    EXPECT_NE(text_of(request).find("mind the second half"), std::string::npos);
    EXPECT_EQ(text_of(model->requests().at(0)).find("mind the second half"), std::string::npos);
    const TurnState turn = state_of(run->journal().folder()).turns.at(2);
    EXPECT_EQ(turn.parent, 0);
    EXPECT_EQ(turn.hint, "mind the second half");
    EXPECT_EQ(transports->opened, 2);
}

TEST_F(ModelSteeringTest, AnEditBecomesATurnThatTheModelGrowsFrom) {
    settings.stop.turns = 3;
    model->then(held(reply(1, {"speed 1"})));
    model->then(reply(2, {"speed 1"}));
    start();
    const auto answer = client->request("edit",
                                        Json{{"source", candidate(7, {"speed 1.5"})},
                                             {"file_name", "mine.cu"},
                                             {"hint", "as I began it"},
                                             {"who", "test"}},
                                        60);
    ASSERT_TRUE(answer) << to_string(answer.error());
    EXPECT_EQ(get_int(*answer, "turn"), 2) << "judged while the model writes";
    ASSERT_EQ(told("edit").size(), 1u);
    finish();
    const RunState state = state_of(run->journal().folder());
    EXPECT_EQ(state.turns.at(2).author, "human");
    EXPECT_EQ(state.turns.at(3).parent, 2);
    EXPECT_EQ(state.turns.at(3).hint, "as I began it");
    EXPECT_NE(text_of(model->requests().at(1)).find("x[7]"), std::string::npos) << "the person's text is the parent";
}

TEST_F(ModelSteeringTest, WhatCannotBeDoneIsRefused) {
    model->then(held(reply(1, {"speed 2"})));
    start();
    EXPECT_EQ(client->request("fork", Json{{"turn", 9}}).error().code, "turn-unknown");
    EXPECT_EQ(client->request("fork", Json{{"turn", 1}}).error().code, "turn-empty") << "it is being written";
    EXPECT_EQ(client->request("fork", Json{{"turn", "x"}}).error().code, "request-invalid");
    EXPECT_EQ(client->request("model", Json{{"model", "unknown"}}).error().code, "model-missing");
    EXPECT_EQ(client->request("model", Json{{"key", "abc"}}).error().code, "settings-model");
    EXPECT_EQ(client->request("budget", Json{{"turns", -1}}).error().code, "settings-budget");
    EXPECT_EQ(client->request("budget", Json{{"turns", 1.5}}).error().code, "settings-budget");
    EXPECT_EQ(client->request("budget", Json::object()).error().code, "settings-budget");
    EXPECT_EQ(client->request("subscribe", Json{{"what", {"everything"}}}).error().code, "request-invalid");
    EXPECT_TRUE(told("model").empty());
    EXPECT_TRUE(told("fork").empty());
    finish();
    EXPECT_EQ(state_of(run->journal().folder()).turns.at(1).outcome, "verdict");
}

TEST_F(ModelSteeringTest, SubscribersSeeTheWordsAsTheyCome) {
    model->then(held(reply(1, {"speed 2"})));
    start();
    const auto status = client->request("status", Json{{"turns", false}});
    ASSERT_TRUE(status);
    EXPECT_EQ(get_string(status->at("running"), "what"), "model");
    EXPECT_EQ(get_string(status->at("running").at("model"), "phase"), "waiting");
    EXPECT_EQ(get_string(status->at("model"), "model"), "scripted-1");
    std::mutex mutex;
    std::string content, reasoning;
    int ended = 0;
    std::jthread subscriber([&] {
        auto other = ControlClient::connect(control->path());
        if (!other)
            return;
        (void)(*other)->request("subscribe", Json{{"what", {"model"}}}, 60, [&](const Json& event) {
            const std::lock_guard lock(mutex);
            ended += get_string(event, "event") == "model_ended";
            std::string& text = get_string(event, "kind") == "reasoning" ? reasoning : content;
            if (get_string(event, "event") == "model") {
                EXPECT_EQ(get_int(event, "from"), static_cast<std::int64_t>(text.size()));
                text += get_string(event, "text");
            }
        });
    });
    usleep(300'000); // it is subscribed before the first word
    run->live_reply();
    release = true;
    thread.join();
    control.reset(); // the run's end is the subscription's end
    subscriber.join();
    EXPECT_EQ(reasoning, "let me think");
    EXPECT_NE(content.find("```cuda"), std::string::npos);
    EXPECT_EQ(ended, 1);
}

TEST_F(ModelSteeringTest, StopNowCancelsTheModelAndTheTurnIsTakenAgain) {
    model->then(held(reply(1, {"speed 2"})));
    start();
    ASSERT_TRUE(client->request("stop", Json{{"after", "now"}}));
    thread.join();
    EXPECT_EQ(result.end, RunEnd::stopped);
    const auto folder = run->journal().folder();
    EXPECT_EQ(state_of(folder).unfinished_turns(), std::vector<int>{1});
    control.reset();
    run.reset();
    model->then(reply(1, {"speed 2"}));
    auto resumed = kf::Run::resume(folder, transports);
    ASSERT_TRUE(resumed) << to_string(resumed.error());
    EXPECT_EQ((*resumed)->run().end, RunEnd::champion);
    EXPECT_EQ(state_of(folder).turns.at(1).exchanges.size(), 2u);
}

TEST_F(ModelSteeringTest, OrdersOfALostRunAreFoundAgain) {
    model->then(held(reply(1, {"speed 2"})));
    start();
    ASSERT_TRUE(client->request("hint", Json{{"text", "not forgotten"}}));
    ASSERT_TRUE(client->request("fork", Json{{"turn", 0}}));
    ASSERT_TRUE(client->request("budget", Json{{"turns", 2}}));
    ASSERT_TRUE(eventually([&] { return told("budget").size() == 1; }));
    ASSERT_TRUE(client->request("stop", Json{{"after", "now"}}));
    thread.join();
    const auto folder = run->journal().folder();
    control.reset();
    run.reset();
    model->then(reply(1, {"speed 2"}));
    model->then(reply(2, {"speed 3"}));
    auto resumed = kf::Run::resume(folder, transports);
    ASSERT_TRUE(resumed) << to_string(resumed.error());
    EXPECT_EQ((*resumed)->run().reason, "turns");
    const RunState state = state_of(folder);
    EXPECT_EQ(state.turns.at(1).hint, "") << "it was begun without it";
    EXPECT_EQ(state.turns.at(2).hint, "not forgotten");
    EXPECT_EQ(state.turns.at(2).parent, 0);
}

TEST_F(ModelTest, ARecordRepeatsTheRunWithNoModel) {
    settings.stop.turns = 3;
    model->then(ScriptedModel::saying("first I think"));
    model->then(reply(1, {"fail mismatch"}));
    model->then(reply(2, {"speed 2"}));
    model->then(reply(3, {"speed 1"}));
    auto run = create();
    EXPECT_EQ(run->run().reason, "turns");
    const auto folder = run->journal().folder();
    run.reset();
    const RunState before = state_of(folder);
    ASSERT_EQ(before.turns.size(), 4u);

    settings.model.record = folder.string();
    settings.start_file = "/nowhere/start.cu"; // the record has it
    settings.stop.turns = 0;
    auto again = create(false);
    ASSERT_TRUE(again);
    const RunResult result = again->run();
    EXPECT_EQ(result.end, RunEnd::champion) << result.text;
    EXPECT_EQ(result.reason, "record");
    const auto second = again->journal().folder();
    const RunState after = state_of(second);
    ASSERT_EQ(after.turns.size(), before.turns.size());
    for (const auto& [number, turn] : before.turns) {
        EXPECT_EQ(after.turns.at(number).source, turn.source) << number;
        EXPECT_EQ(after.turns.at(number).parent, turn.parent) << number;
        EXPECT_EQ(after.turns.at(number).strategy, turn.strategy) << number;
        EXPECT_EQ(after.turns.at(number).outcome, turn.outcome) << number;
    }
    EXPECT_EQ(after.champion()->turn, before.champion()->turn);
    EXPECT_EQ(after.spent().tokens_in, 0) << "nothing was asked or paid";
    EXPECT_EQ(model->asked(), 4u);
    const auto exchanges = of_type(events_of(second), EventType::model_exchange);
    ASSERT_EQ(exchanges.size(), 4u);
    for (const Event& exchange : exchanges)
        EXPECT_EQ(get_string(get_member(exchange.fields, "recorded"), "run"), before.start.run);

    again.reset();
    settings.model.then_live = true;
    settings.stop.turns = 4;
    model->then(reply(4, {"speed 5"}));
    auto live = create();
    ASSERT_TRUE(live);
    EXPECT_EQ(live->run().reason, "turns");
    EXPECT_EQ(model->asked(), 5u) << "only what the record does not hold";
    EXPECT_EQ(state_of(live->journal().folder()).champion()->turn, 4);
}

} // namespace kf
