// SPDX-License-Identifier: GPL-3.0-or-later
// Providers of OpenAI-compatible chat completions, as data: resources/providers.json and, over it, the user's
// providers.json in the config folder. docs/models.md describes the fields.
#pragma once

#include "core/llm/chat.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

// How a model is told to think less or not at all. `chat_template`: chat_template_kwargs with enable_thinking and
// low_effort (Nemotron 3, Qwen 3 behind vLLM, llama.cpp, Nebius). `effort`: reasoning_effort (OpenAI). `openrouter`:
// the object `reasoning`. `system_line`: "detailed thinking on/off" (Nemotron before 3).
enum class ReasoningSwitch { none, chat_template, effort, openrouter, system_line };
std::string_view to_string(ReasoningSwitch way);

struct ModelEntry {
    std::string id;                            // as the provider names it
    int context_tokens = 0;                    // prompt and reply together; 0: the provider's
    std::optional<double> price_in, price_out; // per million tokens, in the provider's currency
    std::optional<ReasoningSwitch> reasoning;  // none: the provider's
};

struct Provider {
    std::string id;   // "nebius"
    std::string name; // "Nebius Token Factory"
    std::string base_url;
    std::vector<std::string> key_variables; // environment, first one set wins
    bool needs_key = false;
    bool max_completion_tokens = false; // sends this field instead of max_tokens
    bool stream_usage = true;           // sends stream_options.include_usage
    bool tells_cost = false;            // its replies say what they cost
    ReasoningSwitch reasoning = ReasoningSwitch::none;
    int context_tokens = 131072;
    std::string default_model; // may be empty: then one has to be named
    std::map<std::string, std::string> headers;
    std::vector<ModelEntry> models;
    std::string note; // what a person should know about it

    const ModelEntry* find_model(std::string_view model) const;
    int context_of(std::string_view model) const;
    ReasoningSwitch reasoning_of(std::string_view model) const;
    // By the entry's prices; 0 when it has none.
    double price(std::string_view model, const TokenUsage& usage) const;
    // Whether what a reply costs can be counted: the provider tells it, or the entry has both prices.
    bool knows_cost(std::string_view model) const;
};

struct ProviderList {
    std::vector<Provider> providers;
    std::string default_id;

    const Provider* find(std::string_view id) const;
};

// One file's text; `base` is what it is laid over: an entry of a known id replaces the fields it has. Errors:
// "json-syntax", "provider-syntax", both with line and column; the message names the field.
Result<ProviderList> parse_providers(std::string_view text, const std::string& file, ProviderList base = {});
// Ours, then the user's when there is one.
Result<ProviderList> load_providers();
std::filesystem::path user_providers_file(); // $KERNELFORGE_HOME/config or $XDG_CONFIG_HOME/kernelforge

// `wanted`: an id, or a base URL ("http://gpu7:8000/v1"; ".../chat/completions" is understood). A URL of a known
// provider's host is that provider. Any other URL is a provider of its own, whose only key variable is
// KERNELFORGE_API_KEY: no known provider's key goes to a strange host. Errors: "provider-unknown", "provider-url".
Result<Provider> choose_provider(const ProviderList& list, std::string_view wanted);

// A base URL without its last slash. Errors: "provider-url": not http(s), no host, a user, a query.
Result<std::string> normal_base_url(std::string_view url);

} // namespace kf
