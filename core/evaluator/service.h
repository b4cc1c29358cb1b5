// SPDX-License-Identifier: GPL-3.0-or-later
// kf-evaluator's methods over one channel (docs/evaluator.md). One evaluation at a time uses the device; the others
// wait in order.
#pragma once

#include "core/evaluator/device.h"
#include "core/evaluator/golden_store.h"
#include "core/evaluator/oracle_client.h"
#include "core/evaluator/pipeline.h"
#include "core/evaluator/request.h"
#include "core/protocol/server.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace kf {

// Keeps answers that are too large for one line until they are fetched; at most 256 MiB, oldest out first.
class BlobShelf {
public:
    std::string put(std::string content);       // hash
    Result<Json> get(const Json& params) const; // method `blob.get`

private:
    mutable std::mutex m_mutex;
    std::map<std::string, std::string> m_blobs;
    std::deque<std::string> m_order;
    std::size_t m_bytes = 0;
};

// First come, first served, but what a person waits for comes first. A waiter gives up when it is told to stop.
class DeviceTurn {
public:
    // True when the device is ours now; false when `stop` came first.
    bool acquire(StopSignal& stop, bool urgent = false);
    void release();
    // Where the holder has nothing on the device: lets everything urgent go first, then goes on. Gives the seconds that
    // took; 0 when nothing urgent waited.
    double let_urgent_pass();

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::uint64_t m_next_ticket = 0;
    std::deque<std::uint64_t> m_urgent, m_waiting;
    bool m_taken = false, m_held_by_urgent = false;
};

struct ServiceParts {
    std::shared_ptr<Device> device;
    std::shared_ptr<OracleClient> oracle;
    Json versions;
    std::filesystem::path cache;
};

class EvaluatorService {
public:
    explicit EvaluatorService(ServiceParts parts);

    void register_methods(RpcServer& server);
    Json handshake_facts() const;

private:
    PipelineServices services_for(RpcCall& call); // of use while the call lives
    Result<Json> evaluate(RpcCall& call);
    Result<Json> compile(RpcCall& call);
    Result<Json> lint(RpcCall& call);

    ServiceParts m_parts;
    GoldenStore m_goldens;
    DeviceTurn m_turn;
    BlobShelf m_blobs;
};

} // namespace kf
