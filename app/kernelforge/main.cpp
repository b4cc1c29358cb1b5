// SPDX-License-Identifier: GPL-3.0-or-later
// kernelforge: the command line. Parsing only; each command has a file of its own.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/model_options.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/window.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr const char* short_help =
    "KernelForge judges GPU kernels and searches for faster ones.\n"
    "\n"
    "  kernelforge run stage1/silu_mul               search a faster kernel for a task\n"
    "  kernelforge run stage1/silu_mul --provider nebius   with a language model that writes them\n"
    "  kernelforge eval stage1/silu_mul my_kernel.cu judge one kernel: right? how fast?\n"
    "  kernelforge doctor                            what this machine can judge, and what is missing\n"
    "\n"
    "kernelforge task list shows the tasks, kernelforge --help all commands.\n";

int perform(int argc, char** argv) {
    using namespace kf::cli;
    CLI::App app{"KernelForge judges GPU kernels and searches for faster ones.", "kernelforge"};
    app.set_version_flag("--version", std::string("kernelforge ") + KF_VERSION);
    app.require_subcommand(0, 1);
    app.footer("Exit codes: 0 ok, 1 not accepted, 2 usage or bad input, 3 infrastructure, 4 stopped by a person.\n"
               "kernelforge COMMAND --help says more about a command; man kernelforge about all of them.");
    Action action;
    add_run(app, action);
    add_resume(app, action);
    add_models(app, action);
    add_eval(app, action);
    add_attach(app, action);
    add_replay(app, action);
    add_runs(app, action);
    add_pack(app, action);
    add_report(app, action);
    add_task(app, action);
    add_candidate(app, action);
    add_doctor(app, action);
    add_open(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) { // --help, --version
        return app.exit(success) == 0 ? exit_ok : exit_bad_input;
    } catch (const CLI::ParseError& error) {
        return fail(exit_bad_input, explain(error, app));
    }
    if (!action) {
        const bool display = has_display();
        if (const auto window = display ? window_program() : std::nullopt)
            become_window(*window, {}); // else there is something to say on the terminal
        std::fputs(short_help, stdout);
        if (display)
            std::fputs(
                "\nThere is no window here: kernelforge-workbench was not built, or is not beside this program.\n",
                stdout);
        return exit_ok;
    }
    return action();
}

// A program may be started with standard input, output or error closed: a file opened later would take that number,
// and what is meant for people would be written into it.
void fill_standard_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDWR); // takes the lowest free number: this one
}

} // namespace

int main(int argc, char** argv) {
    fill_standard_descriptors();
    signal(SIGPIPE, SIG_IGN);
    try {
        kf::cli::withhold_keys();
        return perform(argc, argv);
    } catch (const std::bad_alloc&) {
        return kf::cli::fail(kf::cli::exit_infrastructure,
                             kf::make_error("out-of-memory", "there is not enough memory", "close other programs"));
    } catch (const std::exception& error) {
        return kf::cli::fail(
            kf::cli::exit_infrastructure,
            kf::make_error("internal", std::string("internal error: ") + error.what(), "please report it"));
    }
}
