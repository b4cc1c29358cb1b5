// SPDX-License-Identifier: GPL-3.0-or-later
// `task list`, `task show`, `task lint`.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/interrupt.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/terminal.h"
#include "core/base/files.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

namespace kf::cli {
namespace {

constexpr double longest_lint_s = 960; // the evaluator's own limit is 900 s

struct TaskOptions {
    std::vector<std::string> tasks;
    bool all = false, json = false;
    EvaluatorOptions evaluator;
};

std::string label_of(const std::filesystem::path& folder) {
    return folder.parent_path().filename().string() + "/" + folder.filename().string();
}

int list(bool json) {
    const std::filesystem::path root = resource_folder() / "tasks";
    const auto folders = list_task_folders(root);
    if (folders.empty())
        return fail(exit_infrastructure, make_error("tasks-missing", "there are no tasks here",
                                                    "set KERNELFORGE_RESOURCES to the folder that holds tasks/",
                                                    Place{root.string(), 0, 0}));
    Terminal terminal;
    int code = exit_ok;
    for (const auto& folder : folders) {
        auto task = load_task(folder);
        if (!task) {
            code = fail(exit_bad_input, task.error());
            continue;
        }
        const TextStyle style = terminal.style();
        const std::string line = pad_right(label_of(folder), 24) + "  " + plain_text(task->title);
        terminal.print(json ? dump_line(Json{{"name", label_of(folder)}, {"title", task->title}, {"hash", task->hash}})
                       : style.width > 0 ? elide_end(line, style.width)
                                         : line);
    }
    return code;
}

std::string shape_text(const std::vector<Expression>& shape) {
    std::string text;
    for (const Expression& axis : shape)
        text += (text.empty() ? "" : ", ") + axis.print();
    return "[" + text + "]";
}

int show(const std::string& name) {
    auto task = read_task(name);
    if (!task)
        return fail(exit_bad_input, task.error());
    Terminal terminal;
    std::vector<std::string> lines;
    const auto add = [&](const std::string& label, const std::string& text) {
        lines.push_back(pad_right(label, 12) + plain_text(text));
    };
    lines.push_back(paint(plain_text(task->name) + " · " + plain_text(task->title), Tint::bold, terminal.style()));
    add("folder", task->folder.string());
    add("hash", task->hash.substr(0, 16));
    for (const InputSpec& input : task->inputs)
        add("input", input.name + ": " + std::string(to_string(input.dtype)) + shape_text(input.shape) +
                         (input.role == Role::weight  ? " (weight)"
                          : input.role == Role::inout ? " (inout)"
                                                      : ""));
    for (const OutputSpec& output : task->outputs)
        add("output", output.name + ": " + std::string(to_string(output.dtype)) + shape_text(output.shape));
    for (const auto& [size, symbols] : task->sizes)
        add("size", size + ": " + to_string(symbols));
    for (const TimedSize& timed : task->timed) {
        char weight[32];
        std::snprintf(weight, sizeof weight, "%g", timed.weight);
        add("timed", timed.size + " (weight " + weight + ")");
    }
    const auto held_out =
        std::count_if(task->cases.begin(), task->cases.end(), [](const TaskCase& one) { return one.held_out; });
    add("cases", std::to_string(task->cases.size()) + ", " + std::to_string(held_out) + " of them held out");
    char tolerance[64];
    std::snprintf(tolerance, sizeof tolerance, "atol %g, rtol %g", task->tolerance.atol, task->tolerance.rtol);
    add("tolerance", tolerance);
    for (const std::string& library : task->library)
        add("library", library);
    terminal.print(lines);
    return exit_ok;
}

Result<Json> lint_params(const Task& task) {
    Json params{{"task", task_to_wire(task)}, {"start", nullptr}, {"wrong", Json::array()}, {"trivial", true}};
    std::error_code ignored;
    for (const char* name : {"start.cu", "start.py"}) {
        const auto file = task.folder / name;
        if (!params["start"].is_null() || !std::filesystem::exists(file, ignored))
            continue;
        auto source = read_candidate(file.string());
        if (!source)
            return source.error();
        params["start"] = Json{{"source", *source}, {"file_name", name}};
    }
    std::vector<std::filesystem::path> wrong;
    std::error_code error;
    for (std::filesystem::directory_iterator it(task.folder / "wrong", error), end; !error && it != end;
         it.increment(error))
        if (it->path().extension() == ".cu" || it->path().extension() == ".py")
            wrong.push_back(it->path());
    std::sort(wrong.begin(), wrong.end());
    for (const auto& file : wrong) {
        auto source = read_candidate(file.string());
        if (!source)
            return source.error();
        params["wrong"].push_back(Json{{"source", *source}, {"file_name", file.filename().string()}});
    }
    return params;
}

// One task; what the linter found goes to standard output.
int lint_one(const std::string& name, EvaluatorClient& client, Terminal& terminal, const Interrupts& interrupts,
             bool json) {
    auto task = read_task(name);
    if (!task)
        return fail(exit_bad_input, task.error());
    auto params = lint_params(*task);
    if (!params)
        return fail(exit_bad_input, params.error());
    std::mutex mutex;
    std::string doing = "starting the evaluator";
    std::stop_source stop;
    std::optional<Result<Json>> report;
    std::atomic<bool> ended = false;
    std::jthread worker([&] {
        report = client.request("lint", std::move(*params), longest_lint_s, stop.get_token(), [&](const Json& told) {
            const std::string what = get_string(told, "what", get_string(told, "stage"));
            const std::lock_guard lock(mutex);
            if (!what.empty())
                doing = plain_text(what);
        });
        ended = true;
        interrupts.wake();
    });
    while (!ended) {
        if (interrupts.count() > 0)
            stop.request_stop();
        if (!json) {
            const std::lock_guard lock(mutex);
            const int width = terminal.style().width;
            const std::string text = task->name + " · " + doing;
            terminal.set_live(width > 0 ? elide_end(text, width - 1) : text);
        }
        interrupts.wait(100);
    }
    worker.join();
    terminal.set_live("");
    if (interrupts.count() > 0)
        return fail(exit_stopped, make_error("cancelled", "the linter was stopped"));
    if (!*report) // the task was read by us already: whatever fails now is not its fault
        return fail(exit_infrastructure, report->error());
    const bool ok = get_bool(**report, "ok");
    const Json& findings = get_member(**report, "findings");
    if (json) {
        Json line = **report;
        line["task"] = task->name;
        terminal.print(dump_line(line));
        return ok ? exit_ok : exit_not_accepted;
    }
    terminal.print((ok ? paint("✓ ", Tint::faster, terminal.style()) : paint("✕ ", Tint::error, terminal.style())) +
                   plain_text(task->name));
    if (findings.is_array())
        for (const Json& finding : findings)
            terminal.print("  " + pad_right(plain_text(get_string(finding, "severity")), 8) +
                           pad_right(plain_text(get_string(finding, "check")), 10) +
                           plain_text(get_string(finding, "message")));
    return ok ? exit_ok : exit_not_accepted;
}

int lint(TaskOptions options) {
    auto settings = options.evaluator.settings();
    if (!settings)
        return fail(exit_bad_input, settings.error());
    if (options.all == !options.tasks.empty())
        return fail(exit_bad_input,
                    make_error("usage",
                               options.all ? "task lint: give tasks or --all, not both" : "task lint: which task?",
                               options.all ? "" : "name tasks, or --all"));
    if (options.all)
        for (const auto& folder : list_task_folders(resource_folder() / "tasks"))
            options.tasks.push_back(folder.string());
    EvaluatorClient client(*settings);
    const Interrupts interrupts;
    Terminal terminal;
    int worst = exit_ok;
    for (const std::string& name : options.tasks) {
        const int code = lint_one(name, client, terminal, interrupts, options.json);
        worst = std::max(worst, code);
        if (code == exit_stopped || code == exit_infrastructure)
            break;
    }
    client.shutdown();
    return worst;
}

} // namespace

void add_task(CLI::App& app, Action& action) {
    auto options = std::make_shared<TaskOptions>();
    CLI::App* task = app.add_subcommand("task", "the tasks: list, show, lint");
    task->require_subcommand(1, 1);
    CLI::App* list_command = task->add_subcommand("list", "name and title of each");
    list_command->add_flag("--json", options->json, "one line of JSON a task");
    list_command->callback([options, &action] { action = [options] { return list(options->json); }; });
    CLI::App* show_command = task->add_subcommand("show", "inputs, outputs, sizes, cases");
    show_command->add_option("TASK", options->tasks, "name or folder of a task")->required()->expected(1);
    show_command->callback([options, &action] { action = [options] { return show(options->tasks.front()); }; });
    CLI::App* lint_command =
        task->add_subcommand("lint", "does the task accept its start kernel and reject wrong ones?");
    lint_command->add_option("TASK", options->tasks, "names or folders of tasks");
    lint_command->add_flag("--all", options->all, "all tasks");
    lint_command->add_flag("--json", options->json, "one line of JSON a task");
    options->evaluator.add_to(*lint_command);
    lint_command->callback([options, &action] { action = [options] { return lint(*options); }; });
}

} // namespace kf::cli
