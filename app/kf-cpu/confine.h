// SPDX-License-Identifier: GPL-3.0-or-later
// After a candidate is loaded, only system calls that running it needs are left (seccomp); any other one ends the
// process through SIGSYS with its name (crash.cpp).
#pragma once

#include "core/base/result.h"
#include "core/runners/cpu/runtime/module.h"

namespace kf::cpu {

// Before the candidate is loaded: no core files, no debugger.
void harden_process();
// Wait: a process that has loaded a candidate and forks children for its runs (where runs are not forked, the runs
// too). Run: such a child, which may not even do that.
enum class Confinement { Wait, Run };
// For good. Error: "confine" when the kernel has no seccomp.
Status confine(Confinement confinement);
// Async-signal-safe.
const char* syscall_name(int number);
void set_sealed_module(const Module* module);
bool is_sealed_memory(const void* address);

} // namespace kf::cpu
