// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/window.h"

#include "core/base/files.h"

#include <cstdlib>
#include <unistd.h>

namespace kf::cli {

bool has_display() {
    for (const char* variable : {"WAYLAND_DISPLAY", "DISPLAY"})
        if (const char* value = std::getenv(variable); value && *value)
            return true;
    return false;
}

std::optional<std::filesystem::path> window_program() {
    const auto path = program_path("kernelforge-workbench");
    return access(path.c_str(), X_OK) == 0 ? std::optional(path) : std::nullopt;
}

void become_window(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
}

} // namespace kf::cli
