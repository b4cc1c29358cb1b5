// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/net/model_client.h"

#include "core/base/random.h"
#include "core/llm/chat_body.h"
#include "core/llm/chat_stream.h"
#include "core/net/application.h"
#include "core/net/http_attempt.h"

#include <QHostAddress>
#include <QNetworkProxyFactory>
#include <QUrl>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>

namespace kf::net {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Sleeps; false when `stop` came first.
bool wait_unless_stopped(double seconds, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any change;
    std::unique_lock lock(mutex);
    change.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
    return !stop.stop_requested();
}

// Whether what is sent to this host stays on this machine or in a private network.
bool is_near(const QString& host) {
    const QHostAddress address(host);
    if (!address.isNull()) {
        for (const auto& [network, bits] :
             {std::pair{"10.0.0.0", 8}, {"172.16.0.0", 12}, {"192.168.0.0", 16}, {"fc00::", 7}})
            if (address.isInSubnet(QHostAddress(QLatin1String(network)), bits))
                return true;
        return address.isLoopback() || address.isLinkLocal();
    }
    return host == QLatin1String("localhost") || host.endsWith(QLatin1String(".localhost")) ||
           host.endsWith(QLatin1String(".local")) || host.endsWith(QLatin1String(".lan")) ||
           host.endsWith(QLatin1String(".internal")) || !host.contains(QLatin1Char('.'));
}

std::string host_of(const std::string& url) {
    return QUrl(QString::fromStdString(url)).host().toStdString();
}

ModelError plain_error(ModelFailure failure, std::string message, std::string remedy) {
    ModelError error;
    error.failure = failure;
    error.message = std::move(message);
    error.remedy = std::move(remedy);
    return error;
}

std::string seconds_text(double seconds) {
    return std::to_string(static_cast<long long>(seconds + 0.5)) + " s";
}

// Why no answer came, for everything that is no HTTP status.
ModelError explain_ending(const HttpResult& result, const HttpRequest& request) {
    const std::string host = host_of(request.url);
    ModelError error;
    error.maybe_billed = result.sent;
    switch (result.ended) {
    case Ended::cancelled:
        error.failure = ModelFailure::cancelled;
        error.message = "cancelled";
        break;
    case Ended::connect_late:
        error.failure = ModelFailure::unreachable;
        error.message = host + " could not be reached within " + seconds_text(request.connect_s);
        error.remedy = "check the address, the network and the proxy";
        break;
    case Ended::first_late:
        error.failure = ModelFailure::first_token_late;
        error.message = "no word of a reply came from " + host + " within " + seconds_text(request.first_s);
        error.remedy = "the model may be waiting in a queue: try again, or allow more time for the first token";
        break;
    case Ended::stalled:
        error.failure = ModelFailure::stalled;
        error.message =
            "the reply stopped in the middle; nothing came from " + host + " for " + seconds_text(request.stall_s);
        error.remedy = "try again";
        break;
    default:
        error.failure = result.failure;
        if (result.failure == ModelFailure::tls) {
            error.message = "no secure connection to " + host + ": " + one_line(result.message, 200);
            error.remedy = "check the machine's certificates (ca-certificates) and its clock";
        } else if (result.failure == ModelFailure::malformed) {
            error.message = host + " does not answer with HTTP: " + one_line(result.message, 200);
            error.remedy = "check the base URL";
        } else {
            error.message = host + " cannot be reached: " + one_line(result.message, 200);
            error.remedy = "check that the server runs, the address and the network";
        }
    }
    return error;
}

} // namespace

ModelClient::ModelClient(Provider provider, ApiKey key, ClientOptions options)
    : m_provider(std::move(provider)), m_key(std::move(key)), m_options(std::move(options)) {
    ensure_application();
}

Json ModelClient::describe() const {
    Json json{{"provider", m_provider.name}, {"url", m_provider.base_url}, {"model", m_provider.default_model}};
    if (const std::string proxy = m_options.bypass_proxy ? std::string() : effective_proxy(m_provider.base_url);
        !proxy.empty())
        json["proxy"] = proxy;
    return json;
}

std::optional<ModelError> ModelClient::unusable() const {
    if (m_provider.needs_key && !m_key.present()) {
        const std::string variable =
            m_provider.key_variables.empty() ? "its key variable" : m_provider.key_variables.front();
        return plain_error(ModelFailure::unauthorized, m_provider.name + " needs a key and there is none",
                           "set " + variable + ", or store the key in the window's settings");
    }
    const QUrl url(QString::fromStdString(m_provider.base_url), QUrl::StrictMode);
    if (!url.isValid())
        return plain_error(ModelFailure::unreachable, "'" + m_provider.base_url + "' is no URL", "check the base URL");
    if (m_key.present() && url.scheme() == QLatin1String("http") && !is_near(url.host()))
        return plain_error(ModelFailure::tls, "the key would go to " + url.host().toStdString() + " unencrypted",
                           "use the provider's https address");
    return std::nullopt;
}

ModelError ModelClient::finish_error(ModelError error, int attempts) const {
    error.message = without_secret(std::move(error.message), m_key.reveal());
    error.partial.attempts = attempts;
    return error;
}

ChatOutcome ModelClient::ask(const ChatRequest& request, const std::stop_token& stop,
                             const std::function<void(const ReplyPiece&)>& on_piece) {
    if (std::optional<ModelError> error = unusable())
        return finish_error(*std::move(error), 0);
    HttpRequest http;
    http.url = m_provider.base_url + "/chat/completions";
    http.post = true;
    // Invalid UTF-8 in a candidate must not end the run: it is replaced.
    http.body =
        QByteArray::fromStdString(chat_body(request, m_provider).dump(-1, ' ', false, Json::error_handler_t::replace));
    http.bearer = m_key.reveal();
    http.headers = m_provider.headers;
    http.bypass_proxy = m_options.bypass_proxy;
    http.connect_s = m_options.connect_s;
    http.first_s = m_options.first_token_s;
    http.stall_s = m_options.stall_s;
    http.total_s = m_options.total_s;

    SplitMix64 jitter(system_seed());
    bool billed = false; // by any of the attempts
    for (int attempt = 1;; ++attempt) {
        if (stop.stop_requested())
            return finish_error(plain_error(ModelFailure::cancelled, "cancelled", {}), attempt - 1);
        const Clock::time_point start = Clock::now();
        ChatStream stream({.thinking_off = request.reasoning == ReasoningEffort::off});
        std::vector<ReplyPiece> pieces;
        const auto hand_on = [&] {
            for (const ReplyPiece& piece : pieces)
                if (on_piece)
                    on_piece(piece);
            const bool any = !pieces.empty();
            pieces.clear();
            return any;
        };
        const HttpResult result = perform_http(http, stop, [&](std::string_view bytes) {
            stream.feed(bytes, seconds_since(start), pieces);
            const bool visible = hand_on();
            return Progress{visible, stream.ended()};
        });
        ModelError error;
        const int status = result.answer.status;
        const bool read_to_end =
            result.ended == Ended::enough || (result.ended == Ended::complete && status / 100 == 2);
        // What a stall, a late end or a lost connection left: in order all the same when the reason to finish was told.
        const bool broken_late =
            (result.ended == Ended::stalled || result.ended == Ended::failed) && stream.finishing();
        if (read_to_end || broken_late) {
            ChatOutcome outcome = stream.finish(seconds_since(start), pieces);
            hand_on();
            if (auto* reply = std::get_if<ChatReply>(&outcome)) {
                reply->attempts = attempt;
                const std::string& model = request.model.empty() ? m_provider.default_model : request.model;
                if (reply->model.empty())
                    reply->model = model;
                if (reply->usage.money == 0)
                    reply->usage.money = m_provider.price(model, reply->usage);
                return outcome;
            }
            error = std::get<ModelError>(std::move(outcome));
        } else if (result.ended == Ended::complete) {
            error = explain_http(result.answer, std::time(nullptr));
        } else {
            error = explain_ending(result, http);
            (void)stream.finish(seconds_since(start), pieces);
            hand_on();
            error.partial = stream.partial();
        }
        billed = billed || error.maybe_billed;
        const std::optional<double> wait = wait_before_retry(m_options.retry, error, attempt, jitter.uniform());
        if (!wait) {
            error.maybe_billed = billed;
            return finish_error(std::move(error), attempt);
        }
        if (m_options.on_retry)
            m_options.on_retry(finish_error(error, attempt), attempt, *wait);
        if (!wait_unless_stopped(*wait, stop)) {
            ModelError cancelled = plain_error(ModelFailure::cancelled, "cancelled", {});
            cancelled.maybe_billed = billed;
            return finish_error(std::move(cancelled), attempt);
        }
    }
}

std::variant<std::vector<std::string>, ModelError> ModelClient::list_models(const std::stop_token& stop) {
    if (std::optional<ModelError> error = unusable())
        return finish_error(*std::move(error), 0);
    HttpRequest http;
    http.url = m_provider.base_url + "/models";
    http.bearer = m_key.reveal();
    http.headers = m_provider.headers;
    http.bypass_proxy = m_options.bypass_proxy;
    http.connect_s = m_options.connect_s;
    http.first_s = http.stall_s = http.total_s = 30;
    constexpr std::size_t most = std::size_t{16} << 20;
    std::string body;
    const HttpResult result = perform_http(http, stop, [&](std::string_view bytes) {
        body += bytes;
        return Progress{true, body.size() > most};
    });
    if (result.ended != Ended::complete && result.ended != Ended::enough)
        return finish_error(explain_ending(result, http), 1);
    if (result.answer.status / 100 != 2 && result.ended == Ended::complete)
        return finish_error(explain_http(result.answer, std::time(nullptr)), 1);
    const Result<Json> parsed = parse_json(body, "models", most);
    const Json document = parsed ? *parsed : Json();
    // {"object": "list", "data": [{"id": …}]}; some servers send the list alone.
    const Json& data = document.is_array() ? document : get_member(document, "data");
    if (!data.is_array())
        return finish_error(plain_error(ModelFailure::malformed,
                                        "the list of models is not in the form of OpenAI's API",
                                        "check that the URL is the base of an OpenAI-compatible API"),
                            1);
    std::vector<std::string> ids;
    for (const Json& model : data)
        if (std::string id = one_line(get_string(model, "id"), 200); !id.empty())
            ids.push_back(std::move(id));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

std::string effective_proxy(const std::string& base_url) {
    ensure_application();
    const QList<QNetworkProxy> proxies =
        QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(QUrl(QString::fromStdString(base_url))));
    if (proxies.isEmpty() || proxies.front().type() == QNetworkProxy::NoProxy || proxies.front().hostName().isEmpty())
        return {};
    return proxies.front().hostName().toStdString() + ":" + std::to_string(proxies.front().port());
}

} // namespace kf::net
