// SPDX-License-Identifier: GPL-3.0-or-later
// Memory shared between processes: an anonymous file (memfd) with its mapping, and its passage over a Unix socket.
#pragma once

#include "core/base/result.h"
#include "core/process/unique_fd.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

// A memfd and, while mapped, its bytes in this process. Move-only; unmaps and closes when destroyed.
class MemoryFile {
public:
    MemoryFile() = default;
    MemoryFile(MemoryFile&& other) noexcept;
    MemoryFile& operator=(MemoryFile&& other) noexcept;
    ~MemoryFile();

    // A new file of `bytes` zero bytes, not yet mapped. `name` shows in /proc/PID/maps. Errors: "memory-file".
    static Result<MemoryFile> create(const std::string& name, std::size_t bytes);
    // A new sealed file that holds a copy of `content`.
    static Result<MemoryFile> from_bytes(const std::string& name, std::span<const std::byte> content);
    // Takes over a received descriptor. Its size is read from the kernel and must not exceed `limit`; with
    // `require_sealed` it must be sealed against writing, growing and shrinking, so that what was checked stays so and
    // no access can raise SIGBUS. Errors: "memory-file", "memory-file-too-large", "memory-file-unsealed".
    static Result<MemoryFile> adopt(UniqueFd fd, std::size_t limit, bool require_sealed);

    // Changes the size. A mapping is dropped: map again. Error: "memory-file" (sealed, no memory).
    Status resize(std::size_t bytes);
    // Maps the whole file, shared. Mapping again replaces the mapping. An empty file maps to an empty span.
    Result<std::span<std::byte>> map();
    Result<std::span<const std::byte>> map_read_only();
    void unmap();
    // Against writing, growing and shrinking, for ever. A writable mapping is dropped first.
    Status seal();
    // Against shrinking only: a peer may write and we may still grow it, but nobody can take pages away under a mapping
    // (SIGBUS in whoever touches them).
    Status seal_shrink();
    // Bytes that really take memory, whoever wrote them.
    std::uint64_t allocated_bytes() const;

    int fd() const { return m_fd.get(); }
    std::size_t size() const { return m_size; }
    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(m_data), m_data ? m_size : 0}; }
    explicit operator bool() const { return static_cast<bool>(m_fd); }

private:
    Result<void*> map_with(int protection);

    UniqueFd m_fd;
    std::size_t m_size = 0;
    void* m_data = nullptr;
};

// A message with descriptors that came over a Unix socket.
struct FdMessage {
    std::string text;
    std::vector<UniqueFd> fds;
};

// Two connected Unix stream sockets, close-on-exec.
Result<std::pair<UniqueFd, UniqueFd>> make_socket_pair();

// Sends `text` (at least one byte) and up to 16 descriptors with it. Errors: "fd-passing" (too many, peer gone,
// timeout).
Status send_fds(int socket, std::string_view text, std::span<const int> fds,
                std::chrono::steady_clock::time_point deadline);

// Receives one piece of at most `text_limit` bytes with its descriptors (close-on-exec). More than `fd_limit`
// descriptors (at most 16) or a truncated control message is an error, and everything received is closed. Errors:
// "fd-passing", "end-of-stream", "timeout". A stream socket keeps no message borders: frame `text` yourself.
Result<FdMessage> receive_fds(int socket, std::size_t text_limit, std::size_t fd_limit,
                              std::chrono::steady_clock::time_point deadline);

} // namespace kf
