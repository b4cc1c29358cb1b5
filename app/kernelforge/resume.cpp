// SPDX-License-Identifier: GPL-3.0-or-later
// `resume`: goes on with a run that was stopped or lost.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/drive.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/model_options.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/run_lookup.h"

#include <utility>

namespace kf::cli {
namespace {

struct ResumeOptions {
    RunLookup run;
    bool json = false;
    ModelOptions model;
    std::int64_t turns = 0, tokens = 0; // 0: as it was
    double minutes = 0, device_minutes = 0, money = 0;

    Json budgets() const {
        Json change = Json::object();
        if (turns > 0)
            change["turns"] = turns;
        if (tokens > 0)
            change["tokens"] = tokens;
        for (const auto& [name, value] :
             {std::pair{"minutes", minutes}, {"device_minutes", device_minutes}, {"money", money}})
            if (value > 0)
                change[name] = value;
        return change;
    }
};

// Whether the run asks a model; what cannot be read is found out by resuming.
bool asks_model(const std::filesystem::path& folder) {
    auto reader = JournalReader::open(folder);
    auto events = reader ? reader->poll() : Result<std::vector<Event>>(reader.error());
    if (!events)
        return false;
    RunState state;
    state.apply(*events);
    return get_string(state.start.settings, "synthesizer") == "model";
}

int resume_run(const ResumeOptions& options) {
    auto folder = options.run.find();
    if (!folder)
        return fail(exit_bad_input, folder.error());
    auto change = options.model.change();
    if (!change)
        return fail(exit_bad_input, change.error());
    if (options.model.then_live)
        (*change)["then_live"] = true;
    auto run = Run::resume(*folder, asks_model(*folder) ? model_transports(options.model.key_from) : nullptr, *change,
                           options.budgets());
    if (!run)
        return fail(code_of(run.error()), run.error());
    return drive(**run, options.json).code;
}

} // namespace

void add_resume(CLI::App& app, Action& action) {
    auto options = std::make_shared<ResumeOptions>();
    CLI::App* resume = app.add_subcommand("resume", "go on with a run that was stopped or lost");
    options->run.add_to(*resume);
    options->model.add_provider_to(*resume);
    resume->add_option("--model", options->model.model, "another model from here on");
    resume->add_flag("--then-live", options->model.then_live, "go on with the model where the record ends");
    resume->add_option("--turns", options->turns, "new total of turns")->check(whole_number(1, 1'000'000));
    resume->add_option("--tokens", options->tokens, "new total of tokens")->check(whole_number(1, 1'000'000'000'000));
    resume->add_option("--money", options->money, "new total of money")->check(positive_number());
    resume->add_option("--minutes", options->minutes, "new total of minutes")->check(positive_number());
    resume->add_option("--device-minutes", options->device_minutes, "new total of minutes of device time")
        ->check(positive_number());
    resume->add_flag("--json", options->json, "the journal's events on standard output, one a line");
    resume->callback([options, &action] { action = [options] { return resume_run(*options); }; });
}

} // namespace kf::cli
