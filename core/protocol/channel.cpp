// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/channel.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace kf {
namespace {

Error broken(const std::string& what, int number) {
    return make_error("channel-broken", what + ": " + std::strerror(number));
}

bool is_socket(int fd) {
    struct stat info {};
    return fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode);
}

// Writes with SIGPIPE held back in this thread alone: the process's signal dispositions belong to its main program.
ssize_t write_without_sigpipe(int fd, const char* data, std::size_t size) {
    sigset_t pipe_signal;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigemptyset(&pending);
    sigpending(&pending);
    const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const ssize_t n = ::write(fd, data, size);
    const int number = errno;
    if (n < 0 && number == EPIPE && !was_pending) {
        const timespec at_once{0, 0};
        while (sigtimedwait(&pipe_signal, nullptr, &at_once) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = number;
    return n;
}

} // namespace

FdChannel::FdChannel(UniqueFd read_end, UniqueFd write_end, std::size_t limit)
    : m_read(std::move(read_end)), m_write(std::move(write_end)), m_wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      m_limit(limit), m_write_is_socket(is_socket(m_write.get())), m_lines(limit),
      m_last_activity(std::chrono::steady_clock::now()) {}

Result<std::unique_ptr<FdChannel>> FdChannel::over_socket(UniqueFd socket, std::size_t limit) {
    UniqueFd copy(fcntl(socket.get(), F_DUPFD_CLOEXEC, 3));
    if (!copy)
        return broken("cannot duplicate the socket", errno);
    return std::make_unique<FdChannel>(std::move(socket), std::move(copy), limit);
}

void FdChannel::interrupt() {
    m_interrupted = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(m_wake.get(), &one, sizeof one);
}

Result<std::string> FdChannel::read_line(Deadline deadline) {
    // Without an eventfd (no descriptor was left) the flag is looked at twice a second.
    const int longest_wait = m_wake ? INT_MAX : 500;
    for (;;) {
        if (m_interrupted.exchange(false)) {
            std::uint64_t count = 0;
            [[maybe_unused]] const ssize_t n = ::read(m_wake.get(), &count, sizeof count);
            return make_error("channel-interrupted", "reading was interrupted");
        }
        if (auto line = m_lines.next()) {
            if (line->too_long)
                return make_error("line-too-long",
                                  "a line of " + std::to_string(line->size) + " bytes came, at most " +
                                      std::to_string(m_limit) + " are accepted",
                                  "send larger things as blobs");
            return std::move(line->text);
        }
        if (m_end_of_file) {
            const std::size_t torn = m_lines.pending_bytes();
            return make_error("channel-closed", torn == 0 ? "the other side has closed the connection"
                                                          : "the other side has closed the connection within a line (" +
                                                                std::to_string(torn) + " bytes of it had come)");
        }
        pollfd fds[2] = {{m_read.get(), POLLIN, 0}, {m_wake.get(), POLLIN, 0}};
        const int wait = std::min(poll_milliseconds(deadline), longest_wait);
        const int ready = poll(fds, 2, wait);
        if (ready < 0 && errno != EINTR)
            return broken("cannot wait for input", errno);
        if (ready <= 0) {
            if (std::chrono::steady_clock::now() >= deadline && !m_interrupted)
                return make_error("channel-timeout", "no complete line came in time");
            continue;
        }
        if (fds[0].revents & POLLNVAL)
            return broken("cannot read", EBADF);
        if (!(fds[0].revents & (POLLIN | POLLHUP | POLLERR)))
            continue;
        char buffer[65536];
        const ssize_t n = ::read(m_read.get(), buffer, sizeof buffer);
        if (n > 0) {
            m_last_activity = std::chrono::steady_clock::now();
            m_lines.append(std::string_view(buffer, static_cast<std::size_t>(n)));
        } else if (n == 0 || errno == ECONNRESET) {
            m_end_of_file = true;
        } else if (errno != EINTR && errno != EAGAIN) {
            return broken("cannot read", errno);
        }
    }
}

Status FdChannel::write_line(std::string_view line, Deadline deadline) {
    if (line.size() > m_limit)
        return make_error("line-too-long",
                          "a line of " + std::to_string(line.size()) + " bytes was to be sent, at most " +
                              std::to_string(m_limit) + " are allowed",
                          "send larger things as blobs");
    if (line.find('\n') != std::string_view::npos)
        return make_error("line-malformed", "a line to be sent contains a line feed");
    std::string bytes(line);
    bytes += '\n';
    {
        std::unique_lock lock(m_write_mutex);
        if (!m_write_free.wait_until(lock, deadline, [&] { return !m_writing; }))
            return make_error("channel-timeout", "the other side does not read (another line is still being sent)");
        if (m_write_broken)
            return make_error("channel-broken", "an earlier line could not be sent whole");
        m_writing = true;
    }
    std::size_t written = 0;
    Status status = write_all(bytes, deadline, written);
    {
        const std::lock_guard lock(m_write_mutex);
        m_writing = false;
        if (!status && written > 0)
            m_write_broken = true;
    }
    m_write_free.notify_one();
    return status;
}

Status FdChannel::write_all(std::string_view bytes, Deadline deadline, std::size_t& written) {
    while (written < bytes.size()) {
        pollfd out{m_write.get(), POLLOUT, 0};
        const int ready = poll(&out, 1, poll_milliseconds(deadline));
        if (ready < 0 && errno != EINTR)
            return broken("cannot wait for the other side to read", errno);
        if (ready <= 0) {
            if (std::chrono::steady_clock::now() >= deadline)
                return make_error("channel-timeout", "the other side does not read");
            continue;
        }
        if (out.revents & POLLNVAL)
            return broken("cannot write", EBADF);
        // A pipe that poll() calls writable takes PIPE_BUF bytes without blocking, even when it is not O_NONBLOCK.
        const std::string_view rest = bytes.substr(written);
        const ssize_t n = m_write_is_socket ? send(m_write.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                                            : write_without_sigpipe(m_write.get(), rest.data(),
                                                                    std::min<std::size_t>(rest.size(), PIPE_BUF));
        if (n > 0)
            written += static_cast<std::size_t>(n);
        else if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
            return make_error("channel-closed", "the other side has closed the connection");
        else if (n < 0 && errno != EINTR && errno != EAGAIN)
            return broken("cannot write", errno);
    }
    return {};
}

} // namespace kf
