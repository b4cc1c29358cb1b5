// SPDX-License-Identifier: GPL-3.0-or-later
// kf-nvrtc's methods over JSON-RPC:
//   compile {CompileRequest}            → CompileReply (a candidate's fault is a result with ok: false)
//   state_symbols {cubin | path, source?} → {symbols: […]}
// and the first line out: notification `ready` {helper, version, protocol, nvrtc, archs, headers, tools,
// recycle_after}.
#pragma once

#include "core/helpers/nvrtc/compiler.h"
#include "core/protocol/server.h"

#include <memory>

namespace kf::nvrtc {

struct ServiceSettings {
    ToolkitSettings toolkit;
    std::uint64_t memory_bytes = std::uint64_t{8} << 30; // RLIMIT_AS
    int cpu_seconds = 300;   // of processor time a compile; the kernel ends the helper beyond it
    int recycle_after = 200; // compiles after which the owner should start a fresh helper (told, not enforced)
};

// Limits, library, server; returns the exit code. `protocol_in`, `protocol_out` are taken over.
int serve(const ServiceSettings& settings, int protocol_in, int protocol_out);

} // namespace kf::nvrtc
