// SPDX-License-Identifier: GPL-3.0-or-later
// How a run asks a language model. Written into the journal with the run's other settings, so there is no secret in it:
// a key is found again by whoever opens the transport.
#pragma once

#include "core/llm/chat.h"
#include "core/llm/prompt.h"
#include "core/search/model_search.h"

#include <memory>
#include <optional>
#include <string>

namespace kf {

struct ModelSettings {
    std::string provider; // name of an entry of the providers' list; empty: `url` alone
    std::string url;      // as far as the provider's list does not say it
    std::string model;
    std::optional<double> temperature; // none: the provider's default
    ReasoningEffort reasoning = ReasoningEffort::automatic;
    int max_tokens = 16384;      // of a reply, its thinking included
    int context_tokens = 131072; // of the model: prompt and reply together
    bool feedback = true;        // false: neither history nor autopsy in the prompt (for comparison)
    ModelSearchSettings search;
    int sweep_points = 12; // evaluations of the tuner inside a turn; 0: it does not sweep
    int retries = 3;       // failures in a row without a usable reply, then the run ends
    // Served from this run's exchanges (a folder or a .kfrun file) before anything is asked; empty: nothing is.
    std::string record;
    bool then_live = false; // what the record does not hold is asked
};

Json to_json(const ModelSettings& settings);
// What is missing keeps its default. Errors: "settings-…" naming the field and what is accepted.
Result<ModelSettings> model_settings_from_json(const Json& json);
// `settings` with the fields of `change` that a person may set while the run goes (docs/protocol.md, `model`); other
// fields are refused. Another provider or URL forgets the URL or provider that it replaces. Errors as above.
Result<ModelSettings> changed(const ModelSettings& settings, const Json& change);
// A budget of money is set and what the model costs is not known: "money-unknown", with the remedy.
Error cost_unknown(const ModelSettings& settings);
PromptOptions prompt_options(const ModelSettings& settings);

// Where transports come from. The program that holds the run implements it (keys, HTTP); the engine only asks.
class ModelTransports {
public:
    virtual ~ModelTransports() = default;
    // Whether such a model could be asked: provider known, a key where one is needed. From any thread, without a
    // network. Errors: with the remedy.
    virtual Status check(const ModelSettings& settings) = 0;
    // Whether what it costs will be known; without that a budget of money cannot be held. From any thread.
    virtual bool knows_cost(const ModelSettings&) { return true; }
    // Used by one thread only, that which calls it. Errors: as check().
    virtual Result<std::shared_ptr<ModelTransport>> open(const ModelSettings& settings) = 0;
};

} // namespace kf
