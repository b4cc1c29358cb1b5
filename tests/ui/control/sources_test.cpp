// SPDX-License-Identifier: GPL-3.0-or-later
// What a store is fed from: journals that grow, break, vanish or lie; recordings.
#include "core/journal/packed_run.h"
#include "core/journal/writer.h"
#include "tests/ui/control/control_fixture.h"
#include "ui/control/doctor_model.h"
#include "ui/control/follower.h"
#include "ui/control/replay_source.h"
#include "ui/models/log_model.h"

#include <QAbstractItemModelTester>

#include <fstream>
#include <future>

namespace kf::ui {
namespace {

class SourcesTest : public ::testing::Test {
protected:
    void SetUp() override {
        home = *make_private_folder("kf-sources-");
        QObject::connect(&store, &RunStore::failed, &context, [this](const Error& error) { errors.push_back(error); });
    }
    void TearDown() override {
        follower.reset();
        replay.reset();
        std::filesystem::remove_all(home);
    }
    std::filesystem::path make(const std::string& text, const std::string& name = "20261130T140200Z-softmax-aaaaaa") {
        std::filesystem::create_directories(home / name / "blobs");
        std::ofstream(home / name / "journal.jsonl", std::ios::binary) << text;
        return home / name;
    }
    static std::string line(int n, double t, const std::string& type, const std::string& fields = "") {
        return "{\"v\":1,\"n\":" + std::to_string(n) + ",\"t\":" + std::to_string(t) + ",\"type\":\"" + type + "\"" +
               (fields.empty() ? "" : "," + fields) + "}\n";
    }
    // Turns of ten seconds each after a pause of an hour.
    static std::string recording(int turns) {
        std::string text = line(1, 1000, "run_started", R"("run":"r","task":"softmax")");
        double time = 4600;
        for (int turn = 0, n = 2; turn < turns; ++turn) {
            const std::string number = "\"turn\":" + std::to_string(turn);
            text += line(n++, time += 1, "turn_started", number + ",\"author\":\"model\"");
            text += line(n++, time += 4, "evaluation",
                         number + R"(,"evaluation":"e","verdict":"slower","level":"screen","seconds_per_call":0.001)");
            if (turn == 1)
                text += line(n++, time, "champion", number + R"(,"evaluation":"e","level":"certify")");
            text += line(n++, time += 2, "turn_finished", number + R"(,"outcome":"verdict")");
        }
        return text;
    }
    void follow(const std::filesystem::path& place) {
        follower = std::make_unique<Follower>(store);
        follower->follow(QString::fromStdString(place.string()), home);
    }
    bool read_all() {
        return until([&] { return follower->caught_up() || !errors.empty(); });
    }

    std::filesystem::path home;
    QObject context;
    RunStore store;
    LogModel log{store};
    std::vector<Error> errors;
    std::unique_ptr<Follower> follower;
    std::unique_ptr<ReplaySource> replay;
};

TEST_F(SourcesTest, FollowsWhatGrows) {
    const auto folder = home / "20261130T140200Z-softmax-aaaaaa";
    auto writer = JournalWriter::create(folder, {.control_socket = "/none", .flush_to_disk = false});
    ASSERT_TRUE(writer);
    RunStarted start;
    start.run = "r";
    ASSERT_TRUE((*writer)->append(start));
    follow(folder);
    ASSERT_TRUE(read_all());
    EXPECT_EQ(store.mode(), RunMode::live);
    EXPECT_EQ(store.status(), RunStatus::running);
    for (int turn = 0; turn < 3000; ++turn)
        ASSERT_TRUE((*writer)->append(TurnStarted{turn, turn - 1, "model", "", ""}));
    ASSERT_TRUE(until([&] { return store.state().turns.size() == 3000; }));
    EXPECT_EQ(store.state().gaps, 0);
    writer->reset();
    ASSERT_TRUE(until([&] { return store.mode() == RunMode::ended; }));
    EXPECT_EQ(store.status(), RunStatus::interrupted);
    // Somebody goes on with it.
    auto again = JournalWriter::open_existing(folder, {.control_socket = {}, .flush_to_disk = false});
    ASSERT_TRUE(again);
    ASSERT_TRUE(until([&] { return store.mode() == RunMode::live && store.state().resumed == 1; }));
    // Blobs and events are read from any thread while it grows.
    ASSERT_TRUE((*again)->put_blob("hello"));
    const auto hash = *(*again)->put_blob("hello");
    std::vector<std::future<bool>> readers;
    for (int i = 0; i < 4; ++i)
        readers.push_back(std::async(std::launch::async, [&, blobs = store.blobs()] {
            for (int k = 0; k < 200; ++k)
                if (!blobs->blob(hash))
                    return false;
            return true;
        }));
    for (int turn = 3000; turn < 3100; ++turn)
        ASSERT_TRUE((*again)->append(TurnStarted{turn, turn - 1, "model", "", ""}));
    for (auto& reader : readers)
        EXPECT_TRUE(reader.get());
    ASSERT_TRUE(until([&] { return store.state().turns.size() == 3100; }));
    // The folder goes away while it is shown: told once, and what was read stays.
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(errors.front().code, "run-removed");
    EXPECT_EQ(store.state().turns.size(), 3100u);
    EXPECT_TRUE(errors.size() == 1);
}

TEST_F(SourcesTest, HostileJournalsAreToldAndSurvived) {
    follow(home / "nowhere");
    ASSERT_TRUE(read_all());
    EXPECT_EQ(errors.front().code, "run-missing");
    EXPECT_FALSE(errors.front().remedy.empty());

    errors.clear();
    follow(make(recording(2) + "{\"v\":2,\"n\":99,\"t\":1,\"type\":\"future\"}\n" + recording(1)));
    ASSERT_TRUE(read_all());
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(errors.front().code, "journal-newer");
    EXPECT_EQ(store.state().turns.size(), 2u) << "what could be read is shown";

    errors.clear();
    std::string hostile =
        line(1, 1, "run_started", R"("run":"r","device":[],"settings":7,"task":{"a":1},"budgets":"x")");
    hostile += "{\"v\":1,\"n\":2,\"t\":1e308,\"type\":\"turn_started\",\"turn\":1e300,\"author\":[]}\n";
    hostile += std::string(100'000, '[') + "\n";
    hostile += "{\"v\":1,\"n\":9223372036854775807,\"t\":-1e308,\"type\":\"evaluation\",\"turn\":-2147483648,"
               "\"seconds_per_call\":-0.0,\"stages\":[[]],\"result\":" +
               std::string(50, '[') + std::string(50, ']') + ",\"result_blob\":\"../../etc/passwd\"}\n";
    hostile += std::string(3, '\0') + "\n\xff\xfe\n{}\n[]\n\"x\"\n{\"v\":\"1\"}\n";
    hostile += line(3, 5, "champion", R"("turn":true,"seconds_per_call":"fast","tunables":[1])");
    hostile += line(4, 6, "steering", R"("data":[1],"what":{})") + line(5, 7, std::string(5000, 't'));
    hostile += std::string(2'000'000, 'x') + "\n" + "{\"v\":1,\"n\":6,\"t\":8,\"type\":\"no"; // torn
    follow(make(hostile));
    ASSERT_TRUE(read_all());
    EXPECT_TRUE(errors.empty());
    EXPECT_GE(store.state().unreadable_lines, 5);
    ASSERT_TRUE(until(
        [&] { return log.rowCount() > 0 && log.line(log.rowCount() - 1).contains(QStringLiteral("incomplete")); }));

    follow(make("")); // empty
    ASSERT_TRUE(read_all());
    EXPECT_EQ(store.status(), RunStatus::empty);
    std::filesystem::create_directories(home / "folder" / "journal.jsonl");
    follow(home / "folder");
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(errors.back().code, "journal-unreadable");
}

TEST_F(SourcesTest, OpensAPackedRun) {
    const auto folder = make(recording(3));
    const auto file = home / "run.kfrun";
    ASSERT_TRUE(pack_run(folder, file));
    follow(file);
    ASSERT_TRUE(read_all());
    EXPECT_TRUE(errors.empty()) << to_string(errors.front());
    EXPECT_EQ(store.state().turns.size(), 3u);
    EXPECT_EQ(store.mode(), RunMode::ended);
    EXPECT_TRUE(store.evaluation(0).ok() || store.evaluation(0).error().code != "journal-unreadable");
    std::ofstream(file, std::ios::trunc) << "no archive";
    follow(file);
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(errors.back().code, "packed-unreadable");
}

TEST_F(SourcesTest, ReplaysAtAnySpeedAndSeeks) {
    const auto folder = make(recording(3));
    replay = std::make_unique<ReplaySource>(store);
    QSignalSpy finished(replay.get(), &ReplaySource::finished);
    std::vector<RunMode> modes;
    QObject::connect(&store, &RunStore::changed, &context, [&] { modes.push_back(store.mode()); });
    replay->open(QString::fromStdString(folder.string()), home, 0.25);
    ASSERT_TRUE(until([&] { return replay->duration() > 0; }));
    // An hour's pause is ten seconds; then three turns of six seconds, one second apart.
    EXPECT_DOUBLE_EQ(replay->duration(), 10 + 6 + 7 + 7);
    ASSERT_EQ(replay->marks().size(), 3u);
    EXPECT_DOUBLE_EQ(replay->marks()[0].seconds, 16);
    EXPECT_TRUE(replay->marks()[1].champion);
    EXPECT_FALSE(replay->marks()[0].champion);
    EXPECT_TRUE(replay->playing());
    replay->pause();
    ASSERT_TRUE(until([&] { return store.state().events == 1; }));
    EXPECT_EQ(store.status(), RunStatus::running) << "as it was seen live";
    replay->step();
    ASSERT_TRUE(until([&] { return store.state().turns.size() == 1 && store.state().turns.at(0).finished; }));
    EXPECT_DOUBLE_EQ(replay->position(), 16);
    replay->step();
    ASSERT_TRUE(until([&] { return store.state().champion(); }));
    replay->step(false);
    EXPECT_DOUBLE_EQ(replay->position(), 16);
    ASSERT_TRUE(until([&] { return store.state().turns.size() == 1 && store.state().turns.at(0).finished; }));
    EXPECT_FALSE(store.state().champion()) << "going back forgets what is ahead";
    EXPECT_EQ(store.state().gaps, 0);
    EXPECT_FALSE(replay->playing());
    // To the end by itself.
    replay->set_speed(1000);
    EXPECT_DOUBLE_EQ(replay->speed(), ReplaySource::fastest);
    replay->play();
    ASSERT_TRUE(until([&] { return finished.count() == 1 && store.state().turns.size() == 3; }));
    ASSERT_TRUE(until([&] { return store.status() == RunStatus::interrupted; })) << "as its journal ends";
    EXPECT_FALSE(replay->playing());
    EXPECT_EQ(store.state().events, 11);
    replay->play(); // again from the beginning
    ASSERT_TRUE(until([&] { return replay->playing() && replay->position() < 29; }));
    replay->seek(-5);
    replay->seek(1e300);
    ASSERT_TRUE(until([&] { return store.state().events == 11; }));
    for (const RunMode mode : modes)
        EXPECT_EQ(mode, RunMode::replay);
    EXPECT_TRUE(errors.empty());
    replay->open(QString::fromStdString(make("garbage\n", "20261130T140200Z-softmax-bbbbbb").string()), home, 1);
    ASSERT_TRUE(until([&] { return !errors.empty(); }));
    EXPECT_EQ(errors.front().code, "journal-unreadable");
}

TEST_F(SourcesTest, DoctorTellsWhatItKnowsAndNeverWaits) {
    DoctorModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy settled(&model, &DoctorModel::settled), finished(&model, &DoctorModel::finished);
    model.probe(QString::fromStdString((home / "nothing").string()));
    EXPECT_EQ(finished.count(), 1);
    EXPECT_EQ(model.can_judge(), false);
    EXPECT_EQ(model.missing(), 1);
    const auto script = [&](const std::string& text) {
        const auto path = home / "doctor";
        std::ofstream(path) << "#!/bin/sh\n" << text;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return QString::fromStdString(path.string());
    };
    model.probe(script(R"(echo '{"can_judge":true,"checks":[{"name":"tasks","ok":true,"found":"9"},)"
                       R"({"name":"GPU","ok":false,"found":"none","disables":"cuda","remedy":"buy one"},7]}')"));
    EXPECT_TRUE(model.probing());
    ASSERT_TRUE(until([&] { return finished.count() == 2; }));
    EXPECT_EQ(model.can_judge(), true);
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.index(1).data(DoctorRole::remedy).toString(), u"buy one");
    EXPECT_EQ(model.summary(), u"2 of 3 are missing");
    // One that hangs: the window is told after a second, and what was known stays.
    settled.clear();
    model.probe(script("sleep 600"));
    ASSERT_TRUE(until([&] { return settled.count() == 1; }, 5000));
    EXPECT_TRUE(model.probing());
    EXPECT_EQ(model.rowCount(), 3);
    model.probe(script("echo oops >&2; exit 3"));
    ASSERT_TRUE(until([&] { return finished.count() == 3; }));
    EXPECT_EQ(model.summary(), u"oops");
}

} // namespace
} // namespace kf::ui
