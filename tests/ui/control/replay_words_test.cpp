// SPDX-License-Identifier: GPL-3.0-or-later
// A model's reply in a replay: its pieces come when they came.
#include "core/base/sha256.h"
#include "tests/ui/control/control_fixture.h"
#include "ui/control/replay_source.h"
#include "ui/control/replay_words.h"

#include <fstream>

namespace kf::ui {
namespace {

constexpr double gap = ReplaySource::longest_gap_s;

Event told(double seconds, double first_token_s, const std::string& reply = "hash") {
    Event event;
    event.type = EventType::model_exchange;
    event.fields = Json{{"turn", 3}, {"seconds", seconds}, {"first_token_s", first_token_s}, {"reply", reply}};
    return event;
}

TEST(ReplayWords, WaitsAreShortenedWritingIsNot) {
    ReplayWords words;
    // A minute of nothing, 30 s for the first token, 40 s of writing.
    EXPECT_DOUBLE_EQ(words.add(told(70, 30), 5, 100, 130, gap), 100 + 10 + 10 + 40);
    EXPECT_FALSE(words.at(109, 5));
    ASSERT_TRUE(words.at(110, 5));
    EXPECT_FALSE(words.at(110, 6)) << "its event is known: it is told already";
    EXPECT_FALSE(words.at(160, 5));
    const RecordedReply& one = *words.at(150, 5);
    EXPECT_DOUBLE_EQ(one.elapsed_at(110), 0);
    EXPECT_DOUBLE_EQ(one.elapsed_at(115), 15) << "half of the wait for the first token";
    EXPECT_DOUBLE_EQ(one.elapsed_at(120), 30);
    EXPECT_DOUBLE_EQ(one.elapsed_at(121), 31) << "a second of writing is a second";
    EXPECT_DOUBLE_EQ(one.elapsed_at(160), 70);
}

TEST(ReplayWords, WhateverAJournalClaimsTheAxisNeverFallsOrRuns) {
    const double infinite = std::numeric_limits<double>::infinity();
    for (const double claimed : {0.0, -5.0, 1e300, infinite, std::nan("")})
        for (const double first : {0.0, -1.0, 1e300, std::nan("")})
            for (const double passed : {0.0, 3.0, 1e12}) {
                ReplayWords words;
                const double until = words.add(told(claimed, first), 0, 50, passed, gap);
                EXPECT_GE(until, 50);
                EXPECT_LE(until, 50 + 2 * gap + ReplayWords::longest_reply_s);
                const RecordedReply* one = words.at(50, 0);
                EXPECT_TRUE(!one || std::isfinite(one->elapsed_at(50)));
            }
    ReplayWords words;
    EXPECT_DOUBLE_EQ(words.add(told(70, 30, ""), 0, 0, 70, gap), 10) << "without a reply it is a pause as any other";
    EXPECT_FALSE(words.at(5, 0));
}

class WordsInAReplay : public ::testing::Test {
protected:
    void SetUp() override {
        home = *make_private_folder("kf-words-");
        ChatReply reply;
        reply.reasoning = "First I think. ";
        reply.content = "Then I write.";
        reply.pieces = {{ReplyPiece::Kind::reasoning, "First ", 2},
                        {ReplyPiece::Kind::reasoning, "I think. ", 5},
                        {ReplyPiece::Kind::content, "Then ", 25},
                        {ReplyPiece::Kind::content, "I ", 31},
                        {ReplyPiece::Kind::content, "write.", 39.5}};
        reply.first_token_s = 2;
        reply.seconds = 40;
        const std::string blob = to_json(reply).dump(), hash = sha256(blob);
        const auto folder = home / "20261130T140200Z-softmax-aaaaaa";
        std::filesystem::create_directories(folder / "blobs");
        std::ofstream(folder / "blobs" / hash, std::ios::binary) << blob;
        const std::string exchange =
            R"("turn":1,"model":"loud","exchange":1,"attempt":1,"seconds":40,"first_token_s":2,)";
        std::ofstream journal(folder / "journal.jsonl", std::ios::binary);
        journal << R"({"v":1,"n":1,"t":1000,"type":"run_started","run":"r","task":"softmax"})" << '\n'
                << R"({"v":1,"n":2,"t":1001,"type":"turn_started","turn":1,"author":"model"})" << '\n'
                << R"({"v":1,"n":3,"t":1041,"type":"model_exchange",)" << exchange << R"("reply":")" << hash << "\"}\n"
                << R"({"v":1,"n":4,"t":1042,"type":"turn_finished","turn":1,"outcome":"failed"})" << '\n';
        journal.close();
        QObject::connect(&replay, &ReplaySource::reply_moved, &exchanges, &ExchangeStore::show_live);
        replay.open(QString::fromStdString(folder.string()), home, 1);
        replay.pause();
        ASSERT_TRUE(until([&] { return replay.duration() > 0; }));
        replay.pause();
    }
    void TearDown() override {
        replay.stop();
        std::filesystem::remove_all(home);
    }
    // What is there `elapsed` seconds after the request, 1 s after the run began.
    QString words_at(double elapsed, const QString& wanted) {
        replay.seek(1 + elapsed);
        const auto said = [&] {
            const LiveReply* live = exchanges.live();
            return live ? live->phase + u'|' + live->reasoning + u'|' + live->content : QStringLiteral("none");
        };
        until([&] { return said() == wanted; }, 3000);
        return said();
    }

    std::filesystem::path home;
    RunStore store;
    ExchangeStore exchanges{store};
    ReplaySource replay{store};
};

TEST_F(WordsInAReplay, ComeAtTheirTimeForwardsAndBackwards) {
    EXPECT_DOUBLE_EQ(replay.duration(), 42) << "forty seconds of writing are no pause";
    const std::vector<std::pair<double, QString>> wanted = {
        {1, QStringLiteral("waiting||")},
        {2, QStringLiteral("reasoning|First |")},
        {24, QStringLiteral("reasoning|First I think. |")},
        {30, QStringLiteral("content|First I think. |Then ")},
        {38, QStringLiteral("content|First I think. |Then I ")},
        {39.6, QStringLiteral("content|First I think. |Then I write.")},
    };
    for (const auto& [at, text] : wanted)
        EXPECT_EQ(words_at(at, text), text) << at;
    EXPECT_EQ(exchanges.live()->model, QStringLiteral("loud"));
    EXPECT_NEAR(exchanges.live()->elapsed_s, 39.6, 1e-9);
    EXPECT_GT(exchanges.live()->tokens_per_s, 0);
    // The event takes its place.
    EXPECT_EQ(words_at(40, QStringLiteral("none")), QStringLiteral("none"));
    ASSERT_TRUE(until([&] { return exchanges.of_turn(1).size() == 1; }));
    // And back: from behind the event, then within the reply, then before it.
    for (auto one = wanted.rbegin(); one != wanted.rend(); ++one)
        EXPECT_EQ(words_at(one->first, one->second), one->second) << one->first;
    EXPECT_EQ(words_at(-0.5, QStringLiteral("none")), QStringLiteral("none"));
}

TEST_F(WordsInAReplay, GrowWhileItPlays) {
    std::vector<QString> seen;
    QObject::connect(&exchanges, &ExchangeStore::live_changed, &exchanges, [&] {
        if (const LiveReply* live = exchanges.live())
            if (const QString text = live->reasoning + live->content; seen.empty() || seen.back() != text)
                seen.push_back(text);
    });
    replay.set_speed(16);
    replay.seek(0);
    replay.play();
    ASSERT_TRUE(until([&] { return replay.at_end() && exchanges.of_turn(1).size() == 1; }));
    EXPECT_GE(seen.size(), 3u) << "piece by piece";
    for (std::size_t i = 1; i < seen.size(); ++i)
        EXPECT_TRUE(seen[i].startsWith(seen[i - 1])) << seen[i].toStdString();
    EXPECT_FALSE(exchanges.live());
}

} // namespace
} // namespace kf::ui
