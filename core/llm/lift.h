// SPDX-License-Identifier: GPL-3.0-or-later
// Host code to plan lines: launches, library products and allocations of a wrapper function are followed with symbolic
// shapes, and what they do is written as a plan. The wrapper goes; the device code stays as it is. A line that cannot
// be followed is refused with its place and with what would be accepted.
#pragma once

#include "core/llm/extract.h"

namespace kf {

// `text` is CUDA C++ with host code, a Python file with CUDA source in it (load_inline), or a Triton module, by
// `file_name`.
Extraction lift_candidate(std::string_view text, const std::string& file_name, const Task& task);

} // namespace kf
