// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled candidates on disk. The key holds all that a cubin depends on: text, options and architecture (the whole
// request), the compiler's library by version, path, size and time of change, and every header that the text can reach.
#pragma once

#include "core/helpers/nvrtc/includes.h"
#include "core/helpers/nvrtc/messages.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

namespace kf {

class CubinCache {
public:
    // `compiler`: the first line of kf-nvrtc (version, library, headers). The folder is made with access for this user
    // alone; where it, or one found there, may be written by anybody else the cache is off and says why.
    CubinCache(std::filesystem::path folder, const Json& compiler, std::uint64_t most_bytes = std::uint64_t{1} << 30);

    // "" or why nothing is kept.
    const std::string& off() const { return m_off; }
    std::string key(const nvrtc::CompileRequest& request);
    // Nothing when there is none, or when what is there is damaged (then it is removed). A hit counts as used now.
    std::optional<nvrtc::CompileOutput> find(const std::string& key);
    // Under a temporary name, then renamed. A full disk costs the entry and nothing else. Beyond the limit those go
    // first that were not used for longest.
    void put(const std::string& key, const nvrtc::CompileOutput& output);

private:
    std::filesystem::path file_of(const std::string& key) const;
    void prune();

    std::filesystem::path m_folder;
    std::string m_off, m_compiler;
    std::vector<nvrtc::IncludeRoot> m_roots;
    std::uint64_t m_limit;
    std::mutex m_mutex;
    nvrtc::HeaderHasher m_headers;
    std::uint64_t m_added = 0; // bytes since the folder was last looked through
};

} // namespace kf
