// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/decision.h"

#include "core/base/random.h"
#include "core/measure/json_numbers.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace kf {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template<class E> using Names = std::pair<E, std::string_view>;

constexpr std::array<Names<Ratio>, 4> kRatios{{{Ratio::faster, "faster"},
                                               {Ratio::slower, "slower"},
                                               {Ratio::equivalent, "equivalent"},
                                               {Ratio::inconclusive, "inconclusive"}}};

constexpr std::array<Names<Reason>, 12> kReasons{{{Reason::beyond_limit, "beyond-limit"},
                                                  {Reason::within_delta, "within-delta"},
                                                  {Reason::first_round_slower, "first-round-slower"},
                                                  {Reason::not_significant, "not-significant"},
                                                  {Reason::between_looks, "between-looks"},
                                                  {Reason::no_rounds, "no-rounds"},
                                                  {Reason::too_many_dropped, "too-many-dropped"},
                                                  {Reason::zero_variance, "zero-variance"},
                                                  {Reason::too_coarse, "too-coarse"},
                                                  {Reason::budget, "budget"},
                                                  {Reason::process_dependent, "process-dependent"},
                                                  {Reason::size_regressed, "size-regressed"}}};

template<class E, std::size_t n> std::string_view name_of(const std::array<Names<E>, n>& names, E value) {
    for (const auto& [known, name] : names)
        if (known == value)
            return name;
    return "unknown";
}

template<class E, std::size_t n>
Status read_name(const std::array<Names<E>, n>& names, const Json& json, const char* key, E& value) {
    const std::string text = get_string(json, key);
    for (const auto& [known, name] : names)
        if (name == text) {
            value = known;
            return {};
        }
    return make_error("decision-invalid", std::string("a decision has the unknown ") + key + " \"" + text + "\"",
                      "it was written by a newer version; read it with that one");
}

std::string percent(double fraction) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f %%", 100 * fraction);
    return text.data();
}

std::string explain(const Decision& d) {
    switch (d.reason) {
    case Reason::beyond_limit:
    case Reason::within_delta:
        return {};
    case Reason::first_round_slower:
        return "the first round was slower by so much that the rest was saved";
    case Reason::not_significant:
        return "no difference was shown; " + percent(d.minimum_detectable_effect) + " would have been found";
    case Reason::between_looks:
        return "more rounds belong to the plan";
    case Reason::no_rounds:
        return "nothing was measured";
    case Reason::too_many_dropped:
        return std::to_string(d.dropped) + " rounds were dropped, over a quarter; quieten the device and repeat";
    case Reason::zero_variance:
        return "all rounds are equal: the timer's steps were measured; time several calls per sample";
    case Reason::too_coarse:
        return "the difference is within the timer's resolution (" + percent(d.resolution) +
               "); time several calls per sample";
    case Reason::budget:
        return "the time budget was over before the plan was";
    case Reason::process_dependent:
        return "the ratio differs from process to process and " + std::to_string(d.processes) +
               " processes do not agree well enough; use a new process every round";
    case Reason::size_regressed:
        return "faster over all sizes, but one size is slower by more than is allowed";
    }
    return {};
}

} // namespace

std::string_view to_string(Ratio verdict) {
    return name_of(kRatios, verdict);
}
std::string_view to_string(Reason reason) {
    return name_of(kReasons, reason);
}

Interval Interval::from_logs(double estimate, double low, double high) {
    return {to_ratio(estimate), to_ratio(low), to_ratio(high), estimate, low, high};
}

Interval Interval::unbounded(double log_estimate) {
    return from_logs(log_estimate, -kInfinity, kInfinity);
}

bool Interval::bounded() const {
    return std::isfinite(log_low) && std::isfinite(log_high);
}

Delta make_delta(std::optional<double> device_aa_p95) {
    if (!device_aa_p95 || !(*device_aa_p95 > 0 && *device_aa_p95 < 1))
        return {};
    return {std::max(Delta{}.value, *device_aa_p95), true};
}

std::string describe(const Decision& d) {
    std::array<char, 160> text{};
    if (d.rounds > 0 && d.interval.bounded())
        std::snprintf(text.data(), text.size(), ": %.4f [%.4f, %.4f] in %d rounds", d.interval.estimate, d.interval.low,
                      d.interval.high, d.rounds);
    else
        std::snprintf(text.data(), text.size(), " after %d rounds", d.rounds);
    std::string sentence =
        std::string(to_string(d.verdict)) + text.data() + " (" + std::string(to_string(d.level)) + ")";
    if (const std::string why = explain(d); !why.empty())
        sentence += "; " + why;
    if (d.order_dependent)
        sentence += "; depends on which ran first (" + percent(d.order_effect) + ")";
    if (!d.delta.measured)
        sentence += "; no A/A record of this device, " + percent(d.delta.value) + " assumed";
    return sentence;
}

Json to_json(const Decision& d) {
    return Json{{"level", to_string(d.level)},
                {"verdict", to_string(d.verdict)},
                {"reason", to_string(d.reason)},
                {"speedup", number_or_null(d.interval.estimate)},
                {"speedup_low", d.interval.bounded() ? Json(d.interval.low) : Json()},
                {"speedup_high", d.interval.bounded() ? Json(d.interval.high) : Json()},
                {"log_estimate", number_or_null(d.interval.log_estimate)},
                {"log_low", number_or_null(d.interval.log_low)},
                {"log_high", number_or_null(d.interval.log_high)},
                {"look", d.look},
                {"rounds", d.rounds},
                {"dropped", d.dropped},
                {"limit", d.limit},
                {"t", number_or_null(d.t)},
                {"p", d.p},
                {"sd", d.sd},
                {"hodges_lehmann", number_or_null(d.hodges_lehmann)},
                {"rounds_faster", d.rounds_faster},
                {"rounds_slower", d.rounds_slower},
                {"sign_p", d.sign_p},
                {"minimum_detectable_effect", d.minimum_detectable_effect},
                {"resolution", d.resolution},
                {"order_dependent", d.order_dependent},
                {"order_effect", d.order_effect},
                {"process_dependent", d.process_dependent},
                {"processes", d.processes},
                {"delta", d.delta.value},
                {"delta_measured", d.delta.measured}};
}

Result<Decision> decision_from_json(const Json& json) {
    if (!json.is_object())
        return make_error("decision-invalid", "a decision is not a JSON object");
    Decision d;
    const std::optional<Level> level = parse_level(get_string(json, "level"));
    if (!level)
        return make_error("decision-invalid", "a decision has the unknown level \"" + get_string(json, "level") + "\"",
                          "use screen, duel, certify or promote");
    d.level = *level;
    if (Status status = read_name(kRatios, json, "verdict", d.verdict); !status)
        return status.error();
    if (Status status = read_name(kReasons, json, "reason", d.reason); !status)
        return status.error();
    const double estimate = number_or_nan(json, "log_estimate");
    if (!std::isfinite(estimate))
        return make_error("decision-invalid", "a decision has no finite log_estimate");
    d.interval =
        Interval::from_logs(estimate, get_double(json, "log_low", -kInfinity), get_double(json, "log_high", kInfinity));
    if (!(d.interval.log_low <= estimate && estimate <= d.interval.log_high))
        return make_error("decision-invalid", "the interval of a decision does not hold its estimate");
    d.look = static_cast<int>(get_int(json, "look"));
    d.rounds = static_cast<int>(get_int(json, "rounds"));
    d.dropped = static_cast<int>(get_int(json, "dropped"));
    d.limit = get_double(json, "limit");
    d.t = get_double(json, "t");
    d.p = get_double(json, "p", 1);
    d.sd = get_double(json, "sd");
    d.hodges_lehmann = get_double(json, "hodges_lehmann", 1);
    d.rounds_faster = static_cast<int>(get_int(json, "rounds_faster"));
    d.rounds_slower = static_cast<int>(get_int(json, "rounds_slower"));
    d.sign_p = get_double(json, "sign_p", 1);
    d.minimum_detectable_effect = get_double(json, "minimum_detectable_effect");
    d.resolution = get_double(json, "resolution");
    d.order_dependent = get_bool(json, "order_dependent");
    d.order_effect = get_double(json, "order_effect");
    d.process_dependent = get_bool(json, "process_dependent");
    d.processes = static_cast<int>(get_int(json, "processes"));
    d.delta = {get_double(json, "delta", Delta{}.value), get_bool(json, "delta_measured")};
    return d;
}

bool may_become_champion(const Decision& decision, const Delta& delta) {
    const bool certified = decision.level == Level::certify || decision.level == Level::promote;
    return certified && decision.faster() && decision.interval.bounded() && decision.interval.log_low > 0 &&
           decision.interval.log_estimate >= std::log1p(delta.value);
}

bool audit_this_win(std::uint64_t seed, double share) {
    return SplitMix64(seed ^ 0x6175646974ull).uniform() < share;
}

} // namespace kf
