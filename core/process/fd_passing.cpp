// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/memory_file.h"

#include "core/process/poll_until.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace kf {
namespace {

constexpr std::size_t kMostFds = 16;

Error passing_error(const std::string& what, int number) {
    return make_error("fd-passing", what + ": " + std::strerror(number));
}

struct alignas(cmsghdr) ControlBuffer {
    std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)> bytes{};
};

} // namespace

Result<std::pair<UniqueFd, UniqueFd>> make_socket_pair() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return passing_error("cannot create a socket pair", errno);
    return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

Status send_fds(int socket, std::string_view text, std::span<const int> fds,
                std::chrono::steady_clock::time_point deadline) {
    if (text.empty() || fds.size() > kMostFds)
        return make_error("fd-passing", text.empty() ? "descriptors must travel with at least one byte of text"
                                                     : "at most 16 descriptors can be sent at once");
    ControlBuffer control;
    bool descriptors_sent = fds.empty();
    while (!text.empty()) {
        iovec part{const_cast<char*>(text.data()), text.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        if (!descriptors_sent) {
            message.msg_control = control.bytes.data();
            message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
            std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
        }
        const ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            descriptors_sent = true;
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (n < 0 && errno == EAGAIN) {
            if (!poll_until(socket, POLLOUT, deadline))
                return make_error("timeout", "the peer did not take the message in time");
        } else if (n < 0 && errno != EINTR) {
            return passing_error("cannot send descriptors", errno);
        }
    }
    return {};
}

Result<FdMessage> receive_fds(int socket, std::size_t text_limit, std::size_t fd_limit,
                              std::chrono::steady_clock::time_point deadline) {
    FdMessage result;
    result.text.resize(text_limit);
    ControlBuffer control;
    for (;;) {
        iovec part{result.text.data(), result.text.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.data();
        message.msg_controllen = control.bytes.size();
        const ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            if (!poll_until(socket, POLLIN, deadline))
                return make_error("timeout", "no message came in time");
            continue;
        }
        if (n < 0)
            return passing_error("cannot receive descriptors", errno);
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
            if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
                continue;
            const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < count; ++i) {
                int fd = -1;
                std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
                result.fds.emplace_back(fd);
            }
        }
        if ((message.msg_flags & MSG_CTRUNC) != 0 || result.fds.size() > fd_limit)
            return make_error("fd-passing", "the peer sent more descriptors than the " + std::to_string(fd_limit) +
                                                " that are accepted");
        if (n == 0)
            return make_error("end-of-stream", "the peer closed the connection");
        result.text.resize(static_cast<std::size_t>(n));
        return result;
    }
}

} // namespace kf
