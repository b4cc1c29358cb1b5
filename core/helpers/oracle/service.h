// SPDX-License-Identifier: GPL-3.0-or-later
// kf-oracle's methods over JSON-RPC:
//   load_task {task: {json, reference}}                   → {ok, lint: […], name, hash}
//   golden {symbols, regime, seed, want_trusted, slices?} → {input_checksums, outputs, trusted_note, slices, seconds,
//   bytes}
//       the data travels as a sealed memfd over the Unix socket on fd 3 (line {"golden": request id, "bytes": n} with
//       the descriptor), sent before the answer
//   eager_prepare {symbols, regime, seed, threads?}       → {note, threads}
//   eager_run {repeat}                                    → {seconds_inside: […], note}
// and the first line out: notification `ready` {helper, version, protocol, torch, threads, memory_bytes, pid}.
#pragma once

#include "core/base/json.h"
#include "core/helpers/oracle/oracle.h"

#include <cstdint>

namespace kf::oracle {

inline constexpr int data_socket = 3;
inline constexpr std::size_t golden_alignment = 64;

struct ServiceSettings {
    int threads = 1;
    std::uint64_t memory_bytes = 0; // RLIMIT_AS; 0: none
};

// {symbols, regime, seed, …}. Error "bad-params".
Result<GoldenRequest> golden_request_from_json(const Json& params);

// Returns the exit code. The descriptors are taken over.
int serve(const ServiceSettings& settings, int protocol_in, int protocol_out);

} // namespace kf::oracle
