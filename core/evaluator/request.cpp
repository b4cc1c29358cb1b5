// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/request.h"

#include <algorithm>

namespace kf {

Result<ContenderSource> parse_contender(const Json& json, const std::string& name) {
    const Json& source = get_member(json, "source");
    if (!source.is_string())
        return make_error("request-invalid", "`source` of the " + name + " is missing or not text");
    ContenderSource contender;
    contender.source = source.get<std::string>();
    contender.file_name = get_string(json, "file_name", "candidate.cu");
    contender.name = get_string(json, "name", name);
    const Json& tunables = get_member(json, "tunables");
    if (!tunables.is_null() && !tunables.is_object())
        return make_error("request-invalid", "`tunables` of the " + name + " is not an object of integers");
    for (const auto& [key, value] : tunables.items()) {
        if (!value.is_number_integer())
            return make_error("request-invalid", "tunable `" + key + "` is not an integer");
        contender.tunables[key] = value.get<std::int64_t>();
    }
    return contender;
}

std::vector<TaskCase> choose_cases(const std::vector<TaskCase>& all, CaseChoice choice, const std::string& timed_size) {
    if (choice == CaseChoice::all || all.empty())
        return all;
    std::size_t timed = all.size() - 1;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].size == timed_size && all[i].regime == Regime::normal && !all[i].held_out)
            timed = i;
    std::vector<TaskCase> chosen;
    for (std::size_t i = 0; i < all.size(); ++i)
        if ((i == 0 || i == timed) == (choice == CaseChoice::first))
            chosen.push_back(all[i]);
    return chosen;
}

Result<EvaluateRequest> parse_evaluate_request(const Json& params) {
    EvaluateRequest request;
    auto task = task_from_wire(get_member(params, "task"));
    if (!task)
        return task.error();
    request.task = std::move(*task);
    auto candidate = parse_contender(params, "candidate");
    if (!candidate)
        return candidate.error();
    request.candidate = std::move(*candidate);
    const std::string level = get_string(params, "level", "screen");
    const auto parsed = parse_level(level);
    if (!parsed)
        return make_error("request-invalid", "unknown level `" + level + "`", "screen, duel, certify or promote");
    request.level = *parsed;
    const Json& against = get_member(params, "against");
    if (!against.is_null()) {
        auto contender = parse_contender(against, "champion");
        if (!contender)
            return contender.error();
        request.against = std::move(*contender);
    }
    request.author = get_string(params, "author", "human");
    const std::string cases = get_string(params, "cases", "all");
    if (cases != "all" && cases != "first" && cases != "rest")
        return make_error("request-invalid", "unknown cases `" + cases.substr(0, 32) + "`", "all, first or rest");
    request.cases = cases == "first" ? CaseChoice::first : cases == "rest" ? CaseChoice::rest : CaseChoice::all;
    request.urgent = get_bool(params, "urgent", false);
    request.include_held_out = get_bool(params, "held_out", false);
    request.measure = get_bool(params, "measure", true);
    request.compile_only = get_bool(params, "compile_only", false);
    for (const Json& baseline : get_member(params, "baselines"))
        if (baseline.is_string())
            request.baselines.push_back(baseline.get<std::string>());
    const double budget = get_double(params, "budget_s", request.budget_s);
    request.budget_s = std::clamp(budget > 0 ? budget : request.budget_s, 1.0, 3600.0);
    const double deadline = get_double(params, "case_deadline_s", request.case_deadline_s);
    request.case_deadline_s = std::clamp(deadline > 0 ? deadline : request.case_deadline_s, 0.1, 600.0);
    request.shrink = get_bool(params, "shrink", true);
    return request;
}

} // namespace kf
