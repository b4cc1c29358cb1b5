// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluator's side of kf-oracle: starts it, keeps it, restarts it after a crash, receives goldens as sealed memory.
#pragma once

#include "core/evaluator/device.h"
#include "core/evaluator/halt.h"
#include "core/process/child.h"
#include "core/protocol/client.h"

#include <memory>
#include <mutex>
#include <string>

namespace kf {

class OracleClient {
public:
    explicit OracleClient(std::filesystem::path program);
    ~OracleClient();

    // Thread-safe; one request at a time. The candidate is never to blame: halts are infrastructure faults or
    // cancellation.
    Attempt<CaseGolden> golden(const Task& task, const TaskCase& task_case, std::uint64_t seed, StopSignal& stop);
    // What `ready` said: versions and facts. Starts the helper when needed.
    Result<Json> facts(Deadline deadline);
    // Checks that the reference compiles and keeps to its subset. Errors: the reference's, with line.
    Status check_reference(const Task& task, Deadline deadline);
    // Seconds of one call of the eager baseline at this case; prepares it when it is another case than before.
    Attempt<double> time_eager(const Task& task, const TaskCase& task_case, std::uint64_t seed, int repeat,
                               StopSignal& stop);

private:
    Status ensure(Deadline deadline);
    Status load(const Task& task, Deadline deadline);
    void drop();
    Result<Json> request(const std::string& method, Json params, Deadline deadline, const std::stop_token& token);

    std::filesystem::path m_program;
    std::mutex m_mutex;
    Child m_child;
    std::unique_ptr<HelperClient> m_client;
    UniqueFd m_socket; // goldens arrive here
    Json m_facts;
    std::string m_loaded_task;    // hash
    std::string m_prepared_eager; // key of the prepared case
};

} // namespace kf
