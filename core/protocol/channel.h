// SPDX-License-Identifier: GPL-3.0-or-later
// Lines over two file descriptors (pipes, a socket, stdin and stdout). Every call has a deadline; neither SIGPIPE nor
// O_NONBLOCK is set for the process or for descriptors that others may share.
#pragma once

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "core/protocol/line_buffer.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kf {

// One reader at a time; any number of threads may write and interrupt.
class FdChannel {
public:
    // The descriptors may be blocking or not. For one socket in both directions give it twice (see `over_socket`).
    FdChannel(UniqueFd read_end, UniqueFd write_end, std::size_t limit = max_line_bytes);
    static Result<std::unique_ptr<FdChannel>> over_socket(UniqueFd socket, std::size_t limit = max_line_bytes);
    FdChannel(const FdChannel&) = delete;
    FdChannel& operator=(const FdChannel&) = delete;

    // The next line without its line feed. Errors:
    //   "channel-timeout"      nothing complete came before the deadline; what came is kept
    //   "channel-closed"       end of file (bytes of a torn last line are named and dropped)
    //   "channel-interrupted"  interrupt() was called
    //   "channel-broken"       the system reported another failure
    //   "line-too-long"        this line was above the limit and is gone; the next call continues behind it
    Result<std::string> read_line(Deadline deadline);

    // Writes the line and a line feed; lines of several threads never mix. Errors:
    //   "line-too-long", "line-malformed" (it contains a line feed): nothing was written, the channel is as before
    //   "channel-timeout"  the peer does not read. If part of the line is out, the channel is broken for writing
    //   "channel-closed"   the peer is gone
    //   "channel-broken"
    Status write_line(std::string_view line, Deadline deadline);

    // Wakes the present read_line, or else the next one; once.
    void interrupt();

    // When the last byte came in (a slow long line is life, too).
    Deadline last_activity() const { return m_last_activity.load(); }

    int read_fd() const { return m_read.get(); }

private:
    Status write_all(std::string_view bytes, Deadline deadline, std::size_t& written);

    UniqueFd m_read;
    UniqueFd m_write;
    UniqueFd m_wake;
    const std::size_t m_limit;
    bool m_write_is_socket = false;
    LineBuffer m_lines;
    bool m_end_of_file = false;
    std::atomic<bool> m_interrupted = false;
    std::atomic<Deadline> m_last_activity;

    std::mutex m_write_mutex;
    std::condition_variable m_write_free;
    bool m_writing = false;
    bool m_write_broken = false;
};

} // namespace kf
