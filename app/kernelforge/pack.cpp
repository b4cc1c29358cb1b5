// SPDX-License-Identifier: GPL-3.0-or-later
// `pack`: a whole run in one .kfrun file.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/run_lookup.h"
#include "core/journal/packed_run.h"

#include <cstdio>

namespace kf::cli {
namespace {

struct PackOptions {
    RunLookup run;
    std::string file;
    bool force = false;
};

int pack(const PackOptions& options) {
    auto folder = options.run.find();
    if (!folder)
        return fail(exit_bad_input, folder.error());
    std::error_code ignored;
    if (!options.force && std::filesystem::exists(options.file, ignored))
        return fail(exit_bad_input, make_error("file-exists", "this file is there already",
                                               "name another one, or add --force", Place{options.file, 0, 0}));
    if (auto packed = pack_run(*folder, options.file); !packed)
        return fail(code_of(packed.error()), packed.error());
    const auto bytes = std::filesystem::file_size(options.file, ignored);
    std::printf("%s: %.1f KiB\n", options.file.c_str(), static_cast<double>(bytes) / 1024);
    return exit_ok;
}

} // namespace

void add_pack(CLI::App& app, Action& action) {
    auto options = std::make_shared<PackOptions>();
    CLI::App* command = app.add_subcommand("pack", "put a whole run into one .kfrun file");
    options->run.add_to(*command);
    command->add_option("FILE", options->file, "the file to write, for example softmax.kfrun")->required();
    command->add_flag("--force", options->force, "replace a file that is there");
    command->callback([options, &action] { action = [options] { return pack(*options); }; });
}

} // namespace kf::cli
