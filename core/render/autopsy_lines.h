// SPDX-License-Identifier: GPL-3.0-or-later
// An autopsy in at most six lines: where and what, the evidence that points furthest, the likeliest cause, what to try.
#pragma once

#include "core/autopsy/autopsy.h"
#include "core/render/terminal_text.h"

#include <string>
#include <vector>

namespace kf {

inline constexpr std::size_t max_autopsy_lines = 6;

std::vector<std::string> autopsy_lines(const Autopsy& autopsy, const TextStyle& style);

} // namespace kf
