// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/exchange_texts.h"

#include "ui/models/texts.h"

#include <algorithm>
#include <cmath>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

QString money_text(double money) {
    if (!std::isfinite(money) || money <= 0)
        return {};
    return u"$"_s + QString::number(money, 'f', money >= 1 ? 2 : money >= 0.01 ? 3 : 4);
}

QString wait_text(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0)
        return {};
    if (seconds < 10)
        return u"%1 s"_s.arg(seconds, 0, 'f', 1);
    if (seconds < 100)
        return u"%1 s"_s.arg(seconds, 0, 'f', 0);
    const auto whole = static_cast<qint64>(std::min(seconds, 1e9));
    return u"%1 min %2 s"_s.arg(whole / 60).arg(whole % 60, 2, 10, QChar(u'0'));
}

QString reasoning_text(const Exchange* exchange, const ChatReply& reply) {
    QString text = u"reasoning"_s;
    const std::int64_t tokens =
        exchange && exchange->event.tokens_reasoning > 0 ? exchange->event.tokens_reasoning : reply.usage.reasoning;
    if (tokens > 0)
        text += u", %1 tokens"_s.arg(count_text(tokens));
    else if (!reply.reasoning.empty())
        text += u", about %1 tokens"_s.arg(count_text(estimated_tokens(reply.reasoning.size())));
    double last = 0;
    for (const ReplyPiece& piece : reply.pieces)
        if (piece.kind == ReplyPiece::Kind::reasoning)
            last = std::max(last, piece.at_s);
    if (last > 0 && std::isfinite(last))
        text += u", "_s + wait_text(last);
    return text;
}

QString cost_text(const Exchange& exchange) {
    const ModelExchange& event = exchange.event;
    QStringList parts;
    if (exchange.recorded)
        parts << u"from the record"_s;
    if (event.tokens_in > 0)
        parts << (exchange.estimated ? u"about %1 tokens in"_s : u"%1 tokens in"_s).arg(count_text(event.tokens_in));
    if (event.tokens_out > 0)
        parts << u"%1 out"_s.arg(count_text(event.tokens_out));
    if (event.first_token_s > 0)
        parts << u"first token %1"_s.arg(wait_text(event.first_token_s));
    if (event.seconds > 0)
        parts << wait_text(event.seconds);
    const double writing = event.seconds - event.first_token_s;
    if (event.tokens_out > 0 && writing > 0.1)
        parts << u"%1 tok/s"_s.arg(static_cast<double>(event.tokens_out) / writing, 0, 'f', 0);
    if (const QString money = money_text(event.money); !money.isEmpty())
        parts << money;
    return parts.join(u" · "_s);
}

QString prompt_text(const Exchange& exchange, const ChatRequest* request) {
    const ModelExchange& event = exchange.event;
    QStringList parts;
    if (request)
        parts << (request->messages.size() == 1
                      ? u"1 message"_s
                      : u"%1 messages"_s.arg(static_cast<qulonglong>(request->messages.size())));
    if (event.tokens_in > 0) {
        parts << u"%1 tokens"_s.arg(count_text(event.tokens_in));
    } else if (exchange.prompt_tokens > 0) {
        parts << u"about %1 tokens"_s.arg(count_text(exchange.prompt_tokens));
    } else if (request) {
        std::size_t bytes = 0;
        for (const ChatMessage& message : request->messages)
            bytes += message.content.size();
        parts << u"about %1 tokens"_s.arg(count_text(estimated_tokens(bytes)));
    }
    return parts.join(u", "_s);
}

std::int64_t estimated_tokens(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes + 2) / 3);
}

namespace {

struct Words {
    ModelFailure failure;
    const char16_t* title;
    const char16_t* remedy;
};
constexpr Words words[] = {
    {ModelFailure::unreachable, u"The model's server was not reached",
     u"Check the URL in the settings, and the network."},
    {ModelFailure::tls, u"The connection is not secure", u"The server's certificate is not accepted; check the URL."},
    {ModelFailure::redirect, u"The server sent us elsewhere",
     u"Redirects are not followed, because the key would go along. Enter the new URL in the settings."},
    {ModelFailure::unauthorized, u"The key was not accepted", u"Set a valid key for this provider in the settings."},
    {ModelFailure::payment, u"The provider wants to be paid", u"Add credit at the provider, or choose another one."},
    {ModelFailure::forbidden, u"The key may not use this model", u"Choose another model, or a key that may use it."},
    {ModelFailure::not_found, u"No such model at this URL",
     u"Check URL and model in the settings; the list shows what the server offers."},
    {ModelFailure::bad_request, u"The server refused the request",
     u"Its words say why; another model or other settings may do."},
    {ModelFailure::overflow, u"The prompt does not fit the model's context",
     u"Set the context's size in the settings, or choose a model with a larger one."},
    {ModelFailure::too_large, u"The request is too large for this account",
     u"Choose a smaller prompt or another provider."},
    {ModelFailure::rate_limited, u"Too many requests", u"Wait a while, or use another key or provider."},
    {ModelFailure::server, u"The model's server failed",
     u"Nothing is wrong here; try again later, or choose another provider."},
    {ModelFailure::first_token_late, u"No answer in time", u"The server may be overloaded or still loading the model."},
    {ModelFailure::stalled, u"The reply stopped coming", u"What came is kept below; the run goes on."},
    {ModelFailure::truncated, u"The reply broke off",
     u"It ended without being finished, so that it is not used. What came is kept below."},
    {ModelFailure::stream_error, u"The server reported an error while it wrote",
     u"What came is kept below; its words say why."},
    {ModelFailure::malformed, u"The reply is not what the protocol says",
     u"Check that the URL is an OpenAI-compatible one (it ends in /v1)."},
    {ModelFailure::empty, u"The reply is empty",
     u"Give the model more tokens, or less reasoning: it may have thought only."},
    {ModelFailure::cancelled, u"Given up", u"Somebody stopped the run or changed the model."},
    {ModelFailure::not_recorded, u"The record has no such exchange",
     u"This run differs from its record from here on; go on live."},
};

} // namespace

ExchangeError exchange_error(const Exchange& exchange) {
    ExchangeError made;
    const auto failure = parse_model_failure(exchange.failure);
    for (const Words& one : words)
        if (failure && one.failure == *failure) {
            made.title = QString::fromUtf16(one.title);
            made.remedy = QString::fromUtf16(one.remedy);
        }
    if (made.title.isEmpty())
        made.title = u"No usable reply"_s;
    made.text = plain(exchange.event.error);
    if (!exchange.remedy.empty())
        made.remedy = plain(exchange.remedy);
    if (exchange.maybe_billed)
        made.remedy += (made.remedy.isEmpty() ? QString() : u" "_s) + u"The provider may have billed it."_s;
    return made;
}

} // namespace kf::ui
