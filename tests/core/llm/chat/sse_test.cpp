// SPDX-License-Identifier: GPL-3.0-or-later
// Event streams, each vector split at every byte.
#include "core/llm/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using Events = std::vector<SseEvent>;

Events parse(const std::vector<std::string_view>& portions, bool finish = false) {
    SseParser parser;
    Events events;
    for (const std::string_view portion : portions)
        EXPECT_TRUE(parser.feed(portion, events));
    if (finish)
        parser.finish(events);
    return events;
}

std::vector<std::string_view> single_bytes(std::string_view text) {
    std::vector<std::string_view> portions;
    for (std::size_t i = 0; i < text.size(); ++i)
        portions.push_back(text.substr(i, 1));
    return portions;
}

struct Vector {
    const char* name;
    std::string text;
    Events events;
};

const std::vector<Vector>& vectors() {
    static const std::vector<Vector> all = {
        {"lf", "data: a\n\ndata: b\n\n", {{"", "a"}, {"", "b"}}},
        {"crlf", "data: a\r\n\r\ndata: b\r\n\r\n", {{"", "a"}, {"", "b"}}},
        {"cr", "data: a\r\rdata: b\r\r", {{"", "a"}, {"", "b"}}},
        {"mixed", "data: a\r\n\ndata: b\r\r\ndata: c\n\r\n", {{"", "a"}, {"", "b"}, {"", "c"}}},
        {"mark",
         "\xef\xbb\xbf"
         "data: a\n\n",
         {{"", "a"}}},
        {"mark only at the start",
         "data: a\n\n\xef\xbb\xbf"
         "data: b\n\n",
         {{"", "a"}}},
        {"comments", ": OPENROUTER PROCESSING\n\n:\ndata: a\n: in between\n\n", {{"", "a"}}},
        {"lines", "data: a\ndata\ndata:  b\n\n", {{"", "a\n\n b"}}},
        {"name", "event: error\ndata: x\n\ndata: y\n\n", {{"error", "x"}, {"", "y"}}},
        {"name without data", "event: ping\n\ndata: y\n\n", {{"", "y"}}},
        {"unknown fields", "id: 7\nretry: 10\nfoo: bar\nbaz\ndata:z\n\n", {{"", "z"}}},
        {"words in the data", "data: error: data: event: x\n\n", {{"", "error: data: event: x"}}},
        {"utf-8", "data: ☃ é 𝄞\n\n", {{"", "☃ é 𝄞"}}},
        {"no utf-8", "data: a\xff\xc3(\n\n", {{"", "a\xef\xbf\xbd\xef\xbf\xbd("}}},
        {"empty data", "data:\n\ndata: \n\n", {{"", ""}, {"", ""}}},
        {"no end", "data: a\n\ndata: b\n", {{"", "a"}}},
        {"nothing", "\n\n\r\n", {}},
    };
    return all;
}

TEST(Sse, EveryVectorSplitAtEveryByte) {
    for (const Vector& one : vectors()) {
        const std::string_view text = one.text;
        EXPECT_EQ(parse({text}), one.events) << one.name;
        EXPECT_EQ(parse(single_bytes(text)), one.events) << one.name << ", byte by byte";
        for (std::size_t i = 0; i <= text.size(); ++i)
            EXPECT_EQ(parse({text.substr(0, i), "", text.substr(i)}), one.events) << one.name << ", split at " << i;
    }
}

TEST(Sse, TheEndOfTheStreamEndsTheLastEvent) {
    EXPECT_EQ(parse({"data: a\n\ndata: [DONE]"}, true), (Events{{"", "a"}, {"", "[DONE]"}}));
    EXPECT_EQ(parse({"data: [DONE]\n"}, true), (Events{{"", "[DONE]"}}));
    EXPECT_EQ(parse({"data: a\n\n"}, true), (Events{{"", "a"}}));
    EXPECT_EQ(parse({": comment"}, true), Events{});
}

TEST(Sse, WhatNeverEndsIsRefused) {
    SseParser lines(SseLimits{100, 1000});
    Events events;
    EXPECT_TRUE(lines.feed("data: " + std::string(90, 'x'), events));
    EXPECT_EQ(lines.feed("yyyyyyyy", events).error().code, "sse-too-large");
    EXPECT_FALSE(lines.feed("\n\ndata: a\n\n", events));
    EXPECT_FALSE(lines.finish(events));
    EXPECT_TRUE(events.empty());

    SseParser event(SseLimits{100, 1000});
    Status status;
    for (int i = 0; i < 20 && status; ++i)
        status = event.feed("data: " + std::string(90, 'x') + "\n", events);
    EXPECT_FALSE(status);
}

TEST(Sse, InvalidUtf8IsReplacedByteForByte) {
    EXPECT_EQ(replace_invalid_utf8("plain"), "plain");
    EXPECT_EQ(replace_invalid_utf8("☃"), "☃");
    EXPECT_EQ(replace_invalid_utf8("\xe2\x98"), "\xef\xbf\xbd\xef\xbf\xbd");                 // cut short
    EXPECT_EQ(replace_invalid_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                 // overlong
    EXPECT_EQ(replace_invalid_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); // a surrogate
    EXPECT_EQ(replace_invalid_utf8("\xf4\x90\x80\x80").size(), 12u);                         // above U+10FFFF
}

} // namespace
} // namespace kf
