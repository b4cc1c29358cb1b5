// SPDX-License-Identifier: GPL-3.0-or-later
// A loopback server and a client that asks it.
#pragma once

#include "core/net/model_client.h"
#include "tests/support/loopback/server.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace kf::net {

class NetTest : public ::testing::Test {
protected:
    static constexpr const char* secret = "SECRETKEY-4711-planted";

    Provider provider(const std::string& url) const {
        Provider one;
        one.id = "loop";
        one.name = "Loopback";
        one.base_url = url;
        one.default_model = "loopback";
        return one;
    }
    ClientOptions quick() const {
        ClientOptions options;
        options.retry.first_s = 0.02;
        options.retry.most_s = 0.05;
        options.connect_s = 10;
        return options;
    }
    ChatRequest request(const std::string& text = "hello") const {
        ChatRequest one;
        one.model = "loopback";
        one.messages = {{"user", text}};
        return one;
    }
    ModelClient client(const loopback::LoopbackServer& server, const ClientOptions& options) const {
        return ModelClient(provider(server.url()), *ApiKey::make(secret), options);
    }
    ModelClient client(const loopback::LoopbackServer& server) const { return client(server, quick()); }
    ChatOutcome ask(const loopback::LoopbackServer& server, std::stop_token stop = {}) {
        return client(server).ask(request(), stop, [this](const ReplyPiece& piece) { pieces.push_back(piece); });
    }
    static ModelError error_of(const ChatOutcome& outcome) {
        const auto* error = std::get_if<ModelError>(&outcome);
        EXPECT_TRUE(error) << "a reply came: " << std::get<ChatReply>(outcome).content;
        return error ? *error : ModelError{};
    }
    static ChatReply reply_of(const ChatOutcome& outcome) {
        const auto* reply = std::get_if<ChatReply>(&outcome);
        EXPECT_TRUE(reply) << std::get<ModelError>(outcome).message;
        return reply ? *reply : ChatReply{};
    }
    // Waits for something that another thread does.
    template<class Condition> static bool eventually(Condition condition) {
        for (int i = 0; i < 2000 && !condition(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return condition();
    }

    std::vector<ReplyPiece> pieces;
};

} // namespace kf::net
