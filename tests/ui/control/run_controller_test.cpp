// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/writer.h"
#include "tests/ui/control/control_fixture.h"
#include "ui/control/tunable_defaults.h"

#include <QProcess>

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace kf::ui {
namespace {

TEST_F(ControlTest, StartSteerBenchStop) {
    start_human();
    EXPECT_EQ(states.front(), State::starting);
    EXPECT_EQ(store.mode(), RunMode::live);
    EXPECT_EQ(store.place().toStdString(), only_run().string());
    controller->hint(QStringLiteral("use shared memory"));
    controller->pause();
    ASSERT_TRUE(until([&] { return store.state().paused; }));
    controller->go_on();
    ASSERT_TRUE(until([&] { return !store.state().paused; }));
    ASSERT_TRUE(until([&] { return told.size() == 3; }));
    EXPECT_EQ(told.join(u' '), u"hint: for turn 1 pause: after this turn continue: now");
    EXPECT_EQ(store.state().steering.front().who, "workbench");

    QStringList progress;
    QObject::connect(controller.get(), &RunController::bench_moved, &context, [&](std::uint64_t, const Json& event) {
        progress << QString::fromStdString(get_string(event, "event"));
    });
    const std::uint64_t better = controller->bench(order({"speed 3"}, Level::certify));
    ASSERT_TRUE(until([&] { return answer_of(better); }));
    const BenchAnswer& answer = *answer_of(better);
    ASSERT_FALSE(answer.error) << to_string(*answer.error);
    EXPECT_EQ(answer.turn, 1);
    ASSERT_TRUE(answer.outcome.evaluation);
    EXPECT_TRUE(answer.outcome.evaluation->accepted());
    EXPECT_TRUE(progress.contains(QStringLiteral("stage_ended"))) << progress.join(u' ').toStdString();
    ASSERT_TRUE(until([&] { return store.state().champion()->turn == 1; }));
    EXPECT_EQ(store.state().turns.at(1).author, "human");
    EXPECT_TRUE(store.evaluation(1));
    EXPECT_TRUE(store.source(1));

    // A bad edit is answered with its failure, and the champion stays.
    const std::uint64_t bad = controller->bench(order({"fail mismatch"}));
    ASSERT_TRUE(until([&] { return answer_of(bad); }));
    EXPECT_EQ(answer_of(bad)->outcome.outcome, Outcome::failed);
    ASSERT_TRUE(until([&] { return store.state().turns.contains(2) && store.state().turns.at(2).finished; }));
    EXPECT_EQ(store.state().champion()->turn, 1);

    stop();
    EXPECT_EQ(store.state().stop->reason, "user");
    EXPECT_EQ(store.status(), RunStatus::finished);
    EXPECT_TRUE(errors.empty()) << to_string(errors.front());
    // What is told to nobody is an error, not silence.
    controller->pause();
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(errors.back().code, "control-gone");
    EXPECT_FALSE(std::filesystem::exists(home / "data/runs/.starts") &&
                 !std::filesystem::is_empty(home / "data/runs/.starts"));
}

TEST_F(ControlTest, TheNewestBenchWins) {
    start_human();
    std::vector<std::uint64_t> numbers;
    for (const char* speed : {"slow 1500", "speed 2", "speed 4"})
        numbers.push_back(controller->bench(order({speed})));
    ASSERT_TRUE(until([&] { return answers.size() == 3; }));
    ASSERT_TRUE(answer_of(numbers[2]));
    EXPECT_FALSE(answer_of(numbers[2])->replaced);
    ASSERT_TRUE(answer_of(numbers[2])->outcome.evaluation);
    EXPECT_TRUE(answer_of(numbers[1])->replaced) << "it waited when the third came";
    EXPECT_EQ(answers.size(), 3u) << "each is answered once";
    // Told in one go, things arrive in order, however many there are.
    for (int i = 0; i < 20; ++i) {
        controller->pause();
        controller->go_on();
    }
    ASSERT_TRUE(until([&] { return told.size() == 40; }));
    ASSERT_TRUE(until([&] {
        const auto& all = store.state().steering;
        return std::count_if(all.begin(), all.end(), [](const Steering& one) { return one.what != "bench"; }) == 40;
    }));
    EXPECT_FALSE(store.state().paused);
    // What cannot be sent is told at once.
    BenchOrder strange = order({});
    strange.source = QByteArray("\xff\xfe kernel");
    const std::uint64_t refused = controller->bench(strange);
    EXPECT_FALSE(answer_of(refused)) << "never from within the call";
    ASSERT_TRUE(until([&] { return answer_of(refused); }));
    EXPECT_EQ(answer_of(refused)->error->code, "bench-encoding");
    stop();
}

TEST_F(ControlTest, ABenchThatWaitsIsAnsweredWhenTheRunEnds) {
    start_human();
    const std::uint64_t number = controller->bench(order({"slow 60000"}));
    ASSERT_TRUE(until([&] { return !store.state().steering.empty(); }));
    stop();
    ASSERT_TRUE(until([&] { return answer_of(number); }));
    EXPECT_TRUE(answer_of(number)->error || answer_of(number)->outcome.outcome == Outcome::cancelled);
}

TEST_F(ControlTest, BenchStartsARunThatWaitsForPeople) {
    BenchOrder first = order({"speed 2"}, Level::certify);
    first.task = QStringLiteral("stage1/silu_mul");
    const std::uint64_t number = controller->bench(first);
    ASSERT_TRUE(until([&] { return answer_of(number); }));
    ASSERT_FALSE(answer_of(number)->error) << to_string(*answer_of(number)->error);
    EXPECT_EQ(answer_of(number)->turn, 1);
    EXPECT_EQ(get_string(store.state().start.settings, "synthesizer"), "human");
    ASSERT_TRUE(until([&] { return store.state().champion() && store.state().champion()->turn == 1; }));
    // A second controller finds the run that lives instead of starting another.
    make_controller();
    answers.clear(); // it numbers its orders anew
    BenchOrder second = order({"speed 3"});
    second.task = QStringLiteral("silu_mul");
    const std::uint64_t again = controller->bench(second);
    ASSERT_TRUE(until([&] { return answer_of(again); }));
    EXPECT_EQ(answer_of(again)->turn, 2);
    EXPECT_EQ(list_runs(runs()).size(), 1u);
    stop();
    // It was stopped by a person: the same run goes on.
    const std::uint64_t third = controller->bench(order({"speed 4"}));
    ASSERT_TRUE(until([&] { return answer_of(third); }));
    ASSERT_FALSE(answer_of(third)->error) << to_string(*answer_of(third)->error);
    EXPECT_EQ(answer_of(third)->turn, 3);
    EXPECT_EQ(list_runs(runs()).size(), 1u);
    EXPECT_EQ(store.state().resumed, 1);
    stop();
}

TEST_F(ControlTest, AttachesToARunStartedElsewhereAndGoesOnWithItWhenItIsLost) {
    auto child = Child::start(
        spec(faked({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer", "human"})));
    ASSERT_TRUE(child);
    ASSERT_TRUE(until([&] { return !list_runs(runs()).empty(); }));
    controller->open(QStringLiteral("last"));
    ASSERT_TRUE(until([&] { return controller->state() == State::running; }));
    EXPECT_EQ(store.mode(), RunMode::live);
    controller->hint(QStringLiteral("hello"));
    ASSERT_TRUE(until([&] { return !store.state().steering.empty(); }));
    ASSERT_TRUE(until([&] { return store.state().champion(); }));
    kill(child->pid(), SIGKILL);
    (void)child->wait(deadline_after(10));
    ASSERT_TRUE(until([&] { return controller->state() == State::idle; }));
    EXPECT_EQ(store.status(), RunStatus::interrupted);
    EXPECT_EQ(store.mode(), RunMode::ended);
    controller->resume();
    EXPECT_EQ(controller->state(), State::starting);
    ASSERT_TRUE(until([&] { return controller->state() == State::running; }))
        << (errors.empty() ? "" : to_string(errors.back()));
    EXPECT_EQ(store.state().resumed, 1);
    EXPECT_EQ(store.mode(), RunMode::live);
    // Letting go of it leaves it alone.
    controller->close();
    EXPECT_EQ(controller->state(), State::idle);
    EXPECT_EQ(store.mode(), RunMode::none);
    EXPECT_EQ(lock_info(only_run()).state, LockState::held);
    controller->open(QString::fromStdString(only_run().string()));
    ASSERT_TRUE(until([&] { return controller->state() == State::running; }));
    stop();
    // A run that ended in order is not gone on with, and the command says why.
    EXPECT_TRUE(errors.empty());
}

TEST_F(ControlTest, KillNineOfTheOwnerLeavesTheRunGoing) {
    // Not as a Child: that would take all of its descendants with it.
    QProcess owner;
    owner.setProgram(QStringLiteral(KF_BIN_DIR "/kf_run_owner"));
    owner.setArguments(
        QStringList{QStringLiteral("stage1/silu_mul"), QString::fromStdString(kernel("start.cu", {"speed 1"}))} +
        evaluator());
    owner.start();
    ASSERT_TRUE(until([&] { return owner.canReadLine(); })) << owner.readAllStandardError().toStdString();
    const std::string folder = owner.readLine().trimmed().toStdString();
    ASSERT_FALSE(folder.empty());
    const auto pid = static_cast<pid_t>(lock_info(folder).pid);
    ASSERT_GT(pid, 0);
    owner.kill(); // with SIGKILL
    ASSERT_TRUE(owner.waitForFinished(10'000));
    EXPECT_EQ(kill(pid, 0), 0) << "the run is gone";
    EXPECT_EQ(lock_info(folder).state, LockState::held);
    // Reopened, it is steered and judges.
    controller->open(QString::fromStdString(folder));
    ASSERT_TRUE(until([&] { return controller->state() == State::running && store.state().champion(); }));
    const std::uint64_t number = controller->bench(order({"speed 2"}));
    ASSERT_TRUE(until([&] { return answer_of(number); }));
    EXPECT_EQ(answer_of(number)->turn, 1);
    stop();
    // The run is no child of ours that would have to be waited for. (A test before this one may have made this process
    // the one that inherits orphans.)
    int inherits = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &inherits);
    if (!inherits) {
        EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
        EXPECT_EQ(errno, ECHILD);
    }
}

TEST_F(ControlTest, AFailedStartIsToldInItsOwnWords) {
    StartRequest request = human();
    request.task = QStringLiteral("stage1/silu_mull");
    controller->start(request);
    EXPECT_EQ(controller->state(), State::starting);
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(controller->state(), State::idle);
    EXPECT_EQ(errors.back().code, "start-failed");
    EXPECT_NE(to_string(errors.back()).find("silu_mul"), std::string::npos) << to_string(errors.back());
    EXPECT_FALSE(errors.back().message.starts_with("kernelforge:"));
    // The evaluator does not start: the run's folder is there for a moment, then it is gone.
    errors.clear();
    make_controller(QStringLiteral("exit"));
    controller->start(human());
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(errors.back().code, "start-failed");
    EXPECT_EQ(store.mode(), RunMode::none);
    // A draft that waited for it is answered with the same words.
    answers.clear();
    BenchOrder one = order({});
    one.task = QStringLiteral("stage1/silu_mul");
    const std::uint64_t number = controller->bench(one);
    ASSERT_TRUE(until([&] { return answer_of(number); }));
    ASSERT_TRUE(answer_of(number)->error);
    EXPECT_EQ(answer_of(number)->error->code, "start-failed");
    // No program at all.
    errors.clear();
    make_controller();
    controller->set_program(QString::fromStdString((home / "nothing").string()));
    controller->start(human());
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(controller->state(), State::idle);
    EXPECT_FALSE(errors.back().remedy.empty());
    EXPECT_TRUE(list_runs(runs()).empty());
}

TEST_F(ControlTest, ARunWithoutAnAnsweringSocketIsDetached) {
    const auto folder = home / "data" / "runs" / "20261130T140200Z-silu_mul-aaaaaa";
    auto writer =
        JournalWriter::create(folder, {.control_socket = (home / "no-socket").string(), .flush_to_disk = false});
    ASSERT_TRUE(writer);
    RunStarted started;
    started.run = folder.filename().string();
    started.task = "silu_mul";
    ASSERT_TRUE((*writer)->append(started));
    controller->open(QString::fromStdString(folder.string()));
    ASSERT_TRUE(until([&] { return controller->state() == State::detached; }));
    // A draft waits for the socket, and is answered when there will be none.
    const std::uint64_t number = controller->bench(order({}));
    writer->reset();
    ASSERT_TRUE(until([&] { return controller->state() == State::idle; }));
    ASSERT_TRUE(until([&] { return answer_of(number); }));
    EXPECT_EQ(answer_of(number)->error->code, "run-ended");
}

TEST_F(ControlTest, TheNewestCompileWinsAndTheOlderIsEndedWithItsChildren) {
    const QString task = QStringLiteral("stage1/silu_mul");
    controller->set_evaluator_arguments(evaluator(QStringLiteral("mute"))); // never says a word
    const std::uint64_t first = controller->compile(task, order({}));
    ASSERT_TRUE(until([&] { return !left_processes_now().empty(); }));
    controller->set_evaluator_arguments(evaluator());
    const std::uint64_t second = controller->compile(task, order({"fail compile"}));
    ASSERT_EQ(compiles.size(), 1u);
    EXPECT_EQ(compiles[0].order, first);
    EXPECT_TRUE(compiles[0].replaced);
    ASSERT_TRUE(until([&] { return compiles.size() == 2; }));
    EXPECT_EQ(compiles[1].order, second);
    ASSERT_FALSE(compiles[1].error) << to_string(*compiles[1].error);
    EXPECT_EQ(compiles[1].outcome.outcome, Outcome::failed);
    ASSERT_TRUE(compiles[1].outcome.evaluation && compiles[1].outcome.evaluation->failure);
    EXPECT_TRUE(until([&] { return left_processes_now().empty(); }, 5000)) << "the older one goes on";
    controller->compile(task, order({}));
    ASSERT_TRUE(until([&] { return compiles.size() == 3; }));
    EXPECT_EQ(compiles[2].outcome.outcome, Outcome::verdict);
    controller->compile(QStringLiteral("no_such_task"), order({}));
    ASSERT_TRUE(until([&] { return compiles.size() == 4; }));
    ASSERT_TRUE(compiles[3].error);
    EXPECT_NE(compiles[3].error->message.find("no_such_task"), std::string::npos) << compiles[3].error->message;
    EXPECT_TRUE(list_runs(runs()).empty()) << "a compile is no run";
}

TEST(TunableDefaults, TheFoundPointBecomesTheDefault) {
    const std::string source =
        "#pragma kf tune BLOCK in {256, 128, 512}\n#pragma kf tune VEC in {4,2}\n// tune x in {1}\nint a;";
    EXPECT_EQ(with_tunable_defaults(source, Json{{"BLOCK", 512}, {"VEC", 2}, {"x", 9}}),
              "#pragma kf tune BLOCK in {512, 256, 128}\n#pragma kf tune VEC in {2, 4}\n// tune x in {1}\nint a;");
    EXPECT_EQ(with_tunable_defaults(source, Json()), source);
    EXPECT_EQ(with_tunable_defaults(source, Json{{"BLOCK", 3}}), source);
}

} // namespace
} // namespace kf::ui
