// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/journal/projection.h"
#include "tests/core/journal/helpers.h"

namespace kf {
namespace {

std::string line(int n, const std::string& type = "note") {
    return R"({"v":1,"n":)" + std::to_string(n) + R"(,"t":5.5,"type":")" + type + "\"}\n";
}

TEST_F(JournalTest, FollowsAFileThatGrowsByteByByte) {
    const std::string text = line(1) + line(2) + line(3);
    write(journal(), "");
    auto reader = JournalReader::open(run);
    ASSERT_TRUE(reader);
    std::vector<std::int64_t> seen;
    for (std::size_t i = 0; i < text.size(); ++i) {
        add(journal(), text.substr(i, 1));
        const auto events = *reader->poll();
        for (const Event& event : events) {
            EXPECT_EQ(text[i], '\n'); // not before it is complete
            seen.push_back(event.sequence);
            EXPECT_EQ(event.line, event.sequence);
        }
    }
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_TRUE(reader->poll()->empty());
}

TEST_F(JournalTest, FollowsAWriterThatTakesATornLineBack) {
    write(journal(), line(1) + R"({"v":1,"n":2,"type":"note","text":"a long torn li)");
    auto reader = JournalReader::open(run);
    EXPECT_EQ(reader->poll()->size(), 1u);
    EXPECT_GT(reader->torn_bytes(), 0u);
    auto writer = JournalWriter::open_existing(run, quick());
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->append(Note{"info", std::string(500, 'x'), 0}));
    const auto events = *reader->poll();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].type, EventType::resumed);
    EXPECT_EQ(events[1].sequence, 3);
}

TEST_F(JournalTest, LimitedPollsGiveTheSameEvents) {
    std::string text;
    for (int i = 1; i <= 10; ++i)
        text += line(i);
    write(journal(), text);
    auto reader = JournalReader::open(run);
    std::vector<std::int64_t> seen;
    for (;;) {
        const auto events = *reader->poll(3);
        EXPECT_LE(events.size(), 3u);
        if (events.empty())
            break;
        for (const Event& event : events) {
            seen.push_back(event.sequence);
            EXPECT_EQ(reader->event_at(event.offset, event.bytes)->sequence, event.sequence);
        }
    }
    EXPECT_EQ(seen.size(), 10u);
    EXPECT_EQ(reader->event_at(1, 5).error().code, "event-invalid");
    EXPECT_EQ(reader->event_at(text.size(), 5).error().code, "event-invalid");
    EXPECT_EQ(reader->event_at(0, 1u << 30).error().code, "event-invalid");
}

TEST_F(JournalTest, BadLinesInTheMiddleAreShownWithTheirNumber) {
    const std::vector<std::string> bad = {"not json",
                                          "",
                                          "[1]",
                                          "{}",
                                          R"({"v":1,"n":2})",
                                          R"({"v":1,"n":0,"type":"note"})",
                                          R"({"v":1,"n":18446744073709551615,"type":"note"})",
                                          R"({"v":1,"n":9223372036854775807,"type":"note"})",
                                          R"({"v":1,"n":1.5,"type":"note"})",
                                          R"({"v":"1","n":2,"type":"note"})",
                                          R"({"v":0,"n":2,"type":"note"})",
                                          R"({"v":-9223372036854775808,"n":2,"type":"note"})",
                                          R"({"v":1,"n":2,"type":""})",
                                          R"({"v":1,"n":2,"t":1e999,"type":"note"})",
                                          std::string("{\"v\":1,\"n\":2,\"type\":\"note\"}\0", 28),
                                          std::string(4096, '\0'),
                                          "{\"v\":1,\"n\":2,\"type\":\"no\xff\"}",
                                          std::string(100000, '['),
                                          std::string(2 * max_event_bytes, 'x')};
    std::string text = line(1);
    for (const auto& one : bad)
        text += one + "\n";
    text += line(2);
    write(journal(), text);
    const auto events = all();
    ASSERT_EQ(events.size(), bad.size() + 2);
    for (std::size_t i = 0; i < bad.size(); ++i) {
        const Event& event = events[i + 1];
        EXPECT_EQ(event.type, EventType::unreadable) << bad[i].substr(0, 80);
        EXPECT_EQ(event.line, static_cast<std::int64_t>(i + 2));
        EXPECT_EQ(get_int(event.fields, "bytes"), static_cast<std::int64_t>(bad[i].size()));
        EXPECT_FALSE(get_string(event.fields, "reason").empty());
    }
    EXPECT_EQ(events.back().sequence, 2);
}

TEST_F(JournalTest, OverlongLineAcrossPollsIsOneEvent) {
    write(journal(), line(1) + std::string(3 * max_event_bytes + 7, 'x'));
    auto reader = JournalReader::open(run);
    EXPECT_EQ(reader->poll()->size(), 1u);
    add(journal(), "yy\n" + line(2));
    const auto events = *reader->poll();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].type, EventType::unreadable);
    EXPECT_EQ(get_int(events[0].fields, "bytes"), static_cast<std::int64_t>(3 * max_event_bytes + 9));
    EXPECT_EQ(events[1].sequence, 2);
}

TEST_F(JournalTest, UnknownTypesAndFieldsAreKept) {
    write(journal(), R"({"v":1,"n":1,"t":2,"type":"dream","of":{"a":[1]}})"
                     "\n" +
                         line(2, "unreadable"));
    const auto events = all();
    EXPECT_EQ(events[0].type, EventType::unknown);
    EXPECT_EQ(events[0].type_name, "dream");
    EXPECT_EQ(events[0].fields, (Json{{"of", {{"a", {1}}}}}));
    // Nobody can write what only a reader says.
    EXPECT_EQ(events[1].type, EventType::unknown);
}

TEST_F(JournalTest, NewerFormatEndsTheReadingButNotWhatWasBefore) {
    write(journal(), line(1) +
                         R"({"v":2,"n":2,"type":"note"})"
                         "\n" +
                         line(3));
    auto reader = JournalReader::open(run);
    EXPECT_EQ(reader->poll()->size(), 1u);
    for (int i = 0; i < 2; ++i) {
        const auto refused = reader->poll();
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, "journal-newer");
        EXPECT_EQ(refused.error().place.line, 2);
    }
    write(journal(), R"({"v":18446744073709551615,"n":2,"type":"note"})"
                     "\n");
    EXPECT_EQ(JournalReader::open(run)->poll().error().code, "journal-newer");
}

TEST_F(JournalTest, MissingAndStrangeFilesAreTypedErrors) {
    EXPECT_EQ(JournalReader::open(root / "none").error().code, "journal-missing");
    std::filesystem::create_directories(journal());
    EXPECT_EQ(JournalReader::open(run).error().code, "journal-unreadable");
}

TEST_F(JournalTest, BlobsAreCheckedAndLimited) {
    auto writer = JournalWriter::create(run, quick());
    const std::string hash = *(*writer)->put_blob("hello");
    const auto reader = JournalReader::open(run);
    EXPECT_EQ(*reader->blob(hash), "hello");
    EXPECT_EQ(reader->blob(hash, 4).error().code, "too-large");
    EXPECT_EQ(reader->blob(std::string(64, 'a')).error().code, "blob-missing");
    EXPECT_EQ(reader->blob("../lock").error().code, "blob-invalid");
    write(run / "blobs" / hash, "hellO");
    EXPECT_EQ(reader->blob(hash).error().code, "blob-corrupt");
}

TEST_F(JournalTest, ThousandMutationsNeverCrash) {
    auto writer = JournalWriter::create(run, quick());
    write_sample_run(**writer);
    writer->reset();
    const std::string whole = read(journal());
    const auto lines = std::count(whole.begin(), whole.end(), '\n');
    SplitMix64 random(42);
    std::size_t unreadable = 0;
    for (int i = 0; i < 1000; ++i) {
        std::string text = whole;
        for (std::uint64_t k = 1 + random.below(4); k > 0; --k) {
            const std::size_t at = random.below(text.size());
            switch (random.below(4)) {
            case 0:
                text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
                break;
            case 1:
                text[at] = static_cast<char>(random.next());
                break;
            case 2:
                text.erase(at, 1 + random.below(50));
                break;
            default:
                text.insert(at, text.substr(random.below(text.size()), random.below(50)));
            }
        }
        write(journal(), text);
        auto reader = JournalReader::open(run);
        ASSERT_TRUE(reader);
        RunState state;
        while (true) {
            const auto events = reader->poll(7);
            if (!events) {
                EXPECT_EQ(events.error().code, "journal-newer");
                break;
            }
            if (events->empty())
                break;
            state.apply(*events);
        }
        unreadable += static_cast<std::size_t>(state.unreadable_lines);
        EXPECT_LE(state.events, lines + 10);
        EXPECT_NO_THROW(dump_line(to_json(state, state.status())));
        (void)state.next_turn();
    }
    EXPECT_GT(unreadable, 300u); // the mutations did hit
}

} // namespace
} // namespace kf
