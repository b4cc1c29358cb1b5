// SPDX-License-Identifier: GPL-3.0-or-later
// One kf-evaluator with all its helpers, asked over its protocol as kernelforge asks it.
#pragma once

#include "core/base/json.h"
#include "core/process/child.h"
#include "core/protocol/client.h"

#include <filesystem>
#include <memory>

namespace kf::soak {

// Of the processes of one evaluator that live long; kf-cuda's come and go.
struct Footprint {
    std::int64_t evaluator_kib = 0, oracle_kib = 0, compiler_kib = 0; // resident
    int descriptors = 0;                                              // of kf-evaluator
};

class Lane {
public:
    Lane(std::string device, std::filesystem::path cache) : m_device(std::move(device)), m_cache(std::move(cache)) {}

    // Errors: those of Child::start and read_handshake.
    Status start();
    Result<Json> request(const std::string& method, Json params, double seconds);
    // Starts anew what ended.
    bool alive() const { return m_client && m_client->health(); }
    const Json& facts() const { return m_facts; } // the device's, from the handshake
    Footprint footprint() const;
    // Closes its input and waits for its end; killed when it does not come. False: it had to be killed.
    bool stop();

private:
    std::string m_device;
    std::filesystem::path m_cache;
    Child m_child;
    std::unique_ptr<HelperClient> m_client;
    Json m_facts;
};

} // namespace kf::soak
