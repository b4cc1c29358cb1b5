// SPDX-License-Identifier: GPL-3.0-or-later
// What comes back: streams in order and in every kind of disorder, deadlines, and being cancelled.
#include "tests/core/net/net_fixture.h"

namespace kf::net {
namespace {

using loopback::Behaviour;
using loopback::LoopbackServer;
using loopback::ReasoningField;
using loopback::Script;
using loopback::UsageForm;
using ::testing::HasSubstr;

constexpr const char* text = "abcdefghijklmnopqrstuvwxyz ☃ 0123456789";

TEST_F(NetTest, EveryFormOfUsageAndEveryLineEndIsRead) {
    for (const UsageForm usage :
         {UsageForm::choices_empty, UsageForm::choices_null, UsageForm::choices_missing, UsageForm::with_finish}) {
        for (const bool odd : {false, true}) {
            Behaviour behaviour;
            behaviour.usage = usage;
            behaviour.crlf = behaviour.comments = odd;
            behaviour.chunked = !odd;
            behaviour.piece_chars = 3;
            LoopbackServer server(Script::saying(text, behaviour));
            const ChatReply reply = reply_of(ask(server));
            EXPECT_EQ(reply.content, text);
            EXPECT_TRUE(reply.usage.told);
            EXPECT_GT(reply.usage.out, 0);
        }
    }
}

TEST_F(NetTest, ThinkingIsKeptApartWhereverItComes) {
    for (const ReasoningField field : {ReasoningField::reasoning_content, ReasoningField::reasoning,
                                       ReasoningField::reasoning_details, ReasoningField::think}) {
        Json script{{"fallback", {{"reply", text}, {"thinking", "first I think"}}}};
        Result<Script> parsed = Script::parse(script, ".");
        ASSERT_TRUE(parsed);
        const char* names[] = {"reasoning_content", "reasoning", "reasoning_details", "think"};
        script["fallback"]["behave"] = Json{{"reasoning", names[static_cast<int>(field)]}, {"piece_chars", 2}};
        parsed = Script::parse(script, ".");
        ASSERT_TRUE(parsed);
        LoopbackServer server(*parsed);
        const ChatReply reply = reply_of(ask(server));
        EXPECT_EQ(reply.reasoning, "first I think");
        EXPECT_EQ(reply.content, text);
    }
}

TEST_F(NetTest, AWholeDocumentInsteadOfAStreamIsAReplyToo) {
    Behaviour behaviour;
    behaviour.whole = true;
    LoopbackServer server(Script::saying(text, behaviour));
    EXPECT_EQ(reply_of(ask(server)).content, text);
}

TEST_F(NetTest, ACutStreamIsTruncatedNeverASuccess) {
    for (const bool chunked : {true, false}) {
        Behaviour behaviour;
        behaviour.cut_after = 3;
        behaviour.piece_chars = 4;
        behaviour.chunked = chunked;
        LoopbackServer server(Script::saying(text, behaviour));
        pieces.clear();
        const ModelError error = error_of(ask(server));
        EXPECT_EQ(to_string(error.failure), "truncated") << error.message;
        EXPECT_TRUE(error.maybe_billed);
        EXPECT_EQ(error.partial.content, "abcdefghijkl");
        EXPECT_EQ(pieces.size(), 3u);
        EXPECT_EQ(server.posts(), 1); // a piece came: never asked again
    }
}

TEST_F(NetTest, AStreamThatEndsInOrderWithoutAReasonIsTruncated) {
    Behaviour behaviour;
    behaviour.finish = std::nullopt;
    behaviour.done = false;
    LoopbackServer server(Script::saying(text, behaviour));
    EXPECT_EQ(error_of(ask(server)).failure, ModelFailure::truncated);
    EXPECT_EQ(server.posts(), 1);
}

TEST_F(NetTest, EitherAReasonOrDoneIsEnough) {
    Behaviour only_done;
    only_done.finish = std::nullopt;
    LoopbackServer done(Script::saying(text, only_done));
    EXPECT_EQ(reply_of(ask(done)).finish_reason, "");
    Behaviour only_reason;
    only_reason.done = false;
    LoopbackServer reason(Script::saying(text, only_reason));
    EXPECT_EQ(reply_of(ask(reason)).finish_reason, "stop");
    Behaviour cut;
    cut.finish = "length";
    LoopbackServer length(Script::saying(text, cut));
    EXPECT_TRUE(reply_of(ask(length)).cut());
    Behaviour empty_reason;
    empty_reason.finish = "";
    LoopbackServer odd(Script::saying(text, empty_reason));
    EXPECT_EQ(reply_of(ask(odd)).content, text);
}

TEST_F(NetTest, AnErrorInsideTheStreamIsAnError) {
    Behaviour behaviour;
    behaviour.error_after = 2;
    behaviour.piece_chars = 4;
    behaviour.error = Json{{"message", std::string("upstream died, key ") + secret}, {"code", 502}};
    LoopbackServer server(Script::saying(text, behaviour));
    const ModelError error = error_of(ask(server));
    EXPECT_EQ(error.failure, ModelFailure::stream_error);
    EXPECT_THAT(error.message, HasSubstr("upstream died"));
    EXPECT_THAT(error.message, ::testing::Not(HasSubstr(secret)));
    EXPECT_EQ(error.partial.content, "abcdefgh");
    EXPECT_EQ(server.posts(), 1);
}

TEST_F(NetTest, AnEmptyReplyAndNonsenseAreErrors) {
    LoopbackServer empty(Script::saying(""));
    EXPECT_EQ(error_of(ask(empty)).failure, ModelFailure::empty);
    Behaviour page;
    page.raw = "<html>welcome to the hotel's network</html>";
    LoopbackServer hotel(Script::saying("", page));
    EXPECT_EQ(error_of(ask(hotel)).failure, ModelFailure::truncated);
    Behaviour broken;
    broken.raw = "data: {\"choices\": [}\n\ndata: [DONE]\n\n";
    LoopbackServer nonsense(Script::saying("", broken));
    EXPECT_EQ(error_of(ask(nonsense)).failure, ModelFailure::malformed);
}

TEST_F(NetTest, ASlowFirstTokenIsWaitedFor) {
    Behaviour behaviour;
    behaviour.headers_ms = 200;
    behaviour.first_ms = 600;
    LoopbackServer server(Script::saying(text, behaviour));
    ClientOptions options = quick();
    options.connect_s = 5;
    options.stall_s = 0.3; // counts only after a piece
    EXPECT_EQ(reply_of(client(server, options).ask(request(), {}, {})).content, text);
}

TEST_F(NetTest, NoFirstTokenInTimeIsTold) {
    for (const bool headers : {false, true}) {
        Behaviour behaviour;
        behaviour.deaf = !headers;
        behaviour.stall_after = 0;
        LoopbackServer server(Script::saying(text, behaviour));
        ClientOptions options = quick();
        options.first_token_s = 0.3;
        options.connect_s = 60; // the request has gone out: this deadline is over
        const ModelError error = error_of(client(server, options).ask(request(), {}, {}));
        EXPECT_EQ(to_string(error.failure), "first_token_late");
        EXPECT_TRUE(error.maybe_billed);
        EXPECT_EQ(server.posts(), 1); // nobody knows what became of it: not asked again
        EXPECT_TRUE(eventually([&] { return server.given_up() == 1; }));
    }
}

TEST_F(NetTest, AStallIsTold) {
    Behaviour behaviour;
    behaviour.stall_after = 2;
    behaviour.piece_chars = 4;
    LoopbackServer server(Script::saying(text, behaviour));
    ClientOptions options = quick();
    options.stall_s = 0.3;
    const ModelError error = error_of(client(server, options).ask(request(), {}, {}));
    EXPECT_EQ(error.failure, ModelFailure::stalled);
    EXPECT_EQ(error.partial.content, "abcdefgh");
    EXPECT_EQ(server.posts(), 1);
    EXPECT_TRUE(eventually([&] { return server.given_up() == 1; }));
}

TEST_F(NetTest, CancelledBeforeAnythingSendsNothing) {
    LoopbackServer server(Script::saying(text));
    std::stop_source stop;
    stop.request_stop();
    const ModelError error = error_of(ask(server, stop.get_token()));
    EXPECT_EQ(error.failure, ModelFailure::cancelled);
    EXPECT_EQ(error.partial.attempts, 0);
    EXPECT_EQ(server.connections(), 0);
}

TEST_F(NetTest, CancelledWhileConnecting) {
    // A full backlog: connections are neither accepted nor refused. TEST-NET-1 (RFC 5737) is routed nowhere.
    ClientOptions options = quick();
    ModelClient one(provider("http://192.0.2.1:9/v1"), {}, options);
    std::stop_source stop;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        stop.request_stop();
    });
    const ModelError error = error_of(one.ask(request(), stop.get_token(), {}));
    stopper.join();
    // A machine without any network says at once that there is no way; then the wait for the next try was cancelled.
    EXPECT_EQ(error.failure, error.partial.attempts == 5 ? ModelFailure::unreachable : ModelFailure::cancelled);
    EXPECT_FALSE(error.maybe_billed);
}

TEST_F(NetTest, CancelledWhileWaitingForTheFirstToken) {
    Behaviour behaviour;
    behaviour.deaf = true;
    LoopbackServer server(Script::saying(text, behaviour));
    std::stop_source stop;
    std::thread stopper([&] {
        eventually([&] { return server.posts() == 1; });
        stop.request_stop();
    });
    const ModelError error = error_of(ask(server, stop.get_token()));
    stopper.join();
    EXPECT_EQ(error.failure, ModelFailure::cancelled);
    EXPECT_TRUE(error.maybe_billed);
    EXPECT_TRUE(eventually([&] { return server.given_up() == 1; }));
    EXPECT_EQ(server.posts(), 1);
}

TEST_F(NetTest, CancelledInTheMiddleOfTheStreamKeepsWhatCame) {
    Behaviour behaviour;
    behaviour.piece_chars = 4;
    behaviour.stall_after = 3;
    LoopbackServer server(Script::saying(text, behaviour));
    std::stop_source stop;
    const ChatOutcome outcome = client(server).ask(request(), stop.get_token(), [&](const ReplyPiece& piece) {
        pieces.push_back(piece);
        if (pieces.size() == 3)
            stop.request_stop();
    });
    const ModelError error = error_of(outcome);
    EXPECT_EQ(error.failure, ModelFailure::cancelled);
    EXPECT_EQ(error.partial.content, "abcdefghijkl");
    EXPECT_TRUE(eventually([&] { return server.given_up() == 1; }));
}

TEST_F(NetTest, CancelledWithTheLastPieceOrAfterwards) {
    LoopbackServer server(Script::saying("x"));
    std::stop_source stop;
    const ChatOutcome outcome =
        client(server).ask(request(), stop.get_token(), [&](const ReplyPiece&) { stop.request_stop(); });
    // Both are right: the reply was complete, or the wish came first. Nothing hangs and nothing is sent again.
    if (const auto* error = std::get_if<ModelError>(&outcome)) {
        EXPECT_EQ(error->failure, ModelFailure::cancelled);
    }
    EXPECT_EQ(server.posts(), 1);
    std::stop_source late;
    const ChatReply reply = reply_of(ask(server, late.get_token()));
    late.request_stop();
    EXPECT_EQ(reply.content, "x");
}

TEST_F(NetTest, CancelledBetweenTries) {
    Behaviour behaviour;
    behaviour.status = 503;
    LoopbackServer server(Script::saying("", behaviour));
    ClientOptions options = quick();
    options.retry.first_s = options.retry.most_s = 600;
    std::stop_source stop;
    options.on_retry = [&](const ModelError&, int, double) { stop.request_stop(); };
    const ModelError error = error_of(client(server, options).ask(request(), stop.get_token(), {}));
    EXPECT_EQ(error.failure, ModelFailure::cancelled);
    EXPECT_EQ(server.posts(), 1);
}

TEST_F(NetTest, WhatTheCallerThrowsComesThrough) {
    LoopbackServer server(Script::saying(text));
    EXPECT_THROW((void)client(server).ask(request(), {}, [](const ReplyPiece&) { throw std::runtime_error("full"); }),
                 std::runtime_error);
    EXPECT_EQ(reply_of(ask(server)).content, text);
}

TEST_F(NetTest, ALongReplyIsComplete) {
    std::string lines;
    for (int i = 0; i < 20000; ++i)
        lines += "line " + std::to_string(i) + " ☃\n";
    Behaviour behaviour;
    behaviour.piece_chars = 1000;
    LoopbackServer server(Script::saying(lines, behaviour));
    EXPECT_EQ(reply_of(ask(server)).content, lines);
}

} // namespace
} // namespace kf::net
