// SPDX-License-Identifier: GPL-3.0-or-later
// `report`: a run told in one file, for people (HTML, Markdown) and for programs (JSON, CSV).
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/run_lookup.h"
#include "core/base/files.h"
#include "core/journal/packed_run.h"
#include "core/report/data.h"
#include "core/report/html.h"

#include <cstdio>
#include <optional>

namespace kf::cli {
namespace {

struct ReportOptions {
    RunLookup run;
    std::string html, markdown, json, csv;
    bool force = false;
};

struct OneForm {
    const std::string* file;
    std::function<Result<std::string>(const RunReport&)> make;
};

int report(const ReportOptions& options) {
    const OneForm forms[] = {
        {&options.html, [](const RunReport& run) { return html_report(run, resource_folder() / "resources"); }},
        {&options.markdown, [](const RunReport& run) { return Result<std::string>(markdown_report(run)); }},
        {&options.json, [](const RunReport& run) { return Result<std::string>(dump_line(json_report(run)) + "\n"); }},
        {&options.csv, [](const RunReport& run) { return Result<std::string>(csv_report(run)); }},
    };
    std::error_code ignored;
    bool any = false;
    for (const OneForm& form : forms) {
        if (form.file->empty())
            continue;
        any = true;
        if (!options.force && std::filesystem::exists(*form.file, ignored))
            return fail(exit_bad_input, make_error("file-exists", "this file is there already",
                                                   "name another one, or add --force", Place{*form.file, 0, 0}));
    }
    if (!any)
        return fail(exit_bad_input,
                    make_error("usage", "report: no file is named", "add --html FILE, --markdown, --json or --csv"));
    std::optional<PackedRun> packed;
    std::filesystem::path folder;
    if (std::filesystem::is_regular_file(options.run.run, ignored)) {
        auto opened = PackedRun::open(options.run.run);
        if (!opened)
            return fail(code_of(opened.error()), opened.error());
        packed = std::move(*opened);
        folder = packed->folder();
    } else {
        auto found = options.run.find();
        if (!found)
            return fail(exit_bad_input, found.error());
        folder = *found;
    }
    auto reader = JournalReader::open(folder);
    if (!reader)
        return fail(exit_bad_input, reader.error());
    const LockState lock = packed ? LockState::free : lock_info(folder).state;
    auto run = read_report(*reader, lock, std::string("kernelforge ") + KF_VERSION);
    if (!run) {
        Error error = run.error();
        if (packed) // the folder it was unpacked into means nothing to anybody
            error.place = Place{options.run.run, 0, 0};
        return fail(code_of(error), error);
    }
    for (const OneForm& form : forms) {
        if (form.file->empty())
            continue;
        const auto text = form.make(*run);
        if (!text)
            return fail(exit_infrastructure, text.error());
        if (auto written = write_file_atomic(*form.file, *text); !written)
            return fail(code_of(written.error()), written.error());
        std::printf("%s: %.1f KiB\n", form.file->c_str(), static_cast<double>(text->size()) / 1024);
    }
    return exit_ok;
}

} // namespace

void add_report(CLI::App& app, Action& action) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = app.add_subcommand("report", "tell a run in one file");
    options->run.add_to(*command);
    command->get_option("RUN")->description("a .kfrun file, a path, a name, beginning of a name or id, or \"last\"");
    command->add_option("--html", options->html,
                        "one page that needs nothing else: charts, autopsies, sources, transcript");
    command->add_option("--markdown", options->markdown, "the same without charts and transcript");
    command->add_option("--json", options->json, "figures and autopsies for programs");
    command->add_option("--csv", options->csv, "a row a turn");
    command->add_flag("--force", options->force, "replace files that are there");
    command->callback([options, &action] { action = [options] { return report(*options); }; });
}

} // namespace kf::cli
