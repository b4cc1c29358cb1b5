// SPDX-License-Identifier: GPL-3.0-or-later
// Where runs lie and how they are called: <time>-<task>-<short id>, for example 20261130T171500Z-softmax-k3x9q2 (UTC).
#pragma once

#include "core/journal/lock.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kf {

struct RunName {
    std::string time; // 20261130T171500Z
    std::string task; // lower-case letters, digits, '_' and '.'; at most 40 bytes; dashes allowed inside
    std::string id;   // six lower-case letters and digits

    std::string text() const { return time + "-" + task + "-" + id; }
    // Anything a person calls a task becomes a name that a file system and a shell take.
    static RunName make(const std::string& task, std::chrono::system_clock::time_point now);
    static std::optional<RunName> parse(std::string_view text);
};

// data_folder()/runs.
std::filesystem::path runs_folder();
// A new, empty folder for a run, which only this user can enter. Error: "journal-unwritable".
Result<std::filesystem::path> make_run_folder(const std::string& task,
                                              const std::filesystem::path& runs = runs_folder());

struct RunEntry {
    std::filesystem::path folder;
    RunName name;
    LockInfo lock;
};

// All runs below the folder, the newest first. A folder without a journal or with another form of name is none.
std::vector<RunEntry> list_runs(const std::filesystem::path& runs = runs_folder());

// The folder of a run, by its path, by its name, by a beginning of its name or of its short id, or "last". Errors:
// "run-missing", "run-ambiguous" (names the candidates).
Result<std::filesystem::path> find_run(const std::string& text, const std::filesystem::path& runs = runs_folder());

} // namespace kf
