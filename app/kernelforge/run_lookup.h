// SPDX-License-Identifier: GPL-3.0-or-later
// RUN on the command line: a path, a name, the beginning of a name or of a short id, or "last".
#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace kf::cli {

struct RunLookup {
    std::string run, runs;

    void add_to(CLI::App& command);
    std::filesystem::path folder_of_runs() const;
    // Errors: "run-missing" (with the nearest name), "run-ambiguous".
    Result<std::filesystem::path> find() const;
};

} // namespace kf::cli
