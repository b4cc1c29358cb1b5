// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/lock.h"

#include "core/base/json.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>

namespace kf {
namespace fs = std::filesystem;
namespace {

LockInfo read_info(int fd) {
    char buffer[8192];
    const ssize_t n = pread(fd, buffer, sizeof buffer, 0);
    LockInfo info;
    if (n <= 0)
        return info;
    info.state = LockState::stale; // until somebody is found to hold it
    if (const auto json = parse_json(std::string_view(buffer, static_cast<std::size_t>(n)), "lock")) {
        info.pid = get_int(*json, "pid");
        info.host = get_string(*json, "host");
        info.control_socket = get_string(*json, "control");
        info.since = get_double(*json, "since");
    }
    return info;
}

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

bool try_lock(int fd, int how) {
    int result = 0;
    do
        result = flock(fd, how | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

Error system_error(const std::string& what, const fs::path& path, int number) {
    return make_error("journal-unwritable", what + ": " + std::strerror(number), {}, Place{path.string(), 0, 0});
}

} // namespace

LockInfo lock_info(const fs::path& run_folder) {
    const UniqueFd file(open((run_folder / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file)
        return {};
    // Shared, so that several lookers do not take each other for a writer.
    if (!try_lock(file.get(), LOCK_SH) && errno == EWOULDBLOCK) {
        LockInfo info = read_info(file.get());
        info.state = LockState::held;
        return info;
    }
    return read_info(file.get());
}

RunLock::RunLock(UniqueFd file, fs::path path, std::int64_t lost_pid)
    : m_file(std::move(file)), m_path(std::move(path)), m_lost_pid(lost_pid) {}

Result<RunLock> RunLock::take(const fs::path& run_folder, const std::string& control_socket) {
    const fs::path path = run_folder / "lock";
    UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!file)
        return system_error("cannot open the run's lock", path, errno);
    // A look by lock_info() holds it for an instant; a writer holds it for good.
    for (int attempt = 0; !try_lock(file.get(), LOCK_EX); ++attempt) {
        if (errno != EWOULDBLOCK)
            return system_error("cannot lock the run", path, errno);
        const LockInfo info = read_info(file.get());
        if (attempt < 30) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            continue;
        }
        return make_error("journal-locked",
                          "the run is held by pid " + std::to_string(info.pid) +
                              (info.host.empty() || info.host == host_name() ? "" : " on " + info.host),
                          "attach to it, stop it, or wait until it ends", Place{path.string(), 0, 0});
    }
    const LockInfo before = read_info(file.get());
    RunLock lock(std::move(file), path, before.state == LockState::stale ? std::max<std::int64_t>(before.pid, 1) : 0);
    if (Status written = lock.set_control_socket(control_socket); !written)
        return written.error();
    return lock;
}

Status RunLock::set_control_socket(const std::string& control) {
    const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::string text = dump_line({{"pid", static_cast<std::int64_t>(getpid())},
                                        {"host", host_name()},
                                        {"control", control},
                                        {"since", now}}) +
                             "\n";
    // In place, not by rename: the lock belongs to this file.
    if (ftruncate(m_file.get(), 0) != 0 ||
        pwrite(m_file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        return system_error("cannot write the run's lock", m_path, errno);
    return {};
}

RunLock::~RunLock() {
    if (m_file) [[maybe_unused]]
        const int result = ftruncate(m_file.get(), 0);
}

} // namespace kf
