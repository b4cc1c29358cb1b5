// SPDX-License-Identifier: GPL-3.0-or-later
// Chat completions over HTTP, by QNetworkAccessManager in the asking thread, which waits in an event loop of its own.
//
// Any thread may ask (a std::thread too), but not the window's: its events would be handled inside ask(). Each attempt
// has a fresh connection and sends exactly one POST; redirects are never followed; only the status decides what an
// answer is. research: Qt 6.4 sends a request again by itself when the connection is lost before a byte came; a body
// that cannot be read twice forbids it.
#pragma once

#include "core/llm/api_key.h"
#include "core/llm/chat.h"
#include "core/llm/provider.h"
#include "core/llm/retry.h"

#include <functional>
#include <string>
#include <vector>

namespace kf::net {

struct ClientOptions {
    double connect_s = 30;      // until the request is sent
    double first_token_s = 600; // until the first piece; a reasoning model behind a queue takes minutes
    double stall_s = 120;       // between pieces
    double total_s = 3600;      // of one attempt
    RetryPolicy retry;
    bool bypass_proxy = false; // true: straight, whatever the environment says
    RetryListener on_retry;
};

class ModelClient : public ModelTransport {
public:
    ModelClient(Provider provider, ApiKey key, ClientOptions options = {});

    ChatOutcome ask(const ChatRequest& request, const std::stop_token& stop,
                    const std::function<void(const ReplyPiece&)>& on_piece) override;
    void set_on_retry(RetryListener listener) override { m_options.on_retry = std::move(listener); }
    Json describe() const override; // {"provider", "url", "model", "proxy"}

    // GET /models: the ids, sorted. The failure as ask() would tell it; no retries.
    std::variant<std::vector<std::string>, ModelError> list_models(const std::stop_token& stop = {});

    const Provider& provider() const { return m_provider; }

private:
    std::optional<ModelError> unusable() const;
    ModelError finish_error(ModelError error, int attempts) const;

    Provider m_provider;
    ApiKey m_key;
    ClientOptions m_options;
};

// The proxy that requests to `base_url` go through, as "host:port", or "" when they go straight.
std::string effective_proxy(const std::string& base_url);

} // namespace kf::net
