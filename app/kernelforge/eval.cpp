// SPDX-License-Identifier: GPL-3.0-or-later
// `eval`: judges one kernel. Exit code 0 only for an accepted one, whatever its speed.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/evaluation_text.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/interrupt.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/terminal.h"
#include "core/render/live_progress.h"

#include <atomic>
#include <cstdio>
#include <thread>

namespace kf::cli {
namespace {

struct EvalOptions {
    std::string task, file, level = "screen", against;
    std::vector<std::string> tunables;
    bool held_out = false, compile_only = false, json = false;
    double budget_s = 120;
    EvaluatorOptions evaluator;
};

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

// Asks in a thread of its own, so that this one can hear Ctrl-C.
EvaluationOutcome ask(EvaluatorClient& client, const Json& params, const EvalOptions& options) {
    const Interrupts interrupts;
    Terminal terminal;
    std::mutex mutex;
    LiveProgress progress;
    std::stop_source stop;
    EvaluationOutcome outcome;
    std::atomic<bool> ended = false;
    std::jthread worker([&] {
        outcome = client.evaluate(options.compile_only ? "compile" : "evaluate", params, options.budget_s + 60,
                                  stop.get_token(), [&](const Json& told) {
                                      const std::lock_guard lock(mutex);
                                      if (const auto stage = stage_of_progress(told))
                                          progress.apply(*stage);
                                  });
        ended = true;
        interrupts.wake();
    });
    while (!ended) {
        if (interrupts.count() > 0)
            stop.request_stop();
        if (!options.json) {
            const std::lock_guard lock(mutex);
            const std::string text = progress.text();
            terminal.set_live(text.empty() ? "starting the evaluator" : text);
        }
        interrupts.wait(50);
    }
    worker.join();
    return outcome;
}

int eval(const EvalOptions& options) {
    auto task = read_task(options.task);
    if (!task)
        return fail(exit_bad_input, task.error());
    auto source = read_candidate(options.file);
    if (!source)
        return fail(exit_bad_input, source.error());
    auto tunables = read_tunables(options.tunables);
    if (!tunables)
        return fail(exit_bad_input, tunables.error());
    auto settings = options.evaluator.settings();
    if (!settings)
        return fail(exit_bad_input, settings.error());
    Json params{{"task", task_to_wire(*task)},
                {"source", *source},
                {"file_name", file_name(options.file)},
                {"tunables", *tunables},
                {"level", options.level},
                {"author", "human"},
                {"cases", "all"},
                {"measure", true},
                {"held_out", options.held_out},
                {"budget_s", options.budget_s}};
    if (!options.against.empty()) {
        auto against = read_candidate(options.against);
        if (!against)
            return fail(exit_bad_input, against.error());
        params["against"] = Json{{"source", *against},
                                 {"file_name", file_name(options.against)},
                                 {"tunables", Json::object()},
                                 {"name", file_name(options.against)}};
    }
    if (options.level == "certify")
        params["baselines"] = Json::array({"eager"});
    EvaluatorClient client(*settings);
    const EvaluationOutcome outcome = ask(client, params, options);
    client.shutdown();
    const bool compiled = options.compile_only && outcome.outcome == Outcome::verdict;
    if (options.json) {
        Json json = to_json(outcome);
        if (options.compile_only)
            json["compiled"] = compiled;
        json["accepted"] = outcome.evaluation && outcome.evaluation->accepted();
        std::puts(dump_line(json).c_str());
        std::fflush(stdout);
    }
    if (compiled) {
        if (!options.json)
            std::puts("compiles; nothing of it was run");
        return exit_ok;
    }
    const auto candidate = parse_candidate(*source, file_name(options.file));
    return show_outcome(outcome, options.json, candidate ? &*candidate : nullptr, &*task);
}

} // namespace

void add_eval(CLI::App& app, Action& action) {
    auto options = std::make_shared<EvalOptions>();
    CLI::App* command = app.add_subcommand("eval", "judge one kernel: is it right, how fast is it");
    command->add_option("TASK", options->task, "name (stage1/silu_mul) or folder of a task")->required();
    command->add_option("FILE", options->file, "the kernel (.cu or .py)")->required();
    command->add_option("--level", options->level, "evidence: screen, duel or certify (screen)")
        ->check(one_of({"screen", "duel", "certify"}));
    CLI::Option* against = command->add_option("--against", options->against, "another kernel to time it against");
    command->add_option("--tunable", options->tunables, "NAME=NUMBER, for a value of a `tune` statement");
    command->add_option("--budget", options->budget_s, "seconds that it may take (120)")->check(positive_number());
    CLI::Option* held_out = command->add_flag("--held-out", options->held_out, "the held-out cases, too");
    command->add_flag("--compile-only", options->compile_only, "parse, compile and inspect it; nothing of it runs")
        ->excludes(held_out)
        ->excludes(against);
    command->add_flag("--json", options->json, "the outcome as one line of JSON");
    options->evaluator.add_to(*command);
    command->callback([options, &action] { action = [options] { return eval(*options); }; });
}

} // namespace kf::cli
