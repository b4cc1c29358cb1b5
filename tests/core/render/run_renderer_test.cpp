// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/render/fixture.h"

#include "core/autopsy/evaluation.h"
#include "core/render/autopsy_lines.h"
#include "core/render/figures.h"

#include <algorithm>
#include <limits>

namespace kf {
namespace {

// A wrong kernel's whole result, as the evaluator gives it.
Json wrong_result() {
    Evaluation evaluation;
    evaluation.id = "e1";
    evaluation.task = "softmax";
    StageReport compile, verify;
    compile.stage = Stage::compile;
    verify.stage = Stage::verify;
    verify.outcome = StageReport::Outcome::failed;
    evaluation.stages = {compile, verify};
    Failure failure;
    failure.stage = Stage::verify;
    failure.failure = FailureClass::mismatch;
    failure.place = "out";
    failure.pattern = Pattern::tail;
    failure.message = "37 of 300 elements of out are outside the tolerance";
    ShrunkCase shrunk;
    shrunk.symbols = {{"N", 9}};
    shrunk.first_bad = {{{8}, 1.25, 0}};
    failure.shrunk = shrunk;
    CaseReport report;
    report.symbols = {{"N", 300}};
    Comparison comparison;
    comparison.output = "out";
    comparison.elements = 300;
    comparison.bad = 37;
    report.comparisons = {comparison};
    failure.failing_case = report;
    evaluation.failure = failure;
    return to_json(evaluation);
}

EvaluationEvent wrong_evaluation(int turn) {
    EvaluationEvent event;
    event.turn = turn;
    event.evaluation = "e" + std::to_string(turn);
    event.level = "screen";
    event.verdict = "mismatch";
    event.summary = "mismatch at out: 37 of 300 elements are wrong";
    event.failed = true;
    return event;
}

} // namespace

TEST_F(RenderTest, AnEmptyJournal) {
    EXPECT_TRUE(render().empty());
    EXPECT_EQ(live, "starting the evaluator");
}

TEST_F(RenderTest, NoTurns) {
    begin();
    const auto lines = render({}, LockState::held);
    EXPECT_EQ(lines, (std::vector<std::string>{"run     20261130T171500Z-softmax-k3x9q2",
                                               "task    softmax · Softmax over rows", "device  cpu (Test processor)",
                                               "by      files", "budget  12 turns, 1:30"}));
    EXPECT_EQ(live, "0:00 next turn");
}

TEST_F(RenderTest, OneTurnAndTheEnd) {
    begin();
    start_turn();
    finish();
    const auto lines = render();
    EXPECT_EQ(line_with(lines, "▬"),
              "   0  file   ▬ start kernel       2 ms                       – ◕   0.500×  first champion · start.cu");
    EXPECT_EQ(line_with(lines, "champion  turn"), "champion  turn 0 · 2 ms · the start kernel · ◕ certify");
    EXPECT_EQ(line_with(lines, "stopped"), "stopped   all files were judged");
    EXPECT_EQ(lines.back(), "journal   /runs/softmax");
    EXPECT_EQ(live, "");
}

TEST_F(RenderTest, ColumnsAlign) {
    begin();
    start_turn();
    turn(1, evaluation(1, "e1", "certify", "faster", 1.42e-3, 1.408));
    turn(2, evaluation(2, "e2", "screen", "slower", 33e-6, 0.123), "verdict", "漢字漢字");
    turn(12345, evaluation(12345, "e3", "duel", "equivalent", 2, 1.0004), "verdict", "model");
    finish();
    const auto lines = render();
    const std::string header = line_with(lines, "against champion");
    const auto cells_before = [](const std::string& line, const std::string& mark) {
        const std::size_t at = line.find(mark);
        EXPECT_NE(at, std::string::npos) << line;
        return display_width(line.substr(0, at));
    };
    const int verdict = cells_before(header, "verdict");
    EXPECT_EQ(cells_before(line_with(lines, "▼"), "▼"), verdict);
    EXPECT_EQ(cells_before(line_with(lines, "▲"), "▲"), verdict);
    const int evidence = cells_before(line_with(lines, "▼"), "◕");
    EXPECT_EQ(cells_before(line_with(lines, "▲"), "◔"), evidence);
    // A number that is too long for its column moves its own line only.
    EXPECT_EQ(cells_before(line_with(lines, "■"), "■"), verdict + 1);
    EXPECT_NE(line_with(lines, "▼").find("1.408× [1.394, 1.422]"), std::string::npos);
}

TEST_F(RenderTest, AFailedTurnShowsAShortAutopsy) {
    begin();
    start_turn();
    EvaluationEvent event = wrong_evaluation(1);
    event.result = wrong_result();
    turn(1, event, "failed");
    const auto lines = render();
    const auto row =
        std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.find("◇ wrong") != line.npos; });
    ASSERT_NE(row, lines.end());
    EXPECT_NE(row->find("mismatch at out: 37 of 300 elements are wrong"), std::string::npos);
    EXPECT_EQ(row->find("2 ms"), std::string::npos) << "a failed kernel has no time";
    std::size_t autopsy = 0;
    for (auto line = row + 1; line != lines.end() && line->starts_with("      "); ++line)
        ++autopsy;
    EXPECT_GE(autopsy, 4u);
    EXPECT_LE(autopsy, max_autopsy_lines);
    EXPECT_NE(line_with(lines, "N=9").find("the smallest case that fails"), std::string::npos);
    line_with(lines, "out[8]: got 0, expected 1.25");
    line_with(lines, "try: ");
}

TEST_F(RenderTest, ALargeResultIsFoundInItsBlob) {
    begin();
    start_turn();
    EvaluationEvent event = wrong_evaluation(1);
    auto hash = writer->put_blob(dump_line(wrong_result()));
    ASSERT_TRUE(hash);
    event.result_blob = *hash;
    turn(1, event, "failed");
    line_with(render(), "out[8]: got 0, expected 1.25");
}

TEST_F(RenderTest, AnUnreadableResultCostsOnlyTheAutopsy) {
    begin();
    start_turn();
    EvaluationEvent event = wrong_evaluation(1);
    event.result = {{"id", 7}, {"stages", "none"}};
    turn(1, event, "failed");
    event = wrong_evaluation(2);
    event.result_blob = std::string(64, '0'); // no such blob
    turn(2, event, "failed");
    const auto lines = render();
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.find("◇") != line.npos; }),
              2);
}

TEST_F(RenderTest, ASweepIsALineAPointAndOneForTheTurn) {
    begin("softmax", "tuner");
    start_turn();
    put(TurnStarted{1, 0, "tuner", "sweep of the tune space", ""});
    candidate(1, "start.cu");
    for (int point = 1; point <= 3; ++point) {
        EvaluationEvent event = evaluation(1, "p" + std::to_string(point), "screen", point == 2 ? "faster" : "slower",
                                           1e-3, point == 2 ? 1.3 : 0.9);
        event.tunables = {{"BLOCK", 64 * point}};
        put(event);
    }
    put(StageProgress{1, "p4", "measure", "round", "", 0, {{"round", 2}, {"of", 6}}});
    render();
    EXPECT_EQ(live, "0:00 turn 1 · tuner · point 4 · measure · round 2/6");
    EvaluationEvent failed = wrong_evaluation(1);
    failed.evaluation = "p4";
    failed.tunables = {{"BLOCK", 1024}};
    put(failed);
    EvaluationEvent certified = evaluation(1, "p5", "certify", "faster", 0.9e-3, 1.31);
    certified.tunables = {{"BLOCK", 128}};
    put(certified);
    put(ChampionEvent{1, "p5", "h1", {{"BLOCK", 128}}, "certify", "faster", 0.9e-3});
    // A second certified point that is slower must not speak for the turn.
    EvaluationEvent second = evaluation(1, "p6", "certify", "slower", 1.9e-3, 0.7);
    second.tunables = {{"BLOCK", 64}};
    put(second);
    put(TurnFinished{1, "verdict", "new champion", {}});
    finish();
    const auto lines = render();
    const std::string row = line_with(lines, "   1  tuner");
    EXPECT_NE(row.find("▼ faster"), std::string::npos) << row;
    EXPECT_NE(row.find("new champion · 6 points · BLOCK=128"), std::string::npos) << row;
    EXPECT_NE(line_with(lines, "BLOCK=1024").find("◇ wrong"), std::string::npos);
    EXPECT_EQ(std::count_if(
                  lines.begin(), lines.end(),
                  [](const auto& line) { return line.starts_with("          ") && line.find("BLOCK=") != line.npos; }),
              6);
    EXPECT_EQ(line_with(lines, "champion  turn"),
              "champion  turn 1 · 900 µs · BLOCK=128 · 1.310× [1.297, 1.323] against the start kernel · ◕ certify");
}

TEST_F(RenderTest, SpeedUpsOfAChainOfChampionsMultiply) {
    begin();
    start_turn();
    turn(1, evaluation(1, "e1", "certify", "faster", 1e-3, 2));
    put(ChampionEvent{1, "e1", "h1", {}, "certify", "", 1e-3});
    turn(2, evaluation(2, "e2", "certify", "faster", 0.5e-3, 1.5));
    put(ChampionEvent{2, "e2", "h2", {}, "certify", "", 0.5e-3});
    put(ChampionEvent{2, "e2", "h2", {}, "promote", "", 0.5e-3}); // the same once more, promoted: no further factor
    finish();
    EXPECT_NE(line_with(render(), "champion  turn").find("3.000× [2.940, 3.060] against the start kernel · ● promote"),
              std::string::npos);
}

TEST_F(RenderTest, NaNAndHostileTextsDoNoHarm) {
    begin("soft\x1b[2Jmax\nevil");
    start_turn();
    EvaluationEvent event = evaluation(1, "e1", "screen", "faster", 1e-3);
    event.seconds_per_call = std::numeric_limits<double>::quiet_NaN();
    event.vs_champion = {
        {"estimate", std::numeric_limits<double>::quiet_NaN()}, {"low", "nan"}, {"high", Json::array()}};
    event.vs_baselines = {{"eager", "fast"}, {"\x1b]0;x\x07", 3}};
    event.flags = {"flag\x1b[31m", "two\nlines"};
    turn(1, event);
    finish("x", "because\n\x1b[2Jof it");
    for (const std::string& line : render()) {
        EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        EXPECT_EQ(line.find("nan"), std::string::npos) << line;
    }
}

TEST_F(RenderTest, LongNamesFitEveryWidth) {
    const std::string name = "a_task_whose_name_has_eighty_characters_which_is_what_people_do_when_nobody_stops";
    ASSERT_GE(name.size(), 80u);
    begin(name);
    start_turn();
    EvaluationEvent event = wrong_evaluation(1);
    event.summary = std::string(500, 'x');
    event.result = wrong_result();
    turn(1, event, "failed");
    finish("no_progress", std::string(300, 'y'));
    for (const int width : {40, 60, 80, 100, 120, 200}) {
        for (const bool colour : {false, true}) {
            const auto lines = render({.colour = colour, .width = width});
            for (const std::string& line : lines)
                if (width >= 80) { // the columns themselves need 74 cells
                    EXPECT_LE(display_width(line), width) << line;
                }
        }
    }
    EXPECT_NE(line_with(render({.colour = false, .width = 60}), "task").find("…"), std::string::npos);
    line_with(render(), name); // nothing is cut in a pipe
}

TEST_F(RenderTest, FollowsTheStages) {
    begin();
    start_turn();
    put(TurnStarted{1, 0, "file", "", ""});
    put(StageProgress{1, "e1", "compile", "started", "", 0, {}});
    render();
    EXPECT_EQ(live, "0:00 turn 1 · file · compile");
    put(StageProgress{1, "e1", "verify", "started", "", 0, {}});
    put(StageProgress{1, "e1", "verify", "case", "", 0, {{"index", 3}, {"total", 18}}});
    render();
    EXPECT_EQ(live, "0:00 turn 1 · file · verify · case 4/18");
    put(StageProgress{1, "e1", "verify", "case", "", 0, {{"index", "x"}, {"total", -4}}});
    render();
    EXPECT_EQ(live, "0:00 turn 1 · file · verify · case 1");
    put(wrong_evaluation(1));
    render();
    EXPECT_EQ(live, "0:00 turn 1 · file");
}

TEST_F(RenderTest, InterruptedResumedDamagedAndNewer) {
    begin();
    start_turn();
    put(Resumed{17, 4711});
    put(Steering{"attach", "hint", {{"text", "use\nshared memory"}}, "turn 1"});
    put(Infrastructure{1, "e1", "evaluator", "it ended", true});
    ASSERT_TRUE(writer->append(EventType::note, {{"level", "warning"}, {"text", "disk nearly full"}}));
    writer.reset();
    {
        std::FILE* file = std::fopen((root / "run" / "journal.jsonl").c_str(), "a");
        ASSERT_TRUE(file);
        std::fputs("garbage\n{\"v\":1,\"n\":99,\"t\":1,\"type\":\"telepathy\"}\n", file);
        std::fclose(file);
    }
    const auto lines = render({}, LockState::stale);
    EXPECT_EQ(line_with(lines, "resumed"),
              "resumed: the process 4711 that wrote it was lost; 17 bytes of an incomplete event dropped");
    EXPECT_EQ(line_with(lines, "hint"), "↳ attach: hint “use shared memory” → turn 1");
    EXPECT_EQ(line_with(lines, "⊘"), "⊘ evaluator: it ended (tried again; it counts for nothing)");
    line_with(lines, "note: disk nearly full");
    line_with(lines, "of the journal is no event");
    line_with(lines, "event \"telepathy\" of a newer release");
    line_with(lines, "interrupted after event");
    line_with(lines, "champion  turn 0");
}

TEST_F(RenderTest, EveryOutcomeOfATurnHasItsShape) {
    begin();
    start_turn();
    int number = 1;
    const auto add = [&](const std::string& verdict, const std::string& outcome, const std::string& shape) {
        EvaluationEvent event = evaluation(number, "e" + std::to_string(number), "screen", verdict, 1e-3, 1);
        event.failed = outcome == "failed";
        turn(number, event, outcome);
        EXPECT_NE(line_with(render(), "\u0020" + std::to_string(number) + "  file").find(shape), std::string::npos)
            << verdict;
        ++number;
    };
    add("faster", "verdict", "▼ faster");
    add("slower", "verdict", "▲ slower");
    add("equivalent", "verdict", "■ equivalent");
    add("inconclusive", "verdict", "○ inconclusive");
    add("mismatch", "failed", "◇ wrong");
    add("compile", "failed", "✕ error");
    add("timeout", "failed", "⧗ timeout");
    add("suspect", "failed", "⚑ suspect");
    add("", "infrastructure", "⊘ infrastructure");
    add("", "cancelled", "□ cancelled");
    put(TurnStarted{number, 0, "model", "", ""});
    put(TurnFinished{number, "duplicate", "same as turn 3", {}});
    const std::string duplicate = line_with(render(), "\u0020" + std::to_string(number) + "  model");
    EXPECT_NE(duplicate.find("≡ duplicate"), std::string::npos) << duplicate;
    EXPECT_NE(duplicate.find("same as turn 3"), std::string::npos) << duplicate;
}

TEST_F(RenderTest, AModelsRunSaysWhoIsAskedWhatItWaitsForAndWhatPeopleChange) {
    RunStarted start;
    start.run = "20261130T171500Z-softmax-k3x9q2";
    start.task = "softmax";
    start.settings = {{"synthesizer", "model"}, {"model", {{"model", "big-1"}, {"url", "http://127.0.0.1:8000/v1"}}}};
    start.budgets = {{"tokens", 5000}, {"money", 1.5}};
    put(start);
    Json retry = to_fields(Infrastructure{1, "", "model", "too many requests (HTTP 429)", true});
    retry["wait_s"] = 2.0;
    ASSERT_TRUE(writer->append(EventType::infrastructure, retry));
    put(Steering{"attach", "model", {{"model", "big-2"}, {"temperature", 0.25}}, "turn 2"});
    put(Steering{"attach", "budget", {{"turns", 20}, {"tokens", 0}}, "now"});
    put(Steering{"attach", "budget", {{"turns", 0}}, "now"});
    put(Steering{"attach", "fork", {{"turn", 3}, {"hint", "begin again"}}, "turn 4"});
    const auto lines = render();
    line_with(lines, "by      model big-1 at http://127.0.0.1:8000/v1");
    line_with(lines, "budget  5000 tokens, money 1.5");
    line_with(lines, "⊘ model: too many requests (HTTP 429) (tried again in 2 s; it counts for nothing)");
    line_with(lines, "↳ attach: change model big-2, temperature 0.25 → turn 2");
    line_with(lines, "↳ attach: budget 20 turns → now");
    line_with(lines, "↳ attach: budget none → now");
    line_with(lines, "↳ attach: fork turn 3 “begin again” → turn 4");
}

TEST(ModelProgress, SaysWhatAModelDoesNow) {
    EXPECT_EQ(model_progress(Json()), "");
    EXPECT_EQ(model_progress(Json{{"phase", "waiting"}}), "no word yet");
    EXPECT_EQ(model_progress(Json{{"phase", "reasoning"}, {"reasoning_bytes", 1204}}), "thinking · 1204 bytes");
    EXPECT_EQ(model_progress(Json{{"phase", "content"}, {"content_bytes", 310}}), "writing · 310 bytes");
    EXPECT_EQ(model_progress(Json{{"phase", "retrying"}, {"retry_in_s", 1.2}, {"why", "too many\x1b requests"}}),
              "again in 2 s: " + plain_text("too many\x1b requests"));
}

TEST_F(RenderTest, NoChampion) {
    begin();
    put(TurnStarted{0, -1, "file", "start kernel", ""});
    put(wrong_evaluation(0));
    put(TurnFinished{0, "failed", "mismatch", {}});
    finish("start_rejected", "the start kernel is rejected");
    line_with(render(), "champion  none: the start kernel was not accepted");
}

TEST_F(RenderTest, AStartKernelThatNobodyJudgedIsNotCalledRejected) {
    begin();
    put(TurnStarted{0, -1, "file", "start kernel", ""});
    put(StageProgress{0, "e0", "compile", "started", "", 0, {}});
    put(Infrastructure{0, "e0", "evaluator", "no time left", false});
    finish("infrastructure", "no time left");
    line_with(render(), "champion  none: the start kernel was not judged");
}

TEST_F(RenderTest, ManyTurns) {
    begin();
    start_turn();
    for (int number = 1; number <= 2000; ++number)
        turn(number, evaluation(number, "e" + std::to_string(number), "screen", "slower", 1e-3, 0.5));
    finish();
    const auto lines = render({.colour = false, .width = 120});
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.find("▲") != line.npos; }),
              2000);
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [](const auto& line) { return line.find("against champion") != line.npos; }),
              1);
}

} // namespace kf
