// SPDX-License-Identifier: GPL-3.0-or-later
// A kf-cuda process: how it is started and shut in, watched, asked and killed.
#pragma once

#include "core/evaluator/cuda_memory.h"
#include "core/evaluator/device.h"
#include "core/process/child.h"
#include "core/process/memory_file.h"
#include "core/protocol/client.h"

#include <memory>

namespace kf {

// What is around a kf-cuda, most first. Each is tried when the device is opened; what cannot be had is named.
enum class Confinement {
    bubblewrap, // own namespaces of every kind, a root of system files alone, this GPU's device nodes; the filter
                // inside
    namespaces, // its own network, IPC and mounts, everything read-only (confine.h); the filter
    calls,      // no capabilities and the system-call filter
    none
};
std::string_view to_string(Confinement confinement);

// The same for every kf-cuda of one GPU.
struct CudaRunner {
    std::string uuid;   // of the GPU
    std::string bus_id; // "0000:18:00.0"
    std::string driver; // file of libcuda
    Confinement confinement = Confinement::none;
    std::uint64_t memory_limit = 0; // bytes of host memory; 0: none
};

// This GPU's node with nvidiactl and uvm. Where the driver does not say which one it is, all of them.
std::vector<std::filesystem::path> device_nodes(const std::string& bus_id);

// A kf-cuda that has its context and the judge's kernels, and no candidate yet.
class CudaProcess {
public:
    // Errors: "kf-cuda-start" with what it said; those of Child::start.
    static Result<std::unique_ptr<CudaProcess>> start(const CudaRunner& runner, const MemoryFile& judge,
                                                      Deadline deadline);
    const Json& facts() const { return m_facts; } // `device` of its first line
    // What it saw of its own confinement (confine.h), and `missing`: the layers that are not there.
    const Json& confinement() const { return m_confinement; }
    bool alive() const { return m_client && m_client->health() && m_child.running(); }
    void kill();
    pid_t pid() const { return m_child.pid(); }
    // The limit, when it was killed for going beyond it.
    std::optional<std::uint64_t> memory_exceeded() const;

    // Sends the file first where there is one.
    Result<Json> request(const std::string& method, Json params, Deadline deadline, const std::stop_token& stop,
                         int file = -1);
    // The file that the last answer announced.
    Result<MemoryFile> receive_file(Deadline deadline);
    std::string error_tail();

private:
    CudaProcess() = default;
    UniqueFd m_socket, m_error;
    std::string m_tail;
    std::unique_ptr<HelperClient> m_client;
    Json m_facts, m_confinement;
    Child m_child;                        // killed before anything else goes …
    std::unique_ptr<MemoryWatch> m_watch; // … but for its watch, which must not look at somebody else's number
};

} // namespace kf
