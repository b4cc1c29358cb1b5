// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/protocol/base64.h"
#include "core/protocol/message.h"
#include "core/protocol/outcome.h"

#include <gtest/gtest.h>

namespace kf {
namespace {

TEST(Message, EachKindComesBack) {
    Request request{RpcId(std::int64_t{7}), "evaluate", {{"x", 1}}, 2.5, {{"later", true}}};
    const auto a = std::get<Request>(*parse_message(format_message(request)));
    EXPECT_EQ(a.id, request.id);
    EXPECT_EQ(a.method, "evaluate");
    EXPECT_EQ(a.params, request.params);
    EXPECT_EQ(a.deadline_s, 2.5);
    EXPECT_EQ(a.extra, request.extra); // unknown fields are kept
    const auto b = std::get<Notification>(*parse_message(format_message(Notification{"progress", {{"id", 7}}, {}})));
    EXPECT_EQ(get_int(b.params, "id"), 7);
    const auto c = std::get<Response>(*parse_message(format_message(make_response(RpcId("text id"), Json{1, 2}))));
    EXPECT_EQ(c.id, RpcId("text id"));
    EXPECT_EQ(c.result(), (Json{1, 2}));
    const Error error = make_error("no-such-task", "there is none", "name one", Place{"a.json", 3, 4});
    const auto d = std::get<Response>(*parse_message(format_message(make_response({}, error))));
    EXPECT_EQ(d.id, RpcId{});
    EXPECT_EQ(d.error().code, static_cast<int>(RpcCode::failed));
    const Error back = to_error(d.error());
    EXPECT_EQ(to_string(back), to_string(error));
    EXPECT_EQ(back.code, error.code);
    // A null result is a result.
    EXPECT_TRUE(std::get<Response>(*parse_message(R"({"jsonrpc":"2.0","id":1,"result":null})")).ok());
}

TEST(Message, CodesHaveTheirNumbersAndWords) {
    EXPECT_EQ(to_rpc_error(make_error("cancelled", "")).code, -32001);
    EXPECT_EQ(to_rpc_error(make_error("rpc-method-unknown", "")).code, -32601);
    EXPECT_EQ(to_rpc_error(make_error("anything", "")).code, -32000);
    EXPECT_EQ(to_error(RpcError{-32601, "from a foreign server", {}}).code, "rpc-method-unknown");
    EXPECT_EQ(to_error(RpcError{-1, "?", "data is text"}).code, "rpc-failed");
    EXPECT_EQ(to_error(RpcError{-1, "?", {{"place", {{"line", 1e15}}}}}).place.line, 2147483647);
    EXPECT_EQ(rpc_error(RpcCode::busy, "full").code, -32003);
}

TEST(Message, MalformedLinesAreRefusedWithAReason) {
    const std::pair<std::string, const char*> bad[] = {
        {"", "rpc-parse"},
        {"hello", "rpc-parse"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x")", "rpc-parse"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x"} {})", "rpc-parse"},
        {std::string(R"({"jsonrpc":"2.0","id":1,"method":"x"})") + '\0', "rpc-parse"},
        {std::string(R"({"jsonrpc":"2.0","id":1,"method":"x"})") + '\0' + "rest", "rpc-parse"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}", "rpc-parse"},
        {std::string(1000, '['), "rpc-parse"},
        {"{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", "rpc-parse"},
        {"\"" + std::string(2u << 20, 'x') + "\"", "rpc-parse"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1e999}})", "rpc-parse"},
        {"3", "rpc-invalid"},
        {"null", "rpc-invalid"},
        {R"([{"jsonrpc":"2.0","id":1,"method":"x"}])", "rpc-invalid"},
        {R"({"id":1,"method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":2.0,"id":1,"method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":"3.0","id":1,"method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":null,"method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1.5,"method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":{},"method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":")" + std::string(201, 'x') + R"(","method":"x"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"method":""})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"method":5})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x","params":[1]})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x","params":"y"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x","deadline_s":-1})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x","deadline_s":"soon"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"method":"x","result":1})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","result":1})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":null,"result":1})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"error":"text"})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}})", "rpc-invalid"},
        {R"({"jsonrpc":"2.0","id":1,"error":{"code":99999999999,"message":""}})", "rpc-invalid"},
    };
    for (const auto& [line, code] : bad) {
        const auto message = parse_message(line);
        ASSERT_FALSE(message) << line.substr(0, 100);
        EXPECT_EQ(message.error().code, code) << line.substr(0, 100);
        EXPECT_FALSE(message.error().message.empty());
    }
    EXPECT_EQ(recover_id(R"({"id":"a","method":5})"), RpcId("a"));
    EXPECT_EQ(recover_id("{"), RpcId{});
}

TEST(Message, ThousandMutationsNeverCrash) {
    const std::string lines[] = {
        format_message(
            Request{RpcId(std::int64_t{12}), "evaluate", {{"a", {{"b", {1, 2, 3}}}}, {"t", "text \xc3\xbc"}}, 30, {}}),
        format_message(make_response(RpcId("id"), make_error("code", "message", "remedy", Place{"f", 1, 2}))),
        format_message(Notification{"progress", {{"id", 12}, {"stage", "compile"}}, {}})};
    SplitMix64 random(11);
    int accepted = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string line = lines[i % 3];
        for (std::uint64_t k = 1 + random.below(3); k > 0; --k) {
            const std::size_t at = random.below(line.size());
            if (random.below(2))
                line[at] = static_cast<char>(line[at] ^ (1 << random.below(8)));
            else
                line.erase(at, 1 + random.below(8));
        }
        const auto message = parse_message(line);
        if (!message)
            continue;
        ++accepted;
        // What is accepted can be written again and means the same.
        const std::string again = std::visit([](const auto& m) { return format_message(m); }, *message);
        const auto second = parse_message(again);
        ASSERT_TRUE(second) << again;
        EXPECT_EQ(std::visit([](const auto& m) { return format_message(m); }, *second), again);
    }
    EXPECT_GT(accepted, 100);
    EXPECT_LT(accepted, 2900);
}

TEST(Outcome, EachKindComesBackAndBadOnesAreRefused) {
    for (const TypedOutcome& outcome :
         {outcome_verdict({{"level", "screen"}}), outcome_failed("verify", "mismatch", {{"bad", 3}}),
          outcome_infrastructure("the driver hung", true), outcome_cancelled("newer edit")}) {
        Json json = to_json(outcome);
        json["later"] = 1;
        const auto back = outcome_from_json(json);
        ASSERT_TRUE(back);
        EXPECT_EQ(back->kind, outcome.kind);
        EXPECT_EQ(back->extra, (Json{{"later", 1}}));
        EXPECT_EQ(to_json(*back), json);
    }
    for (const Json& bad :
         {Json(), Json::object(), Json{{"outcome", "fine"}}, Json{{"outcome", 1}}, Json{{"outcome", "verdict"}},
          Json{{"outcome", "failed"}, {"stage", "verify"}}, Json{{"outcome", "infrastructure"}}})
        EXPECT_EQ(outcome_from_json(bad).error().code, "outcome-invalid") << bad;
}

TEST(Base64, KnownVectorsAndAllLengths) {
    // RFC 4648 §10.
    const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(base64_encode(bytes), text);
        EXPECT_EQ(*base64_decode(text), bytes);
    }
    SplitMix64 random(3);
    for (std::size_t n = 0; n < 300; ++n) {
        std::string bytes;
        for (std::size_t i = 0; i < n; ++i)
            bytes += static_cast<char>(random.next());
        EXPECT_EQ(*base64_decode(base64_encode(bytes)), bytes);
    }
    for (const std::string& bad :
         {std::string("Z"), std::string("Zg="), std::string("Zg"), std::string("Zh=="), std::string("Zm9="),
          std::string("Z==="), std::string("===="), std::string("Zg==Zg=="), std::string("Zm9v\n"), std::string("Zm-_"),
          std::string("Zg=a"), std::string("Zm\0v", 4), std::string("\xff\xff\xff\xff")})
        EXPECT_EQ(base64_decode(bad).error().code, "base64-syntax") << bad;
}

} // namespace
} // namespace kf
