// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/exchange_store.h"

#include "ui/models/background.h"
#include "ui/models/texts.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr std::size_t kept_bodies = 48;
constexpr qint64 rate_window_ms = 3000;
constexpr double least_rated_s = 0.5;
constexpr double bytes_per_token = 3.6; // of source and English; only for a rate that is called estimated

qint64 now_ms() {
    QElapsedTimer clock;
    clock.start();
    return clock.msecsSinceReference();
}

QString text_of(const Json& json, const char* key) {
    return QString::fromStdString(get_string(json, key));
}

int small(const Json& fields, const char* key, int fallback) {
    return static_cast<int>(std::clamp<std::int64_t>(get_int(fields, key, fallback), -1, 1'000'000'000));
}

Exchange exchange_of(const Event& event) {
    const Json& fields = event.fields;
    Exchange one;
    one.event = from_fields<ModelExchange>(fields);
    one.time = event.time;
    one.number = small(fields, "exchange", 1);
    one.attempt = small(fields, "attempt", 1);
    one.repair = get_string(fields, "purpose") == "repair" || one.number > 1;
    one.failure = get_string(fields, "failure");
    one.remedy = get_string(fields, "remedy");
    one.no_candidate = get_string(fields, "no_candidate");
    one.finish_reason = get_string(fields, "finish_reason");
    one.estimated = get_bool(fields, "estimated");
    one.maybe_billed = get_bool(fields, "maybe_billed");
    one.recorded = get_member(fields, "recorded").is_object();
    one.prompt_tokens = get_int(fields, "prompt_tokens", 0);
    if (const Json& left = get_member(fields, "left_out"); left.is_array())
        for (const Json& text : left)
            if (text.is_string())
                one.left_out << plain(text.get<std::string>());
    if (const Json& derived = get_member(fields, "derived"); derived.is_array())
        one.derived = derived.size();
    return one;
}

} // namespace

ExchangeBody read_exchange(const RunBlobs* blobs, const ModelExchange& event) {
    ExchangeBody body;
    QStringList troubles;
    const auto read = [&](const std::string& hash, const QString& what) -> std::optional<Json> {
        if (hash.empty())
            return std::nullopt;
        if (!blobs) {
            troubles << u"The %1 cannot be read: this run has no files."_s.arg(what);
            return std::nullopt;
        }
        auto text = blobs->blob(hash);
        if (!text) {
            troubles << u"The %1 cannot be read: %2."_s.arg(what, QString::fromStdString(text.error().message));
            return std::nullopt;
        }
        Json json = Json::parse(*text, nullptr, false);
        if (json.is_discarded()) {
            troubles << u"The %1 in the run's files is not JSON."_s.arg(what);
            return std::nullopt;
        }
        return json;
    };
    if (const auto json = read(event.request, u"prompt"_s)) {
        if (auto request = chat_request_from_json(*json))
            body.request = std::make_shared<const ChatRequest>(std::move(*request));
        else
            troubles << u"The prompt in the run's files is none of a chat."_s;
    }
    if (const auto json = read(event.reply, u"reply"_s)) {
        if (auto reply = chat_reply_from_json(*json))
            body.reply = std::make_shared<const ChatReply>(std::move(*reply));
        else
            troubles << u"The reply in the run's files is none of a chat."_s;
    }
    body.trouble = troubles.join(u' ');
    return body;
}

ExchangeStore::ExchangeStore(RunStore& store, QObject* parent) : QObject(parent), m_store(store) {
    connect(&store, &RunStore::was_reset, this, &ExchangeStore::reset);
    connect(&store, &RunStore::events_applied, this, &ExchangeStore::apply);
}

ExchangeStore::~ExchangeStore() = default;

void ExchangeStore::reset() {
    m_exchanges.clear();
    m_bodies.clear();
    m_used.clear();
    m_arrivals.clear();
    m_live.reset();
    m_count = 0;
    m_spent = {};
    ++m_run;
    Q_EMIT was_reset();
}

const std::vector<Exchange>& ExchangeStore::of_turn(int turn) const {
    static const std::vector<Exchange> none;
    const auto found = m_exchanges.find(turn);
    return found == m_exchanges.end() ? none : found->second;
}

void ExchangeStore::apply(const std::vector<Event>& events) {
    std::vector<int> touched;
    for (const Event& event : events) {
        if (event.type != EventType::model_exchange)
            continue;
        Exchange one = exchange_of(event);
        const int turn = one.event.turn;
        auto& list = m_exchanges[turn];
        if (m_live && m_live->turn == turn &&
            std::pair(one.number, one.attempt) >= std::pair(m_live->exchange, m_live->attempt))
            end_live(); // what was written live stands in the journal now
        if (!one.recorded) {
            m_spent.tokens += std::max<std::int64_t>(0, one.event.tokens_in + one.event.tokens_out);
            if (std::isfinite(one.event.money))
                m_spent.money += std::max(0.0, one.event.money);
            m_spent.estimated = m_spent.estimated || one.estimated || one.maybe_billed;
        }
        list.push_back(std::move(one));
        ++m_count;
        if (touched.empty() || touched.back() != turn)
            touched.push_back(turn);
    }
    for (const int turn : touched)
        Q_EMIT changed(turn);
}

std::shared_ptr<const ExchangeBody> ExchangeStore::body(int turn, std::size_t exchange) {
    const auto& list = of_turn(turn);
    if (exchange >= list.size())
        return nullptr;
    const Key key{turn, exchange};
    if (const auto found = m_bodies.find(key); found != m_bodies.end()) {
        if (found->second && !m_used.empty() && m_used.front() != key) {
            m_used.remove(key);
            m_used.push_front(key);
        }
        return found->second;
    }
    m_bodies[key] = nullptr;
    in_background(
        this, [blobs = m_store.blobs(), event = list[exchange].event] { return read_exchange(blobs.get(), event); },
        [this, key, run = m_run](ExchangeBody read) {
            if (run != m_run)
                return;
            m_bodies[key] = std::make_shared<const ExchangeBody>(std::move(read));
            m_used.push_front(key);
            if (m_used.size() > kept_bodies) {
                m_bodies.erase(m_used.back());
                m_used.pop_back();
            }
            Q_EMIT body_loaded(key.turn, static_cast<int>(key.exchange));
        });
    return nullptr;
}

bool ExchangeStore::is_told(int turn, int exchange, int attempt) const {
    const auto& list = of_turn(turn);
    return std::any_of(list.begin(), list.end(), [&](const Exchange& one) {
        return std::pair(one.number, one.attempt) >= std::pair(exchange, attempt);
    });
}

LiveReply& ExchangeStore::begin_live(int turn, int exchange, int attempt) {
    if (!m_live || m_live->turn != turn || m_live->exchange != exchange || m_live->attempt != attempt) {
        m_live = LiveReply{};
        m_live->turn = turn;
        m_live->exchange = exchange;
        m_live->attempt = attempt;
        m_live->began_ms = now_ms();
        m_live->part = ++m_part;
        m_arrivals.clear();
        m_shown_pieces = 0;
    }
    return *m_live;
}

void ExchangeStore::rate(std::size_t bytes) {
    const qint64 now = now_ms();
    m_arrivals.emplace_back(now, bytes);
    std::erase_if(m_arrivals, [now](const auto& one) { return now - one.first > rate_window_ms; });
    std::size_t all = 0;
    for (const auto& [when, count] : m_arrivals)
        all += count;
    const double seconds = static_cast<double>(now - m_arrivals.front().first) / 1000;
    m_live->tokens_per_s = seconds >= least_rated_s ? static_cast<double>(all) / bytes_per_token / seconds : 0;
}

void ExchangeStore::apply_live(const Json& notification) {
    const std::string event = get_string(notification, "event");
    const int turn = small(notification, "turn", -1), exchange = small(notification, "exchange", 1),
              attempt = small(notification, "attempt", 1);
    if (event == "model_ended") {
        // What was shown stays until the journal has it; without any exchange in it, the next reply replaces it.
        if (m_live && m_live->turn == turn)
            m_live->phase = u"ended"_s;
        Q_EMIT live_changed();
        return;
    }
    if (event != "model" || turn < 0 || is_told(turn, exchange, attempt))
        return;
    LiveReply& live = begin_live(turn, exchange, attempt);
    if (const QString model = text_of(notification, "model"); !model.isEmpty())
        live.model = model;
    live.phase = text_of(notification, "phase");
    const std::string text = get_string(notification, "text");
    if (!text.empty()) {
        const bool reasoning = get_string(notification, "kind") == "reasoning";
        std::size_t& have = reasoning ? live.reasoning_bytes : live.content_bytes;
        QString& shown = reasoning ? live.reasoning : live.content;
        const auto from = static_cast<std::size_t>(std::max<std::int64_t>(0, get_int(notification, "from", 0)));
        if (live.first_token_s < 0)
            live.first_token_s = static_cast<double>(now_ms() - live.began_ms) / 1000;
        if (from > have)
            shown += u"\n[…]\n"_s; // some of it was missed
        if (from + text.size() > have) {
            // What is there already comes again after a reconnection.
            const std::size_t known = from < have ? have - from : 0;
            shown += QString::fromStdString(text.substr(std::min(known, text.size())));
            have = from + text.size();
            rate(text.size() - std::min(known, text.size()));
        }
    }
    Q_EMIT live_changed();
}

void ExchangeStore::show_live(const ReplayedReply& replayed) {
    if (!replayed.reply) {
        end_live();
        return;
    }
    if (is_told(replayed.turn, replayed.exchange, replayed.attempt))
        return;
    const std::vector<ReplyPiece>& pieces = replayed.reply->pieces;
    const auto due =
        static_cast<std::size_t>(std::upper_bound(pieces.begin(), pieces.end(), replayed.elapsed_s,
                                                  [](double at, const ReplyPiece& piece) { return at < piece.at_s; }) -
                                 pieces.begin());
    if (m_live && due < m_shown_pieces)
        m_live.reset(); // it was set back
    LiveReply& live = begin_live(replayed.turn, replayed.exchange, replayed.attempt);
    const bool began = live.phase.isEmpty(),
               second_passed = std::floor(live.elapsed_s) != std::floor(replayed.elapsed_s);
    live.model = replayed.model;
    live.elapsed_s = replayed.elapsed_s;
    if (due == m_shown_pieces && !began && !second_passed)
        return;
    for (; m_shown_pieces < due; ++m_shown_pieces) {
        const ReplyPiece& piece = pieces[m_shown_pieces];
        (piece.kind == ReplyPiece::Kind::reasoning ? live.reasoning : live.content) +=
            QString::fromStdString(piece.text);
        live.phase = piece.kind == ReplyPiece::Kind::reasoning ? u"reasoning"_s : u"content"_s;
        if (live.first_token_s < 0)
            live.first_token_s = piece.at_s;
    }
    if (due == 0)
        live.phase = u"waiting"_s;
    // As it was seen then: what came in the last recorded seconds.
    constexpr double window_s = static_cast<double>(rate_window_ms) / 1000;
    std::size_t recent = 0;
    for (std::size_t at = due; at-- > 0 && pieces[at].at_s > replayed.elapsed_s - window_s;)
        recent += pieces[at].text.size();
    const double over = std::min(window_s, replayed.elapsed_s - std::max(0.0, live.first_token_s));
    live.tokens_per_s = due > 0 && over >= least_rated_s ? static_cast<double>(recent) / bytes_per_token / over : 0;
    Q_EMIT live_changed();
}

void ExchangeStore::end_live() {
    if (!m_live)
        return;
    m_live.reset();
    m_arrivals.clear();
    Q_EMIT live_changed();
}

} // namespace kf::ui
