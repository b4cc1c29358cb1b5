// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/synthetic_device.h"

#include <cmath>
#include <limits>

namespace kf {

SyntheticDevice::SyntheticDevice(const SyntheticSettings& settings) : m_settings(settings), m_random(settings.seed) {
    m_drift = m_settings.drift_sd * normal();
}

// Marsaglia's polar method.
double SyntheticDevice::normal() {
    if (m_has_spare) {
        m_has_spare = false;
        return m_spare_normal;
    }
    for (;;) {
        const double u = 2 * m_random.uniform() - 1;
        const double v = 2 * m_random.uniform() - 1;
        const double s = u * u + v * v;
        if (s >= 1 || s == 0)
            continue;
        const double scale = std::sqrt(-2 * std::log(s) / s);
        m_spare_normal = v * scale;
        m_has_spare = true;
        return u * scale;
    }
}

void SyntheticDevice::pass(double seconds) {
    m_now_s += seconds;
    if (m_settings.drift_sd > 0) {
        const double keep = std::exp(-seconds / m_settings.drift_tau_s);
        m_drift = m_drift * keep + m_settings.drift_sd * std::sqrt(1 - keep * keep) * normal();
    }
    if (m_settings.bimodal_slowdown > 0 && m_random.uniform() < -std::expm1(-seconds / m_settings.bimodal_dwell_s))
        m_slow_clock = !m_slow_clock;
}

Status SyntheticDevice::do_begin_round(const RoundRequest& request) {
    ++m_rounds;
    if (request.fresh_process) {
        ++m_processes;
        for (double& offset : m_process)
            offset = m_settings.process_sd * normal();
    }
    for (double& offset : m_placement)
        offset = m_settings.placement_sd * normal();
    m_carry = 0;
    m_last = -1;
    return {};
}

Result<PairSample> SyntheticDevice::do_time_pair(Arm first) {
    const double one = sample(first);
    const double two = sample(other(first));
    const bool champion_first = first == Arm::champion;
    return PairSample{champion_first ? one : two, champion_first ? two : one, first, Drop::none};
}

Result<RoundEnd> SyntheticDevice::do_end_round() {
    RoundEnd end;
    end.conditions.clock_mhz = 1980 * (1 - m_drift);
    if (m_settings.dropped_share > 0 && m_random.uniform() < m_settings.dropped_share)
        end.drop = Drop::throttled;
    return end;
}

Result<double> SyntheticDevice::do_estimate_pair_seconds() {
    return m_settings.champion_s * (1 + 1 / m_settings.speedup) + 2 * m_settings.gap_s;
}

TimerFacts SyntheticDevice::do_facts() const {
    return {"synthetic", "cold", 0, m_settings.resolution_s < 0 ? m_settings.tick_s : m_settings.resolution_s};
}

double SyntheticDevice::sample(Arm arm) {
    const bool champion = arm == Arm::champion;
    double factor = 1 + m_drift + m_settings.ramp_per_s * m_now_s + m_placement[champion ? 0 : 1] +
                    m_process[champion ? 0 : 1] + m_carry + m_settings.noise_sd * normal();
    if (m_last >= 0 && m_last != static_cast<int>(arm))
        factor *= 1 + m_settings.switch_cost;
    m_last = static_cast<int>(arm);
    if (m_slow_clock)
        factor *= 1 + m_settings.bimodal_slowdown;
    if (m_settings.spike_share > 0 && m_random.uniform() < m_settings.spike_share)
        factor *= 1 + m_settings.spike_most * m_random.uniform();
    const double seconds = m_settings.champion_s / (champion ? 1 : m_settings.speedup) * factor;
    m_carry = champion ? m_settings.carry_after_champion : m_settings.carry_after_candidate;
    pass(seconds + m_settings.gap_s);
    const bool breakable = champion ? m_settings.broken_champion : m_settings.broken_candidate;
    if (m_settings.broken_share > 0 && breakable && m_random.uniform() < m_settings.broken_share)
        return broken_time();
    return through_timer(seconds);
}

// Start and end fall between ticks: the duration read is a whole number of ticks, right on average.
double SyntheticDevice::through_timer(double seconds) {
    if (!(m_settings.tick_s > 0))
        return seconds;
    return m_settings.tick_s * std::floor(seconds / m_settings.tick_s + m_random.uniform());
}

double SyntheticDevice::broken_time() {
    switch (m_broken_kind++ % 5) {
    case 0:
        return std::numeric_limits<double>::quiet_NaN();
    case 1:
        return std::numeric_limits<double>::infinity();
    case 2:
        return 0;
    case 3:
        return -100e-6;
    default:
        return std::numeric_limits<double>::denorm_min();
    }
}

} // namespace kf
