// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kf::cpu {

// Connects the kf_rt_* functions to Scheduler::instance(), after set_hooks() and before the first launch. A program
// that loads candidates must call it, which also links the functions in; it exports them with runtime/exports.list.
void enable_exports();

} // namespace kf::cpu
