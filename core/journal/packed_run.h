// SPDX-License-Identifier: GPL-3.0-or-later
// A whole run in one .kfrun file: a compressed tar (zstd, or gzip where libarchive lacks it) of <name>/journal.jsonl
// and <name>/blobs/<sha256>. Such files come from strangers: they are opened with limits, and only these names are
// unpacked.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kf {

// Packs the complete events, also of a run that is still being written; the lock stays out. The file appears whole or
// not at all. Errors: "journal-missing", "packed-unwritable", "journal-unreadable".
Status pack_run(const std::filesystem::path& run_folder, const std::filesystem::path& file);

struct PackedLimits {
    std::uint64_t total_bytes = std::uint64_t{8} << 30; // unpacked
    std::uint64_t member_bytes = std::uint64_t{2} << 30;
    std::size_t members = 200'000;
};

// The run, unpacked into a private folder that goes with this object.
class PackedRun {
public:
    // Errors: "packed-unreadable" (missing, no archive, damaged), "packed-hostile" (absolute path, "..", link, device,
    // a member twice), "packed-too-large" (a limit, by bytes that really came), "packed-invalid" (no journal in it),
    // "packed-unwritable" (no room to unpack). Nothing is left behind after an error.
    static Result<PackedRun> open(const std::filesystem::path& file, const PackedLimits& limits = {});
    PackedRun(PackedRun&& other) noexcept;
    PackedRun& operator=(PackedRun&& other) noexcept;
    ~PackedRun();

    // What JournalReader::open takes.
    const std::filesystem::path& folder() const { return m_run; }
    const std::string& name() const { return m_name; }
    // Members that are no part of a run as this release knows it; they were not unpacked.
    const std::vector<std::string>& skipped() const { return m_skipped; }

private:
    PackedRun() = default;
    std::filesystem::path m_root; // removed with this object
    std::filesystem::path m_run;
    std::string m_name;
    std::vector<std::string> m_skipped;
};

} // namespace kf
