// SPDX-License-Identifier: GPL-3.0-or-later
// `resume`: goes on with a run that was stopped or lost.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/drive.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/run_lookup.h"

namespace kf::cli {
namespace {

struct ResumeOptions {
    RunLookup run;
    bool json = false;
};

int resume_run(const ResumeOptions& options) {
    auto folder = options.run.find();
    if (!folder)
        return fail(exit_bad_input, folder.error());
    auto run = Run::resume(*folder);
    if (!run)
        return fail(code_of(run.error()), run.error());
    return drive(**run, options.json).code;
}

} // namespace

void add_resume(CLI::App& app, Action& action) {
    auto options = std::make_shared<ResumeOptions>();
    CLI::App* resume = app.add_subcommand("resume", "go on with a run that was stopped or lost");
    options->run.add_to(*resume);
    resume->add_flag("--json", options->json, "the journal's events on standard output, one a line");
    resume->callback([options, &action] { action = [options] { return resume_run(*options); }; });
}

} // namespace kf::cli
