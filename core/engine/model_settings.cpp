// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model_settings.h"

#include "core/llm/provider.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kf {
namespace {

constexpr std::size_t most_text = 2000; // of a name or a URL

std::string code_of(std::string_view field) {
    std::string code = "settings-" + std::string(field);
    for (char& c : code)
        if (c == '_')
            c = '-';
    return code;
}

Status read(const Json& json, const char* field, std::string& value) {
    const Json& given = get_member(json, field);
    if (given.is_null())
        return {};
    if (!given.is_string() || given.get_ref<const std::string&>().size() > most_text)
        return make_error(code_of(field), "`" + std::string(field) + "` is not a text of at most 2000 bytes");
    value = given.get<std::string>();
    return {};
}

Status read(const Json& json, const char* field, int least, int most, int& value) {
    const Json& given = get_member(json, field);
    if (given.is_null())
        return {};
    // Compared as a double: a JSON integer may be larger than any of ours.
    if (!given.is_number_integer() || given.get<double>() < least || given.get<double>() > most)
        return make_error(code_of(field), "`" + std::string(field) + "` is " + dump_line(given),
                          "accepted: a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    value = given.get<int>();
    return {};
}

Status read(const Json& json, const char* field, bool& value) {
    const Json& given = get_member(json, field);
    if (given.is_null())
        return {};
    if (!given.is_boolean())
        return make_error(code_of(field), "`" + std::string(field) + "` is " + dump_line(given),
                          "accepted: true or false");
    value = given.get<bool>();
    return {};
}

Status read_temperature(const Json& json, std::optional<double>& value) {
    const Json& given = get_member(json, "temperature");
    if (given.is_null()) {
        if (json.contains("temperature"))
            value.reset();
        return {};
    }
    const double number = given.is_number() ? given.get<double>() : -1;
    if (!(number >= 0 && number <= 2))
        return make_error("settings-temperature", "`temperature` is " + dump_line(given),
                          "accepted: a number from 0 to 2");
    value = number;
    return {};
}

Status read_reasoning(const Json& json, ReasoningEffort& value) {
    const Json& given = get_member(json, "reasoning");
    if (given.is_null())
        return {};
    const auto known = given.is_string() ? parse_reasoning_effort(given.get<std::string>()) : std::nullopt;
    if (!known)
        return make_error("settings-reasoning", "`reasoning` is " + dump_line(given),
                          "accepted: automatic, off, low or full");
    value = *known;
    return {};
}

// The fields that may change while a run goes.
Status read_changeable(const Json& json, ModelSettings& settings) {
    constexpr int most = std::numeric_limits<int>::max() / 4;
    for (const auto& [field, value] :
         {std::pair{"provider", &settings.provider}, {"url", &settings.url}, {"model", &settings.model}})
        if (auto done = read(json, field, *value); !done)
            return done;
    if (auto done = read_temperature(json, settings.temperature); !done)
        return done;
    if (auto done = read_reasoning(json, settings.reasoning); !done)
        return done;
    if (auto done = read(json, "max_tokens", 16, most, settings.max_tokens); !done)
        return done;
    if (auto done = read(json, "context_tokens", 512, most, settings.context_tokens); !done)
        return done;
    if (settings.max_tokens >= settings.context_tokens)
        return make_error("settings-max-tokens",
                          "a reply of " + std::to_string(settings.max_tokens) +
                              " tokens leaves no room in a context of " + std::to_string(settings.context_tokens),
                          "lower max_tokens or raise context_tokens");
    return {};
}

} // namespace

Json to_json(const ModelSettings& settings) {
    Json json{{"provider", settings.provider},
              {"url", settings.url},
              {"model", settings.model},
              {"reasoning", to_string(settings.reasoning)},
              {"max_tokens", settings.max_tokens},
              {"context_tokens", settings.context_tokens},
              {"feedback", settings.feedback},
              {"search", to_json(settings.search)},
              {"sweep_points", settings.sweep_points},
              {"retries", settings.retries}};
    if (settings.temperature)
        json["temperature"] = *settings.temperature;
    if (!settings.record.empty()) {
        json["record"] = settings.record;
        json["then_live"] = settings.then_live;
    }
    return json;
}

Result<ModelSettings> model_settings_from_json(const Json& json) {
    ModelSettings settings;
    if (json.is_null())
        return settings;
    if (!json.is_object())
        return make_error("settings-model", "the model's settings are no object");
    if (auto done = read_changeable(json, settings); !done)
        return done.error();
    if (auto done = read(json, "feedback", settings.feedback); !done)
        return done.error();
    if (auto done = read(json, "sweep_points", 0, 100'000, settings.sweep_points); !done)
        return done.error();
    if (auto done = read(json, "retries", 1, 1000, settings.retries); !done)
        return done.error();
    if (auto done = read(json, "record", settings.record); !done)
        return done.error();
    if (auto done = read(json, "then_live", settings.then_live); !done)
        return done.error();
    auto search = model_search_settings_from_json(get_member(json, "search"));
    if (!search)
        return search.error();
    settings.search = *search;
    return settings;
}

Result<ModelSettings> changed(const ModelSettings& settings, const Json& change) {
    static constexpr std::array<std::string_view, 7> fields = {
        "provider", "url", "model", "temperature", "reasoning", "max_tokens", "context_tokens"};
    if (!change.is_object() || change.empty())
        return make_error("settings-model", "nothing is to be changed", "name provider, url, model, temperature, …");
    for (const auto& [name, value] : change.items())
        if (std::find(fields.begin(), fields.end(), name) == fields.end())
            return make_error("settings-model", "`" + name.substr(0, 60) + "` cannot be changed while the run goes",
                              "provider, url, model, temperature, reasoning, max_tokens and context_tokens can");
    ModelSettings other = settings;
    if (change.contains("provider") && !change.contains("url"))
        other.url.clear();
    if (change.contains("url") && !change.contains("provider"))
        other.provider.clear();
    if (auto done = read_changeable(change, other); !done)
        return done.error();
    return other;
}

Error cost_unknown(const ModelSettings& settings) {
    return make_error(
        "money-unknown", "what " + settings.model + " costs is not known, so a budget of money cannot be held",
        "use a budget of tokens, or write the model's price_in and price_out into " + user_providers_file().string());
}

PromptOptions prompt_options(const ModelSettings& settings) {
    return PromptOptions{settings.context_tokens, settings.max_tokens, settings.feedback};
}

} // namespace kf
