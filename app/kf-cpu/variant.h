// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between kf-cpu, kf-cpu-asan and kf-cpu-tsan.
#pragma once

#include <cstddef>

namespace kf::cpu {

enum class Variant { Plain, Asan, Tsan };

Variant variant();
const char* variant_name();
// Tells the runtime about the sanitizer; called first of all.
void install_hooks();
// Marks arena bytes that device code must not touch. False: this variant cannot.
bool poison_arena(const void* address, std::size_t bytes);
// Removes all marks from the range.
void unpoison_arena(const void* address, std::size_t bytes);
// Reports that the sanitizer has printed so far.
unsigned int sanitizer_reports();

} // namespace kf::cpu
