// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/child.h"

#include "core/process/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>

namespace kf {
namespace {

constexpr auto kTick = std::chrono::milliseconds(10);

void set_nonblocking(int fd) {
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// Reads what is there. False at the end of the stream; `flooded` when there is more than `cap`.
bool drain(int fd, std::string& text, std::size_t cap, bool& flooded) {
    char buffer[65536];
    for (;;) {
        const ssize_t n = read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        if (n == 0)
            return false;
        const std::size_t room = cap - std::min(cap, text.size());
        text.append(buffer, std::min(room, static_cast<std::size_t>(n)));
        if (static_cast<std::size_t>(n) > room) {
            flooded = true;
            return false;
        }
    }
}

// False when there is nothing more to write. A pipe whose reader went away is no failure of ours: the child may not
// want it.
bool feed(int fd, std::string_view& rest) {
    while (!rest.empty()) {
        ssize_t n = send(fd, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == ENOTSOCK)
            n = write(fd, rest.data(), rest.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    return false;
}

// write() to a pipe without a reader raises SIGPIPE, which would end us: block it in this thread and take it away
// again.
class PipeSignalGuard {
public:
    PipeSignalGuard() {
        sigset_t pending;
        sigpending(&pending);
        m_was_pending = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&m_pipe);
        sigaddset(&m_pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
    }
    ~PipeSignalGuard() {
        const timespec now{0, 0};
        while (!m_was_pending && sigtimedwait(&m_pipe, nullptr, &now) < 0 && errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    PipeSignalGuard(const PipeSignalGuard&) = delete;
    PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

private:
    sigset_t m_pipe;
    sigset_t m_before;
    bool m_was_pending = false;
};

class Run {
public:
    Run(Child child, const RunLimits& limits) : m_child(std::move(child)), m_limits(limits), m_rest(limits.input) {
        set_nonblocking(m_child.input_fd());
        set_nonblocking(m_child.output_fd());
        set_nonblocking(m_child.error_fd());
        m_output = m_child.take_output();
        m_error = m_child.take_error();
        if (m_rest.empty())
            m_child.close_input();
    }

    Finished to_end() {
        const PipeSignalGuard guard;
        const SteadyTime start = std::chrono::steady_clock::now();
        ExitStatus status;
        while (true) {
            if (wait_for_events()) {
                collect();
                if (m_result.flooded) {
                    status = m_child.kill_now();
                    break;
                }
            }
            if (const std::optional<ExitStatus> ended = m_child.wait(start)) {
                status = *ended;
                collect(); // what it wrote last; a grandchild that still held the pipe is dead by now
                break;
            }
            if (over_limit()) {
                status =
                    m_result.timed_out || m_result.cancelled ? m_child.terminate(m_limits.grace) : m_child.kill_now();
                collect();
                break;
            }
        }
        m_result.exit_code = status.exit_code;
        m_result.signal = status.signal;
        m_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return std::move(m_result);
    }

private:
    bool wait_for_events() {
        pollfd entries[4];
        std::size_t count = 0;
        entries[count++] = {m_child.pidfd(), POLLIN, 0};
        if (m_output)
            entries[count++] = {m_output.get(), POLLIN, 0};
        if (m_error)
            entries[count++] = {m_error.get(), POLLIN, 0};
        if (m_child.input_fd() >= 0)
            entries[count++] = {m_child.input_fd(), POLLOUT, 0};
        const SteadyTime tick = std::chrono::steady_clock::now() + kTick;
        return poll_until(std::span(entries, count), std::min(m_limits.deadline, tick));
    }

    void collect() {
        bool flooded = false;
        if (m_output && !drain(m_output.get(), m_result.out, m_limits.output_bytes, flooded))
            m_output.reset();
        if (m_error && !drain(m_error.get(), m_result.err, m_limits.error_bytes, flooded))
            m_error.reset();
        m_result.flooded |= flooded;
        if (m_child.input_fd() >= 0 && !feed(m_child.input_fd(), m_rest))
            m_child.close_input();
    }

    bool over_limit() {
        const SteadyTime now = std::chrono::steady_clock::now();
        if (now >= m_limits.deadline) {
            m_result.timed_out = true;
            return true;
        }
        if (m_limits.cancelled && m_limits.cancelled()) {
            m_result.cancelled = true;
            return true;
        }
        if ((m_limits.memory_bytes > 0 || m_limits.processes > 0) && now >= m_next_look) {
            m_next_look = now + 2 * kTick;
            std::uint64_t bytes = 0;
            const std::vector<pid_t> tree = process_tree(m_child.pid());
            for (const pid_t pid : tree)
                bytes += resident_bytes(pid);
            m_result.memory_exceeded = m_limits.memory_bytes > 0 && bytes > m_limits.memory_bytes;
            m_result.processes_exceeded = m_limits.processes > 0 && tree.size() > m_limits.processes;
        }
        return m_result.memory_exceeded || m_result.processes_exceeded;
    }

    Child m_child;
    const RunLimits& m_limits;
    std::string_view m_rest;
    UniqueFd m_output;
    UniqueFd m_error;
    SteadyTime m_next_look{};
    Finished m_result;
};

} // namespace

std::string Finished::ending() const {
    if (timed_out)
        return "no end within the time limit";
    if (cancelled)
        return "cancelled";
    if (flooded)
        return "more output than allowed";
    if (memory_exceeded)
        return "more memory than allowed";
    if (processes_exceeded)
        return "more processes than allowed";
    if (signal != 0)
        return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    return "exit code " + std::to_string(exit_code);
}

Result<Finished> run_to_end(const ChildSpec& spec, const RunLimits& limits) {
    Result<Child> child = Child::start(spec);
    if (!child)
        return child.error();
    return Run(*std::move(child), limits).to_end();
}

} // namespace kf
