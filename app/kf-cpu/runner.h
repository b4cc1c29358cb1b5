// SPDX-License-Identifier: GPL-3.0-or-later
// Serves the evaluator's operations: load, arena, poison, plan, run, quit. It knows tensors only as ranges of the arena
// and never sees an expected result or a verdict.
#pragma once

#include "app/kf-cpu/channel.h"
#include "app/kf-cpu/plan.h"
#include "core/runners/cpu/runtime/module.h"

#include <optional>
#include <string>
#include <vector>

namespace kf::cpu {

class Runner {
public:
    explicit Runner(Channel& channel) : m_channel(channel) {}
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    // Until "quit" or the end of the stream.
    void serve();

private:
    Json handle(const std::string& op, const Json& request);
    Json load(const Json& request);
    Json map_arena(const Json& request);
    Json poison(const Json& request);
    Json set_plan(const Json& request);
    Json run(const Json& request);
    std::optional<Json> run_launch(const LaunchStep& step, std::uint64_t seed);

    Channel& m_channel;
    Module m_module;
    bool m_load_tried = false;
    char* m_arena = nullptr;
    std::uint64_t m_arena_bytes = 0;
    std::vector<Step> m_plan;
};

} // namespace kf::cpu
