// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/run_lookup.h"

#include "core/journal/run_folder.h"
#include "core/task/task_reader.h"

namespace kf::cli {

void RunLookup::add_to(CLI::App& command) {
    command.add_option("RUN", run, "path, name, beginning of a name or id, or \"last\"")->required();
    command.add_option("--runs", runs, "folder that runs are kept in");
}

std::filesystem::path RunLookup::folder_of_runs() const {
    return runs.empty() ? runs_folder() : std::filesystem::path(runs);
}

Result<std::filesystem::path> RunLookup::find() const {
    auto folder = find_run(run, folder_of_runs());
    if (folder || folder.error().code != "run-missing")
        return folder;
    std::vector<std::string> names;
    for (const RunEntry& entry : list_runs(folder_of_runs()))
        names.push_back(entry.name.text());
    Error error = folder.error();
    if (const std::string near = nearest(run, names); !near.empty())
        error.remedy = "did you mean `" + near + "`? kernelforge runs lists all";
    return error;
}

} // namespace kf::cli
