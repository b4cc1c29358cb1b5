// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled objects by the hash of everything they were made from. An entry that does not match its own hash is removed
// and counts as missing.
#pragma once

#include "core/runners/cpu/compile.h"

#include <filesystem>
#include <optional>
#include <string>

namespace kf {

class CompileCache {
public:
    explicit CompileCache(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    std::optional<CpuBinary> find(const std::string& key) const;
    // Failures to write are reported, but a caller may go on without.
    Status store(const CpuBinary& binary) const;

private:
    std::filesystem::path object_path(const std::string& key) const;
    std::filesystem::path facts_path(const std::string& key) const;

    std::filesystem::path m_folder;
};

// Hash of all headers below the folder, their names included. Error: "file-…".
Result<std::string> hash_of_headers(const std::filesystem::path& folder);

} // namespace kf
