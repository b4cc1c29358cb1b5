// SPDX-License-Identifier: GPL-3.0-or-later
// kf-cuda's methods over JSON-RPC on stdin and stdout; large things come and go as sealed memory files over the Unix
// socket on descriptor 3, sent just before the request that names them:
//   judge   {}+file                      the judge's kernels, compiled for this device; once
//   load    {task, source, file_name, tunables, lowered}+file(cubin)  → {ok | failure, figures}
//   open    {symbols, size, regime, input_seed, layout_seed}          → {ok | failure, checksums, prepare_s}
//   run     {poison: 0|1}                → {ok | failure}
//   keep    {slot}                       → {}
//   examine {unordered: […]}             → {difference: {output, count, first}, unwritten: {…}}
//   compare {slot, outputs: […]}+file    → {comparisons: […]}
//   fetch   {slot}                       → {bytes, outputs: [{offset, bytes}]}, file over the socket
//   time    {poison}                     → {ok, seconds | failure}
//   check   {}                           → {ok | failure}
//   floor   {}                           → {seconds}
// A failure {class, place, message, line} is the candidate's; after one the process is of no use any more. An error is
// ours. First line out: notification `ready` {helper, version, protocol, device, confinement,
// pid}.
#pragma once

#include <string>

namespace kf::cuda {

inline constexpr int data_socket = 3;

struct ServiceSettings {
    int ordinal = 0;
    std::string uuid;      // "GPU-…": that one, whatever its number is here; else `ordinal`
    bool confined = false; // drop_privileges() (confine.h) once the context is there
};

// Device, context, server; returns the exit code. `protocol_in`, `protocol_out` are taken over.
int serve(const ServiceSettings& settings, int protocol_in, int protocol_out);

} // namespace kf::cuda
