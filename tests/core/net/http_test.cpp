// SPDX-License-Identifier: GPL-3.0-or-later
// What goes out: one POST an attempt, the key to one host only, headers and body as they should be.
#include "tests/core/net/net_fixture.h"

#include <QCoreApplication>
#include <clocale>

namespace kf::net {
namespace {

using loopback::Behaviour;
using loopback::LoopbackServer;
using loopback::Script;
using ::testing::HasSubstr;
using ::testing::Not;

Behaviour with_status(int status, std::string body = {},
                      std::vector<std::pair<std::string, std::string>> headers = {}) {
    Behaviour behaviour;
    behaviour.status = status;
    behaviour.body = std::move(body);
    behaviour.headers = std::move(headers);
    return behaviour;
}

TEST_F(NetTest, AReplyComesInPiecesAndOnePostGoesOut) {
    LoopbackServer server(Script::saying("Here is the kernel: ☃, in several pieces of text."));
    const ChatReply reply = reply_of(ask(server));
    EXPECT_EQ(reply.content, "Here is the kernel: ☃, in several pieces of text.");
    EXPECT_EQ(reply.finish_reason, "stop");
    EXPECT_EQ(reply.model, "loopback");
    EXPECT_EQ(reply.attempts, 1);
    EXPECT_TRUE(reply.usage.told);
    EXPECT_GT(pieces.size(), 1u);
    EXPECT_EQ(pieces.size(), reply.pieces.size());
    EXPECT_EQ(server.posts(), 1);
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(NetTest, TheRequestSaysWhatItShouldAndNothingElse) {
    LoopbackServer server(Script::saying("ok"));
    ChatRequest asked = request("line 1\n\"quoted\" ☃");
    asked.temperature = 0.25;
    asked.max_tokens = 777;
    reply_of(client(server).ask(asked, {}, {}));
    const loopback::SeenRequest seen = server.requests().at(0);
    EXPECT_EQ(seen.path, "/v1/chat/completions");
    EXPECT_EQ(get_string(seen.headers, "authorization"), std::string("Bearer ") + secret);
    EXPECT_EQ(get_string(seen.headers, "accept-encoding"), "identity");
    EXPECT_THAT(get_string(seen.headers, "accept"), HasSubstr("text/event-stream"));
    EXPECT_THAT(get_string(seen.headers, "user-agent"), HasSubstr("KernelForge"));
    EXPECT_EQ(get_string(seen.headers, "connection"), "close");
    EXPECT_EQ(get_string(seen.headers, "content-type"), "application/json");
    EXPECT_FALSE(seen.headers.contains("upgrade"));
    EXPECT_FALSE(seen.headers.contains("cookie"));
    EXPECT_EQ(seen.body["max_tokens"], 777);
    EXPECT_EQ(seen.body["temperature"], 0.25);
    EXPECT_EQ(seen.body["stream"], true);
    EXPECT_EQ(seen.body["messages"][0]["content"], "line 1\n\"quoted\" ☃");
    EXPECT_THAT(seen.body.dump(), Not(HasSubstr(secret)));
}

TEST_F(NetTest, ARedirectIsNotFollowedAndTheKeyStaysHere) {
    LoopbackServer elsewhere(Script::saying("you should not be here"));
    for (const char* path : {"/v1/chat/completions", "/other"}) {
        Behaviour behaviour;
        behaviour.redirect = "http://127.0.0.1:" + std::to_string(elsewhere.port()) + path;
        LoopbackServer server(Script::saying("", behaviour));
        const ModelError error = error_of(ask(server));
        EXPECT_EQ(error.failure, ModelFailure::redirect);
        EXPECT_EQ(error.http_status, 307);
        EXPECT_THAT(error.message, HasSubstr("127.0.0.1:" + std::to_string(elsewhere.port())));
        EXPECT_THAT(error.message, Not(HasSubstr(path)));
        EXPECT_EQ(server.posts(), 1);
    }
    EXPECT_EQ(elsewhere.connections(), 0);
}

TEST_F(NetTest, AConnectionLostBeforeAnyByteSendsOnePostAnAttempt) {
    Behaviour behaviour;
    behaviour.drop = true;
    LoopbackServer server(Script::saying("", behaviour));
    ClientOptions once = quick();
    once.retry.tries = 1;
    const ModelError error = error_of(client(server, once).ask(request(), {}, {}));
    EXPECT_EQ(error.failure, ModelFailure::unreachable);
    EXPECT_TRUE(error.maybe_billed);
    EXPECT_EQ(error.partial.attempts, 1);
    EXPECT_EQ(server.posts(), 1);
    EXPECT_EQ(server.connections(), 1);

    const ModelError again = error_of(ask(server)); // five tries, each counted
    EXPECT_EQ(again.partial.attempts, 5);
    EXPECT_EQ(server.posts(), 6);
    EXPECT_EQ(server.connections(), 6);
}

TEST_F(NetTest, ALargeBodyThatIsNotWaitedForIsNotSentTwice) {
    Behaviour behaviour;
    behaviour.drop = true;
    LoopbackServer server(Script::saying("", behaviour));
    ClientOptions once = quick();
    once.retry.tries = 1;
    const ChatRequest large = request(std::string(3 << 20, 'x'));
    EXPECT_EQ(error_of(client(server, once).ask(large, {}, {})).partial.attempts, 1);
    EXPECT_EQ(server.posts(), 1);
}

TEST_F(NetTest, ANewTryAfterADropSucceedsAndIsCounted) {
    const Result<Script> script = Script::parse(
        Json::parse(R"({"rules":[{"times":2,"behave":{"drop":true}}],"fallback":{"reply":"third time"}})"), ".");
    LoopbackServer server(*script);
    std::vector<double> waits;
    ClientOptions options = quick();
    options.on_retry = [&](const ModelError& error, int tries, double wait) {
        EXPECT_EQ(error.failure, ModelFailure::unreachable);
        EXPECT_EQ(tries, static_cast<int>(waits.size()) + 1);
        waits.push_back(wait);
    };
    const ChatReply reply = reply_of(client(server, options).ask(request(), {}, {}));
    EXPECT_EQ(reply.content, "third time");
    EXPECT_EQ(reply.attempts, 3);
    EXPECT_EQ(server.posts(), 3);
    EXPECT_EQ(waits.size(), 2u);
}

struct StatusCase {
    int status;
    const char* body;
    ModelFailure failure;
    int posts;
};
class StatusTest : public NetTest, public ::testing::WithParamInterface<StatusCase> {};

TEST_P(StatusTest, IsToldApartAndRetriedOnlyWhereWaitingHelps) {
    const StatusCase& one = GetParam();
    LoopbackServer server(Script::saying("", with_status(one.status, one.body)));
    const ModelError error = error_of(ask(server));
    EXPECT_EQ(to_string(error.failure), to_string(one.failure)) << error.message;
    EXPECT_EQ(error.http_status, one.status);
    EXPECT_FALSE(error.message.empty());
    EXPECT_FALSE(error.remedy.empty());
    EXPECT_THAT(error.message, Not(HasSubstr(secret)));
    EXPECT_THAT(error.message, Not(HasSubstr("<")));
    EXPECT_EQ(server.posts(), one.posts);
    EXPECT_EQ(error.partial.attempts, one.posts);
}

INSTANTIATE_TEST_SUITE_P(
    Each, StatusTest,
    ::testing::Values(
        StatusCase{401, R"({"error":{"message":"Incorrect API key: SECRETKEY-4711-planted"}})",
                   ModelFailure::unauthorized, 1},
        StatusCase{402, R"({"error":{"message":"pay"}})", ModelFailure::payment, 1},
        StatusCase{403, R"({"detail":"no"})", ModelFailure::forbidden, 1},
        StatusCase{404, R"({"object":"error","message":"The model `x` does not exist."})", ModelFailure::not_found, 1},
        StatusCase{413, "<html><head><title>413 Request Entity Too Large</title></head></html>",
                   ModelFailure::too_large, 1},
        StatusCase{422, R"({"detail":[{"loc":["body","n"],"msg":"field required"}]})", ModelFailure::bad_request, 1},
        StatusCase{400, R"({"error":{"message":"maximum context length is 4096 tokens"}})", ModelFailure::overflow, 1},
        StatusCase{429, R"({"error":{"message":"slow down"}})", ModelFailure::rate_limited, 5},
        StatusCase{429, R"({"error":{"message":"Request too large for model"}})", ModelFailure::too_large, 1},
        StatusCase{500, "", ModelFailure::server, 5},
        StatusCase{502, "<html><body><h1>502 Bad Gateway</h1></body></html>", ModelFailure::server, 5},
        StatusCase{503, "overloaded", ModelFailure::server, 5}, StatusCase{501, "", ModelFailure::server, 1}));

TEST_F(NetTest, AnAuthenticationChallengeIsA401AndNothingIsSentAgain) {
    LoopbackServer server(Script::saying(
        "", with_status(401, R"({"error":{"message":"no"}})", {{"WWW-Authenticate", "Basic realm=\"x\""}})));
    EXPECT_EQ(error_of(ask(server)).failure, ModelFailure::unauthorized);
    EXPECT_EQ(server.posts(), 1);
}

TEST_F(NetTest, RetryAfterIsHonouredInSeconds) {
    const Result<Script> script =
        Script::parse(Json::parse(R"({"rules":[{"times":1,"behave":{"status":429,"headers":{"Retry-After":"1"}}}],
                                     "fallback":{"reply":"now"}})"),
                      ".");
    LoopbackServer server(*script);
    std::vector<double> waits;
    ClientOptions options = quick();
    options.on_retry = [&](const ModelError&, int, double wait) { waits.push_back(wait); };
    EXPECT_EQ(reply_of(client(server, options).ask(request(), {}, {})).attempts, 2);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_GE(waits[0], 1.0);
}

TEST_F(NetTest, AProviderThatAsksForAnHourIsNotWaitedFor) {
    for (const char* value : {"3600", "Fri, 31 Dec 2100 23:59:59 GMT"}) {
        LoopbackServer server(Script::saying("", with_status(429, "", {{"Retry-After", value}})));
        const ModelError error = error_of(ask(server));
        EXPECT_EQ(error.failure, ModelFailure::rate_limited);
        EXPECT_GE(error.retry_after_s, 3600);
        EXPECT_EQ(server.posts(), 1);
    }
}

TEST_F(NetTest, NothingListens) {
    int port = 0;
    {
        LoopbackServer gone(Script::saying(""));
        port = gone.port();
    }
    ModelClient one(provider("http://127.0.0.1:" + std::to_string(port) + "/v1"), {}, quick());
    const ModelError error = error_of(one.ask(request(), {}, {}));
    EXPECT_EQ(error.failure, ModelFailure::unreachable);
    EXPECT_EQ(error.partial.attempts, 5);
    EXPECT_FALSE(error.maybe_billed); // nothing ever went out
    EXPECT_THAT(error.message, HasSubstr("127.0.0.1"));
}

TEST_F(NetTest, AKeyIsNeitherMissingNorSentInTheClear) {
    LoopbackServer server(Script::saying("ok"));
    Provider needs = provider(server.url());
    needs.needs_key = true;
    needs.key_variables = {"LOOP_API_KEY"};
    const ModelError missing = error_of(ModelClient(needs, {}, quick()).ask(request(), {}, {}));
    EXPECT_EQ(missing.failure, ModelFailure::unauthorized);
    EXPECT_THAT(missing.remedy, HasSubstr("LOOP_API_KEY"));
    EXPECT_EQ(missing.partial.attempts, 0);
    const ModelError clear = error_of(
        ModelClient(provider("http://models.example.com/v1"), *ApiKey::make(secret), quick()).ask(request(), {}, {}));
    EXPECT_EQ(clear.failure, ModelFailure::tls);
    EXPECT_EQ(clear.partial.attempts, 0);
    EXPECT_EQ(server.connections(), 0);
}

TEST_F(NetTest, WithoutAKeyNoAuthorizationGoesOut) {
    LoopbackServer server(Script::saying("ok"));
    reply_of(ModelClient(provider(server.url()), {}, quick()).ask(request(), {}, {}));
    EXPECT_FALSE(server.requests().at(0).headers.contains("authorization"));
}

TEST_F(NetTest, AServerWithoutTlsIsNoSecureConnection) {
    LoopbackServer server(Script::saying("ok"));
    ClientOptions once = quick();
    once.retry.tries = 1;
    once.connect_s = 3;
    ModelClient one(provider("https://127.0.0.1:" + std::to_string(server.port()) + "/v1"), *ApiKey::make(secret),
                    once);
    const ModelError error = error_of(one.ask(request(), {}, {}));
    EXPECT_TRUE(error.failure == ModelFailure::tls || error.failure == ModelFailure::unreachable) << error.message;
    EXPECT_EQ(server.posts(), 0);
}

TEST_F(NetTest, ModelsAreListed) {
    const Result<Script> script = Script::parse(Json::parse(R"({"models":["b","a","b"]})"), ".");
    LoopbackServer server(*script);
    const auto listed = client(server).list_models();
    ASSERT_TRUE(std::holds_alternative<std::vector<std::string>>(listed));
    EXPECT_THAT(std::get<0>(listed), ::testing::ElementsAre("a", "b"));
    EXPECT_EQ(server.posts(), 0);
    const auto wrong = ModelClient(provider(server.url() + "/nowhere"), {}, quick()).list_models();
    ASSERT_TRUE(std::holds_alternative<ModelError>(wrong));
    EXPECT_EQ(std::get<1>(wrong).failure, ModelFailure::not_found);
}

TEST_F(NetTest, DescribesItselfWithoutASecret) {
    LoopbackServer server(Script::saying("ok"));
    const Json told = client(server).describe();
    EXPECT_EQ(get_string(told, "url"), server.url());
    EXPECT_EQ(get_string(told, "provider"), "Loopback");
    EXPECT_THAT(told.dump(), Not(HasSubstr(secret)));
}

// The command line has no Qt of its own: an application object comes into being and leaves the locale alone.
TEST_F(NetTest, AnyThreadMayAskAndTheLocaleStays) {
    LoopbackServer server(Script::saying("from a thread"));
    std::string text;
    std::thread thread([&] { text = reply_of(ask(server)).content; });
    thread.join();
    EXPECT_EQ(text, "from a thread");
    ASSERT_NE(QCoreApplication::instance(), nullptr);
    EXPECT_STREQ(std::setlocale(LC_NUMERIC, nullptr), "C");
}

TEST_F(NetTest, SeveralThreadsAskAtOnce) {
    LoopbackServer server(Script::saying("to each its own"));
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&] {
            const ChatOutcome outcome = client(server).ask(request(), {}, {});
            const auto* reply = std::get_if<ChatReply>(&outcome);
            good += reply && reply->content == "to each its own";
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(good, 6);
    EXPECT_EQ(server.posts(), 6);
}

} // namespace
} // namespace kf::net
