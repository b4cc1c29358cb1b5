// SPDX-License-Identifier: GPL-3.0-or-later
// Options of the commands that ask a language model, and what they turn into.
#pragma once

#include "core/base/result.h"
#include "core/engine/model_settings.h"
#include "core/measure/early_stop.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace kf::cli {

struct ModelOptions {
    std::string provider; // an entry's id or a URL
    std::string model, reasoning, key_from;
    std::optional<double> temperature;
    std::int64_t max_tokens = 0, context = 0; // 0: the provider's
    std::string search = "serial";
    std::int64_t width = 2, children = 3;
    bool no_feedback = false;
    std::string record;
    bool then_live = false;

    void add_provider_to(CLI::App& command); // --provider, --use-key-from
    void add_to(CLI::App& command);          // all of them

    // Something here says that a model is to be asked.
    bool given() const;
    // Over `base` (a record's settings; else the defaults). Errors: those of the provider's list, "model-missing".
    Result<ModelSettings> settings(const ModelSettings& base = {}) const;
    // As the `model` order of docs/protocol.md has it: only what was given. Errors: as above.
    Result<Json> change() const;
};

// A search by generations is given a whole one before it is said to make no progress.
void suit_search(const ModelSearchSettings& search, StopSettings& stop);

// Keys and HTTP; null in a program that was built without Qt. `key_from`: the variable that a person named for the key.
std::shared_ptr<ModelTransports> model_transports(const std::string& key_from);

// Variables that may hold a provider's key: from now on no child gets them, whatever they are called.
void withhold_keys();

} // namespace kf::cli
