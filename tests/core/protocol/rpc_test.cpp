// SPDX-License-Identifier: GPL-3.0-or-later
// Server and client against each other, and each against a peer that misbehaves.
#include "core/base/sha256.h"
#include "core/protocol/blob.h"
#include "core/protocol/client.h"
#include "core/protocol/outcome.h"
#include "core/protocol/server.h"

#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>

namespace kf {
namespace {

struct Pair {
    std::unique_ptr<FdChannel> left;
    std::unique_ptr<FdChannel> right;
};

Pair socket_pair() {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    return {std::move(*FdChannel::over_socket(UniqueFd(fds[0]))), std::move(*FdChannel::over_socket(UniqueFd(fds[1])))};
}

// A server on a thread of its own, and the client's side of its connection.
struct Served {
    explicit Served(RpcServerOptions options = {}) {
        Pair pair = socket_pair();
        server = std::make_unique<RpcServer>(std::move(pair.left), options);
        peer = std::move(pair.right);
    }
    ~Served() {
        if (thread.joinable()) {
            server->stop();
            thread.join();
        }
    }
    void start() {
        thread = std::thread([this] { ended.set_value(server->run()); });
    }
    HelperClient& connect(HelperClientOptions options = {}) {
        client = std::make_unique<HelperClient>(std::move(peer), "helper", std::move(options));
        return *client;
    }
    ServerEnd end() {
        auto future = ended.get_future();
        EXPECT_EQ(future.wait_for(std::chrono::seconds(20)), std::future_status::ready);
        return future.get();
    }
    std::unique_ptr<RpcServer> server;
    std::unique_ptr<FdChannel> peer;
    std::unique_ptr<HelperClient> client;
    std::promise<ServerEnd> ended;
    std::thread thread;
};

const auto soon = [] { return deadline_after(20); };

TEST(Rpc, AnswersErrorsAndUnknownMethods) {
    Served served;
    served.server->on_worker("double", [](RpcCall& call) -> Result<Json> {
        if (!call.params().contains("x"))
            return make_error("no-x", "x is missing", "give x", Place{"k.cu", 3, 4});
        return Json{{"y", 2 * get_int(call.params(), "x")}};
    });
    served.server->on_loop("throw", [](RpcCall&) -> Result<Json> { throw std::runtime_error("oh"); });
    served.server->on_deferred("drop", [](std::shared_ptr<RpcCall>) {});
    served.start();
    HelperClient& client = served.connect();
    EXPECT_EQ(get_int(*client.request("double", {{"x", 21}}, soon()), "y"), 42);
    const auto missing = client.request("double", Json::object(), soon());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, "no-x");
    EXPECT_EQ(missing.error().remedy, "give x");
    EXPECT_EQ(missing.error().place, (Place{"k.cu", 3, 4}));
    EXPECT_EQ(client.request("nothing", Json::object(), soon()).error().code, "rpc-method-unknown");
    EXPECT_EQ(client.request("throw", Json::object(), soon()).error().code, "rpc-internal");
    EXPECT_EQ(client.request("drop", Json::object(), soon()).error().code, "rpc-internal");
    EXPECT_TRUE(client.request("ping", Json::object(), soon()));
    EXPECT_EQ(get_int(*client.request("hello", {{"protocol", 1}}, soon()), "protocol"), 1);
    EXPECT_EQ(client.request("hello", {{"protocol", 2}}, soon()).error().code, "protocol-mismatch");
    EXPECT_TRUE(client.health());
}

TEST(Rpc, RepliesInAnyOrderReachTheirAsker) {
    std::mutex mutex;
    std::vector<std::shared_ptr<RpcCall>> held; // before the server, whose thread uses it to the end
    Served served;
    served.server->on_deferred("hold", [&](std::shared_ptr<RpcCall> call) {
        const std::lock_guard lock(mutex);
        held.push_back(std::move(call));
        if (held.size() < 8)
            return;
        for (auto it = held.rbegin(); it != held.rend(); ++it)
            (*it)->reply(Json{{"x", (*it)->params()["x"]}});
        held.clear();
    });
    served.start();
    HelperClient& client = served.connect();
    std::vector<std::future<std::int64_t>> answers;
    for (int i = 0; i < 8; ++i)
        answers.push_back(std::async(std::launch::async, [&client, i] {
            const auto result = client.request("hold", {{"x", i}}, soon());
            return result ? get_int(*result, "x") : -1;
        }));
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(answers[i].get(), i);
}

TEST(Rpc, ProgressArrivesInOrderBeforeTheReply) {
    Served served;
    served.server->on_worker("work", [](RpcCall& call) -> Result<Json> {
        for (int i = 0; i < 5; ++i)
            EXPECT_TRUE(call.progress({{"step", i}}));
        return Json::object();
    });
    served.start();
    std::vector<std::int64_t> steps;
    RequestOptions options;
    options.progress = [&](const Json& params) { steps.push_back(get_int(params, "step")); };
    ASSERT_TRUE(served.connect().request("work", Json::object(), soon(), options));
    EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

RpcServer::Handler wait_for_cancel() {
    return [](RpcCall& call) -> Result<Json> {
        std::promise<void> stopped;
        const std::stop_callback on_stop(call.stop_token(), [&] { stopped.set_value(); });
        if (stopped.get_future().wait_for(std::chrono::seconds(20)) != std::future_status::ready)
            return make_error("test", "never cancelled");
        return to_json(outcome_cancelled("stopped"));
    };
}

TEST(Rpc, CancelReachesTheHandlerWhichAnswersTyped) {
    Served served;
    served.server->on_worker("wait", [](RpcCall& call) {
        EXPECT_TRUE(call.progress({{"begun", true}}));
        return wait_for_cancel()(call);
    });
    served.start();
    std::stop_source stop;
    RequestOptions options;
    options.stop = stop.get_token();
    options.cancel_grace_s = 20;
    options.progress = [&](const Json&) { stop.request_stop(); };
    const auto result = served.connect().request("wait", Json::object(), soon(), options);
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_EQ(outcome_from_json(*result)->kind, Outcome::cancelled);
}

TEST(Rpc, HandlerThatIgnoresItsDeadlineIsAnsweredFor) {
    RpcServerOptions options;
    options.grace_s = 0.01;
    Served served(options);
    std::promise<void> release;
    auto released = release.get_future().share();
    bool replied = true;
    served.server->on_worker("ignore", [&, released](RpcCall& call) -> Result<Json> {
        released.wait();
        replied = call.reply(Json{{"too", "late"}});
        return Json::object();
    });
    served.start();
    // Raw, so that the deadline of the wait is not that of the request.
    ASSERT_TRUE(served.peer->write_line(R"({"jsonrpc":"2.0","id":"a","method":"ignore","deadline_s":0.01})", soon()));
    const auto answer = parse_message(*served.peer->read_line(soon()));
    ASSERT_TRUE(answer);
    EXPECT_EQ(std::get<Response>(*answer).error().code, static_cast<int>(RpcCode::deadline_exceeded));
    release.set_value();
    served.server->stop();
    served.thread.join();
    EXPECT_FALSE(replied);
}

TEST(Rpc, AskersDeadlineEndsTheWaitAndALateReplyIsDropped) {
    Pair pair = socket_pair();
    HelperClient client(std::move(pair.left), "helper");
    EXPECT_EQ(client.request("slow", Json::object(), deadline_after(0.2)).error().code, "deadline-exceeded");
    const auto request = std::get<Request>(*parse_message(*pair.right->read_line(soon())));
    EXPECT_GT(request.deadline_s, 0);
    EXPECT_LE(request.deadline_s, 0.2);
    const auto cancel = std::get<Notification>(*parse_message(*pair.right->read_line(soon())));
    EXPECT_EQ(cancel.method, "cancel");
    ASSERT_TRUE(pair.right->write_line(format_message(make_response(request.id, Json::object())), soon()));
    std::jthread echo([&] {
        const auto next = std::get<Request>(*parse_message(*pair.right->read_line(soon())));
        EXPECT_TRUE(pair.right->write_line(format_message(make_response(next.id, Json("fine"))), soon()));
    });
    const auto result = client.request("next", Json::object(), soon());
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_EQ(*result, "fine");
}

TEST(Rpc, QueueIsLimitedAndIdsAreUnique) {
    RpcServerOptions options;
    options.max_in_flight = 2;
    Served served(options);
    std::vector<std::shared_ptr<RpcCall>> held;
    served.server->on_deferred("hold", [&](std::shared_ptr<RpcCall> call) { held.push_back(std::move(call)); });
    served.start();
    const auto ask = [&](int id) {
        EXPECT_TRUE(
            served.peer->write_line(format_message(Request{RpcId(std::int64_t{id}), "hold", {}, 0, {}}), soon()));
    };
    const auto code = [&] { return std::get<Response>(*parse_message(*served.peer->read_line(soon()))).error().code; };
    ask(1);
    ask(1);
    EXPECT_EQ(code(), static_cast<int>(RpcCode::invalid_request));
    ask(2);
    ask(3);
    EXPECT_EQ(code(), static_cast<int>(RpcCode::busy));
    served.server->stop();
    served.thread.join();
    EXPECT_EQ(code(), static_cast<int>(RpcCode::shutting_down));
    EXPECT_EQ(code(), static_cast<int>(RpcCode::shutting_down));
}

TEST(Rpc, MoreRequestsThanWorkersAreAllServed) {
    RpcServerOptions options;
    options.workers = 2;
    Served served(options);
    served.server->on_worker("echo", [](RpcCall& call) -> Result<Json> { return call.params(); });
    served.start();
    HelperClient& client = served.connect();
    std::vector<std::jthread> askers;
    std::atomic<int> right = 0;
    for (int i = 0; i < 8; ++i)
        askers.emplace_back([&, i] {
            for (int k = 0; k < 50; ++k) {
                const auto result = client.request("echo", {{"v", i * 1000 + k}}, soon());
                right += result && get_int(*result, "v") == i * 1000 + k;
            }
        });
    askers.clear();
    EXPECT_EQ(right, 400);
}

TEST(Rpc, ServerEndsOnEndOfInputAndCancelsWhatRuns) {
    Served served;
    std::promise<void> begun;
    std::atomic<bool> was_cancelled = false;
    served.server->on_worker("wait", [&](RpcCall& call) -> Result<Json> {
        begun.set_value();
        auto result = wait_for_cancel()(call);
        was_cancelled = result.ok();
        return result;
    });
    served.start();
    ASSERT_TRUE(served.peer->write_line(R"({"jsonrpc":"2.0","id":1,"method":"wait"})", soon()));
    begun.get_future().wait();
    served.peer.reset();
    const ServerEnd end = served.end();
    EXPECT_EQ(end.reason, ServerEndReason::closed);
    EXPECT_EQ(end.stuck_handlers, 0);
    EXPECT_TRUE(was_cancelled);
}

TEST(Rpc, ServerEndsWithoutAHeartbeat) {
    RpcServerOptions options;
    options.silence_timeout_s = 0.03;
    Served served(options);
    served.start();
    EXPECT_EQ(served.end().reason, ServerEndReason::silent);
}

TEST(Rpc, HeartbeatsKeepBothSidesAlive) {
    RpcServerOptions options;
    options.heartbeat_interval_s = 0.01;
    options.silence_timeout_s = 20;
    Served served(options);
    served.start();
    HelperClientOptions client_options;
    client_options.heartbeat_interval_s = 0.01;
    client_options.silence_timeout_s = 20;
    HelperClient& client = served.connect(client_options);
    EXPECT_EQ(client.wait_notification("never", deadline_after(0.1)).error().code, "deadline-exceeded");
    EXPECT_TRUE(client.health());
    // The beats themselves, seen from outside:
    Served other(options);
    other.start();
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(std::get<Notification>(*parse_message(*other.peer->read_line(soon()))).method, "heartbeat");
}

TEST(Rpc, StuckHandlerDoesNotHoldUpTheEnd) {
    RpcServerOptions options;
    options.drain_s = 0.02;
    auto release = std::make_shared<std::promise<void>>();
    auto released = release->get_future().share();
    std::promise<void> begun;
    {
        Served served(options);
        served.server->on_worker("stuck", [&begun, released](RpcCall&) -> Result<Json> {
            begun.set_value();
            released.wait();
            return Json::object();
        });
        served.start();
        ASSERT_TRUE(served.peer->write_line(R"({"jsonrpc":"2.0","id":1,"method":"stuck"})", soon()));
        begun.get_future().wait();
        served.server->stop();
        EXPECT_EQ(served.end().stuck_handlers, 1);
    }
    release->set_value();
}

TEST(Rpc, ServerSurvivesGarbageAndGivesUpOnAFlood) {
    RpcServerOptions options;
    options.max_garbage_lines = 20;
    Served served(options);
    served.server->on_loop("ok", [](RpcCall&) -> Result<Json> { return Json("ok"); });
    served.start();
    for (const std::string& bad : {std::string("hello"), std::string("[]"), std::string("{}"), std::string(1, '\0'),
                                   std::string("\xff\xfe"), std::string(100000, '['), std::string()}) {
        ASSERT_TRUE(served.peer->write_line(bad, soon()));
        const auto answer = parse_message(*served.peer->read_line(soon()));
        ASSERT_TRUE(answer) << bad;
        EXPECT_FALSE(std::get<Response>(*answer).ok());
    }
    // The id comes back where it can be read.
    ASSERT_TRUE(served.peer->write_line(R"({"id":7,"method":"ok"})", soon()));
    EXPECT_EQ(std::get<Response>(*parse_message(*served.peer->read_line(soon()))).id, RpcId(std::int64_t{7}));
    ASSERT_TRUE(served.peer->write_line(R"({"jsonrpc":"2.0","id":8,"method":"ok","new field":1})", soon()));
    EXPECT_EQ(std::get<Response>(*parse_message(*served.peer->read_line(soon()))).result(), "ok");
    for (int i = 0; i <= 20; ++i)
        ASSERT_TRUE(served.peer->write_line("garbage", soon()));
    EXPECT_EQ(served.end().reason, ServerEndReason::garbage);
}

TEST(Rpc, OverlongLineIsRefusedAndTheNextOneServed) {
    Pair pair = socket_pair();
    int fds[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    RpcServer server(std::move(*FdChannel::over_socket(UniqueFd(fds[0]))));
    std::jthread thread([&] { server.run(); });
    // The peer's channel allows itself more than the protocol does.
    auto peer = std::move(*FdChannel::over_socket(UniqueFd(fds[1]), 4 * max_line_bytes));
    ASSERT_TRUE(peer->write_line(std::string(2 * max_line_bytes, 'x'), soon()));
    EXPECT_EQ(std::get<Response>(*parse_message(*peer->read_line(soon()))).error().code,
              static_cast<int>(RpcCode::too_large));
    ASSERT_TRUE(peer->write_line(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", soon()));
    EXPECT_TRUE(std::get<Response>(*parse_message(*peer->read_line(soon()))).ok());
    peer.reset();
}

TEST(Rpc, ResultAboveTheLimitIsATypedError) {
    Served served;
    served.server->on_worker("big", [](RpcCall&) -> Result<Json> { return Json(std::string(max_line_bytes, 'x')); });
    served.start();
    HelperClient& client = served.connect();
    EXPECT_EQ(client.request("big", Json::object(), soon()).error().code, "too-large");
    EXPECT_EQ(client.request("big", {{"x", std::string(max_line_bytes, 'x')}}, soon()).error().code, "too-large");
    EXPECT_TRUE(client.health());
}

TEST(HelperClient, GarbageIsAnInfrastructureFailureThatQuotesIt) {
    for (const std::string bad : {"Segmentation fault\x01", R"({"jsonrpc":"2.0","id":99,"result":1})",
                                  R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}})"}) {
        Pair pair = socket_pair();
        HelperClient client(std::move(pair.left), "kf-nvrtc");
        ASSERT_TRUE(pair.right->write_line(bad, soon()));
        const auto result = client.request("compile", Json::object(), soon());
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, "helper-garbage") << bad;
        EXPECT_NE(result.error().message.find("kf-nvrtc"), std::string::npos);
        EXPECT_TRUE(is_infrastructure(result.error()));
        EXPECT_EQ(client.health().error().code, "helper-garbage");
        EXPECT_EQ(client.request("again", Json::object(), soon()).error().code, "helper-garbage");
    }
}

TEST(HelperClient, EndOfFileEndsEveryWait) {
    Pair pair = socket_pair();
    HelperClient client(std::move(pair.left), "kf-oracle");
    std::vector<std::future<std::string>> waits;
    for (int i = 0; i < 3; ++i)
        waits.push_back(std::async(std::launch::async,
                                   [&] { return client.request("golden", Json::object(), soon()).error().code; }));
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(pair.right->read_line(soon()));
    pair.right.reset();
    for (auto& wait : waits)
        EXPECT_EQ(wait.get(), "helper-closed");
    EXPECT_EQ(client.wait_notification("ready", soon()).error().code, "helper-closed");
}

TEST(HelperClient, SilenceIsNoticed) {
    Pair pair = socket_pair();
    HelperClientOptions options;
    options.silence_timeout_s = 0.03;
    HelperClient client(std::move(pair.left), "evaluator", options);
    EXPECT_EQ(client.request("evaluate", Json::object(), soon()).error().code, "helper-silent");
}

TEST(HelperClient, ReadyIsKeptUntilItIsAskedFor) {
    Pair pair = socket_pair();
    HelperClient client(std::move(pair.left), "kf-nvrtc");
    ASSERT_TRUE(pair.right->write_line(format_message(Notification{"other", {{"a", 1}}, {}}), soon()));
    ASSERT_TRUE(pair.right->write_line(format_message(Notification{"ready", {{"helper", "kf-nvrtc"}}, {}}), soon()));
    EXPECT_EQ(get_string(*client.wait_notification("ready", soon()), "helper"), "kf-nvrtc");
    EXPECT_EQ(get_int(*client.wait_notification("other", soon()), "a"), 1);
}

TEST(Blob, TravelsInChunksBothWays) {
    std::string content;
    for (int i = 0; i < 530'000; ++i)
        content += static_cast<char>(i * 7 + i / 251);
    const std::string hash = sha256(content);
    const auto provider = [&](const std::string& wanted) -> Result<std::string> {
        if (wanted == hash)
            return content;
        return make_error("blob-missing", "no such blob");
    };
    Served served;
    served.server->on_worker("blob.get", blob_handler(provider));
    served.server->on_worker("fetch", [&](RpcCall& call) -> Result<Json> {
        const auto ask = [&](const std::string& method, Json params) {
            return served.server->request_peer(method, std::move(params), call.deadline());
        };
        const auto blob = fetch_blob(ask, hash, 4'000'000);
        if (!blob)
            return blob.error();
        return Json{{"size", blob->size()}};
    });
    served.start();
    HelperClientOptions options;
    options.on_request = [&](const Request& request) { return answer_blob_get(request.params, provider); };
    HelperClient& client = served.connect(options);
    const auto ask = [&](const std::string& method, Json params) {
        return client.request(method, std::move(params), soon());
    };
    EXPECT_TRUE(*fetch_blob(ask, hash, 4'000'000) == content);
    EXPECT_EQ(fetch_blob(ask, hash, 520'000).error().code, "too-large");
    EXPECT_EQ(fetch_blob(ask, std::string(64, '0'), 100).error().code, "blob-missing");
    const auto fetched = client.request("fetch", Json::object(), soon());
    ASSERT_TRUE(fetched) << to_string(fetched.error());
    EXPECT_EQ(get_int(*fetched, "size"), 530'000);
}

TEST(Blob, LyingPeersAreFoundOut) {
    const std::string hash = sha256(std::string_view("abc"));
    const auto fetch = [&](const Json& reply) {
        return fetch_blob([&](const std::string&, const Json&) { return Result<Json>(reply); }, hash, 1000);
    };
    EXPECT_EQ(*fetch({{"data", "YWJj"}, {"size", 3}}), "abc");
    EXPECT_EQ(fetch({{"data", "YWJk"}, {"size", 3}}).error().code, "blob-corrupt");
    EXPECT_EQ(fetch({{"data", ""}, {"size", 3}}).error().code, "blob-corrupt");
    EXPECT_EQ(fetch({{"data", "YWJj"}, {"size", 2}}).error().code, "blob-corrupt");
    EXPECT_EQ(fetch({{"data", "?"}, {"size", 3}}).error().code, "blob-corrupt");
    EXPECT_EQ(fetch({{"data", "YWJj"}, {"size", -1}}).error().code, "blob-corrupt");
    EXPECT_EQ(fetch({{"data", "YWJj"}, {"size", 100000}}).error().code, "too-large");
    EXPECT_EQ(fetch(Json()).error().code, "blob-corrupt");
}

TEST(Blob, RequestsAreChecked) {
    const auto provider = [](const std::string&) -> Result<std::string> { return std::string("abc"); };
    const std::string hash(64, 'a');
    EXPECT_EQ(get_string(*answer_blob_get({{"hash", hash}, {"offset", 1}, {"limit", 1}}, provider), "data"), "Yg==");
    EXPECT_EQ(get_string(*answer_blob_get({{"hash", hash}, {"offset", 9}}, provider), "data"), "");
    for (const Json& bad : {Json{{"hash", "../../etc/passwd"}}, Json{{"hash", hash}, {"offset", -1}}, Json::object(),
                            Json{{"hash", std::string(64, 'G')}}, Json{{"hash", hash}, {"limit", 0}}})
        EXPECT_EQ(answer_blob_get(bad, provider).error().code, "rpc-params") << bad;
}

} // namespace
} // namespace kf
