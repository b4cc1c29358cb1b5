// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/evaluator_client.h"

#include "core/base/files.h"
#include "core/protocol/base64.h"

#include <csignal>
#include <thread>

namespace kf {
namespace {

constexpr std::size_t most_blob_bytes = std::size_t{256} << 20;

} // namespace

EvaluatorClient::EvaluatorClient(EvaluatorSettings settings) : m_settings(std::move(settings)) {}

EvaluatorClient::~EvaluatorClient() {
    shutdown();
}

void EvaluatorClient::drop() {
    m_client.reset();
    m_child = Child();
}

void EvaluatorClient::tell(const std::string& state, const std::string& error) {
    const std::lock_guard lock(m_mutex);
    m_starts += state == "starting";
    m_state = state;
    m_error = error;
    m_told_build = m_build;
    m_told_device = m_device;
}

Json EvaluatorClient::status() const {
    const std::lock_guard lock(m_mutex);
    Json status{{"state", m_state}, {"restarts", std::max(0, m_starts - 1)}};
    if (!m_told_build.empty())
        status["build"] = m_told_build;
    if (!m_error.empty())
        status["error"] = m_error;
    return status;
}

Json EvaluatorClient::device_status() const {
    const std::lock_guard lock(m_mutex);
    Json status = Json::object();
    for (const char* field : {"id", "name", "labels", "timer"})
        if (const Json& value = get_member(m_told_device, field); !value.is_null())
            status[field] = value;
    return status;
}

Status EvaluatorClient::ensure(const std::stop_token& stop) {
    if (m_client && m_client->health() && m_child.running())
        return {};
    drop();
    if (m_starts_without_answer > m_settings.restarts) {
        const std::string text =
            "kf-evaluator ended " + std::to_string(m_starts_without_answer) + " times in a row without an answer";
        tell("gone", text);
        return make_error("evaluator-gone", text, "run `kernelforge doctor`; its messages are in the run's log");
    }
    tell("starting");
    // A machine that needs a moment (a full disk, a busy GPU) gets one; the first start waits for nothing.
    if (m_starts_without_answer > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(200 << m_starts_without_answer));
    ++m_starts_without_answer;

    ChildSpec spec;
    spec.argv = m_settings.launcher;
    spec.argv.push_back(m_settings.program.empty() ? program_path("kf-evaluator").string() : m_settings.program);
    spec.argv.insert(spec.argv.end(), {"--device", m_settings.device});
    if (!m_settings.cache.empty())
        spec.argv.insert(spec.argv.end(), {"--cache", m_settings.cache.string()});
    spec.input = ChildInput::pipe;
    if (m_settings.launcher.empty())
        spec.death_signal = SIGTERM; // it ends its own children; a launcher may not
    spec.error_output = ChildOutput::inherit;
    spec.pass_home = true; // its cache lies there, and launchers (ssh) need it
    spec.pass_env = {"KERNELFORGE_HOME",     "KERNELFORGE_RESOURCES", "CUDA_HOME",
                     "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",       "TMPDIR",
                     "OPENBLAS_CORETYPE",    "OPENBLAS_L2_SIZE"};
    auto child = Child::start(spec);
    if (!child) {
        tell("lost", child.error().message);
        return make_error("evaluator-start", "kf-evaluator cannot be started: " + child.error().message,
                          child.error().remedy);
    }
    m_child = std::move(*child);
    auto channel = std::make_unique<FdChannel>(m_child.take_output(), m_child.take_input());
    std::vector<std::string> banner;
    auto greeting = [&] {
        const std::stop_callback on_stop(stop, [&] { channel->interrupt(); });
        return read_handshake(*channel, deadline_after(m_settings.start_deadline_s), supported_protocol, {}, &banner);
    }();
    if (stop.stop_requested()) {
        drop();
        return make_error("cancelled", "cancelled while the evaluator started");
    }
    if (!greeting) {
        drop();
        tell("lost", greeting.error().message);
        return greeting.error().code == "protocol-mismatch"
                   ? greeting.error()
                   : make_error("evaluator-start", "kf-evaluator did not start: " + greeting.error().message,
                                greeting.error().remedy);
    }
    m_build = greeting->handshake.build;
    m_device = greeting->handshake.devices.empty() ? Json() : greeting->handshake.devices.at(0);
    HelperClientOptions options;
    options.silence_timeout_s = 30;
    m_client = std::make_shared<HelperClient>(std::move(channel), "kf-evaluator", options);
    tell("ready");
    return {};
}

Result<Json> EvaluatorClient::request(const std::string& method, Json params, double deadline_s,
                                      const std::stop_token& stop, const std::function<void(const Json&)>& progress) {
    if (auto started = ensure(stop); !started)
        return started.error();
    // What is asked inside `progress` may find it broken and start another one: this one stays until we return.
    const std::shared_ptr<HelperClient> client = m_client;
    RequestOptions options;
    options.stop = stop;
    options.progress = progress;
    options.cancel_grace_s = 10; // it has processes to end
    auto answer = client->request(method, std::move(params), deadline_after(deadline_s), options);
    if (answer || !is_infrastructure(answer.error())) {
        m_starts_without_answer = 0;
    } else if (m_client == client) {
        drop();
        tell("lost", answer.error().message);
    }
    return answer;
}

Result<std::string> EvaluatorClient::fetch_blob(const std::string& hash) {
    std::string content;
    for (;;) {
        auto piece = request("blob.get", Json{{"hash", hash}, {"offset", content.size()}, {"limit", 512 << 10}}, 30);
        if (!piece)
            return piece.error();
        auto bytes = base64_decode(get_string(*piece, "data"));
        if (!bytes)
            return bytes.error();
        content += *bytes;
        const auto size = static_cast<std::size_t>(std::max<std::int64_t>(get_int(*piece, "size"), 0));
        if (size > most_blob_bytes)
            return make_error("too-large", "a blob of the evaluator has " + std::to_string(size) + " bytes");
        if (content.size() >= size || bytes->empty())
            return content;
    }
}

EvaluationOutcome EvaluatorClient::evaluate(const std::string& method, Json params, double deadline_s,
                                            const std::stop_token& stop,
                                            const std::function<void(const Json&)>& progress) {
    EvaluationOutcome outcome;
    auto answer = request(method, std::move(params), deadline_s, stop, progress);
    if (stop.stop_requested() && !answer) {
        outcome.outcome = Outcome::cancelled;
        outcome.what = "cancelled on request";
        return outcome;
    }
    if (!answer) {
        outcome.outcome = Outcome::infrastructure;
        outcome.what = to_string(answer.error());
        outcome.retry_sensible = is_infrastructure(answer.error()) || answer.error().code == "deadline-exceeded";
        return outcome;
    }
    const std::string samples_hash = get_string(get_member(*answer, "evaluation"), "samples_hash");
    auto parsed = evaluation_outcome_from_json(*answer);
    if (!parsed) {
        outcome.outcome = Outcome::infrastructure;
        outcome.what = "kf-evaluator sent an answer that cannot be read: " + to_string(parsed.error());
        return outcome;
    }
    if (!samples_hash.empty() && parsed->evaluation)
        if (auto blob = fetch_blob(samples_hash))
            if (auto samples = parse_json(*blob, "samples"))
                parsed->evaluation->samples = std::move(*samples);
    return std::move(*parsed);
}

void EvaluatorClient::shutdown() {
    if (m_client && m_child.running()) {
        (void)m_client->request("shutdown", Json::object(), deadline_after(2));
        m_client.reset(); // the end of its input, if it did not hear
        (void)m_child.wait(deadline_after(5));
    }
    drop();
}

} // namespace kf
