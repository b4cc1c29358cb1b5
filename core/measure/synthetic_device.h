// SPDX-License-Identifier: GPL-3.0-or-later
// A device that only exists as a noise model, for testing false-verdict rates and power without a GPU. The defaults are
// those of a 100 µs kernel on a busy data-centre GPU; each disturbance can be turned up or off. Deterministic in the
// seed.
#pragma once

#include "core/base/random.h"
#include "core/measure/round_source.h"

#include <array>
#include <cstdint>

namespace kf {

struct SyntheticSettings {
    std::uint64_t seed = 1;
    double champion_s = 100e-6;
    double speedup = 1;        // true t_champion / t_candidate
    double gap_s = 200e-6;     // flush and queue around each sample
    double noise_sd = 0.004;   // per sample
    double spike_share = 0.02; // of samples
    double spike_most = 0.30;  // a spike lengthens a sample by a uniform share of this
    double drift_sd = 0.006;   // clock: Ornstein-Uhlenbeck process over device time
    double drift_tau_s = 1;
    double ramp_per_s = 0; // linear: the time grows by this fraction a second
    // Layout and allocation, per arm. What a reload and new buffers redraw is drawn anew every round; what only a new
    // process redraws stays for all rounds of the process, which the rounds then share.
    double placement_sd = 0.002;
    double process_sd = 0;
    // Carry-over: a sample takes longer by this fraction after a sample of the champion / of the candidate (heat,
    // power).
    double carry_after_champion = 0;
    double carry_after_candidate = 0;
    double switch_cost = 0; // a sample takes longer by this fraction after a sample of the other arm
    // A second clock, taken for `bimodal_dwell_s` on average at a time, that lengthens samples by this fraction.
    double bimodal_slowdown = 0;
    double bimodal_dwell_s = 0.01;
    double tick_s = 0;           // of the timer; durations between random phases; 0 = continuous
    double resolution_s = -1;    // what the source reports; negative = tick_s
    double broken_share = 0;     // of samples: NaN, Inf, zero, negative or denormal, in turn
    bool broken_champion = true; // which arm's samples break
    bool broken_candidate = true;
    double dropped_share = 0; // of rounds
};

class SyntheticDevice : public PairTimer {
public:
    explicit SyntheticDevice(const SyntheticSettings& settings);

    double true_ratio() const { return m_settings.speedup; }
    int processes() const { return m_processes; }
    int rounds() const { return m_rounds; }

protected:
    Status do_begin_round(const RoundRequest& request) override;
    Result<PairSample> do_time_pair(Arm first) override;
    Result<RoundEnd> do_end_round() override;
    Result<double> do_estimate_pair_seconds() override;
    double do_device_seconds() const override { return m_now_s; }
    TimerFacts do_facts() const override;

private:
    double sample(Arm arm);
    double through_timer(double seconds);
    double broken_time();
    double normal();
    void pass(double seconds); // lets device time go by: drift, clock changes

    SyntheticSettings m_settings;
    SplitMix64 m_random;
    double m_spare_normal = 0;
    bool m_has_spare = false;
    double m_now_s = 0;
    double m_drift = 0;
    bool m_slow_clock = false;
    std::array<double, 2> m_placement{}; // champion, candidate
    std::array<double, 2> m_process{};
    double m_carry = 0;
    int m_last = -1; // arm of the sample before; -1 = none in this round
    int m_broken_kind = 0;
    int m_processes = 0;
    int m_rounds = 0;
};

} // namespace kf
