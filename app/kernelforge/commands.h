// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of `kernelforge`, one file each. Each adds its subcommand; parsing one of them sets the action that
// main() then performs, whose result is the exit code (exit_code.h).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace kf::cli {

using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action); // and `tune`
void add_resume(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_models(CLI::App& app, Action& action);
void add_attach(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_runs(CLI::App& app, Action& action);
void add_pack(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_task(CLI::App& app, Action& action);
void add_candidate(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_open(CLI::App& app, Action& action);

} // namespace kf::cli
