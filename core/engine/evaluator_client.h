// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's side of one kf-evaluator: starts it (behind a launcher prefix where one is set), speaks the protocol,
// starts it again after a crash. Blocking; called from the run's thread, cancelled from any.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/process/child.h"
#include "core/protocol/client.h"
#include "core/protocol/handshake.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace kf {

struct EvaluatorSettings {
    std::vector<std::string> launcher; // words before the program: nothing | ssh HOST | srun --gres=gpu:1 …
    std::string program;               // empty: kf-evaluator beside this program
    std::string device = "cpu";
    std::filesystem::path cache; // empty: the evaluator's own default
    double start_deadline_s = 60;
    int restarts = 3; // in a row, without an answer in between
};

class EvaluatorClient {
public:
    explicit EvaluatorClient(EvaluatorSettings settings);
    ~EvaluatorClient(); // shutdown()

    // Starts it unless it runs. Errors: "evaluator-start" with the last lines that came instead of a handshake,
    // "evaluator-gone" when it was started too often in a row; "protocol-mismatch"; "cancelled".
    Status ensure(const std::stop_token& stop = {});
    // What its handshake said of its device; null before.
    const Json& device() const { return m_device; }
    const std::string& build() const { return m_build; }
    // {"state": none | starting | ready | lost | gone, "restarts", "build", "error"} and {"id", "name", "labels",
    // "timer"}; from any thread.
    Json status() const;
    Json device_status() const;

    // Any method. Errors: the method's own, or infrastructure (is_infrastructure), after which the next call starts it
    // again. `progress` may ask something else meanwhile.
    Result<Json> request(const std::string& method, Json params, double deadline_s, const std::stop_token& stop = {},
                         const std::function<void(const Json&)>& progress = {});
    // `evaluate` or `compile`: whatever goes wrong between us and the evaluator is an infrastructure outcome. Samples
    // that came as a blob are put back into the evaluation.
    EvaluationOutcome evaluate(const std::string& method, Json params, double deadline_s, const std::stop_token& stop,
                               const std::function<void(const Json&)>& progress);

    // Asks it to end, waits, then kills it with all it started.
    void shutdown();

private:
    Result<std::string> fetch_blob(const std::string& hash);
    void drop();
    void tell(const std::string& state, const std::string& error = {});

    EvaluatorSettings m_settings;
    Child m_child;
    std::shared_ptr<HelperClient> m_client;
    Json m_device;
    std::string m_build;
    int m_starts_without_answer = 0;
    mutable std::mutex m_mutex; // of what is told to other threads
    int m_starts = 0;
    std::string m_state = "none", m_error, m_told_build;
    Json m_told_device;
};

} // namespace kf
