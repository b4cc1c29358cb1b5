// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/service.h"

#include "core/base/sha256.h"
#include "core/evaluator/doctor.h"
#include "core/evaluator/lint.h"
#include "core/evaluator/pipeline.h"
#include "core/protocol/base64.h"

#include <algorithm>

namespace kf {
namespace {

constexpr std::size_t most_blob_bytes = std::size_t{256} << 20;
constexpr std::size_t inline_answer_bytes = std::size_t{900} << 10;
constexpr int goldens_for_rounds = 6; // a screen's or duel's rounds, each with inputs of its own

// In the order in which the next evaluation is held up by what is missing: a quick answer needs the first cases and,
// for its rounds, the timed one again; then the other cases; then the rounds of a duel.
std::vector<std::pair<TaskCase, int>> wanted_goldens(const EvaluateRequest& request, const std::string& timed_size) {
    const auto all = cases_for(request.task, timed_size, request.include_held_out);
    std::vector<std::pair<TaskCase, int>> wanted;
    const auto first = choose_cases(all, CaseChoice::first, timed_size);
    for (const TaskCase& one : first)
        wanted.emplace_back(one, &one == &first.back() ? 2 : 1);
    for (const TaskCase& one : choose_cases(all, CaseChoice::rest, timed_size))
        wanted.emplace_back(one, 1);
    if (!first.empty())
        wanted.emplace_back(first.back(), 1 + goldens_for_rounds);
    return wanted;
}

} // namespace

std::string BlobShelf::put(std::string content) {
    std::string hash = sha256(content);
    const std::lock_guard lock(m_mutex);
    if (m_blobs.contains(hash))
        return hash;
    m_bytes += content.size();
    m_blobs.emplace(hash, std::move(content));
    m_order.push_back(hash);
    while (m_bytes > most_blob_bytes && m_order.size() > 1) {
        const auto oldest = m_blobs.find(m_order.front());
        m_bytes -= oldest->second.size();
        m_blobs.erase(oldest);
        m_order.pop_front();
    }
    return hash;
}

Result<Json> BlobShelf::get(const Json& params) const {
    const std::string hash = get_string(params, "hash");
    const std::lock_guard lock(m_mutex);
    const auto found = m_blobs.find(hash);
    if (found == m_blobs.end())
        return make_error("blob-missing", "there is no blob " + hash.substr(0, 64),
                          "it may have been dropped: ask again for what it belonged to");
    const std::string& content = found->second;
    const std::size_t offset = static_cast<std::size_t>(
        std::clamp<std::int64_t>(get_int(params, "offset"), 0, static_cast<std::int64_t>(content.size())));
    const std::size_t limit =
        static_cast<std::size_t>(std::clamp<std::int64_t>(get_int(params, "limit", 512 << 10), 1, 512 << 10));
    const std::string_view piece = std::string_view(content).substr(offset, limit);
    return Json{{"data", base64_encode(piece)}, {"size", content.size()}};
}

bool DeviceTurn::acquire(StopSignal& stop, bool urgent) {
    std::unique_lock lock(m_mutex);
    const std::uint64_t ticket = m_next_ticket++;
    std::deque<std::uint64_t>& queue = urgent ? m_urgent : m_waiting;
    queue.push_back(ticket);
    const auto leave = [&] { queue.erase(std::find(queue.begin(), queue.end(), ticket)); };
    while (m_taken || queue.front() != ticket || (!urgent && !m_urgent.empty())) {
        if (stop.check()) {
            leave();
            m_changed.notify_all();
            return false;
        }
        m_changed.wait_for(lock, std::chrono::milliseconds(50));
    }
    leave();
    m_taken = true;
    m_held_by_urgent = urgent;
    return true;
}

void DeviceTurn::release() {
    const std::lock_guard lock(m_mutex);
    m_taken = false;
    m_changed.notify_all();
}

double DeviceTurn::let_urgent_pass() {
    std::unique_lock lock(m_mutex);
    if (m_held_by_urgent || m_urgent.empty())
        return 0;
    const Deadline start = std::chrono::steady_clock::now();
    const std::uint64_t ticket = m_next_ticket++;
    m_waiting.push_front(ticket); // before those that have not begun
    m_taken = false;
    m_changed.notify_all();
    // Bounded by the deadlines of the urgent ones: each of them ends or gives up.
    m_changed.wait(lock, [&] { return !m_taken && m_urgent.empty() && m_waiting.front() == ticket; });
    m_waiting.pop_front();
    m_taken = true;
    m_held_by_urgent = false;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

EvaluatorService::EvaluatorService(ServiceParts parts)
    : m_parts(std::move(parts)),
      m_goldens([oracle = m_parts.oracle](const Task& task, const TaskCase& task_case, std::uint64_t seed,
                                          StopSignal& stop) { return oracle->golden(task, task_case, seed, stop); }) {
    m_parts.device->warm();
}

Json EvaluatorService::handshake_facts() const {
    return Json{{"id", m_parts.device->id()},       {"name", m_parts.device->name()},
                {"timer", m_parts.device->timer()}, {"limits", to_json(m_parts.device->limits())},
                {"facts", m_parts.device->facts()}, {"labels", m_parts.device->labels()}};
}

void EvaluatorService::register_methods(RpcServer& server) {
    server.on_worker("evaluate", [this](RpcCall& call) { return evaluate(call); });
    server.on_worker("compile", [this](RpcCall& call) { return compile(call); });
    server.on_worker("lint", [this](RpcCall& call) { return lint(call); });
    server.on_worker("doctor", [this](RpcCall& call) {
        return Result<Json>(run_doctor(*m_parts.device, *m_parts.oracle, m_parts.cache, call.stop_token()));
    });
    server.on_worker("blob.get", [this](RpcCall& call) { return m_blobs.get(call.params()); });
    server.on_loop("shutdown", [&server](RpcCall&) {
        server.stop();
        return Result<Json>(Json::object());
    });
}

PipelineServices EvaluatorService::services_for(RpcCall& call) {
    PipelineServices services;
    services.device = m_parts.device.get();
    services.goldens = &m_goldens;
    services.oracle = m_parts.oracle.get();
    services.versions = m_parts.versions;
    services.progress = [&call](const Json& event) { (void)call.progress(event); };
    return services;
}

Result<Json> EvaluatorService::evaluate(RpcCall& call) {
    auto request = parse_evaluate_request(call.params());
    if (!request)
        return request.error();
    StopSignal stop(call.stop_token(), std::min(call.deadline(), deadline_after(request->budget_s)));
    (void)call.progress(Json{{"event", "queued"}});
    if (!m_turn.acquire(stop, request->urgent)) {
        EvaluationOutcome outcome;
        outcome.outcome = stop.cancelled() ? Outcome::cancelled : Outcome::infrastructure;
        outcome.what =
            stop.cancelled() ? "cancelled while waiting for the device" : "the device was busy for the whole budget";
        outcome.retry_sensible = !stop.cancelled();
        return to_json(outcome);
    }
    m_goldens.allow(false);
    EvaluationOutcome outcome;
    {
        PipelineServices services = services_for(call);
        services.verify.case_deadline_s = request->case_deadline_s;
        if (!request->shrink)
            services.verify.shrink_attempts = 0;
        services.between = [&] {
            if (const double waited = m_turn.let_urgent_pass(); waited > 0) {
                m_goldens.allow(false);
                stop.extend(waited);
                (void)call.progress(Json{{"event", "waited"}, {"seconds", waited}});
            }
        };
        Pipeline pipeline(std::move(services), *request, stop);
        outcome = pipeline.run();
    } // its processes are gone before the device is given on
    m_goldens.expect(request->task, wanted_goldens(*request, m_parts.device->size_name(request->task)));
    m_parts.device->warm();
    m_turn.release();
    m_goldens.allow(true);

    Json answer = to_json(outcome);
    Json& evaluation = answer["evaluation"];
    if (evaluation.is_object() && evaluation.contains("samples") && dump_line(answer).size() > inline_answer_bytes) {
        evaluation["samples_hash"] = m_blobs.put(dump_line(evaluation["samples"]));
        evaluation.erase("samples");
    }
    return answer;
}

// Needs no device: it does not wait for its turn, and nothing of the candidate runs.
Result<Json> EvaluatorService::compile(RpcCall& call) {
    auto request = parse_evaluate_request(call.params());
    if (!request)
        return request.error();
    request->compile_only = true;
    StopSignal stop(call.stop_token(), std::min(call.deadline(), deadline_after(request->budget_s)));
    return to_json(Pipeline(services_for(call), *request, stop).run());
}

Result<Json> EvaluatorService::lint(RpcCall& call) {
    StopSignal stop(call.stop_token(), std::min(call.deadline(), deadline_after(900)));
    if (!m_turn.acquire(stop))
        return make_error("cancelled", "the linter did not get the device");
    m_goldens.allow(false);
    auto report = lint_task(call.params(), *m_parts.device, m_goldens, *m_parts.oracle, stop,
                            [&](const Json& event) { (void)call.progress(event); });
    m_turn.release();
    return report;
}

} // namespace kf
