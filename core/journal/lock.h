// SPDX-License-Identifier: GPL-3.0-or-later
// The lock of a run: one writer at a time, found out by flock() and so let go by the kernel however the writer ends.
// The file also says who holds it and where its control socket is: {"pid", "host", "control", "since"}.
#pragma once

#include "core/base/result.h"
#include "core/base/unique_fd.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace kf {

enum class LockState {
    free,  // no writer; the last one ended in order
    held,  // a writer lives
    stale, // no writer, but the last one did not end in order
};

struct LockInfo {
    LockState state = LockState::free;
    std::int64_t pid = 0;
    std::string host;
    std::string control_socket;
    double since = 0; // unix seconds
};

// Of a run's folder, without taking the lock for longer than the look.
LockInfo lock_info(const std::filesystem::path& run_folder);

class RunLock {
public:
    // Errors: "journal-locked" (names the pid that holds it), "journal-unwritable".
    static Result<RunLock> take(const std::filesystem::path& run_folder, const std::string& control_socket);
    RunLock(RunLock&&) = default;
    RunLock& operator=(RunLock&&) = delete;
    ~RunLock(); // an orderly end: the file is emptied

    Status set_control_socket(const std::string& path);
    // Pid of a writer that was lost without an orderly end; 0 if there was none.
    std::int64_t lost_pid() const { return m_lost_pid; }

private:
    RunLock(UniqueFd file, std::filesystem::path path, std::int64_t lost_pid);
    UniqueFd m_file;
    std::filesystem::path m_path;
    std::int64_t m_lost_pid = 0;
};

} // namespace kf
