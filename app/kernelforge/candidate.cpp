// SPDX-License-Identifier: GPL-3.0-or-later
// `candidate check`: reads a kernel and its plan, shows the plan or every error, without running anything.
// `candidate import`: makes a candidate of a file with host code, and shows which line each plan line was lifted from.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/terminal.h"
#include "core/base/files.h"
#include "core/candidate/resolve.h"
#include "core/llm/extract.h"

#include <cstdio>
#include <set>
#include <sstream>

namespace kf::cli {
namespace {

struct ImportOptions {
    std::string file, task, output;
};

struct CheckOptions {
    std::string file, task;
    std::vector<std::string> tunables;
};

int report(const std::vector<Error>& errors) {
    for (const Error& error : errors)
        std::fprintf(stderr, "kernelforge: %s\n", plain_text(to_string(error)).c_str());
    return exit_not_accepted;
}

// The plan against every case of the task on the CPU device; each error once.
std::vector<Error> resolve_all(const Candidate& candidate, const Task& task, const TunableValues& tunables,
                               std::vector<std::string>& lines) {
    std::vector<Error> errors;
    std::set<std::string> known;
    for (const TaskCase& one : cases_for(task, "cpu", false)) {
        const auto plan = resolve_plan(candidate, task, one, tunables, cpu_device_limits(0));
        if (!plan) {
            if (known.insert(to_string(plan.error().place) + plan.error().message).second)
                errors.push_back(plan.error());
            continue;
        }
        std::string line = "  " + pad_right(plain_text(one.label()), 32) + "  " + std::to_string(plan->steps.size()) +
                           (plan->steps.size() == 1 ? " step, " : " steps, ") +
                           std::to_string(plan->total_bytes() / 1024) + " KiB";
        for (const std::string& skipped : plan->skipped)
            line += " · without " + plain_text(skipped);
        lines.push_back(line);
    }
    return errors;
}

int check(const CheckOptions& options) {
    auto source = read_candidate(options.file);
    if (!source)
        return fail(exit_bad_input, source.error());
    auto chosen = read_tunables(options.tunables);
    if (!chosen)
        return fail(exit_bad_input, chosen.error());
    std::optional<Task> task;
    if (!options.task.empty()) {
        auto read = read_task(options.task);
        if (!read)
            return fail(exit_bad_input, read.error());
        task = std::move(*read);
    }
    std::vector<Error> errors;
    const auto candidate = parse_candidate(*source, options.file, errors);
    if (!candidate)
        return report(errors);
    const auto tunables = complete_tunables(candidate->plan, *chosen);
    if (!tunables)
        return report({tunables.error()});
    std::vector<std::string> cases;
    if (task)
        errors = resolve_all(*candidate, *task, *tunables, cases);
    Terminal terminal;
    std::istringstream plan(candidate->plan.print(candidate->language));
    for (std::string line; std::getline(plan, line);)
        terminal.print(plain_text(line));
    if (!tunables->empty())
        terminal.print("tunables: " + to_string(*tunables));
    for (const Kernel& kernel : candidate->kernel_list)
        terminal.print("kernel: " + plain_text(kernel.name) + " (line " + std::to_string(kernel.place.line) + ")");
    if (task)
        terminal.print("cases of " + plain_text(task->name) + " on the CPU device:");
    terminal.print(cases);
    return errors.empty() ? static_cast<int>(exit_ok) : report(errors);
}

int import_file(const ImportOptions& options) {
    const auto text = read_candidate(options.file);
    if (!text)
        return fail(exit_bad_input, text.error());
    const auto task = read_task(options.task);
    if (!task)
        return fail(exit_bad_input, task.error());
    const Extraction extraction = import_candidate(*text, options.file, *task);
    if (!extraction.ok())
        return report(extraction.errors);
    for (const DerivedLine& line : extraction.derived) {
        std::fprintf(stderr, "%s\n", plain_text(line.plan_line).c_str());
        std::fprintf(stderr, "    from line %d: %s\n", line.from_line, plain_text(line.from).c_str());
    }
    if (extraction.derived.empty())
        std::fprintf(stderr, "kernelforge: %s is a candidate already\n", plain_text(options.file).c_str());
    // It parses; whether it fits the task is told too, and the text is given all the same: it may be mended by hand.
    const auto candidate = parse_candidate(extraction.source, extraction.file_name);
    if (!candidate)
        return report({candidate.error()});
    std::vector<std::string> lines;
    std::vector<Error> errors;
    if (const auto tunables = complete_tunables(candidate->plan, {}))
        errors = resolve_all(*candidate, *task, *tunables, lines);
    if (options.output.empty() || options.output == "-") {
        std::fwrite(extraction.source.data(), 1, extraction.source.size(), stdout);
    } else if (std::filesystem::exists(options.output)) {
        return fail(exit_bad_input, make_error("file-exists", options.output + " is there already",
                                               "give another name; nothing was written", {}));
    } else if (const Status written = write_file_atomic(options.output, extraction.source); !written) {
        return fail(exit_bad_input, written.error());
    }
    return errors.empty() ? static_cast<int>(exit_ok) : report(errors);
}

} // namespace

void add_candidate(CLI::App& app, Action& action) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* candidate = app.add_subcommand("candidate", "kernels: check one without running it, import one");
    candidate->require_subcommand(1, 1);
    CLI::App* command = candidate->add_subcommand("check", "show the plan, or every error in it");
    command->add_option("FILE", options->file, "the kernel (.cu or .py)")->required();
    command->add_option("--task", options->task, "check names, shapes and limits against every case of this task");
    command->add_option("--tunable", options->tunables, "NAME=NUMBER, for a value of a `tune` statement");
    command->callback([options, &action] { action = [options] { return check(*options); }; });

    auto wanted = std::make_shared<ImportOptions>();
    CLI::App* import = candidate->add_subcommand("import", "make a candidate of a file with host code");
    import->add_option("FILE", wanted->file, "CUDA C++ with its wrapper, Python with load_inline, or a Triton module")
        ->required();
    import->add_option("--task", wanted->task, "the task whose tensors and sizes the wrapper takes")->required();
    import->add_option("-o,--output", wanted->output, "where to write it (a new file); without it: to stdout");
    import->callback([wanted, &action] { action = [wanted] { return import_file(*wanted);
};
} // namespace kf::cli
);
}

} // namespace kf::cli
