// SPDX-License-Identifier: GPL-3.0-or-later
// One exchange with the model: asked, told to whoever watches, written down; tried again where that may help. People
// are served meanwhile.
#include "core/base/files.h"
#include "core/engine/run.h"

#include <algorithm>
#include <cmath>

namespace kf {
namespace {

constexpr double look_s = 0.05;     // how often the run looks after people while the model writes
constexpr double budget_look_s = 1; // and after its budgets
constexpr double longest_retry_wait_s = 120;
constexpr int most_shortenings = 2; // of a prompt that the model refuses as too long

// Whether the same request may go better later. The transport has tried by itself what it could.
bool is_transient(ModelFailure failure) {
    switch (failure) {
    case ModelFailure::unreachable:
    case ModelFailure::rate_limited:
    case ModelFailure::server:
    case ModelFailure::first_token_late:
    case ModelFailure::stalled:
    case ModelFailure::truncated:
    case ModelFailure::stream_error:
    case ModelFailure::malformed:
    case ModelFailure::empty:
        return true;
    default:
        return false;
    }
}

bool is_too_long(ModelFailure failure) {
    return failure == ModelFailure::overflow || failure == ModelFailure::too_large;
}

std::int64_t tokens_of(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes + 2) / 3); // as PromptOptions counts
}

} // namespace

Status Run::open_model() {
    if (!m_asker)
        m_asker = std::make_unique<ModelAsker>(m_transports);
    if (!m_reopen)
        return {};
    if (m_record) {
        m_asker->open(m_record);
    } else if (auto opened = m_asker->open(m_turn_model); !opened) {
        return opened;
    }
    m_reopen = false;
    return {};
}

// The record has nothing more to say, and the model may be asked.
bool Run::go_live(const std::string& why) {
    if (!m_record || !m_settings.model.then_live)
        return false;
    m_record.reset();
    m_reopen = true;
    m_early_stop.resume();
    Note note;
    note.level = "info";
    note.text = why + "; from here on " + m_settings.model.model + " is asked";
    m_journal->append(note);
    return true;
}

Run::Taken Run::model_failed(const ModelError& error) {
    const bool record = error.failure == ModelFailure::not_recorded;
    m_ended = RunResult{record ? RunEnd::champion : RunEnd::infrastructure, record ? "record" : "model", error.message,
                        error.remedy};
    return Taken{TurnOutcome::infrastructure, "infrastructure", error.message};
}

void Run::wait_for_model(double seconds) {
    const Deadline until = deadline_after(seconds);
    while (seconds_left(until) > 0 && !m_steering.stop_token().stop_requested()) {
        m_steering.wait(std::min(until, deadline_after(budget_look_s)));
        note_steering();
        serve_people();
        if (m_early_stop.check_budgets(usage()))
            return; // the next boundary ends the run
    }
}

void Run::note_retries(int number) {
    for (const ModelAsker::Retry& retry : m_asker->take_retries()) {
        Infrastructure event;
        event.turn = number;
        event.where = "model";
        event.what = retry.error.message;
        event.retry = true;
        Json fields = to_fields(event);
        fields["wait_s"] = retry.wait_s;
        fields["posts"] = retry.tries_made;
        m_journal->append(Infrastructure::type, std::move(fields));
        m_live.retrying(retry.wait_s, retry.error.message);
    }
}

void Run::record_exchange(int number, int exchange, int attempt, const ChatRequest& request, const Prompt& prompt,
                          const ChatOutcome& outcome) {
    const auto* error = std::get_if<ModelError>(&outcome);
    const ChatReply& reply = error ? error->partial : std::get<ChatReply>(outcome);
    const Json served = m_asker->served();
    ModelExchange event;
    event.turn = number;
    event.model = request.model;
    event.request = m_journal->put_blob(dump_line(to_json(request)));
    if (!error || !reply.pieces.empty() || !reply.content.empty())
        event.reply = m_journal->put_blob(dump_line(to_json(reply)));
    event.error = error ? error->message : "";
    const bool came = !reply.pieces.empty() || !reply.content.empty() || !error;
    const bool estimated = came && !reply.usage.told;
    if (served.is_null()) { // what a record says costs nothing
        event.tokens_in = estimated ? static_cast<std::int64_t>(prompt.estimated_tokens) : reply.usage.in;
        event.tokens_out = estimated ? tokens_of(reply.content.size() + reply.reasoning.size()) : reply.usage.out;
        event.tokens_reasoning = estimated ? tokens_of(reply.reasoning.size()) : reply.usage.reasoning;
        event.money = reply.usage.money;
    }
    event.seconds = served.is_null() ? reply.seconds : 0;
    event.first_token_s = reply.first_token_s;
    Json fields = to_fields(event);
    const Json whom = m_asker->describe();
    for (const char* field : {"provider", "url"})
        if (const std::string text = get_string(whom, field); !text.empty())
            fields[field] = text;
    fields["exchange"] = exchange;
    fields["purpose"] = exchange == 1 ? "write" : "repair";
    fields["attempt"] = attempt;
    fields["posts"] = served.is_null() ? reply.attempts : 0;
    if (!reply.finish_reason.empty())
        fields["finish_reason"] = reply.finish_reason;
    if (estimated && served.is_null())
        fields["estimated"] = true;
    fields["prompt_version"] = prompt.version;
    fields["prompt_tokens"] = prompt.estimated_tokens;
    if (!prompt.left_out.empty())
        fields["left_out"] = prompt.left_out;
    if (!served.is_null())
        fields["recorded"] = served;
    if (error) {
        if (event.error.empty())
            fields["error"] = std::string(to_string(error->failure));
        fields["failure"] = to_string(error->failure);
        if (!error->remedy.empty())
            fields["remedy"] = error->remedy;
        if (error->http_status > 0)
            fields["http_status"] = error->http_status;
        if (error->maybe_billed)
            fields["maybe_billed"] = true;
    } else {
        const Extraction extraction = extract_candidate(reply.content, m_task);
        for (const DerivedLine& line : extraction.derived)
            fields["derived"].push_back(
                Json{{"plan_line", line.plan_line}, {"from_line", line.from_line}, {"from", line.from}});
        for (const Error& why : extraction.errors)
            fields["no_candidate"].push_back(to_string(why));
    }
    m_journal->append(ModelExchange::type, std::move(fields));
}

Run::Asked Run::one_attempt(int number, int exchange, int attempt, const ChatRequest& request, const Prompt& prompt) {
    const auto entry = m_activity.enter(Activity{"model", number, {}, {}, {}, 0});
    std::stop_source stop;
    const std::stop_callback on_stop(m_steering.stop_token(), [&] { stop.request_stop(); });
    m_live.begin(number, exchange, attempt, request.model);
    const Deadline begun = std::chrono::steady_clock::now();
    m_asker->begin(request, stop.get_token(), [this](const ReplyPiece& piece) { m_live.piece(piece); });
    std::optional<ChatOutcome> outcome;
    bool over_budget = false;
    Deadline budgets = deadline_after(budget_look_s);
    while (!(outcome = m_asker->wait(deadline_after(look_s)))) {
        note_retries(number);
        note_steering();
        serve_people();
        if (!over_budget && seconds_left(budgets) == 0) {
            budgets = deadline_after(budget_look_s);
            if ((over_budget = m_early_stop.check_budgets(usage()).has_value()))
                stop.request_stop();
        }
    }
    note_retries(number);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (auto* error = std::get_if<ModelError>(&*outcome); error && error->partial.seconds == 0)
        error->partial.seconds = seconds;
    const bool nothing = std::holds_alternative<ModelError>(*outcome) &&
                         std::get<ModelError>(*outcome).failure == ModelFailure::not_recorded;
    if (!nothing)
        record_exchange(number, exchange, attempt, request, prompt, *outcome);
    m_live.end();
    if (auto* reply = std::get_if<ChatReply>(&*outcome))
        return Asked{std::move(*reply), {}};
    ModelError& error = std::get<ModelError>(*outcome);
    if (error.failure == ModelFailure::cancelled && (over_budget || m_steering.stop_token().stop_requested())) {
        if (!m_steering.stop_token().stop_requested())
            m_end = boundary(false);
        return Asked{};
    }
    return Asked{{}, std::move(error)};
}

Run::Asked Run::ask_model(int number, int exchange, const Proposal& proposal, const std::string& repair,
                          const std::string& repaired_reply) {
    std::optional<ModelError> refused; // as too long
    int shortened = 0;
    for (int attempt = 1;; ++attempt) {
        if (auto opened = open_model(); !opened)
            return Asked{
                {},
                ModelError{ModelFailure::unauthorized, 0, opened.error().message, opened.error().remedy, 0, false, {}}};
        m_asker->set_recorded_turn(proposal.recorded);
        auto prompt = prompt_for(number, proposal, repair, repaired_reply);
        if (!prompt) {
            if (refused)
                return Asked{{}, std::move(refused)};
            return Asked{
                {}, ModelError{ModelFailure::overflow, 0, prompt.error().message, prompt.error().remedy, 0, false, {}}};
        }
        ChatRequest request;
        request.model = m_turn_model.model;
        request.messages = prompt->messages;
        request.temperature = m_turn_model.temperature;
        request.max_tokens = m_turn_model.max_tokens;
        request.reasoning = m_turn_model.reasoning;
        Asked asked = one_attempt(number, exchange, attempt, request, *prompt);
        if (!asked.error) {
            if (asked.reply)
                m_model_failures = 0;
            return asked;
        }
        const ModelError& error = *asked.error;
        if (error.failure == ModelFailure::not_recorded && go_live(error.message))
            continue;
        if (is_too_long(error.failure) && shortened++ < most_shortenings) {
            m_context_limit = m_turn_model.max_tokens + static_cast<int>(prompt->estimated_tokens * 2 / 3);
            Note note;
            note.level = "warning";
            note.turn = number;
            note.text = "the prompt of " + std::to_string(prompt->estimated_tokens) +
                        " tokens (estimated) is too long for the model: " + error.message +
                        "; from here on it is kept below " + std::to_string(prompt->estimated_tokens * 2 / 3) +
                        " tokens";
            m_journal->append(note);
            refused = error;
            continue;
        }
        if (!is_transient(error.failure))
            return asked;
        Infrastructure event;
        event.turn = number;
        event.where = "model";
        event.what = error.message;
        event.retry = ++m_model_failures < m_turn_model.retries && !m_steering.stopping();
        const double wait_s =
            m_record ? 0
                     : std::min(longest_retry_wait_s, std::max(error.retry_after_s, std::exp2(m_model_failures - 1)));
        Json fields = to_fields(event);
        if (event.retry && wait_s > 0)
            fields["wait_s"] = wait_s;
        m_journal->append(Infrastructure::type, std::move(fields));
        if (!event.retry)
            return asked;
        if (wait_s > 0) {
            const auto entry = m_activity.enter(Activity{"model", number, {}, {}, {}, 0});
            m_live.retrying(wait_s, error.message);
            wait_for_model(wait_s);
            m_live.end();
        }
        if (m_steering.stop_token().stop_requested())
            return Asked{};
        if ((m_end = boundary(false)))
            return Asked{};
    }
}

} // namespace kf
