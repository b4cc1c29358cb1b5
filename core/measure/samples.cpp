// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/samples.h"

#include "core/measure/json_numbers.h"
#include "core/measure/statistics.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

namespace kf {
namespace {

constexpr int kVersion = 1;

// float32 holds 7 digits, which is what device timers deliver; more would only make the blob larger.
Json short_number(double value) {
    if (!std::isfinite(value))
        return {};
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.7g", value);
    return std::strtod(text.data(), nullptr);
}

Json round_to_json(const std::vector<PairSample>& pairs) {
    std::string order;
    Json champion = Json::array();
    Json candidate = Json::array();
    Json drops = Json::array();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        order += pairs[i].first == Arm::champion ? 'A' : 'B';
        champion.push_back(short_number(pairs[i].champion_s));
        candidate.push_back(short_number(pairs[i].candidate_s));
        if (pairs[i].drop != Drop::none)
            drops.push_back({i, to_string(pairs[i].drop)});
    }
    Json json{{"order", order}, {"champion_s", std::move(champion)}, {"candidate_s", std::move(candidate)}};
    if (!drops.empty())
        json["drops"] = std::move(drops);
    return json;
}

Drop drop_of(const Json& name) {
    if (name.is_string())
        for (const Drop drop :
             {Drop::invalid_time, Drop::throttled, Drop::foreign_process, Drop::starved, Drop::no_samples})
            if (name == to_string(drop))
                return drop;
    return Drop::other;
}

Result<std::vector<PairSample>> round_from(const Json& json, const std::string& where) {
    const std::string order = get_string(json, "order");
    const Json& champion = get_member(json, "champion_s");
    const Json& candidate = get_member(json, "candidate_s");
    if (!champion.is_array() || !candidate.is_array() || champion.size() != order.size() ||
        candidate.size() != order.size())
        return make_error("samples-invalid", where + ": order, champion_s and candidate_s differ in length");
    const auto seconds = [](const Json& value) {
        return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<PairSample> pairs;
    pairs.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] != 'A' && order[i] != 'B')
            return make_error("samples-invalid", where + ": the order has a letter other than A and B");
        pairs.push_back({seconds(champion[i]), seconds(candidate[i]), order[i] == 'A' ? Arm::champion : Arm::candidate,
                         Drop::none});
    }
    const Json& drops = get_member(json, "drops");
    if (drops.is_null())
        return pairs;
    if (!drops.is_array())
        return make_error("samples-invalid", where + ": drops is not a list");
    for (const Json& drop : drops) {
        if (!drop.is_array() || drop.size() != 2 || !drop[0].is_number_unsigned() ||
            drop[0].get<std::size_t>() >= pairs.size())
            return make_error("samples-invalid", where + ": a drop is not [index of a pair, reason]");
        pairs[drop[0].get<std::size_t>()].drop = drop_of(drop[1]);
    }
    return pairs;
}

} // namespace

SampleSummary summarise(std::span<const double> seconds) {
    std::vector<double> good;
    good.reserve(seconds.size());
    for (const double value : seconds)
        if (credible_seconds(value))
            good.push_back(value);
    SampleSummary summary;
    summary.n = static_cast<int>(good.size());
    summary.invalid = static_cast<int>(seconds.size() - good.size());
    if (good.empty())
        return summary;
    summary.median_s = median(good);
    summary.iqr_s = interquartile_range(good);
    summary.p90_s = quantile(good, 0.9);
    summary.p99_s = quantile(good, 0.99);
    summary.mean_s = mean(good);
    summary.cv = good.size() < 2 ? 0 : standard_deviation(good) / summary.mean_s;
    return summary;
}

Json to_json(const SampleSummary& summary) {
    return Json{{"n", summary.n},
                {"invalid", summary.invalid},
                {"median_s", summary.median_s},
                {"iqr_s", summary.iqr_s},
                {"p90_s", summary.p90_s},
                {"p99_s", summary.p99_s},
                {"mean_s", summary.mean_s},
                {"cv", summary.cv}};
}

std::vector<double> SizeSamples::times(Arm arm) const {
    std::vector<double> all;
    for (const auto& round : rounds)
        for (const PairSample& pair : round)
            if (pair.drop == Drop::none)
                all.push_back(arm == Arm::champion ? pair.champion_s : pair.candidate_s);
    return all;
}

bool SizeSamples::at_floor(Arm arm) const {
    const SampleSummary arm_summary = summary(arm);
    return floor_s > 0 && arm_summary.n > 0 && arm_summary.median_s < 3 * floor_s;
}

Json to_json(const EvaluationSamples& samples) {
    Json sizes = Json::array();
    for (const SizeSamples& size : samples.sizes) {
        Json rounds = Json::array();
        for (const auto& round : size.rounds)
            rounds.push_back(round_to_json(round));
        sizes.push_back({{"size", size.size},
                         {"timer", size.timer},
                         {"l2", size.l2},
                         {"floor_s", size.floor_s},
                         {"resolution_s", size.resolution_s},
                         {"champion", to_json(size.summary(Arm::champion))},
                         {"candidate", to_json(size.summary(Arm::candidate))},
                         {"rounds", std::move(rounds)}});
    }
    return Json{{"version", kVersion}, {"sizes", std::move(sizes)}};
}

Result<EvaluationSamples> samples_from_json(const Json& json) {
    if (get_int(json, "version", -1) != kVersion)
        return make_error("samples-invalid", "the samples have a version other than " + std::to_string(kVersion),
                          "read them with the version that wrote them");
    const Json& sizes = get_member(json, "sizes");
    if (!sizes.is_array())
        return make_error("samples-invalid", "the samples have no list of sizes");
    EvaluationSamples samples;
    for (const Json& item : sizes) {
        SizeSamples size{get_string(item, "size"),    get_string(item, "timer"),        get_string(item, "l2"),
                         get_double(item, "floor_s"), get_double(item, "resolution_s"), {}};
        const Json& rounds = get_member(item, "rounds");
        if (!rounds.is_array())
            return make_error("samples-invalid", "size \"" + size.size + "\" has no list of rounds");
        for (const Json& round : rounds) {
            auto pairs = round_from(round, "size \"" + size.size + "\", round " + std::to_string(size.rounds.size()));
            if (!pairs)
                return pairs.error();
            size.rounds.push_back(std::move(pairs).value());
        }
        samples.sizes.push_back(std::move(size));
    }
    return samples;
}

} // namespace kf
