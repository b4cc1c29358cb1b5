// SPDX-License-Identifier: GPL-3.0-or-later
// `run` and `tune`: a new run from its task to its end.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/drive.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/recorded.h"
#include "app/kernelforge/run_lookup.h"

#include "core/engine/record.h"
#include "core/journal/run_folder.h"

#include <charconv>
#include <limits>

namespace kf::cli {
namespace {

struct RunOptions {
    std::string task, start, synthesizer, runs, folder_file;
    std::vector<std::string> candidates;
    std::int64_t turns = 0, points = 64;
    std::int64_t tokens = 0;
    double minutes = 0, device_minutes = 0, money = 0;
    std::string seed;
    bool json = false;
    EvaluatorOptions evaluator;
    ModelOptions model;
    bool is_model() const { return synthesizer == "model" || (synthesizer.empty() && model.given()); }
};

// Files are named by where the journal finds them again when the run is resumed from another folder.
Result<std::string> readable(const std::string& file) {
    if (auto text = read_candidate(file); !text)
        return text.error();
    std::error_code error;
    const auto path = std::filesystem::absolute(file, error);
    return error ? file : path.lexically_normal().string();
}

void set_budgets(const RunOptions& options, StopSettings& stop) {
    stop.turns = options.turns;
    stop.tokens = options.tokens;
    stop.money = options.money;
    stop.seconds = options.minutes * 60;
    stop.device_seconds = options.device_minutes * 60;
}

Result<RunSettings> settings_of(const RunOptions& options, const Task& task) {
    RunSettings settings;
    auto evaluator = options.evaluator.settings();
    if (!evaluator)
        return evaluator.error();
    settings.evaluator = std::move(*evaluator);
    settings.synthesizer = options.is_model()            ? SynthesizerKind::model
                           : options.synthesizer.empty() ? SynthesizerKind::tuner
                                                         : *parse_synthesizer(options.synthesizer);
    if (settings.synthesizer == SynthesizerKind::model) {
        auto model = options.model.settings();
        if (!model)
            return model.error();
        settings.model = std::move(*model);
        suit_search(settings.model.search, settings.stop);
    } else if (options.model.given()) {
        return make_error("usage", "run: --provider and --model are for --synthesizer model only",
                          "leave out --synthesizer " + options.synthesizer);
    } else if (options.tokens > 0 || options.money > 0) {
        return make_error("usage", "run: --tokens and --money are budgets of a run that asks a model",
                          "add --provider, or use --turns, --minutes or --device-minutes");
    }
    if (settings.synthesizer == SynthesizerKind::files && options.candidates.empty())
        return make_error("usage", "run: --synthesizer files needs files", "give --candidate FILE");
    if (settings.synthesizer != SynthesizerKind::files && !options.candidates.empty())
        return make_error("usage", "run: --candidate is for --synthesizer files only",
                          "add --synthesizer files, or give the kernel as --start FILE");
    const std::string start = options.start.empty() ? (task.folder / "start.cu").string() : options.start;
    auto start_file = readable(start);
    if (!start_file)
        return start_file.error();
    if (!options.start.empty())
        settings.start_file = *start_file;
    for (const std::string& file : options.candidates) {
        auto path = readable(file);
        if (!path)
            return path.error();
        settings.candidate_files.push_back(std::move(*path));
    }
    set_budgets(options, settings.stop);
    settings.tuner_points = static_cast<int>(options.points);
    if (!options.seed.empty())
        std::from_chars(options.seed.data(), options.seed.data() + options.seed.size(), settings.seed);
    return settings;
}

int start_run(const RunOptions& options) {
    const StartOptions start_options{options.runs, options.folder_file, options.model.key_from, options.json};
    if (!options.model.record.empty()) {
        std::optional<EvaluatorSettings> evaluator;
        if (options.evaluator.device != "cpu" || !options.evaluator.launcher.empty() ||
            !options.evaluator.program.empty()) {
            auto settings = options.evaluator.settings();
            if (!settings)
                return fail(exit_bad_input, settings.error());
            evaluator = std::move(*settings);
        }
        auto recorded = recorded_run(options.model.record, options.runs, options.model, evaluator);
        if (!recorded)
            return fail(code_of(recorded.error()), recorded.error());
        if (!options.task.empty()) {
            auto task = read_task(options.task);
            if (!task)
                return fail(exit_bad_input, task.error());
            if (task->name != recorded->task.name)
                return fail(exit_bad_input,
                            make_error("usage",
                                       "the record is a run of " + recorded->task.name + ", not of " + task->name,
                                       "leave TASK out"));
        }
        set_budgets(options, recorded->settings.stop);
        return start(recorded->task, recorded->settings, start_options);
    }
    if (options.task.empty())
        return fail(exit_bad_input, make_error("usage", "run: TASK is required", "see kernelforge run --help"));
    auto task = read_task(options.task);
    if (!task)
        return fail(exit_bad_input, task.error());
    auto settings = settings_of(options, *task);
    if (!settings)
        return fail(exit_bad_input, settings.error());
    return start(*task, *settings, start_options);
}

void add_shared(CLI::App& command, RunOptions& options) {
    options.evaluator.add_to(command);
    command.add_option("--turns", options.turns, "end after so many turns")->check(whole_number(1, 1'000'000));
    command.add_option("--minutes", options.minutes, "end after so many minutes")->check(positive_number());
    command.add_option("--device-minutes", options.device_minutes, "end after so many minutes of device time")
        ->check(positive_number());
    command.add_option("--points", options.points, "evaluations of the tuner's sweep (64)")
        ->check(whole_number(1, 100'000));
    command.add_option("--runs", options.runs, "folder that runs are kept in");
    command.add_option("--folder-file", options.folder_file, "file (or pipe) that is told the run's folder at once");
    command.add_option("--seed", options.seed, "seed of the search; 0 or none: from the system")
        ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
    command.add_flag("--json", options.json, "the journal's events on standard output, one a line");
}

} // namespace

Result<RecordedRun> recorded_run(const std::string& name, const std::string& runs, const ModelOptions& model,
                                 const std::optional<EvaluatorSettings>& evaluator) {
    std::error_code error;
    std::filesystem::path path = name;
    if (!std::filesystem::exists(path, error)) {
        RunLookup lookup;
        lookup.run = name;
        lookup.runs = runs;
        auto found = lookup.find();
        if (!found)
            return found.error();
        path = *found;
    }
    path = std::filesystem::absolute(path, error).lexically_normal();
    auto record = Record::open(path.string());
    if (!record)
        return record.error();
    auto task = (*record)->task();
    if (!task)
        return task.error();
    auto settings = run_settings_from_json((*record)->state().start.settings);
    if (!settings)
        return settings.error();
    auto own = model.settings(settings->model);
    if (!own)
        return own.error();
    settings->synthesizer = SynthesizerKind::model;
    settings->model = std::move(*own);
    settings->model.record = path.string();
    const StopSettings fresh; // the recorded run's budgets were for that one
    settings->stop.turns = fresh.turns;
    settings->stop.tokens = fresh.tokens;
    settings->stop.money = fresh.money;
    settings->stop.seconds = fresh.seconds;
    settings->stop.device_seconds = fresh.device_seconds;
    if (evaluator)
        settings->evaluator = *evaluator;
    return RecordedRun{std::move(*task), std::move(*settings)};
}

int start(const Task& task, const RunSettings& settings, const StartOptions& options) {
    const bool asks =
        settings.synthesizer == SynthesizerKind::model && (settings.model.record.empty() || settings.model.then_live);
    auto run = Run::create(task, settings, options.runs.empty() ? runs_folder() : std::filesystem::path(options.runs),
                           asks ? model_transports(options.key_from) : nullptr);
    if (!run)
        return fail(code_of(run.error()), run.error());
    const std::filesystem::path folder = (*run)->journal().folder();
    const DriveResult result = drive(**run, options.json, options.folder_file);
    run->reset();
    if (result.wrote_nothing) { // the evaluator did not start: there is nothing to keep
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
    return result.code;
}

void add_run(CLI::App& app, Action& action) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* run = app.add_subcommand("run", "search a faster kernel for a task");
    run->add_option("TASK", options->task, "name (stage1/silu_mul) or folder of a task");
    run->add_option("--synthesizer", options->synthesizer,
                    "where kernels come from: tuner, files, human or model (tuner; model with --provider or --model)")
        ->check(one_of({"tuner", "files", "human", "model"}));
    run->add_option("--candidate", options->candidates, "kernels for --synthesizer files, each a turn");
    run->add_option("--start", options->start, "start kernel instead of the task's start.cu");
    add_shared(*run, *options);
    options->model.add_to(*run);
    run->add_option("--tokens", options->tokens, "end after so many tokens, prompts included")
        ->check(whole_number(1, 1'000'000'000'000));
    run->add_option("--money", options->money, "end after so much money, in the provider's currency")
        ->check(positive_number());
    run->callback([options, &action] { action = [options] { return start_run(*options); }; });

    auto tuned = std::make_shared<RunOptions>();
    CLI::App* tune = app.add_subcommand("tune", "search the tune space of one kernel");
    tune->add_option("TASK", tuned->task, "name (stage1/silu_mul) or folder of a task")->required();
    tune->add_option("FILE", tuned->start, "kernel with `tune` statements")->required();
    add_shared(*tune, *tuned);
    tune->callback([tuned, &action] { action = [tuned] { return start_run(*tuned); }; });
}

} // namespace kf::cli
