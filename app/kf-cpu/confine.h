// SPDX-License-Identifier: GPL-3.0-or-later
// After a candidate is loaded, only system calls that running it needs are left (seccomp); any other one ends the
// process through SIGSYS with its name (crash.cpp).
#pragma once

#include "core/base/result.h"
#include "core/runners/cpu/runtime/module.h"

namespace kf::cpu {

// Before the candidate is loaded: no core files, no debugger.
void harden_process();
// Both for good. Error: "confine" when the kernel has no seccomp.
// After loading: what forks children for its runs (the sanitizers' programs, which do not fork, run under it).
Status confine_waiting();
// In such a child, which may not even do that.
Status confine_run();
// Async-signal-safe.
const char* syscall_name(int number);
void set_sealed_module(const Module* module);
bool is_sealed_memory(const void* address);

} // namespace kf::cpu
