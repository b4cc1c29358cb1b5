// SPDX-License-Identifier: GPL-3.0-or-later
// The window is a program of its own, which this one becomes: `kernelforge` links nothing of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kf::cli {

// Whether WAYLAND_DISPLAY or DISPLAY is set.
bool has_display();
// `kernelforge-workbench` beside this program (or in ../libexec/kernelforge), where there is one.
std::optional<std::filesystem::path> window_program();
// Returns only when it cannot be started; errno says why.
void become_window(const std::filesystem::path& program, const std::vector<std::string>& arguments);

} // namespace kf::cli
