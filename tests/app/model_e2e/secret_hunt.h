// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for a secret in texts, files and the environment of processes: as it is in any case, percent-encoded, as JSON
// escapes it, in base64 at each of its three offsets and in hexadecimal.
#pragma once

#include "core/base/files.h"
#include "core/process/process_tree.h"
#include "core/protocol/base64.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

class SecretHunt {
public:
    explicit SecretHunt(const std::string& secret) {
        std::string percent, json, hex;
        for (const unsigned char c : secret) {
            char text[8];
            std::snprintf(text, sizeof text, "%02x", c);
            hex += text;
            percent += std::isalnum(c) || std::string_view("-._~").find(static_cast<char>(c)) != std::string_view::npos
                           ? std::string(1, static_cast<char>(c))
                           : "%" + std::string(text);
            json += c == '/' ? "\\/" : std::string(1, static_cast<char>(c));
        }
        m_forms = {lower(secret), lower(percent), lower(json), hex};
        // What stands before and behind it decides the first and the last characters: those are left out.
        for (std::size_t before = 0; before < 3; ++before) {
            const std::string coded = base64_encode(std::string(before, 'x') + secret);
            const std::size_t first = before == 0 ? 0 : before + 1;
            const std::size_t whole = (before + secret.size()) * 8 / 6;
            m_coded.push_back(coded.substr(first, whole - first));
            std::string url = m_coded.back();
            std::replace(url.begin(), url.end(), '+', '-');
            std::replace(url.begin(), url.end(), '/', '_');
            m_coded.push_back(std::move(url));
        }
    }

    bool in(std::string_view text) const {
        const std::string small = lower(text);
        return std::any_of(m_forms.begin(), m_forms.end(),
                           [&](const std::string& form) { return small.find(form) != std::string::npos; }) ||
               std::any_of(m_coded.begin(), m_coded.end(),
                           [&](const std::string& form) { return text.find(form) != std::string_view::npos; });
    }
    // Files below `folder` that hold it, or whose name does; how many were read stands in `files`.
    std::vector<std::string> below(const std::filesystem::path& folder, int& files) const {
        std::vector<std::string> found;
        for (const auto& item : std::filesystem::recursive_directory_iterator(folder)) {
            if (in(item.path().string()))
                found.push_back(item.path().string());
            if (!item.is_regular_file())
                continue;
            const auto text = read_file(item.path(), std::size_t{1} << 30);
            files += text.ok();
            if (text && in(*text))
                found.push_back(item.path().string());
        }
        return found;
    }

private:
    static std::string lower(std::string_view text) {
        std::string small(text);
        std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
        return small;
    }
    std::vector<std::string> m_forms, m_coded;
};

// Programs below `root` (not it itself) at this moment, and those of them whose environment or arguments hold the
// secret. What forked and has not become its program yet is its parent's copy and is not looked at unless `copies`.
inline void look_at_descendants(pid_t root, const SecretHunt& hunt, bool copies, std::set<std::string>& seen,
                                std::set<std::string>& leaky) {
    std::error_code gone;
    const auto own = std::filesystem::read_symlink("/proc/" + std::to_string(root) + "/exe", gone);
    for (const pid_t pid : process_tree(root)) {
        if (pid == root)
            continue;
        const std::filesystem::path place = "/proc/" + std::to_string(pid);
        const auto program = std::filesystem::read_symlink(place / "exe", gone);
        if (gone || (program == own && !copies))
            continue;
        const auto environment = read_file(place / "environ", 1 << 20), words = read_file(place / "cmdline", 1 << 20);
        // Still the same program: what was read is not that of the copy it was before.
        if (std::filesystem::read_symlink(place / "exe", gone) != program || gone || !environment)
            continue;
        seen.insert(program.filename().string());
        if (hunt.in(*environment) || (words && hunt.in(*words)))
            leaky.insert(program.filename().string());
    }
}

} // namespace kf
