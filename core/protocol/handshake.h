// SPDX-License-Identifier: GPL-3.0-or-later
// The first line out of an evaluator: who it is, which protocols it speaks, which devices it has. Launchers (ssh, srun,
// containers) may print before it; those lines are skipped and kept for the log.
#pragma once

#include "core/protocol/channel.h"
#include "core/protocol/message.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

inline constexpr std::string_view handshake_prefix = "KERNELFORGE-EVALUATOR ";

struct Handshake {
    ProtocolRange protocol;
    std::string build; // version and build id of the evaluator
    std::int64_t pid = 0;
    Json devices = Json::array(); // one object of facts a device
    Json extra = Json::object();  // fields that this build does not know
};

// The line without its line feed.
std::string format_handshake(const Handshake& handshake);
// Of a line that starts with the prefix. Error: "handshake-invalid".
Result<Handshake> parse_handshake(std::string_view line);

// The newest protocol that both sides speak. Error: "protocol-mismatch", which says which side is older.
Result<int> negotiate(ProtocolRange ours, ProtocolRange theirs, const std::string& their_build = {});

struct HandshakeLimits {
    std::size_t banner_lines = 500;
    std::size_t banner_bytes = std::size_t{64} << 10;
};

// Fed line by line; pure, so that a Qt socket can use it as well as a file descriptor.
class HandshakeReader {
public:
    explicit HandshakeReader(HandshakeLimits limits = {}) : m_limits(limits) {}

    // True when this line was the handshake. Errors: "handshake-invalid", "handshake-missing" (more banner than
    // allowed).
    Result<bool> feed(std::string_view line);
    const Handshake& handshake() const { return m_handshake; }
    // Lines before the handshake, unprintable bytes replaced.
    const std::vector<std::string>& banner() const { return m_banner; }

private:
    HandshakeLimits m_limits;
    Handshake m_handshake;
    std::vector<std::string> m_banner;
    std::size_t m_banner_bytes = 0;
};

struct Greeting {
    Handshake handshake;
    int protocol = 0; // negotiated
};

// Reads up to and including the handshake. `banner`, if given, receives the lines before it, also when this fails.
// Errors: those of HandshakeReader and negotiate; "handshake-missing" on end of file and at the deadline, with the last
// banner line, because there stands why (a password prompt, "command not found", a queue that is full).
Result<Greeting> read_handshake(FdChannel& channel, Deadline deadline, ProtocolRange ours = supported_protocol,
                                HandshakeLimits limits = {}, std::vector<std::string>* banner = nullptr);

// Printable form of foreign bytes for logs and messages: control bytes and invalid UTF-8 replaced, at most `limit`
// bytes.
std::string printable(std::string_view bytes, std::size_t limit = 200);

} // namespace kf
