// SPDX-License-Identifier: GPL-3.0-or-later
// Serves the evaluator's operations: load, arena, poison, plan, arm, run, quit. It knows tensors only as ranges of the
// arena and never sees an expected result or a verdict.
//
// The plain program never runs a candidate's kernel itself: "arm" forks a child, which confines itself further, makes
// its stacks ready and answers; the "run" that follows is served by that child, which then ends. So nothing that a call
// leaves anywhere in its process's memory, however it came to an address there, is left for the next call.
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
    // The answer; none when a child of ours has given it.
    std::optional<Json> handle(const std::string& op, const Json& request);
    std::optional<Json> arm();
    void touch_stacks();
    Json load(const Json& request);
    Json map_arena(const Json& request);
    Json poison(const Json& request);
    Json set_plan(const Json& request);
    Json run(const Json& request);
    std::optional<Json> run_launch(const LaunchStep& step, std::uint64_t seed);

    Channel& m_channel;
    Module m_module;
    bool m_load_tried = false;
    bool m_is_child = false; // forked by arm(): runs the plan once and ends
    char* m_arena = nullptr;
    std::uint64_t m_arena_bytes = 0;
    std::vector<Step> m_plan;
};

} // namespace kf::cpu
