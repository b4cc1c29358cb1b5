// SPDX-License-Identifier: GPL-3.0-or-later
// The last words of a process that device code has broken: one line on the channel that names what happened and where,
// then a distinct exit code.
#pragma once

namespace kf::cpu {

constexpr int exit_crash = 101;
constexpr int exit_sandbox = 102;
// Of a forked child that answered its run, well or with a failure that leaves the process whole.
constexpr int exit_run_done = 110;
constexpr int exit_run_failed = 111;

// Ends the process at once, without destructors or a sanitizer's own exit.
[[noreturn]] void end_process(int code);

// Handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGSYS (a system call that confine.cpp denies) on a stack
// of their own.
void install_crash_handlers();

// Which kernel of the plan runs, for the report; -1: none.
void set_running_kernel(int kernel);

// Called by a sanitizer that is about to end the process after its report.
void report_sanitizer_death();

} // namespace kf::cpu
