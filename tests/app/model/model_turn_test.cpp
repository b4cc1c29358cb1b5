// SPDX-License-Identifier: GPL-3.0-or-later
// A model's turn from its request to its end, as the journal tells it.
#include "tests/app/model/scripted_model.h"

namespace kf {

TEST_F(ModelTest, AReplyBecomesAChampionAndIsWrittenDownInOrder) {
    model->then(reply(1, {"speed 2"}));
    auto run = create();
    const auto folder = run->journal().folder();
    const RunResult result = run->run();
    EXPECT_EQ(result.end, RunEnd::champion) << result.text;
    EXPECT_EQ(result.reason, "turns");
    const auto events = events_of(folder);
    const RunState state = state_of(folder);
    ASSERT_EQ(state.turns.size(), 2u);
    const TurnState& turn = state.turns.at(1);
    EXPECT_EQ(turn.author, "model");
    EXPECT_EQ(turn.parent, 0);
    EXPECT_FALSE(turn.strategy.empty());
    EXPECT_EQ(turn.outcome, "verdict");
    ASSERT_TRUE(state.champion());
    EXPECT_EQ(state.champion()->turn, 1);
    EXPECT_EQ(turn.cost.tokens_in, 100);
    EXPECT_EQ(turn.cost.tokens_out, 20);
    EXPECT_DOUBLE_EQ(turn.cost.money, 0.25);
    EXPECT_DOUBLE_EQ(turn.cost.model_s, 0.5);
    EXPECT_GT(turn.cost.device_s, 0);

    std::vector<std::string> order;
    for (const Event& event : events)
        if (get_int(event.fields, "turn", -1) == 1 && event.type != EventType::stage)
            order.push_back(std::string(to_string(event.type)));
    ASSERT_GE(order.size(), 4u);
    EXPECT_EQ(order[0], "turn_started");
    EXPECT_EQ(order[1], "model_exchange");
    EXPECT_EQ(order[2], "candidate");
    EXPECT_EQ(order[3], "evaluation");

    const auto exchanges = of_type(events, EventType::model_exchange);
    ASSERT_EQ(exchanges.size(), 1u);
    const Json& fields = exchanges[0].fields;
    EXPECT_EQ(get_string(fields, "provider"), "scripted");
    EXPECT_EQ(get_string(fields, "purpose"), "write");
    EXPECT_EQ(get_int(fields, "tokens_reasoning"), 5);
    EXPECT_FALSE(fields.contains("failure"));
    const auto request = chat_request_from_json(Json::parse(run->journal().blob(get_string(fields, "request"))));
    ASSERT_TRUE(request);
    EXPECT_EQ(request->messages, model->requests().at(0).messages);
    const auto kept = chat_reply_from_json(Json::parse(run->journal().blob(get_string(fields, "reply"))));
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->pieces.size(), 2u);
    EXPECT_EQ(run->journal().blob(turn.source), candidate(1, {"speed 2"}));
}

TEST_F(ModelTest, AReplyWithoutAKernelGetsOneRepair) {
    model->then(ScriptedModel::saying("I would rather talk about the weather."));
    model->then(reply(1, {"speed 2"}));
    auto run = create();
    const auto folder = run->journal().folder();
    EXPECT_EQ(run->run().end, RunEnd::champion);
    const auto exchanges = of_type(events_of(folder), EventType::model_exchange);
    ASSERT_EQ(exchanges.size(), 2u);
    EXPECT_TRUE(exchanges[0].fields.contains("no_candidate"));
    EXPECT_EQ(get_string(exchanges[1].fields, "purpose"), "repair");
    EXPECT_NE(text_of(model->requests().at(1)).find("talk about the weather"), std::string::npos)
        << "the model sees its own reply";
    EXPECT_EQ(state_of(folder).turns.at(1).outcome, "verdict");
    EXPECT_EQ(state_of(folder).turns.at(1).cost.tokens_in, 200) << "both are paid for";
}

TEST_F(ModelTest, TwoRepliesWithoutAKernelAreAFailedTurn) {
    settings.stop.turns = 0;
    settings.stop.failed_limit = 2;
    for (int i = 0; i < 4; ++i)
        model->then(ScriptedModel::saying("no"));
    auto run = create();
    const auto folder = run->journal().folder();
    EXPECT_EQ(run->run().reason, "failures");
    const RunState state = state_of(folder);
    ASSERT_EQ(state.turns.size(), 3u);
    EXPECT_EQ(state.turns.at(1).outcome, "no_candidate");
    EXPECT_TRUE(state.turns.at(1).evaluations.empty());
    EXPECT_EQ(model->asked(), 4u) << "one repair a turn";
}

TEST_F(ModelTest, ADuplicateIsNotJudgedAgain) {
    settings.stop.turns = 0;
    settings.stop.failed_limit = 2;
    model->then(reply(1, {"fail mismatch"}));
    model->then(reply(1, {"fail mismatch", "speed 9"})); // a comment makes no difference
    auto run = create();
    const auto folder = run->journal().folder();
    EXPECT_EQ(run->run().reason, "failures");
    const RunState state = state_of(folder);
    EXPECT_EQ(state.turns.at(2).outcome, "duplicate");
    EXPECT_EQ(state.turns.at(2).text, "same as turn 1");
    EXPECT_TRUE(state.turns.at(2).evaluations.empty());
}

TEST_F(ModelTest, AStructureWithTunablesIsSweptBeforeItIsJudged) {
    model->then(reply(1, {"speed 1", "tunable BLOCK 128 3"}, "#pragma kf tune BLOCK in {32, 64, 128}\n"));
    auto run = create();
    const auto folder = run->journal().folder();
    EXPECT_EQ(run->run().end, RunEnd::champion);
    const RunState state = state_of(folder);
    ASSERT_TRUE(state.champion());
    EXPECT_EQ(state.champion()->turn, 1);
    EXPECT_EQ(get_int(state.champion()->tunables, "BLOCK"), 128);
    int screens = 0;
    for (const EvaluationState& evaluation : state.turns.at(1).evaluations)
        screens += evaluation.level == "screen";
    EXPECT_EQ(screens, 3) << "each point once, the default included";
}

TEST_F(ModelTest, ARefusedKeyEndsTheRunAtOnceAndAResumedOneGoesOn) {
    model->then(ScriptedModel::failing(ModelFailure::unauthorized, "the provider refuses the key (401)"));
    auto run = create();
    const auto folder = run->journal().folder();
    const RunResult result = run->run();
    EXPECT_EQ(result.end, RunEnd::infrastructure);
    EXPECT_EQ(result.reason, "model");
    EXPECT_EQ(result.remedy, "do something about it");
    EXPECT_EQ(model->asked(), 1u);
    run.reset();
    RunState state = state_of(folder);
    EXPECT_EQ(state.stop->reason, "model");
    EXPECT_NE(state.stop->text.find("401"), std::string::npos);
    EXPECT_EQ(state.turns.at(1).outcome, "infrastructure");

    model->then(reply(1, {"speed 2"}));
    auto resumed = kf::Run::resume(folder, transports, Json{{"model", "scripted-2"}});
    ASSERT_TRUE(resumed) << to_string(resumed.error());
    (*resumed)->change_budget("test", Json{{"turns", 2}}).value();
    EXPECT_EQ((*resumed)->run().end, RunEnd::champion);
    EXPECT_EQ(model->requests().at(1).model, "scripted-2");
    EXPECT_EQ(state_of(folder).champion()->turn, 2);
    EXPECT_EQ(get_string(state_of(folder).start.settings["model"], "model"), "scripted-2");
}

TEST_F(ModelTest, WhatMayGoBetterIsTriedAgainAndHasItsOwnLimit) {
    model->then(ScriptedModel::failing(ModelFailure::truncated));
    model->then(reply(1, {"speed 2"}));
    auto run = create();
    EXPECT_EQ(run->run().end, RunEnd::champion);
    const auto told = of_type(events_of(run->journal().folder()), EventType::infrastructure);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(get_string(told[0].fields, "where"), "model");
    EXPECT_TRUE(get_bool(told[0].fields, "retry"));

    model->then(ScriptedModel::failing(ModelFailure::rate_limited));
    model->then(ScriptedModel::failing(ModelFailure::stalled));
    auto other = create();
    const RunResult result = other->run();
    EXPECT_EQ(result.reason, "model");
    EXPECT_EQ(model->asked(), 4u) << "two failures in a row are the limit";
}

TEST_F(ModelTest, AnOverflowShortensThePromptAndThenEndsTheRun) {
    model->then(ScriptedModel::failing(ModelFailure::overflow, "maximum context length is 4096 tokens"));
    model->then(ScriptedModel::failing(ModelFailure::overflow, "maximum context length is 4096 tokens"));
    model->then(ScriptedModel::failing(ModelFailure::overflow, "maximum context length is 4096 tokens"));
    auto run = create();
    const RunResult result = run->run();
    EXPECT_EQ(result.reason, "model");
    EXPECT_NE(result.text.find("4096"), std::string::npos) << result.text;
    EXPECT_LE(model->asked(), 3u);
    EXPECT_GE(of_type(events_of(run->journal().folder()), EventType::note).size(), 1u);
}

TEST_F(ModelTest, AnExchangeInTheJournalIsNotPaidAgain) {
    model->then(reply(1, {"speed 2"}));
    std::filesystem::path folder;
    {
        auto run = create();
        folder = run->journal().folder();
        // Lost right behind the reply, before anything was made of it.
        run->journal().on_event([](const Event& event) {
            if (event.type == EventType::model_exchange)
                throw JournalFailure(make_error("lost", "the run was lost"));
        });
        EXPECT_EQ(run->run().end, RunEnd::infrastructure);
    }
    EXPECT_EQ(state_of(folder).unfinished_turns(), std::vector<int>{1});
    EXPECT_TRUE(state_of(folder).turns.at(1).source.empty());
    auto resumed = kf::Run::resume(folder, transports);
    ASSERT_TRUE(resumed) << to_string(resumed.error());
    EXPECT_EQ((*resumed)->run().end, RunEnd::champion);
    EXPECT_EQ(model->asked(), 1u);
    EXPECT_EQ(state_of(folder).champion()->turn, 1);
}

TEST_F(ModelTest, BudgetsOfTokensEndTheRun) {
    settings.stop.turns = 0;
    settings.stop.tokens = 200;
    for (int n = 1; n <= 3; ++n)
        model->then(reply(n, {"speed 1"}));
    auto run = create();
    EXPECT_EQ(run->run().reason, "tokens");
    EXPECT_EQ(model->asked(), 2u);
}

TEST_F(ModelTest, ACandidateHasItsDifferenceToItsParent) {
    model->then(reply(1, {"speed 2"}));
    auto run = create();
    EXPECT_EQ(run->run().end, RunEnd::champion);
    const RunState state = state_of(run->journal().folder());
    EXPECT_TRUE(state.turns.at(0).diff.empty()) << "it grew from nothing";
    const std::string diff = run->journal().blob(state.turns.at(1).diff);
    EXPECT_TRUE(diff.starts_with("--- turn 0\n+++ turn 1\n@@ -")) << diff;
    EXPECT_NE(diff.find("+__global__ void copy(const __nv_bfloat16* x, __nv_bfloat16* out) { out[0] = x[1]; }"),
              std::string::npos)
        << diff;
    EXPECT_NE(diff.find("\n-__global__ void copy"), std::string::npos) << diff;
}

TEST_F(ModelTest, ABudgetOfMoneyNeedsAKnownPrice) {
    transports->cost_known = false;
    settings.stop.money = 2;
    auto refused = kf::Run::create(task, settings, home / "data" / "runs", transports);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "money-unknown");
    EXPECT_NE(refused.error().remedy.find("price_in"), std::string::npos);
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty());
    settings.stop.money = 0;
    auto run = create();
    ASSERT_TRUE(run);
    const auto told = run->change_budget("test", Json{{"money", 2}});
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().code, "money-unknown");
    EXPECT_TRUE(run->change_budget("test", Json{{"tokens", 100}}));
    transports->cost_known = true;
    EXPECT_TRUE(run->change_budget("test", Json{{"money", 2}}));
    transports->cost_known = false;
    const auto changed = run->change_model("test", Json{{"model", "scripted-2"}});
    ASSERT_FALSE(changed) << "the money that is set could not be counted any more";
    EXPECT_EQ(changed.error().code, "money-unknown");
}

TEST_F(ModelTest, AModelThatCannotBeAskedIsRefusedBeforeAnythingIsWritten) {
    settings.model.model = "unknown";
    auto run = kf::Run::create(task, settings, home / "data" / "runs", transports);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, "model-missing");
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty());
    settings.model.model = "scripted-1";
    EXPECT_EQ(kf::Run::create(task, settings, home / "data" / "runs").error().code, "model-missing");
}

TEST_F(ModelTest, SettingsOutOfRangeAreRefusedByName) {
    for (const auto& [change, code] :
         std::vector<std::pair<Json, std::string>>{{{{"temperature", 2.5}}, "settings-temperature"},
                                                   {{{"temperature", "hot"}}, "settings-temperature"},
                                                   {{{"reasoning", "much"}}, "settings-reasoning"},
                                                   {{{"max_tokens", 1e300}}, "settings-max-tokens"},
                                                   {{{"context_tokens", 600}}, "settings-max-tokens"},
                                                   {{{"model", 7}}, "settings-model"},
                                                   {{{"key", "abc"}}, "settings-model"},
                                                   {Json::object(), "settings-model"}}) {
        const auto result = changed(settings.model, change);
        ASSERT_FALSE(result) << dump_line(change);
        EXPECT_EQ(result.error().code, code) << dump_line(change);
    }
    const auto other = changed(settings.model, Json{{"provider", "vllm"}, {"temperature", nullptr}});
    ASSERT_TRUE(other);
    EXPECT_EQ(other->url, "");
    EXPECT_FALSE(other->temperature);
}

} // namespace kf
