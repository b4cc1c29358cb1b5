// SPDX-License-Identifier: GPL-3.0-or-later
// `open`: the window, on a run where one is named.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/run_lookup.h"
#include "app/kernelforge/window.h"

#include <cerrno>
#include <cstring>

namespace kf::cli {
namespace {

int open_window(const RunLookup& lookup) {
    std::vector<std::string> arguments;
    if (!lookup.run.empty()) {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(lookup.run, ignored)) { // a packed run
            arguments.push_back(std::filesystem::absolute(lookup.run, ignored).string());
        } else {
            auto folder = lookup.find();
            if (!folder)
                return fail(exit_bad_input, folder.error());
            arguments.push_back(std::filesystem::absolute(*folder, ignored).string());
        }
    }
    const auto program = window_program();
    if (!program)
        return fail(exit_bad_input, make_error("window-missing", "there is no window in this build",
                                               "build kernelforge-workbench (Qt 6 and QScintilla are needed), or use "
                                               "kernelforge attach and kernelforge replay"));
    if (!has_display())
        return fail(exit_bad_input,
                    make_error("display-missing", "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set",
                               "log in to a desktop or use ssh -X; kernelforge attach shows a run on the terminal"));
    become_window(*program, arguments);
    return fail(exit_infrastructure, make_error("window-start", program->string() + ": " + std::strerror(errno)));
}

} // namespace

void add_open(CLI::App& app, Action& action) {
    auto lookup = std::make_shared<RunLookup>();
    CLI::App* command = app.add_subcommand("open", "the window; with RUN on that run, which may be a .kfrun file");
    lookup->add_to(*command);
    for (CLI::Option* option : command->get_options())
        if (option->get_positional())
            option->required(false);
    command->callback([lookup, &action] { action = [lookup] { return open_window(*lookup); }; });
}

} // namespace kf::cli
