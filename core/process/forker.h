// SPDX-License-Identifier: GPL-3.0-or-later
// The one thread that forks. PR_SET_PDEATHSIG fires when the forking *thread* ends, so children must not be forked from
// pool threads; this thread lives until the process ends.
#pragma once

#include "core/base/result.h"
#include "core/process/unique_fd.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace kf {

// Everything the code between fork and exec needs, prepared before, since nothing may be allocated there.
struct ForkPlan {
    std::vector<std::string> argv; // argv[0] is a path
    std::vector<std::string> env;  // "NAME=value"
    std::string cwd;
    std::vector<int> fds; // become 0, 1, 2, 3, …
    std::vector<std::pair<int, std::uint64_t>> limits;
    bool new_session = true;
    int death_signal = 9; // SIGKILL: when we die
};

struct ForkResult {
    pid_t pid = -1;
    UniqueFd pidfd;
};

class Forker {
public:
    static Forker& instance();
    // Forks and execs in the forker's thread; returns when exec has succeeded or failed. Error: "spawn-failed".
    Result<ForkResult> start(const ForkPlan& plan);

private:
    Forker();
    void work();

    struct Job {
        const ForkPlan* plan;
        std::promise<Result<ForkResult>> answer;
    };
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Job*> m_jobs;
    pid_t m_owner;
};

} // namespace kf
