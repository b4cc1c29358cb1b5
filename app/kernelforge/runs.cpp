// SPDX-License-Identifier: GPL-3.0-or-later
// `runs`: what runs there are, the newest first.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/terminal.h"
#include "core/journal/reader.h"
#include "core/journal/run_folder.h"
#include "core/render/figures.h"

#include <cstdio>

namespace kf::cli {
namespace {

struct RunsOptions {
    std::string runs;
    std::int64_t limit = 20;
    bool json = false;
};

int list(const RunsOptions& options) {
    const std::filesystem::path folder = options.runs.empty() ? runs_folder() : std::filesystem::path(options.runs);
    std::error_code ignored;
    if (!options.runs.empty() && !std::filesystem::is_directory(folder, ignored))
        return fail(exit_bad_input, make_error("runs-missing", "this is not a folder", "name a folder of runs",
                                               Place{folder.string(), 0, 0}));
    const std::vector<RunEntry> entries = list_runs(folder);
    Terminal terminal;
    const TextStyle style = terminal.style();
    if (entries.empty() && !options.json)
        terminal.print("no runs in " + plain_text(folder.string()) + "; kernelforge run TASK starts one");
    std::int64_t shown = 0;
    for (const RunEntry& entry : entries) {
        if (shown++ == options.limit)
            break;
        RunState state;
        std::string trouble;
        if (auto reader = JournalReader::open(entry.folder); !reader)
            trouble = reader.error().message;
        else if (auto events = reader->poll(); !events)
            trouble = events.error().message;
        else
            state.apply(*events);
        const RunStatus status = state.status(entry.lock.state);
        if (options.json) {
            Json json = to_json(state, status);
            json["folder"] = entry.folder.string();
            if (!trouble.empty())
                json["error"] = trouble;
            terminal.print(dump_line(json));
            continue;
        }
        std::string line =
            pad_right(plain_text(entry.name.text()), 40) + "  " + pad_right(to_string(status), 11) + "  ";
        const std::size_t turns = state.turns.size();
        line += pad_left(std::to_string(turns), 4) + (turns == 1 ? " turn   " : " turns  ");
        if (const ChampionState* champion = state.champion())
            line +=
                pad_left(format_seconds(champion->seconds_per_call), 8) + "  " + format_speedup(against_start(state));
        if (!trouble.empty())
            line += plain_text(trouble);
        terminal.print(style.width > 0 ? elide_end(line, style.width) : line);
    }
    if (!options.json && static_cast<std::int64_t>(entries.size()) > options.limit)
        terminal.print("… and " + std::to_string(static_cast<std::int64_t>(entries.size()) - options.limit) +
                       " older ones (--limit)");
    return exit_ok;
}

} // namespace

void add_runs(CLI::App& app, Action& action) {
    auto options = std::make_shared<RunsOptions>();
    CLI::App* command = app.add_subcommand("runs", "list the runs, the newest first");
    command->add_option("--runs", options->runs, "folder that runs are kept in");
    command->add_option("--limit", options->limit, "at most so many (20)")->check(whole_number(1, 1'000'000));
    command->add_flag("--json", options->json, "one line of JSON a run");
    command->callback([options, &action] { action = [options] { return list(*options); }; });
}

} // namespace kf::cli
