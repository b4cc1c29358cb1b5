// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/channel.h"
#include "core/protocol/handshake.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace kf {
namespace {

const auto soon = [] { return deadline_after(20); };

TEST(LineBuffer, AnySplitGivesTheSameLines) {
    const std::string text = std::string("one\n\ntwo \0 bytes\r\n", 18) + std::string(12, 'x') + "\nlast";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        LineBuffer buffer(13);
        std::vector<std::string> lines;
        std::vector<bool> long_ones;
        for (const auto& piece : {text.substr(0, cut), text.substr(cut)}) {
            buffer.append(piece);
            while (auto line = buffer.next()) {
                lines.push_back(line->text);
                long_ones.push_back(line->too_long);
            }
        }
        EXPECT_EQ(lines,
                  (std::vector<std::string>{"one", "", std::string("two \0 bytes\r", 12), std::string(12, 'x')}));
        EXPECT_EQ(long_ones, (std::vector<bool>{false, false, false, false}));
        EXPECT_EQ(buffer.pending(), "last");
    }
}

TEST(LineBuffer, OverlongLinesCostNoMemoryAndAreCounted) {
    for (const std::size_t step : {1u, 7u, 1000u, 5000u}) {
        LineBuffer buffer(1000);
        const std::string text =
            "a\n" + std::string(5000, 'y') + "\nb\n" + std::string(1000, 'z') + "\n" + std::string(1001, 'w') + "\n";
        std::vector<LineBuffer::Line> lines;
        for (std::size_t i = 0; i < text.size(); i += step) {
            buffer.append(std::string_view(text).substr(i, step));
            while (auto line = buffer.next())
                lines.push_back(*line);
            EXPECT_LE(buffer.pending().size(), 1000u);
        }
        ASSERT_EQ(lines.size(), 5u) << step;
        EXPECT_TRUE(lines[1].too_long);
        EXPECT_EQ(lines[1].size, 5000u);
        EXPECT_EQ(lines[1].text, std::string(256, 'y'));
        EXPECT_EQ(lines[2].text, "b");
        EXPECT_FALSE(lines[3].too_long);
        EXPECT_EQ(lines[3].text.size(), 1000u);
        EXPECT_TRUE(lines[4].too_long);
    }
}

struct Pipe {
    Pipe() {
        int fds[2];
        EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
        read_end = UniqueFd(fds[0]);
        write_end = UniqueFd(fds[1]);
    }
    UniqueFd read_end, write_end;
};

TEST(FdChannel, LinesOverPipesAndSocketsBlockingOrNot) {
    for (const bool nonblocking : {false, true}) {
        Pipe there, back;
        if (nonblocking)
            for (const int fd : {there.read_end.get(), there.write_end.get()})
                fcntl(fd, F_SETFL, O_NONBLOCK);
        FdChannel a(std::move(back.read_end), std::move(there.write_end));
        FdChannel b(std::move(there.read_end), std::move(back.write_end));
        // Larger than any pipe: both ends must work at the same time.
        const std::string big(max_line_bytes, 'x');
        std::jthread writer([&] {
            EXPECT_TRUE(a.write_line(big, soon()));
            EXPECT_TRUE(a.write_line("", soon()));
        });
        EXPECT_EQ(*b.read_line(soon()), big);
        EXPECT_EQ(*b.read_line(soon()), "");
    }
}

TEST(FdChannel, DeadlinesAreKept) {
    Pipe there, back;
    FdChannel a(std::move(back.read_end), std::move(there.write_end));
    EXPECT_EQ(a.read_line(deadline_after(0)).error().code, "channel-timeout");
    EXPECT_EQ(a.read_line(deadline_after(0.01)).error().code, "channel-timeout");
    // Nobody reads: the pipe is full at some point, within a line, and the blocking descriptor does not block us.
    const Status full = a.write_line(std::string(max_line_bytes, 'x'), deadline_after(0.05));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, "channel-timeout");
    EXPECT_EQ(a.write_line("more", soon()).error().code, "channel-broken"); // it would go on inside the cut line
}

TEST(FdChannel, WhatCameIsKeptOverATimeout) {
    Pipe there, back;
    const int raw = there.write_end.get();
    FdChannel b(std::move(there.read_end), std::move(back.write_end));
    ASSERT_EQ(::write(raw, "ha", 2), 2);
    EXPECT_EQ(b.read_line(deadline_after(0.01)).error().code, "channel-timeout");
    ASSERT_EQ(::write(raw, "lf\nrest", 7), 7);
    EXPECT_EQ(*b.read_line(soon()), "half");
    there.write_end.reset();
    const auto end = b.read_line(soon());
    EXPECT_EQ(end.error().code, "channel-closed");
    EXPECT_NE(end.error().message.find("4 bytes"), std::string::npos);
}

TEST(FdChannel, AClosedPeerIsAnErrorNotASignal) {
    signal(SIGPIPE, SIG_DFL); // would end the test
    for (const bool socket : {false, true}) {
        std::unique_ptr<FdChannel> channel;
        if (socket) {
            int fds[2];
            ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
            channel = std::move(*FdChannel::over_socket(UniqueFd(fds[0])));
            close(fds[1]);
        } else {
            Pipe there, back;
            channel = std::make_unique<FdChannel>(std::move(back.read_end), std::move(there.write_end));
        }
        EXPECT_EQ(channel->write_line("x", soon()).error().code, "channel-closed");
        EXPECT_EQ(channel->read_line(soon()).error().code, "channel-closed");
    }
    sigset_t pending;
    sigpending(&pending);
    EXPECT_FALSE(sigismember(&pending, SIGPIPE)); // nor does one wait for its time
}

TEST(FdChannel, RefusesLinesThatAreNone) {
    Pipe there, back;
    FdChannel a(std::move(back.read_end), std::move(there.write_end), 10);
    FdChannel b(std::move(there.read_end), std::move(back.write_end), 5);
    EXPECT_EQ(a.write_line("two\nlines", soon()).error().code, "line-malformed");
    EXPECT_EQ(a.write_line("12345678901", soon()).error().code, "line-too-long");
    EXPECT_TRUE(a.write_line("1234567890", soon()));
    EXPECT_TRUE(a.write_line("12345", soon()));
    EXPECT_EQ(b.read_line(soon()).error().code, "line-too-long");
    EXPECT_EQ(*b.read_line(soon()), "12345");
}

TEST(FdChannel, InterruptWakesOnceNowOrLater) {
    Pipe there, back;
    FdChannel a(std::move(back.read_end), std::move(there.write_end));
    a.interrupt();
    EXPECT_EQ(a.read_line(soon()).error().code, "channel-interrupted");
    EXPECT_EQ(a.read_line(deadline_after(0.01)).error().code, "channel-timeout");
    std::jthread other([&] { a.interrupt(); });
    EXPECT_EQ(a.read_line(soon()).error().code, "channel-interrupted");
}

TEST(FdChannel, LinesOfManyThreadsNeverMix) {
    Pipe there, back;
    FdChannel a(std::move(back.read_end), std::move(there.write_end));
    FdChannel b(std::move(there.read_end), std::move(back.write_end));
    std::vector<std::jthread> writers;
    for (int t = 0; t < 4; ++t)
        writers.emplace_back([&a, t] {
            for (int i = 0; i < 20; ++i)
                EXPECT_TRUE(a.write_line(std::string(9000 + t, static_cast<char>('a' + t)), soon()));
        });
    for (int i = 0; i < 80; ++i) {
        const auto line = b.read_line(soon());
        ASSERT_TRUE(line);
        EXPECT_EQ(*line, std::string(9000 + (*line)[0] - 'a', (*line)[0]));
    }
}

Handshake sample() {
    Handshake handshake;
    handshake.protocol = {1, 3};
    handshake.build = "0.1.0+abc";
    handshake.pid = 4711;
    handshake.devices = Json::array({{{"id", "cpu"}}});
    handshake.extra = {{"later", 1}};
    return handshake;
}

TEST(Handshake, ComesBackAfterBanners) {
    Pipe there, back;
    FdChannel evaluator(std::move(back.read_end), std::move(there.write_end));
    FdChannel engine(std::move(there.read_end), std::move(back.write_end));
    for (const char* banner : {"Welcome to node7!", "", "srun: job 5 queued\x1b[0m", "KERNELFORGE is great"})
        ASSERT_TRUE(evaluator.write_line(banner, soon()));
    ASSERT_TRUE(evaluator.write_line("prompt$ " + format_handshake(sample()) + "\r", soon()));
    std::vector<std::string> banner;
    const auto greeting = read_handshake(engine, soon(), {1, 2}, {}, &banner);
    ASSERT_TRUE(greeting) << to_string(greeting.error());
    EXPECT_EQ(greeting->protocol, 2);
    EXPECT_EQ(greeting->handshake.pid, 4711);
    EXPECT_EQ(greeting->handshake.devices, sample().devices);
    EXPECT_EQ(greeting->handshake.extra, sample().extra);
    EXPECT_EQ(banner, (std::vector<std::string>{"Welcome to node7!", "", "srun: job 5 queued\\u001b[0m",
                                                "KERNELFORGE is great", "prompt$ "}));
}

TEST(Handshake, RangesAreNegotiatedOrRefusedClearly) {
    EXPECT_EQ(*negotiate({1, 3}, {2, 5}), 3);
    EXPECT_EQ(*negotiate({1, 1}, {1, 1}), 1);
    const auto newer = negotiate({1, 1}, {2, 3}, "9.0");
    EXPECT_EQ(newer.error().code, "protocol-mismatch");
    EXPECT_EQ(newer.error().remedy, "update this program");
    EXPECT_NE(newer.error().message.find("(9.0) speaks 2 to 3"), std::string::npos);
    EXPECT_EQ(negotiate({3, 4}, {1, 2}).error().remedy, "update the evaluator");
}

TEST(Handshake, FailuresSayWhatCameLast) {
    for (const bool closed : {true, false}) {
        Pipe there, back;
        auto evaluator = std::make_unique<FdChannel>(std::move(back.read_end), std::move(there.write_end));
        FdChannel engine(std::move(there.read_end), std::move(back.write_end));
        ASSERT_TRUE(evaluator->write_line("bash: kf-evaluator: command not found", soon()));
        if (closed)
            evaluator.reset();
        std::vector<std::string> banner;
        const auto greeting = read_handshake(engine, closed ? soon() : deadline_after(0.05), {}, {}, &banner);
        ASSERT_FALSE(greeting);
        EXPECT_EQ(greeting.error().code, "handshake-missing");
        EXPECT_NE(greeting.error().message.find("command not found"), std::string::npos);
        EXPECT_EQ(banner.size(), 1u);
    }
}

TEST(Handshake, BannersAreLimited) {
    HandshakeReader lines({.banner_lines = 3, .banner_bytes = 1000});
    for (int i = 0; i < 3; ++i)
        EXPECT_FALSE(*lines.feed("x"));
    EXPECT_EQ(lines.feed("x").error().code, "handshake-missing");
    HandshakeReader bytes({.banner_lines = 100, .banner_bytes = 1000});
    EXPECT_FALSE(*bytes.feed(std::string(900, 'x')));
    EXPECT_EQ(bytes.feed(std::string(200, 'x')).error().code, "handshake-missing");
}

TEST(Handshake, InvalidOnesAreRefused) {
    const std::string prefix(handshake_prefix);
    for (const std::string& bad :
         {prefix, prefix + "{", prefix + "[]", prefix + "{}", prefix + R"({"protocol":{"min":2,"max":1}})",
          prefix + R"({"protocol":{"min":0,"max":1}})", prefix + R"({"protocol":{"min":1,"max":1e300}})",
          prefix + R"({"protocol":{"min":1,"max":1},"devices":{}})",
          prefix + R"({"protocol":{"min":1,"max":1},"devices":[1]})",
          prefix + R"({"protocol":{"min":1,"max":1}})" + '\0', prefix + std::string(1000, '[')}) {
        HandshakeReader reader;
        const auto fed = reader.feed(bad);
        ASSERT_FALSE(fed) << bad;
        EXPECT_EQ(fed.error().code, "handshake-invalid");
    }
    HandshakeReader reader;
    EXPECT_TRUE(*reader.feed(prefix + R"({"protocol":{"min":1,"max":1}})"));
    // Text that only quotes the prefix is a banner.
    EXPECT_FALSE(*HandshakeReader().feed("waiting for " + prefix + "…"));
}

TEST(Printable, ForeignBytesCannotDisturbALog) {
    EXPECT_EQ(printable("plain \"text\" \\ ü"), "plain \"text\" \\ ü");
    EXPECT_EQ(printable(std::string("\0\x1b\n\x7f", 4)), "\\u0000\\u001b\\n?");
    EXPECT_EQ(printable("\xff"), "\xef\xbf\xbd");
    EXPECT_EQ(printable("abcdef", 3), "abc…");
}

} // namespace
} // namespace kf
