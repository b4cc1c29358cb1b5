// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/figures.h"

#include "core/render/terminal_text.h"

#include <cmath>
#include <cstdio>

namespace kf {
namespace {

bool is_positive(double value) {
    return std::isfinite(value) && value > 0;
}

template<class... Values> std::string print(const char* pattern, Values... values) {
    char text[96];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

// Three decimals where they say something.
std::string short_ratio(double ratio) {
    return ratio < 0.005   ? print("%.2g", ratio)
           : ratio >= 1000 ? print("%.3g", ratio)
           : ratio >= 100  ? print("%.1f", ratio)
           : ratio >= 10   ? print("%.2f", ratio)
                           : print("%.3f", ratio);
}

} // namespace

std::string format_ratio(double ratio) {
    return is_positive(ratio) ? short_ratio(ratio) + "×" : "–";
}

Speedup speedup_of(const Decision& decision) {
    const Interval& interval = decision.interval;
    return interval.bounded() ? Speedup{interval.estimate, interval.low, interval.high}
                              : Speedup{interval.estimate, 0, 0};
}

std::string format_speedup(const Speedup& speedup) {
    std::string text = format_ratio(speedup.estimate);
    if (is_positive(speedup.estimate) && is_positive(speedup.low) && is_positive(speedup.high))
        text += " [" + short_ratio(speedup.low) + ", " + short_ratio(speedup.high) + "]";
    return text;
}

std::string format_elapsed(double seconds) {
    if (!(seconds >= 0) || !std::isfinite(seconds) || seconds > 1e9)
        return "–";
    const auto whole = static_cast<long long>(seconds);
    return whole >= 3600 ? print("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60)
                         : print("%lld:%02lld", whole / 60, whole % 60);
}

std::string format_tunables(const Json& tunables) {
    std::string text;
    if (tunables.is_object())
        for (const auto& [name, value] : tunables.items())
            text += (text.empty() ? "" : " ") + plain_text(name) + "=" +
                    plain_text(value.is_string() ? value.get<std::string>() : dump_line(value));
    return text;
}

Speedup against_start(const RunState& state) {
    Speedup product{1, 1, 1};
    bool compared = false;
    for (std::size_t i = 1; i < state.champions.size(); ++i) {
        const ChampionState& champion = state.champions[i];
        if (champion.evaluation == state.champions[i - 1].evaluation)
            continue; // the same candidate, promoted
        const auto turn = state.turns.find(champion.turn);
        const EvaluationState* link = nullptr;
        if (turn != state.turns.end())
            for (const EvaluationState& evaluation : turn->second.evaluations)
                if (evaluation.id == champion.evaluation)
                    link = &evaluation;
        if (!link || !is_positive(link->vs_champion.estimate))
            return {};
        product.estimate *= link->vs_champion.estimate;
        product.low *= is_positive(link->vs_champion.low) ? link->vs_champion.low : 0;
        product.high *= is_positive(link->vs_champion.high) ? link->vs_champion.high : 0;
        compared = true;
    }
    return compared ? product : Speedup{};
}

} // namespace kf
