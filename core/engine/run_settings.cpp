// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/run_settings.h"

namespace kf {

std::string_view to_string(SynthesizerKind kind) {
    switch (kind) {
    case SynthesizerKind::tuner:
        return "tuner";
    case SynthesizerKind::files:
        return "files";
    case SynthesizerKind::human:
        return "human";
    case SynthesizerKind::model:
        return "model";
    }
    return "tuner";
}

std::optional<SynthesizerKind> parse_synthesizer(std::string_view name) {
    for (const SynthesizerKind kind :
         {SynthesizerKind::tuner, SynthesizerKind::files, SynthesizerKind::human, SynthesizerKind::model})
        if (to_string(kind) == name)
            return kind;
    return std::nullopt;
}

Json to_json(const RunSettings& settings) {
    Json json{{"launcher", settings.evaluator.launcher},
              {"evaluator", settings.evaluator.program},
              {"device", settings.evaluator.device},
              {"synthesizer", to_string(settings.synthesizer)},
              {"candidate_files", settings.candidate_files},
              {"start_file", settings.start_file},
              {"stop",
               {{"not_faster_limit", settings.stop.not_faster_limit},
                {"failed_limit", settings.stop.failed_limit},
                {"reachable_share", settings.stop.reachable_share},
                {"turns", settings.stop.turns},
                {"seconds", settings.stop.seconds},
                {"device_seconds", settings.stop.device_seconds},
                {"tokens", settings.stop.tokens},
                {"money", settings.stop.money}}},
              {"tuner_points", settings.tuner_points},
              {"tuner_certified", settings.tuner_certified},
              {"infrastructure_retries", settings.infrastructure_retries},
              {"evaluation_budget_s", settings.evaluation_budget_s},
              {"baselines", settings.baselines},
              {"seed", std::to_string(settings.seed)}};
    if (settings.synthesizer == SynthesizerKind::model)
        json["model"] = to_json(settings.model);
    return json;
}

namespace {

std::vector<std::string> texts(const Json& array) {
    std::vector<std::string> result;
    if (array.is_array())
        for (const Json& item : array)
            if (item.is_string())
                result.push_back(item.get<std::string>());
    return result;
}

} // namespace

Result<RunSettings> run_settings_from_json(const Json& json) {
    if (!json.is_object())
        return make_error("settings-invalid", "the run's settings are not an object");
    RunSettings settings;
    settings.evaluator.launcher = texts(get_member(json, "launcher"));
    settings.evaluator.program = get_string(json, "evaluator");
    settings.evaluator.device = get_string(json, "device", "cpu");
    const auto kind = parse_synthesizer(get_string(json, "synthesizer", "tuner"));
    if (!kind)
        return make_error("settings-invalid", "unknown synthesizer `" + get_string(json, "synthesizer") + "`",
                          "tuner, files, human or model");
    settings.synthesizer = *kind;
    auto model = model_settings_from_json(get_member(json, "model"));
    if (!model)
        return model.error();
    settings.model = std::move(*model);
    settings.candidate_files = texts(get_member(json, "candidate_files"));
    settings.start_file = get_string(json, "start_file");
    const Json& stop = get_member(json, "stop");
    settings.stop.not_faster_limit =
        static_cast<int>(get_int(stop, "not_faster_limit", settings.stop.not_faster_limit));
    settings.stop.failed_limit = static_cast<int>(get_int(stop, "failed_limit", settings.stop.failed_limit));
    settings.stop.reachable_share = get_double(stop, "reachable_share", settings.stop.reachable_share);
    settings.stop.turns = get_int(stop, "turns");
    settings.stop.seconds = get_double(stop, "seconds");
    settings.stop.device_seconds = get_double(stop, "device_seconds");
    settings.stop.tokens = get_int(stop, "tokens");
    settings.stop.money = get_double(stop, "money");
    settings.tuner_points = static_cast<int>(get_int(json, "tuner_points", settings.tuner_points));
    settings.tuner_certified = static_cast<int>(get_int(json, "tuner_certified", settings.tuner_certified));
    settings.infrastructure_retries =
        static_cast<int>(get_int(json, "infrastructure_retries", settings.infrastructure_retries));
    settings.evaluation_budget_s = get_double(json, "evaluation_budget_s", settings.evaluation_budget_s);
    settings.baselines = texts(get_member(json, "baselines"));
    settings.seed = std::strtoull(get_string(json, "seed", "0").c_str(), nullptr, 10);
    if (auto checked = check(settings.stop); !checked)
        return checked.error();
    return settings;
}

} // namespace kf
