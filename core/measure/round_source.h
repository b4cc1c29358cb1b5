// SPDX-License-Identifier: GPL-3.0-or-later
// Where rounds come from: a GPU, the CPU device or the synthetic device. The driver (driver.h) is the same for all, so
// that what the statistics promise on the synthetic device holds for the code that judges real kernels.
//
// An error from a source means that the infrastructure failed; a disturbed pair or round is not an error but a drop.
// A source bounds every wait of its own: the driver can only stop between calls.
#pragma once

#include "core/base/result.h"
#include "core/measure/round.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kf {

struct RoundRequest {
    int index = 0;
    bool fresh_process = false; // start a new process for this round; the first round's is always fresh
    std::uint64_t seed = 0;     // inputs and buffer offsets
};

struct RoundEnd {
    Drop drop = Drop::none; // the round as a whole, decided without looking at the times
    Conditions conditions;
};

// How samples are taken; constant over a comparison.
struct TimerFacts {
    std::string timer;
    std::string l2;
    double floor_s = 0;
    double resolution_s = 0; // per sample: the timer's step divided by the calls a sample holds; 0 = unknown
};

class RoundSource {
public:
    virtual ~RoundSource() = default;
    RoundSource() = default;
    RoundSource(const RoundSource&) = delete;
    RoundSource& operator=(const RoundSource&) = delete;

    // Reloads the modules, moves the buffers, makes new inputs, warms up.
    Status begin_round(const RoundRequest& request) { return do_begin_round(request); }
    // Times one pair for each entry, in this order; the entry says which arm runs first. May queue them all at once.
    // Error "source-broken" when the number or order of the pairs is not what was asked for.
    Result<std::vector<PairSample>> time_pairs(std::span<const Arm> order);
    Result<RoundEnd> end_round() { return do_end_round(); }
    // What one pair takes on the device with everything around it (flush, gap), after begin_round. Seconds.
    Result<double> estimate_pair_seconds() { return do_estimate_pair_seconds(); }
    // Device time used so far, start-up of processes not included. Never decreases. Seconds.
    double device_seconds() const { return do_device_seconds(); }
    TimerFacts facts() const { return do_facts(); }

protected:
    virtual Status do_begin_round(const RoundRequest& request) = 0;
    virtual Result<std::vector<PairSample>> do_time_pairs(std::span<const Arm> order) = 0;
    virtual Result<RoundEnd> do_end_round() = 0;
    virtual Result<double> do_estimate_pair_seconds() = 0;
    virtual double do_device_seconds() const = 0;
    virtual TimerFacts do_facts() const = 0;
};

// For sources that time pair by pair (long kernels, the CPU device).
class PairTimer : public RoundSource {
protected:
    virtual Result<PairSample> do_time_pair(Arm first) = 0;
    Result<std::vector<PairSample>> do_time_pairs(std::span<const Arm> order) final;
};

} // namespace kf
