// SPDX-License-Identifier: GPL-3.0-or-later
// Sources, diffs and what was said with a model, within what a report may hold.
#include "core/engine/unified_diff.h"
#include "core/llm/chat.h"
#include "core/render/terminal_text.h"
#include "core/report/privacy.h"
#include "core/report/reading.h"

#include <algorithm>
#include <limits>

namespace kf {
namespace {

constexpr std::size_t most_reply_bytes = std::size_t{64} << 20; // with the time of every piece
constexpr std::size_t most_diffed_bytes = std::size_t{1} << 20;
constexpr std::size_t most_exchanges = 12; // of one turn; a repair is the second

class Room {
public:
    Room(const ReportLimits& limits) : m_one(limits.text_bytes), m_left(limits.all_text_bytes) {}

    ReportText take(std::string text) {
        ReportText taken;
        taken.whole = text.size();
        std::size_t size = std::min(text.size(), m_one);
        if (size > m_left) {
            taken.missing = "Left out to keep this file small; it is in the run's folder.";
            return taken;
        }
        // A cut never splits a UTF-8 sequence.
        while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
            --size;
        m_left -= size;
        text.resize(size);
        taken.text = std::move(text);
        if (taken.text.empty())
            taken.missing = "It is empty.";
        return taken;
    }
    ReportText blob(const JournalReader& reader, const std::string& hash, const char* without) {
        ReportText text;
        if (hash.empty()) {
            text.missing = without;
            return text;
        }
        auto bytes = reader.blob(hash, most_reply_bytes);
        if (bytes)
            return take(std::move(*bytes));
        text.missing = bytes.error().code == "blob-corrupt" ? "Its file in the run's folder is damaged."
                       : bytes.error().code == "too-large"  ? "It is too large for a report."
                                                            : "Its file is missing from the run's folder.";
        return text;
    }

private:
    std::size_t m_one, m_left;
};

std::string unread(const Error& error) {
    return error.code == "blob-corrupt" ? "Its file in the run's folder is damaged."
                                        : "Its file is missing from the run's folder.";
}

// Where each message was shown first, by its hash of role and text.
using Shown = std::map<std::size_t, int>;

void read_request(const JournalReader& reader, int turn, Room& room, Shown& shown, ReportExchange& exchange) {
    const auto only = [&](std::string why) {
        ReportMessage message;
        message.role = "request";
        message.text.missing = std::move(why);
        exchange.request.push_back(std::move(message));
    };
    if (exchange.told.request.empty())
        return only("What was asked was not kept.");
    auto bytes = reader.blob(exchange.told.request, most_reply_bytes);
    if (!bytes)
        return only(unread(bytes.error()));
    auto json = parse_json(*bytes, "request", most_reply_bytes);
    const auto request = json ? chat_request_from_json(*json) : std::nullopt;
    if (!request)
        return only("What was asked cannot be read.");
    for (const ChatMessage& message : request->messages) {
        ReportMessage entry;
        entry.role = message.role;
        const auto [place, first] =
            shown.try_emplace(std::hash<std::string>()(message.role + '\n' + message.content), turn);
        if (first)
            entry.text = room.take(message.content);
        else
            entry.same_as_turn = place->second;
        exchange.request.push_back(std::move(entry));
    }
}

void read_reply(const JournalReader& reader, Room& room, ReportExchange& exchange) {
    if (exchange.told.reply.empty()) {
        exchange.content.missing = "No reply was kept.";
        return;
    }
    auto bytes = reader.blob(exchange.told.reply, most_reply_bytes);
    if (!bytes) {
        exchange.content.missing = unread(bytes.error());
        return;
    }
    auto json = parse_json(*bytes, "reply", most_reply_bytes);
    auto reply = json ? chat_reply_from_json(*json) : std::nullopt;
    if (!reply) {
        exchange.content.missing = "The reply cannot be read.";
        return;
    }
    exchange.content = room.take(std::move(reply->content));
    if (!reply->reasoning.empty())
        exchange.reasoning = room.take(std::move(reply->reasoning));
}

void read_exchanges(const JournalReader& reader, Room& room, Shown& shown, ReportTurn& turn) {
    for (const EventPlace& place : turn.turn->exchanges) {
        if (turn.exchanges.size() == most_exchanges)
            break;
        ReportExchange exchange;
        auto event = reader.event_at(place.offset, place.bytes);
        if (!event) {
            exchange.content.missing = "This exchange cannot be read again from the journal.";
            turn.exchanges.push_back(std::move(exchange));
            continue;
        }
        exchange.told = from_fields<ModelExchange>(event->fields);
        exchange.told.error = without_credentials(exchange.told.error);
        exchange.provider = get_string(event->fields, "provider");
        exchange.url = without_credentials(get_string(event->fields, "url"));
        exchange.purpose = get_string(event->fields, "purpose");
        exchange.failure = get_string(event->fields, "failure");
        exchange.finish_reason = get_string(event->fields, "finish_reason");
        exchange.recorded = get_member(event->fields, "recorded").is_object();
        exchange.estimated = get_bool(event->fields, "estimated");
        read_reply(reader, room, exchange);
        read_request(reader, turn.turn->number, room, shown, exchange);
        turn.exchanges.push_back(std::move(exchange));
    }
}

// The parent's turn where it has a source; null otherwise.
const TurnState* parent_of(const RunReport& report, const TurnState& turn) {
    const auto parent = report.state.turns.find(turn.parent);
    return parent == report.state.turns.end() || parent->second.source.empty() ? nullptr : &parent->second;
}

const char* without_diff(const RunReport& report, const TurnState& turn) {
    if (turn.source.empty())
        return "This turn has no source.";
    if (turn.parent < 0)
        return "It grew from no other turn.";
    const TurnState* parent = parent_of(report, turn);
    if (!parent)
        return "The turn that it grew from has no source.";
    return parent->source == turn.source ? "It is the same text as its parent's."
                                         : "The journal keeps none, and its parent's source cannot be read.";
}

// A journal without the diff still has both texts.
void make_diff(const JournalReader& reader, Room& room, const RunReport& report, ReportTurn& turn) {
    const TurnState* parent = parent_of(report, *turn.turn);
    if (!parent || parent->source == turn.turn->source)
        return;
    const auto before = reader.blob(parent->source, most_diffed_bytes);
    const auto after = reader.blob(turn.turn->source, most_diffed_bytes);
    if (before && after)
        turn.diff = room.take(unified_diff(*before, *after, "parent/" + plain_text(parent->file_name),
                                           "turn/" + plain_text(turn.turn->file_name)));
}

} // namespace

void read_texts(const JournalReader& reader, const ReportLimits& limits, RunReport& report) {
    Room room(limits);
    std::vector<ReportTurn*> order;
    for (ReportTurn& turn : report.turns)
        if (turn.detailed)
            order.push_back(&turn);
    std::stable_sort(order.begin(), order.end(), [](const ReportTurn* a, const ReportTurn* b) {
        return 2 * a->present + a->champion > 2 * b->present + b->champion;
    });
    for (ReportTurn* turn : order) {
        turn->source = room.blob(reader, turn->turn->source, "This turn has no source.");
        turn->diff = room.blob(reader, turn->turn->diff, without_diff(report, *turn->turn));
        if (turn->turn->diff.empty() && turn->turn->parent >= 0 && !turn->source.text.empty())
            make_diff(reader, room, report, *turn);
    }
    std::sort(order.begin(), order.end(),
              [](const ReportTurn* a, const ReportTurn* b) { return a->turn->number < b->turn->number; });
    Shown shown; // in the order of the turns, so that "as in turn 1" points back
    for (ReportTurn* turn : order)
        read_exchanges(reader, room, shown, *turn);
}

} // namespace kf
