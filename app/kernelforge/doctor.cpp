// SPDX-License-Identifier: GPL-3.0-or-later
// `doctor`: what is there and what is missing, what that disables, and what to do about it. Exit code 0 when the CPU
// device can judge.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/terminal.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/journal/run_folder.h"

#include <array>
#include <cstdlib>
#include <unistd.h>

namespace kf::cli {
namespace {

struct DoctorOptions {
    std::string runs;
    bool json = false;
    EvaluatorOptions evaluator;
};

Json check(const std::string& name, bool ok, const std::string& found, const std::string& remedy,
           const std::string& disables) {
    return Json{
        {"name", name}, {"ok", ok}, {"found", found}, {"remedy", ok ? "" : remedy}, {"disables", ok ? "" : disables}};
}

Json tasks_check() {
    const auto root = resource_folder() / "tasks";
    const auto folders = list_task_folders(root);
    return check("tasks", !folders.empty(),
                 folders.empty() ? "none in " + root.string() : std::to_string(folders.size()) + " in " + root.string(),
                 "set KERNELFORGE_RESOURCES to the folder that holds tasks/ and resources/", "naming tasks");
}

Json resources_check() {
    const auto folder = resource_folder() / "resources" / "simt";
    std::error_code ignored;
    const bool there = std::filesystem::is_directory(folder, ignored);
    return check("headers of the CPU device", there, there ? folder.string() : "no " + folder.string(),
                 "set KERNELFORGE_RESOURCES to the folder that holds tasks/ and resources/", "the CPU device");
}

Json runs_check(const std::string& chosen) {
    const std::filesystem::path folder = chosen.empty() ? runs_folder() : std::filesystem::path(chosen);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const auto probe = folder / (".probe-" + random_id(8));
    const Status written = write_file_atomic(probe, "probe");
    std::filesystem::remove(probe, error);
    return check("run folder", written.ok(),
                 written.ok() ? folder.string() : written.error().message + ": " + folder.string(),
                 "free some space, or set KERNELFORGE_HOME to a writable folder", "runs");
}

Json python_check() {
    ChildSpec spec;
    spec.argv = {"python3", "--version"};
    RunLimits limits;
    limits.deadline = deadline_after(5);
    const auto finished = run_to_end(spec, limits);
    const bool ok = finished && finished->succeeded();
    return check("Python", ok, ok ? finished->out.substr(0, finished->out.find('\n')) : "no python3 on PATH",
                 "install python3", "Triton kernels");
}

Json display_check() {
    const auto set = [](const char* variable) {
        const char* value = std::getenv(variable);
        return value && *value;
    };
    const bool there = set("WAYLAND_DISPLAY") || set("DISPLAY");
    return check("display", there, there ? "a display is set" : "neither DISPLAY nor WAYLAND_DISPLAY is set",
                 "log in to a desktop, or use ssh -X", "the window; the command line does not need it");
}

// What the CPU device cannot judge without.
bool is_required(const std::string& name) {
    constexpr std::array<std::string_view, 6> required = {"evaluator",    "C++ compiler", "oracle (libtorch)",
                                                          "cache folder", "tasks",        "headers of the CPU device"};
    return std::find(required.begin(), required.end(), name) != required.end();
}

int doctor(const DoctorOptions& options) {
    auto settings = options.evaluator.settings();
    if (!settings)
        return fail(exit_bad_input, settings.error());
    Json checks =
        Json::array({tasks_check(), resources_check(), runs_check(options.runs), python_check(), display_check()});
    EvaluatorClient client(*settings);
    if (auto report = client.request("doctor", Json::object(), 120); !report) {
        checks.push_back(check("evaluator", false, report.error().message,
                               report.error().remedy.empty() ? "build or install kf-evaluator beside kernelforge"
                                                             : report.error().remedy,
                               "judging"));
    } else {
        checks.push_back(check("evaluator", true, client.build(), "", ""));
        for (const Json& one : get_member(*report, "checks"))
            checks.push_back(one);
    }
    client.shutdown();
    bool can_judge = true;
    for (const Json& one : checks)
        can_judge = can_judge && (get_bool(one, "ok") || !is_required(get_string(one, "name")));
    Terminal terminal;
    if (options.json) {
        terminal.print(dump_line(Json{{"can_judge", can_judge}, {"checks", checks}}));
        return can_judge ? exit_ok : exit_infrastructure;
    }
    const TextStyle style = terminal.style();
    for (const Json& one : checks) {
        const bool ok = get_bool(one, "ok");
        terminal.print((ok ? paint("✓ ", Tint::faster, style) : paint("✕ ", Tint::error, style)) +
                       pad_right(plain_text(get_string(one, "name")), 26) + "  " +
                       plain_text(get_string(one, "found")));
        if (!ok)
            terminal.print("    disables " + plain_text(get_string(one, "disables")) +
                           "; remedy: " + plain_text(get_string(one, "remedy")));
    }
    terminal.print(can_judge ? paint("The CPU device can judge.", Tint::bold, style)
                             : paint("The CPU device cannot judge yet.", Tint::error, style));
    return can_judge ? exit_ok : exit_infrastructure;
}

} // namespace

void add_doctor(CLI::App& app, Action& action) {
    auto options = std::make_shared<DoctorOptions>();
    CLI::App* command = app.add_subcommand("doctor", "what this machine can judge, and what is missing");
    command->add_option("--runs", options->runs, "folder that runs are kept in");
    command->add_flag("--json", options->json, "one line of JSON");
    options->evaluator.add_to(*command);
    command->callback([options, &action] { action = [options] { return doctor(*options); }; });
}

} // namespace kf::cli
