// SPDX-License-Identifier: GPL-3.0-or-later
// One GPU, several evaluators: who only verifies shares it, who times has it alone. A file named by the GPU's UUID,
// locked by flock(2), so that a process that dies lets go.
#pragma once

#include "core/evaluator/halt.h"
#include "core/process/unique_fd.h"

#include <filesystem>
#include <mutex>

namespace kf {

class CudaLock {
public:
    // Files <folder>/kernelforge-<uuid>.lock and …-<uuid>.gate, made when missing. `folder` empty: /run/lock, or /tmp
    // where that cannot be written. Error "device-lock".
    static Result<std::unique_ptr<CudaLock>> open(const std::string& uuid, std::filesystem::path folder = {});

    // Counted: the lock is ours until leave() was called as often. Waits while another evaluator times; an
    // infrastructure fault (worth another try) names the file when that takes longer than the evaluation may.
    std::optional<Halt> enter(StopSignal& stop);
    void leave();
    // From now until the last leave() nobody else is on the GPU. Waits for those that verify; who waits comes before
    // those that have not begun.
    std::optional<Halt> alone(StopSignal& stop);

private:
    CudaLock() = default;
    // flock(2) until it succeeds or the evaluation is over.
    static std::optional<Halt> wait(const UniqueFd& file, int how, StopSignal& stop, const std::string& what);
    std::optional<Halt> take(int how, StopSignal& stop);

    std::filesystem::path m_path;
    UniqueFd m_main, m_gate;
    std::mutex m_mutex; // one at a time changes the lock
    int m_users = 0;
    bool m_alone = false;
};

} // namespace kf
