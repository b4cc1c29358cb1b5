// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/rates.h"

#include "core/measure/driver.h"
#include "core/measure/statistics.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace kf {
namespace {

ComparisonSettings settings_of(Level level) {
    switch (level) {
    case Level::screen:
        return ScreenSettings();
    case Level::duel:
        return DuelSettings();
    default:
        return CertifySettings();
    }
}

void count(const Decision& decision, double true_log, Rates& rates) {
    ++rates.n;
    rates.faster += decision.verdict == Ratio::faster;
    rates.slower += decision.verdict == Ratio::slower;
    rates.equivalent += decision.verdict == Ratio::equivalent;
    rates.inconclusive += decision.verdict == Ratio::inconclusive;
    rates.wrong +=
        (decision.verdict == Ratio::faster && true_log <= 0) || (decision.verdict == Ratio::slower && true_log >= 0);
    if (decision.interval.bounded()) {
        ++rates.bounded;
        rates.covered += decision.interval.log_low <= true_log && true_log <= decision.interval.log_high;
    }
    rates.order_dependent += decision.order_dependent;
    rates.mean_rounds += decision.rounds;
    rates.mean_round_sd += decision.sd;
}

} // namespace

Result<Rates> measure_rates(const RatesSettings& settings) {
    if (settings.comparisons < 1 || settings.level == Level::promote || !(settings.device.speedup > 0))
        return make_error("settings-invalid", "rates need a level with a plan, one comparison and a positive speed-up",
                          "use screen, duel or certify");
    ComparisonSettings run = settings_of(settings.level);
    run.keep_samples = false;
    run.cancelled = settings.cancelled;
    if (settings.rounds_per_process >= 0)
        run.rounds_per_process = settings.rounds_per_process;
    Rates rates;
    rates.level = settings.level;
    rates.true_ratio = settings.device.speedup;
    const double true_log = std::log(settings.device.speedup);
    std::vector<double> errors;
    SplitMix64 seeds(settings.seed);
    for (int i = 0; i < settings.comparisons; ++i) {
        SyntheticSettings device_settings = settings.device;
        device_settings.seed = seeds.next();
        SyntheticDevice device(device_settings);
        run.seed = seeds.next();
        const Result<RunOutcome> outcome = run_sizes({{Size{}, &device}}, settings.level, run);
        if (!outcome)
            return outcome.error();
        count(outcome->decision, true_log, rates);
        if (outcome->decision.rounds > 0)
            errors.push_back(outcome->decision.interval.log_estimate - true_log);
    }
    rates.mean_rounds /= rates.n;
    rates.mean_round_sd /= rates.n;
    rates.mean_log_error = errors.empty() ? 0 : mean(errors);
    rates.sd_log_error = errors.size() < 2 ? 0 : standard_deviation(errors);
    return rates;
}

Json to_json(const Rates& rates) {
    return Json{{"level", to_string(rates.level)},
                {"true_ratio", rates.true_ratio},
                {"n", rates.n},
                {"faster", rates.share(rates.faster)},
                {"slower", rates.share(rates.slower)},
                {"equivalent", rates.share(rates.equivalent)},
                {"inconclusive", rates.share(rates.inconclusive)},
                {"wrong", rates.share(rates.wrong)},
                {"coverage", rates.coverage()},
                {"order_dependent", rates.share(rates.order_dependent)},
                {"mean_rounds", rates.mean_rounds},
                {"mean_round_sd", rates.mean_round_sd},
                {"mean_log_error", rates.mean_log_error},
                {"sd_log_error", rates.sd_log_error}};
}

namespace {

struct Row {
    const char* name;
    Level level;
    double speedup;
    double most_faster;  // upper limit of the share of *faster* ...
    double least_faster; // ... and lower limit; 1 and 0 do not bind
    double most_either;  // of *faster* and *slower* together
};

// Two standard deviations of a share p over n, so that a short self-test is not failed by chance.
double slack(double p, int n) {
    return 2 * std::sqrt(p * (1 - p) / n);
}

} // namespace

Result<Json> rates_report(int comparisons, std::uint64_t seed, const std::function<bool()>& cancelled) {
    constexpr std::array<Row, 5> kRows{{{"A/A screen", Level::screen, 1, 0.025, 0, 0.05},
                                        {"A/A duel", Level::duel, 1, 0.025, 0, 0.05},
                                        {"A/A certify", Level::certify, 1, 0.025, 0, 0.05},
                                        {"1 % faster, certify", Level::certify, 1.01, 1, 0.99, 1},
                                        {"0.3 % faster, certify", Level::certify, 1.003, 1, 0.95, 1}}};
    Json rows = Json::array();
    bool all_passed = true;
    for (const Row& row : kRows) {
        RatesSettings settings;
        settings.level = row.level;
        settings.comparisons = comparisons;
        settings.seed = ++seed;
        settings.device.speedup = row.speedup;
        settings.cancelled = cancelled;
        const Result<Rates> rates = measure_rates(settings);
        if (!rates)
            return rates.error();
        const double faster = rates->share(rates->faster);
        const double either = faster + rates->share(rates->slower);
        const bool passed = faster <= row.most_faster + slack(row.most_faster, comparisons) &&
                            faster >= row.least_faster - slack(row.least_faster, comparisons) &&
                            either <= row.most_either + slack(row.most_either, comparisons);
        all_passed = all_passed && passed;
        Json json = to_json(*rates);
        json["name"] = row.name;
        json["passed"] = passed;
        json["most_faster"] = row.most_faster;
        json["least_faster"] = row.least_faster;
        rows.push_back(std::move(json));
    }
    return Json{{"rows", std::move(rows)}, {"passed", all_passed}};
}

} // namespace kf
