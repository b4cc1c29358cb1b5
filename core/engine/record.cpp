// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/record.h"

#include "core/base/sha256.h"

#include <algorithm>

namespace kf {

Result<std::shared_ptr<Record>> Record::open(const std::string& path) {
    std::optional<PackedRun> packed;
    std::filesystem::path folder = path;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder, ignored)) {
        auto opened = PackedRun::open(folder);
        if (!opened)
            return opened.error();
        packed = std::move(*opened);
        folder = packed->folder();
    }
    auto reader = JournalReader::open(folder);
    if (!reader)
        return reader.error();
    auto record = std::shared_ptr<Record>(new Record(std::move(*reader), std::move(packed)));
    auto events = record->m_reader.poll();
    if (!events)
        return events.error();
    record->m_state.apply(*events);
    if (record->m_state.status() == RunStatus::empty)
        return make_error("record-empty", "this journal ends before the run began", "name another run",
                          Place{path, 0, 0});
    for (const Event& event : *events) {
        if (event.type != EventType::model_exchange)
            continue;
        const auto told = from_fields<ModelExchange>(event.fields);
        record->m_exchanges[told.turn].push_back(
            Exchange{event.sequence, told.request, told.reply, event.fields, false});
    }
    for (const auto& [number, turn] : record->m_state.turns) {
        const auto exchanges = record->m_exchanges.find(number);
        const bool answered =
            exchanges != record->m_exchanges.end() &&
            std::any_of(exchanges->second.begin(), exchanges->second.end(), [](const Exchange& one) {
                return get_string(one.fields, "failure").empty() && get_string(one.fields, "error").empty();
            });
        if (number > 0 && turn.started && (turn.author == "model" ? answered : !turn.source.empty()))
            record->m_turns.push_back(number);
    }
    return record;
}

Result<Task> Record::task() const {
    auto text = blob(get_string(m_state.start.settings, "task_blob"));
    if (!text)
        return make_error("record-task", "the recorded run's task is not in its folder: " + text.error().message, {},
                          Place{m_reader.folder().string(), 0, 0});
    auto wire = parse_json(*text, "task");
    if (!wire)
        return wire.error();
    return task_from_wire(*wire);
}

Result<std::string> Record::start_source() const {
    const auto start = m_state.turns.find(0);
    if (start == m_state.turns.end() || start->second.source.empty())
        return make_error("record-empty", "the recorded run has no start kernel", "name another run",
                          Place{m_reader.folder().string(), 0, 0});
    return blob(start->second.source);
}

std::string Record::start_file() const {
    const auto start = m_state.turns.find(0);
    return start != m_state.turns.end() && !start->second.file_name.empty() ? start->second.file_name : "start.cu";
}

ChatOutcome Record::reply(int turn, const std::string& request_hash, Json& served) {
    const auto refused = [](const std::string& message) {
        ModelError error;
        error.failure = ModelFailure::not_recorded;
        error.message = message;
        error.remedy = "add --then-live to ask the model for what the record does not hold";
        return error;
    };
    const auto found = m_exchanges.find(turn);
    if (found == m_exchanges.end())
        return refused("the record has no reply for this turn");
    std::vector<Exchange>& exchanges = found->second;
    auto one = std::find_if(exchanges.begin(), exchanges.end(), [&](const Exchange& exchange) {
        return !exchange.served && exchange.request == request_hash;
    });
    const bool same = one != exchanges.end();
    if (!same)
        one =
            std::find_if(exchanges.begin(), exchanges.end(), [](const Exchange& exchange) { return !exchange.served; });
    if (one == exchanges.end())
        return refused("the record has no further reply for turn " + std::to_string(turn));
    one->served = true;
    served = Json{{"run", name()}, {"sequence", one->sequence}, {"match", same ? "request" : "order"}};
    ChatReply reply;
    if (!one->reply.empty()) {
        auto text = blob(one->reply);
        auto json = text ? parse_json(*text, "reply") : Result<Json>(text.error());
        auto read = json ? chat_reply_from_json(*json) : std::nullopt;
        if (!read)
            return refused("the record's reply cannot be read: " +
                           (json ? std::string("it is no reply") : json.error().message));
        reply = std::move(*read);
    }
    const auto failure = parse_model_failure(get_string(one->fields, "failure"));
    if (!failure && get_string(one->fields, "error").empty())
        return reply;
    ModelError error;
    error.failure = failure.value_or(ModelFailure::malformed);
    error.http_status = static_cast<int>(get_int(one->fields, "http_status"));
    error.message = get_string(one->fields, "error");
    error.remedy = get_string(one->fields, "remedy");
    error.maybe_billed = get_bool(one->fields, "maybe_billed");
    error.partial = std::move(reply);
    return error;
}

void Record::mark_served(std::int64_t sequence) {
    for (auto& [turn, exchanges] : m_exchanges)
        for (Exchange& exchange : exchanges)
            if (exchange.sequence == sequence)
                exchange.served = true;
}

void RecordedTransport::set_turn(int turn) {
    const std::lock_guard lock(m_mutex);
    m_turn = turn;
}

ChatOutcome RecordedTransport::ask(const ChatRequest& request, const std::stop_token& stop,
                                   const std::function<void(const ReplyPiece&)>& on_piece) {
    ChatOutcome outcome;
    {
        const std::lock_guard lock(m_mutex);
        m_served = Json();
        outcome = m_record->reply(m_turn, sha256(dump_line(to_json(request))), m_served);
    }
    const auto* error = std::get_if<ModelError>(&outcome);
    for (const ReplyPiece& piece : error ? error->partial.pieces : std::get<ChatReply>(outcome).pieces)
        if (!stop.stop_requested() && on_piece)
            on_piece(piece);
    return outcome;
}

Json RecordedTransport::describe() const {
    const Json& model = get_member(m_record->state().start.settings, "model");
    return Json{{"provider", get_string(model, "provider")},
                {"url", get_string(model, "url")},
                {"model", get_string(model, "model")},
                {"recorded", m_record->name()}};
}

Json RecordedTransport::served() const {
    const std::lock_guard lock(m_mutex);
    return m_served;
}

Result<Proposal> repeat(const Record& record, int number, const std::map<int, int>& became) {
    const TurnState& turn = record.state().turns.at(number);
    Proposal proposal;
    proposal.recorded = number;
    proposal.author = turn.author;
    proposal.strategy = turn.strategy;
    proposal.hint = turn.hint;
    const auto parent = became.find(turn.parent);
    proposal.parent = parent != became.end() ? parent->second : -1;
    if (turn.author == "model") {
        proposal.asks_model = true;
        return proposal;
    }
    auto source = record.blob(turn.source);
    if (!source)
        return source.error();
    proposal.source = std::move(*source);
    proposal.file_name = turn.file_name;
    proposal.sweep = turn.author == "tuner";
    const EvaluationState* decisive = turn.decisive();
    proposal.screen_only = turn.author == "human" && (!decisive || decisive->level == "screen");
    return proposal;
}

} // namespace kf
