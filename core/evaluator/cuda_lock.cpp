// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cuda_lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace kf {
namespace {

// Reading suffices for flock(2), and another user's file in a sticky folder can only be opened so.
UniqueFd open_or_make(const std::filesystem::path& path) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file || errno != ENOENT)
        return file;
    file.reset(::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!file && errno == EEXIST)
        file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    return file;
}

} // namespace

Result<std::unique_ptr<CudaLock>> CudaLock::open(const std::string& uuid, std::filesystem::path folder) {
    if (uuid.empty() || uuid.find('/') != std::string::npos)
        return make_error("device-lock", "a GPU without a UUID cannot be locked");
    if (folder.empty())
        folder = access("/run/lock", W_OK) == 0 ? "/run/lock" : "/tmp";
    std::unique_ptr<CudaLock> lock(new CudaLock());
    lock->m_path = folder / ("kernelforge-" + uuid + ".lock");
    lock->m_main = open_or_make(lock->m_path);
    const int number = errno;
    lock->m_gate = open_or_make(folder / ("kernelforge-" + uuid + ".gate"));
    if (!lock->m_main || !lock->m_gate)
        return make_error("device-lock",
                          "the GPU's lock " + lock->m_path.string() +
                              " cannot be opened: " + std::strerror(lock->m_main ? errno : number),
                          "remove the file if nobody uses the GPU");
    return lock;
}

std::optional<Halt> CudaLock::wait(const UniqueFd& file, int how, StopSignal& stop, const std::string& what) {
    for (;;) {
        if (flock(file.get(), how | LOCK_NB) == 0)
            return std::nullopt;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return InfrastructureFault{"the GPU's lock: " + std::string(std::strerror(errno)), false};
        if (stop.cancelled())
            return Cancelled{"cancelled while waiting for the GPU"};
        if (seconds_left(stop.deadline()) <= 0)
            return InfrastructureFault{what, true};
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

// Through the gate: who waits for the GPU alone keeps it closed, so that those who share do not go in one after another
// for ever. Nobody waits at the gate while holding the lock itself.
std::optional<Halt> CudaLock::take(int how, StopSignal& stop) {
    const std::string busy = how == LOCK_SH
                                 ? "another evaluator timed on this GPU for the whole budget (" + m_path.string() + ")"
                                 : "other evaluators were on this GPU for the whole budget (" + m_path.string() + ")";
    if (auto halted = wait(m_gate, LOCK_EX, stop, busy))
        return halted;
    auto halted = wait(m_main, how, stop, busy);
    (void)flock(m_gate.get(), LOCK_UN);
    return halted;
}

std::optional<Halt> CudaLock::enter(StopSignal& stop) {
    const std::lock_guard guard(m_mutex);
    if (m_users == 0)
        if (auto halted = take(LOCK_SH, stop))
            return halted;
    ++m_users;
    return std::nullopt;
}

void CudaLock::leave() {
    const std::lock_guard guard(m_mutex);
    if (m_users > 0 && --m_users == 0) {
        (void)flock(m_main.get(), LOCK_UN);
        m_alone = false;
    }
}

std::optional<Halt> CudaLock::alone(StopSignal& stop) {
    const std::lock_guard guard(m_mutex);
    if (m_alone || m_users == 0)
        return std::nullopt;
    (void)flock(m_main.get(), LOCK_UN);
    if (auto halted = take(LOCK_EX, stop)) {
        // Shared again, or not at all: what follows is the end of this evaluation.
        (void)flock(m_main.get(), LOCK_SH | LOCK_NB);
        return halted;
    }
    m_alone = true;
    return std::nullopt;
}

} // namespace kf
