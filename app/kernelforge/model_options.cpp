// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/model_options.h"

#include "app/kernelforge/options.h"
#include "core/llm/provider.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace kf::cli {
namespace {

CLI::Validator temperature_number() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            double value = -1;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= 2)
                return "";
            return "`" + text.substr(0, 40) + "` is not a number from 0 to 2";
        },
        "");
}

} // namespace

void ModelOptions::add_provider_to(CLI::App& command) {
    command.add_option("--provider", provider, "who answers: a provider's id (nebius, vllm, …) or a URL");
    command.add_option("--use-key-from", key_from, "variable of the environment that holds the key");
}

void ModelOptions::add_to(CLI::App& command) {
    add_provider_to(command);
    command.add_option("--model", model, "the model's name, as the provider says it (the provider's default)");
    command.add_option("--temperature", temperature, "0 to 2 (the provider's default)")->check(temperature_number());
    command.add_option("--reasoning", reasoning, "thinking: automatic, off, low or full (automatic)")
        ->check(one_of({"automatic", "off", "low", "full"}));
    command.add_option("--max-tokens", max_tokens, "tokens of a reply, thinking included (16384)")
        ->check(whole_number(16, 10'000'000));
    command.add_option("--context", context, "tokens of prompt and reply together (the model's)")
        ->check(whole_number(512, 100'000'000));
    command.add_option("--search", search, "serial, best-of or beam (serial)")
        ->check(one_of({"serial", "best-of", "beam"}));
    command.add_option("--width", width, "beam: candidates of a generation that are grown on (2)")
        ->check(whole_number(1, 64));
    command.add_option("--children", children, "beam: children of each; best-of: how many (3)")
        ->check(whole_number(1, 64));
    command.add_flag("--no-feedback", no_feedback, "neither history nor autopsy in the prompt, for comparison");
    CLI::Option* recorded = command.add_option(
        "--recorded", record, "repeat this run (folder, name, .kfrun file) from its replies, with no server");
    command.add_flag("--then-live", then_live, "ask the model for what the record does not hold")->needs(recorded);
}

bool ModelOptions::given() const {
    return !provider.empty() || !model.empty() || !record.empty();
}

Result<ModelSettings> ModelOptions::settings(const ModelSettings& base) const {
    ModelSettings settings = base;
    const bool asks = record.empty() || then_live;
    if (asks && (!provider.empty() || (settings.provider.empty() && settings.url.empty()))) {
        auto list = load_providers();
        if (!list)
            return list.error();
        auto chosen = choose_provider(*list, provider.empty() ? list->default_id : provider);
        if (!chosen)
            return chosen.error();
        settings.provider = chosen->id;
        settings.url = chosen->base_url;
        settings.model = chosen->default_model;
        settings.context_tokens = chosen->context_of(model.empty() ? settings.model : model);
    }
    if (!model.empty())
        settings.model = model;
    if (asks && settings.model.empty())
        return make_error("model-missing", "no model is named, and the provider has no default",
                          "give --model NAME; `kernelforge models --provider " +
                              (provider.empty() ? settings.provider : provider) + "` lists them");
    if (temperature)
        settings.temperature = temperature;
    if (!reasoning.empty())
        settings.reasoning = *parse_reasoning_effort(reasoning);
    if (context > 0)
        settings.context_tokens = static_cast<int>(context);
    if (max_tokens > 0)
        settings.max_tokens = static_cast<int>(max_tokens);
    else if (settings.max_tokens > settings.context_tokens / 2) // a small model: half of it is for the reply
        settings.max_tokens = settings.context_tokens / 2;
    if (settings.max_tokens >= settings.context_tokens)
        return make_error("usage",
                          "--max-tokens " + std::to_string(settings.max_tokens) + " leaves no room in a context of " +
                              std::to_string(settings.context_tokens) + " tokens",
                          "lower --max-tokens or raise --context");
    if (record.empty()) {
        settings.search.kind = search == "beam"      ? SearchKind::beam
                               : search == "best-of" ? SearchKind::best_of
                                                     : SearchKind::serial;
        settings.search.width = static_cast<int>(width);
        settings.search.children = static_cast<int>(children);
        settings.feedback = !no_feedback;
    }
    settings.then_live = then_live;
    return settings;
}

Result<Json> ModelOptions::change() const {
    Json change = Json::object();
    if (!provider.empty()) {
        auto list = load_providers();
        if (!list)
            return list.error();
        auto chosen = choose_provider(*list, provider);
        if (!chosen)
            return chosen.error();
        change["provider"] = chosen->id;
        change["url"] = chosen->base_url;
        if (model.empty() && !chosen->default_model.empty())
            change["model"] = chosen->default_model;
    }
    if (!model.empty())
        change["model"] = model;
    if (temperature)
        change["temperature"] = *temperature;
    if (!reasoning.empty())
        change["reasoning"] = reasoning;
    if (max_tokens > 0)
        change["max_tokens"] = max_tokens;
    if (context > 0)
        change["context_tokens"] = context;
    return change;
}

void suit_search(const ModelSearchSettings& search, StopSettings& stop) {
    if (search.kind == SearchKind::serial)
        return;
    const int generation = search.children * (search.kind == SearchKind::beam ? search.width : 1);
    stop.not_faster_limit = std::max(stop.not_faster_limit, generation);
    stop.failed_limit = std::max(stop.failed_limit, generation + search.fixes_in_a_row);
}

} // namespace kf::cli
