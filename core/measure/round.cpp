// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/round.h"

#include "core/base/random.h"
#include "core/measure/json_numbers.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kf {
namespace {

constexpr std::array<std::pair<Drop, std::string_view>, 7> kDrops{{{Drop::none, "none"},
                                                                   {Drop::invalid_time, "invalid-time"},
                                                                   {Drop::throttled, "throttled"},
                                                                   {Drop::foreign_process, "foreign-process"},
                                                                   {Drop::starved, "starved"},
                                                                   {Drop::no_samples, "no-samples"},
                                                                   {Drop::other, "other"}}};

} // namespace

std::string_view to_string(Drop drop) {
    for (const auto& [value, name] : kDrops)
        if (value == drop)
            return name;
    return "other";
}

std::string_view to_string(Arm arm) {
    return arm == Arm::champion ? "champion" : "candidate";
}

std::vector<Arm> pair_order(int pairs, std::uint64_t seed) {
    Arm first = (SplitMix64(seed).next() >> 63) != 0 ? Arm::candidate : Arm::champion;
    std::vector<Arm> order;
    for (int i = 0; i < pairs; ++i) {
        order.push_back(first);
        first = other(first);
    }
    return order;
}

Round make_round(std::span<const PairSample> pairs) {
    Round round;
    std::vector<double> champion;
    std::vector<double> candidate;
    std::vector<double> champion_first;
    std::vector<double> candidate_first;
    std::array<int, kDrops.size()> causes{};
    for (const PairSample& pair : pairs) {
        const double ratio = log_ratio(pair.champion_s, pair.candidate_s);
        const Drop cause = pair.drop != Drop::none ? pair.drop : std::isnan(ratio) ? Drop::invalid_time : Drop::none;
        if (cause != Drop::none) {
            ++round.pairs_dropped;
            ++causes[static_cast<std::size_t>(cause)];
            continue;
        }
        champion.push_back(pair.champion_s);
        candidate.push_back(pair.candidate_s);
        (pair.first == Arm::champion ? champion_first : candidate_first).push_back(ratio);
    }
    round.pairs = static_cast<int>(champion.size());
    round.champion = {median(champion), round.pairs};
    round.candidate = {median(candidate), round.pairs};
    round.log_ratio_champion_first = median(champion_first);
    round.log_ratio_candidate_first = median(candidate_first);
    if (champion_first.empty() || candidate_first.empty())
        round.log_ratio = champion_first.empty() ? round.log_ratio_candidate_first : round.log_ratio_champion_first;
    else
        round.log_ratio = 0.5 * (round.log_ratio_champion_first + round.log_ratio_candidate_first);
    if (pairs.empty())
        round.drop = Drop::no_samples;
    else if (round.pairs == 0 || round.pairs_dropped * 4 > static_cast<int>(pairs.size()))
        round.drop = static_cast<Drop>(std::max_element(causes.begin(), causes.end()) - causes.begin());
    return round;
}

double log_resolution(const Round& round) {
    if (!(round.resolution_s > 0) || !credible_seconds(round.champion.median_s) ||
        !credible_seconds(round.candidate.median_s))
        return 0;
    return 0.5 * round.resolution_s * (1 / round.champion.median_s + 1 / round.candidate.median_s);
}

Json to_json(const Round& round) {
    Json json{{"champion_median_s", number_or_null(round.champion.median_s)},
              {"champion_samples", round.champion.samples},
              {"candidate_median_s", number_or_null(round.candidate.median_s)},
              {"candidate_samples", round.candidate.samples},
              {"log_ratio", number_or_null(round.log_ratio)},
              {"log_ratio_champion_first", number_or_null(round.log_ratio_champion_first)},
              {"log_ratio_candidate_first", number_or_null(round.log_ratio_candidate_first)},
              {"pairs", round.pairs},
              {"pairs_dropped", round.pairs_dropped},
              {"resolution_s", round.resolution_s},
              {"order_seed", round.order_seed},
              {"process", round.process},
              {"clock_mhz", round.conditions.clock_mhz},
              {"temperature_c", number_or_null(round.conditions.temperature_c)},
              {"power_w", round.conditions.power_w},
              {"power_limited", round.conditions.power_limited}};
    if (round.dropped())
        json["drop"] = to_string(round.drop);
    return json;
}

Result<Round> round_from_json(const Json& json) {
    if (!json.is_object())
        return make_error("round-invalid", "a round is not a JSON object");
    Round round;
    round.champion = {number_or_nan(json, "champion_median_s"), static_cast<int>(get_int(json, "champion_samples"))};
    round.candidate = {number_or_nan(json, "candidate_median_s"), static_cast<int>(get_int(json, "candidate_samples"))};
    round.log_ratio = number_or_nan(json, "log_ratio");
    round.log_ratio_champion_first = number_or_nan(json, "log_ratio_champion_first");
    round.log_ratio_candidate_first = number_or_nan(json, "log_ratio_candidate_first");
    round.pairs = static_cast<int>(get_int(json, "pairs"));
    round.pairs_dropped = static_cast<int>(get_int(json, "pairs_dropped"));
    round.resolution_s = get_double(json, "resolution_s");
    const Json& seed = get_member(json, "order_seed");
    round.order_seed = seed.is_number_unsigned() ? seed.get<std::uint64_t>() : 0;
    round.process = static_cast<int>(get_int(json, "process"));
    round.conditions = {get_double(json, "clock_mhz"), number_or_nan(json, "temperature_c"),
                        get_double(json, "power_w"), get_bool(json, "power_limited")};
    const std::string drop = get_string(json, "drop", "none");
    const auto known = std::find_if(kDrops.begin(), kDrops.end(), [&](const auto& d) { return d.second == drop; });
    // A reason that a newer version wrote is still a reason.
    round.drop = known == kDrops.end() ? Drop::other : known->first;
    if (!round.dropped() && !std::isfinite(round.log_ratio))
        return make_error("round-invalid", "a round that counts has no finite log_ratio",
                          "give log_ratio, or say why the round was dropped");
    return round;
}

} // namespace kf
