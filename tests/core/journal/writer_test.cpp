// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/journal/lock.h"
#include "tests/core/journal/helpers.h"

#include <csignal>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace kf {
namespace {

TEST_F(JournalTest, WritesNumberedEventsAndGoesOn) {
    {
        auto writer = JournalWriter::create(run);
        ASSERT_TRUE(writer) << to_string(writer.error());
        EXPECT_EQ(*(*writer)->append(Note{"info", "one\ntwo \xff", 3}), 1);
        EXPECT_EQ(*(*writer)->append(EventType::budget, {{"anything", {1, 2}}}), 2);
    }
    EXPECT_EQ(JournalWriter::create(run).error().code, "journal-exists");
    {
        auto writer = JournalWriter::open_existing(run);
        ASSERT_TRUE(writer);
        EXPECT_EQ(*(*writer)->append(Stop{"user", "enough", 3}), 4);
    }
    const auto events = all();
    ASSERT_EQ(events.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(events[i].sequence, static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(from_fields<Note>(events[0].fields).text, "one\ntwo \xef\xbf\xbd");
    EXPECT_EQ(events[1].fields["anything"], (Json{1, 2}));
    EXPECT_EQ(events[2].type, EventType::resumed);
    EXPECT_EQ(from_fields<Resumed>(events[2].fields).torn_bytes, 0);
    EXPECT_EQ(from_fields<Resumed>(events[2].fields).previous_pid, 0);
    EXPECT_GT(events[0].time, 1.6e9);
    EXPECT_EQ(JournalWriter::open_existing(root / "none").error().code, "journal-missing");
}

TEST_F(JournalTest, RefusesEventsThatAreNone) {
    auto writer = JournalWriter::create(run, quick());
    EXPECT_EQ((*writer)->append(EventType::note, {{"n", 1}}).error().code, "event-invalid");
    EXPECT_EQ((*writer)->append(EventType::note, Json::array()).error().code, "event-invalid");
    EXPECT_EQ((*writer)->append(EventType::unreadable, Json::object()).error().code, "event-invalid");
    EXPECT_EQ((*writer)->append(Note{"info", std::string(max_event_bytes, 'x'), 0}).error().code, "event-too-large");
    EXPECT_EQ(*(*writer)->append(Note{"info", "fits", 0}), 1);
    EXPECT_EQ(all().size(), 1u);
}

TEST_F(JournalTest, LastEventTornAtEveryByteIsDroppedAndSaid) {
    auto writer = JournalWriter::create(run, quick());
    ASSERT_TRUE((*writer)->append(Note{"info", "first", 0}));
    ASSERT_TRUE((*writer)->append(Note{"info", "zweiter \xc3\xbc", 0}));
    writer->reset();
    const std::string whole = read(journal());
    const std::size_t first = whole.find('\n') + 1;
    for (std::size_t cut = first; cut < whole.size(); ++cut) {
        write(journal(), whole.substr(0, cut));
        {
            auto reader = JournalReader::open(run);
            EXPECT_EQ(reader->poll()->size(), 1u);
            EXPECT_EQ(reader->torn_bytes(), cut - first);
        }
        auto again = JournalWriter::open_existing(run, quick());
        ASSERT_TRUE(again) << cut;
        again->reset();
        const auto events = all();
        ASSERT_EQ(events.size(), 2u);
        EXPECT_EQ(events[1].sequence, 2);
        EXPECT_EQ(from_fields<Resumed>(events[1].fields).torn_bytes, static_cast<std::int64_t>(cut - first));
    }
}

TEST_F(JournalTest, KilledWritersLoseNoCompleteEvent) {
    SplitMix64 random(7);
    std::int64_t confirmed_before = 0;
    for (int round = 0; round < 12; ++round) {
        int pipe_fds[2];
        ASSERT_EQ(pipe(pipe_fds), 0);
        const pid_t child = fork();
        if (child == 0) {
            auto writer = round == 0 ? JournalWriter::create(run, quick()) : JournalWriter::open_existing(run, quick());
            if (!writer)
                _exit(3);
            for (std::int64_t i = 0;; ++i) {
                const auto n =
                    (*writer)->append(Note{"info", std::string(static_cast<std::size_t>(i * 37 % 5000), 'x'), 0});
                if (!n || ::write(pipe_fds[1], &*n, sizeof *n) != sizeof *n)
                    _exit(4);
            }
        }
        close(pipe_fds[1]);
        // Killed after a random number of confirmed events, at whatever point the writer then is.
        std::int64_t confirmed = 0;
        const std::uint64_t stop_after = 1 + random.below(40);
        for (std::uint64_t i = 0; i < stop_after; ++i)
            ASSERT_EQ(::read(pipe_fds[0], &confirmed, sizeof confirmed), static_cast<ssize_t>(sizeof confirmed));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status));
        std::int64_t later = 0;
        while (::read(pipe_fds[0], &later, sizeof later) == static_cast<ssize_t>(sizeof later))
            confirmed = later;
        close(pipe_fds[0]);
        EXPECT_EQ(lock_info(run).state, LockState::stale);
        EXPECT_EQ(lock_info(run).pid, child);
        const auto events = all();
        ASSERT_GE(static_cast<std::int64_t>(events.size()), confirmed);
        ASSERT_GT(confirmed, confirmed_before);
        confirmed_before = confirmed;
        for (std::size_t i = 0; i < events.size(); ++i)
            ASSERT_EQ(events[i].sequence, static_cast<std::int64_t>(i + 1));
        if (round > 0) {
            EXPECT_GT(std::count_if(events.begin(), events.end(),
                                    [](const Event& e) {
                                        return e.type == EventType::resumed &&
                                               from_fields<Resumed>(e.fields).previous_pid > 0;
                                    }),
                      round - 1);
        }
    }
}

TEST_F(JournalTest, SecondWriterIsToldWhoHoldsTheRun) {
    auto first = JournalWriter::create(run, {.control_socket = "/run/kf.sock", .flush_to_disk = false});
    ASSERT_TRUE(first);
    const auto second = JournalWriter::open_existing(run);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, "journal-locked");
    EXPECT_NE(second.error().message.find("held by pid " + std::to_string(getpid())), std::string::npos);
    const LockInfo info = lock_info(run);
    EXPECT_EQ(info.state, LockState::held);
    EXPECT_EQ(info.pid, getpid());
    EXPECT_EQ(info.control_socket, "/run/kf.sock");
    ASSERT_TRUE((*first)->set_control_socket("/run/other"));
    EXPECT_EQ(lock_info(run).control_socket, "/run/other");
    first->reset();
    EXPECT_EQ(lock_info(run).state, LockState::free);
    EXPECT_TRUE(JournalWriter::open_existing(run, quick()));
}

TEST_F(JournalTest, StaleAndDamagedLocksAreTakenOver) {
    JournalWriter::create(run, quick())->reset();
    write(run / "lock", R"({"pid": 4194300, "host": "elsewhere", "control": "x"})");
    EXPECT_EQ(lock_info(run).state, LockState::stale);
    auto writer = JournalWriter::open_existing(run, quick());
    ASSERT_TRUE(writer);
    EXPECT_EQ(from_fields<Resumed>(all().back().fields).previous_pid, 4194300);
    writer->reset();
    write(run / "lock", std::string("\0\xff{", 3));
    EXPECT_EQ(lock_info(run).state, LockState::stale);
    EXPECT_TRUE(JournalWriter::open_existing(run, quick()));
}

TEST_F(JournalTest, NewerFormatIsRefusedWithAClearWord) {
    const std::string text =
        "{\"v\":1,\"n\":1,\"t\":1,\"type\":\"note\"}\n{\"v\":2,\"n\":2,\"t\":1,\"type\":\"note\"}\n";
    write(journal(), text);
    const auto writer = JournalWriter::open_existing(run, quick());
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().code, "journal-newer");
    EXPECT_NE(writer.error().remedy.find("newer release"), std::string::npos);
    EXPECT_EQ(read(journal()), text); // untouched
}

TEST_F(JournalTest, BlobsAreStoredOnceUnderTheirHash) {
    auto writer = JournalWriter::create(run, quick());
    const std::string bytes("\0source\n", 8);
    const auto hash = (*writer)->put_blob(bytes);
    ASSERT_TRUE(hash);
    EXPECT_EQ(*hash, sha256(std::string_view(bytes)));
    const auto before = std::filesystem::last_write_time(run / "blobs" / *hash);
    EXPECT_EQ(*(*writer)->put_blob(bytes), *hash);
    EXPECT_EQ(std::filesystem::last_write_time(run / "blobs" / *hash), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run / "blobs"), {}), 1);
    // Half a blob, left by a crash of the file system, is written again.
    write(run / "blobs" / *hash, "half");
    EXPECT_EQ(*(*writer)->put_blob(bytes), *hash);
    EXPECT_EQ(read(run / "blobs" / *hash), bytes);
}

// In a child: the limit on file sizes stays with its process.
template<class Body> int in_child(Body body) {
    const pid_t child = fork();
    if (child == 0)
        _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_F(JournalTest, FullDiskLosesNothingAndIsGotOver) {
    const int failed_at = in_child([&] {
        signal(SIGXFSZ, SIG_IGN);
        auto writer = JournalWriter::create(run, quick());
        if (!writer)
            return 1;
        rlimit limit{};
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = 1000; // the write that crosses it is cut in the middle
        setrlimit(RLIMIT_FSIZE, &limit);
        std::int64_t last = 0;
        Error error;
        for (int i = 0; i < 100 && error.code.empty(); ++i) {
            if (const auto n = (*writer)->append(Note{"info", std::string(90, 'x'), i}))
                last = *n;
            else
                error = n.error();
        }
        if (error.code != "journal-full")
            return 2;
        const std::string kept = read(journal());
        if (kept.empty() || kept.back() != '\n')
            return 3; // half a line was left
        if ((*writer)->append(Note{"info", std::string(90, 'x'), 0}).ok())
            return 4;
        if ((*writer)->put_blob(std::string(5000, 'b')).error().code != "journal-full")
            return 5;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto n = (*writer)->append(Note{"info", "space again", 0});
        return n && *n == last + 1 ? 0 : 6;
    });
    EXPECT_EQ(failed_at, 0);
    const auto events = all();
    ASSERT_GT(events.size(), 3u);
    for (std::size_t i = 0; i < events.size(); ++i)
        EXPECT_EQ(events[i].sequence, static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(from_fields<Note>(events.back().fields).text, "space again");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run / "blobs"), {}), 0);
}

TEST_F(JournalTest, UnwritableFolderIsATypedError) {
    write(root / "file", "x");
    EXPECT_EQ(JournalWriter::create(root / "file" / "run").error().code, "journal-unwritable");
    JournalWriter::create(run, quick())->reset();
    std::filesystem::remove(run / "lock");
    std::filesystem::create_directory(run / "lock");
    EXPECT_EQ(JournalWriter::open_existing(run).error().code, "journal-unwritable");
}

} // namespace
} // namespace kf
