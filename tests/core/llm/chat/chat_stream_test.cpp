// SPDX-License-Identifier: GPL-3.0-or-later
// Streamed replies, each split at every byte: the same reply whatever the portions.
#include "core/llm/chat_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using ::testing::HasSubstr;

std::string event(const std::string& json) {
    return "data: " + json + "\n\n";
}
std::string delta(const std::string& fields, const std::string& finish = "null") {
    return event(R"({"model":"m","choices":[{"index":0,"delta":{)" + fields + R"(},"finish_reason":)" + finish + "}]}");
}
const std::string done = "data: [DONE]\n\n";
const std::string stop = delta("", "\"stop\"");

struct Read {
    ChatOutcome outcome;
    std::vector<ReplyPiece> pieces;
};

Read read(std::initializer_list<std::string_view> portions, ChatStreamOptions options = {}) {
    Read read;
    ChatStream stream(options);
    double at = 0;
    for (const std::string_view portion : portions)
        stream.feed(portion, at += 1, read.pieces);
    read.outcome = stream.finish(at + 1, read.pieces);
    return read;
}

// The outcome without its times and portions.
std::string summary(const Read& read) {
    if (const auto* error = std::get_if<ModelError>(&read.outcome))
        return "error " + std::string(to_string(error->failure)) + ": " + error->message + " | " +
               error->partial.reasoning + " | " + error->partial.content;
    const ChatReply& reply = std::get<ChatReply>(read.outcome);
    return reply.reasoning + " | " + reply.content + " | " + reply.finish_reason + " | " +
           std::to_string(reply.usage.in) + "," + std::to_string(reply.usage.out) + "," +
           std::to_string(reply.usage.reasoning) + " | " + reply.model;
}

struct Golden {
    const char* name;
    std::string text;
    const char* summary;
};

const std::vector<Golden>& goldens() {
    static const std::vector<Golden> all = {
        {"content",
         delta(R"("role":"assistant","content":"")") + delta(R"("content":"Hi ☃")") + delta(R"("content":" there")") +
             stop + done,
         " | Hi ☃ there | stop | 0,0,0 | m"},
        {"usage, choices empty",
         delta(R"("content":"a")") + stop +
             event(
                 R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":2}}})") +
             done,
         " | a | stop | 3,5,2 | m"},
        {"usage, choices null",
         delta(R"("content":"a")") + stop +
             event(R"({"choices":null,"usage":{"prompt_tokens":3,"completion_tokens":5}})") + done,
         " | a | stop | 3,5,0 | m"},
        {"usage, no choices",
         delta(R"("content":"a")") + stop + event(R"({"usage":{"prompt_tokens":3,"completion_tokens":5}})") + done,
         " | a | stop | 3,5,0 | m"},
        {"usage null in every chunk", event(R"({"choices":[{"delta":{"content":"a"}}],"usage":null})") + stop + done,
         " | a | stop | 0,0,0 | m"},
        {"reasoning_content",
         delta(R"("reasoning_content":"th")") + delta(R"("reasoning_content":"ink","content":null)") +
             delta(R"("content":"a")") + stop,
         "think | a | stop | 0,0,0 | m"},
        {"reasoning", delta(R"("reasoning":"think")") + delta(R"("content":"a")") + stop,
         "think | a | stop | 0,0,0 | m"},
        {"reasoning_details",
         delta(R"("reasoning_details":[{"type":"reasoning.text","text":"think"}])") + delta(R"("content":"a")") + stop,
         "think | a | stop | 0,0,0 | m"},
        {"the same under two names counts once",
         delta(R"("reasoning":"think","reasoning_content":"think","reasoning_details":[{"text":"think"}])") +
             delta(R"("content":"a")") + stop,
         "think | a | stop | 0,0,0 | m"},
        {"think tags across chunks",
         delta(R"("content":"\n<th")") + delta(R"("content":"ink>a < b</thi")") +
             delta(R"("content":"nk>\n\nanswer <think>")") + stop,
         "a < b | answer <think> | stop | 0,0,0 | m"},
        {"only the closing tag", delta(R"("content":"thought</think>\nanswer")") + stop,
         "thought | answer | stop | 0,0,0 | m"},
        {"thinking never ends", delta(R"("content":"<think>on and on")") + delta("", "\"length\""),
         "on and on |  | length | 0,0,0 | m"},
        {"empty reasons in the middle", delta(R"("content":"a")", "\"\"") + delta(R"("content":"b")", "\"\"") + stop,
         " | ab | stop | 0,0,0 | m"},
        {"reason missing, done", event(R"({"choices":[{"delta":{"content":"a"}}]})") + done, " | a |  | 0,0,0 | "},
        {"done without its empty line", delta(R"("content":"a")") + "data: [DONE]", " | a |  | 0,0,0 | m"},
        {"content that looks like a stream", delta(R"("content":"error: data: [DONE]\n\ndata: x")") + stop,
         " | error: data: [DONE]\n\ndata: x | stop | 0,0,0 | m"},
        {"parts", delta(R"("content":[{"type":"text","text":"a"},{"type":"text","text":"b"}])") + stop,
         " | ab | stop | 0,0,0 | m"},
        {"other answers are passed over",
         event(R"({"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"a"}}]})") + stop,
         " | a | stop | 0,0,0 | m"},
        {"strange chunks are passed over",
         event("7") + event("[]") + event(R"({"type":"ping"})") + delta(R"("content":"a")") + stop,
         " | a | stop | 0,0,0 | m"},
        {"error in the stream",
         delta(R"("content":"a")") + event(R"({"error":{"message":"died","code":502}})") + delta(R"("content":"b")") +
             stop + done,
         "error stream_error: the provider broke the reply off: died |  | a"},
        {"error as text", event(R"({"error":"died"})"),
         "error stream_error: the provider broke the reply off: died |  | "},
        {"error event", "event: error\ndata: {\"message\":\"died\"}\n\n",
         "error stream_error: the provider broke the reply off: died |  | "},
        {"error null is none", event(R"({"error":null,"choices":[{"delta":{"content":"a"}}]})") + stop,
         " | a | stop | 0,0,0 | m"},
        {"reason error", delta(R"("content":"a")", "\"error\""),
         "error stream_error: the provider broke the reply off with an error and gave no reason |  | a"},
        {"cut between events", delta(R"("content":"a")"),
         "error truncated: the reply broke off in the middle (no finish_reason, no [DONE]) |  | a"},
        {"cut within an event", delta(R"("content":"a")") + "data: {\"choices\":[{\"del",
         "error truncated: the reply broke off in the middle (no finish_reason, no [DONE]) |  | a"},
        {"nothing at all", "", "error truncated: the reply ended before its first word |  | "},
        {"in order without a word", stop + done, "error empty: the reply ended in order without a word |  | "},
        {"whole",
         R"({"model":"m","choices":[{"message":{"content":"<think>t</think>a","reasoning":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})",
         "t | a | stop | 1,2,0 | m"},
        {"whole error", R"( {"error":{"message":"bad"}} )",
         "error stream_error: the provider broke the reply off: bad |  | "},
        {"whole, cut", R"({"choices":[{"message":{"content":"a")",
         "error truncated: the reply is a JSON document without its end |  | "},
    };
    return all;
}

TEST(ChatStream, EveryGoldenSplitAtEveryByte) {
    for (const Golden& one : goldens()) {
        const std::string_view text = one.text;
        ASSERT_EQ(summary(read({text})), one.summary) << one.name;
        for (std::size_t i = 0; i <= text.size(); ++i)
            ASSERT_EQ(summary(read({text.substr(0, i), text.substr(i)})), one.summary)
                << one.name << ", split at " << i;
        ChatStream stream;
        Read bytes;
        for (std::size_t i = 0; i < text.size(); ++i)
            stream.feed(text.substr(i, 1), 1, bytes.pieces);
        bytes.outcome = stream.finish(2, bytes.pieces);
        ASSERT_EQ(summary(bytes), one.summary) << one.name << ", byte by byte";
    }
}

TEST(ChatStream, PiecesAddUpToTheReplyAndKeepTheirTimes) {
    const std::string first = delta(R"("reasoning":"think")"), second = delta(R"("content":"an")"),
                      third = delta(R"("content":"swer")") + stop + done;
    const Read got = read({first, second, third});
    const ChatReply& reply = std::get<ChatReply>(got.outcome);
    ASSERT_EQ(got.pieces.size(), 3u);
    EXPECT_EQ(got.pieces[0].kind, ReplyPiece::Kind::reasoning);
    EXPECT_EQ(got.pieces[1].text + got.pieces[2].text, "answer");
    EXPECT_EQ(reply.first_token_s, 1);
    EXPECT_EQ(got.pieces[2].at_s, 3);
    EXPECT_EQ(reply.pieces.size(), 3u);
}

TEST(ChatStream, AnAnswerUnderTheWrongNameIsTakenWhenThinkingWasOff) {
    const std::string text = delta(R"("reasoning_content":"the answer")") + stop + done;
    EXPECT_EQ(summary(read({text}, {.thinking_off = true})), " | the answer | stop | 0,0,0 | m");
    EXPECT_EQ(summary(read({text})), "the answer |  | stop | 0,0,0 | m");
}

TEST(ChatStream, OverflowInsideAStreamIsOverflow) {
    const Read got = read({event(R"({"error":{"message":"x","type":"exceed_context_size_error","n_ctx":4096}})")});
    EXPECT_EQ(std::get<ModelError>(got.outcome).failure, ModelFailure::overflow);
}

TEST(ChatStream, NonsenseIsMalformed) {
    for (const char* text : {"data: {\"choices\": [}\n\ndata: [DONE]\n\n", "{\"hello\":1}"}) {
        const Read got = read({text});
        EXPECT_EQ(std::get<ModelError>(got.outcome).failure, ModelFailure::malformed) << text;
    }
}

TEST(ChatStream, AReplyWithoutEndIsRefused) {
    ChatStream stream({.reply_bytes = 1000});
    std::vector<ReplyPiece> pieces;
    for (int i = 0; i < 100 && !stream.ended(); ++i)
        stream.feed(delta(R"("content":")" + std::string(50, 'x') + "\""), 1, pieces);
    EXPECT_TRUE(stream.ended());
    EXPECT_EQ(std::get<ModelError>(stream.finish(1, pieces)).failure, ModelFailure::malformed);
    EXPECT_LE(stream.partial().content.size(), 1000u);
}

TEST(ChatStream, StrangeNumbersInTheUsageDoNoHarm) {
    const Read got = read({delta(R"("content":"a")"),
                           event(R"({"usage":{"prompt_tokens":-5,"completion_tokens":1e300,"cost":-1}})"), stop});
    const ChatReply& reply = std::get<ChatReply>(got.outcome);
    EXPECT_EQ(reply.usage.in, 0);
    EXPECT_EQ(reply.usage.out, 0);
    EXPECT_EQ(reply.usage.money, 0);
    EXPECT_FALSE(reply.usage.told);
}

} // namespace
} // namespace kf
