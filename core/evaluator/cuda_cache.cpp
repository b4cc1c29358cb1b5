// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cuda_cache.h"

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view form = "kernelforge-cubin-1"; // another one when the entries change
constexpr std::size_t hash_length = 64;
constexpr std::size_t most_entry = std::size_t{400} << 20;

// "" when only this user can write there.
std::string shared_with(const fs::path& folder) {
    struct stat info {};
    if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
        return folder.string() + " is no folder that can be used";
    if (info.st_uid != geteuid())
        return folder.string() + " belongs to another user";
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return folder.string() + " can be written by others";
    return "";
}

std::string identity_of(const std::string& library) {
    struct stat info {};
    if (library.empty() || stat(library.c_str(), &info) != 0)
        return library;
    return library + " " + std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec) + "." +
           std::to_string(info.st_mtim.tv_nsec);
}

bool write_whole(const fs::path& path, std::string_view first, std::string_view second) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return false;
    bool written = true;
    for (std::string_view part : {first, second})
        while (written && !part.empty()) {
            const ssize_t n = ::write(file, part.data(), part.size());
            written = n > 0;
            if (written)
                part.remove_prefix(static_cast<std::size_t>(n));
        }
    return (::close(file) == 0) && written;
}

} // namespace

CubinCache::CubinCache(fs::path folder, const Json& compiler, std::uint64_t most_bytes)
    : m_folder(std::move(folder)), m_limit(most_bytes) {
    m_compiler = get_string(compiler, "nvrtc") + "\n" + get_string(compiler, "version") + "\n" +
                 identity_of(get_string(compiler, "library"));
    const Json& headers = get_member(compiler, "headers");
    for (const char* label : {"kf", "cuda", "cccl", "std-shims"}) // kf-nvrtc's search order
        if (const std::string path = get_string(headers, label); !path.empty())
            m_roots.push_back({path, label});
    std::error_code error;
    fs::create_directories(m_folder.parent_path(), error);
    if (::mkdir(m_folder.c_str(), 0700) != 0 && errno != EEXIST)
        m_off = m_folder.string() + " cannot be made";
    else
        m_off = shared_with(m_folder);
}

fs::path CubinCache::file_of(const std::string& key) const {
    return m_folder / (key + ".cubin");
}

std::string CubinCache::key(const nvrtc::CompileRequest& request) {
    const std::lock_guard lock(m_mutex);
    nvrtc::CompileRequest plain = request;
    plain.seconds = 0; // how long it may take, where it goes: no part of what comes out
    plain.output_folder.clear();
    std::vector<nvrtc::IncludeRoot> roots = m_roots;
    for (const std::string& path : request.include_paths)
        roots.push_back({path, "extra"});
    return sha256_of_parts(
        {form, m_compiler, m_headers.hash(request.source, roots).hash, dump_line(nvrtc::to_json(plain))});
}

std::optional<nvrtc::CompileOutput> CubinCache::find(const std::string& key) {
    if (!m_off.empty())
        return std::nullopt;
    const fs::path file = file_of(key);
    auto text = read_file(file, most_entry);
    if (!text)
        return std::nullopt;
    const auto damaged = [&] {
        std::error_code ignored;
        fs::remove(file, ignored);
        return std::nullopt;
    };
    // sha256 of the rest, key, reply: an entry that was renamed to another key does not pass either.
    const std::string_view rest = std::string_view(*text).substr(std::min(text->size(), hash_length));
    if (rest.empty() || sha256(rest) != text->substr(0, hash_length) || rest.substr(0, key.size()) != key)
        return damaged();
    const auto json = parse_json(rest.substr(key.size()), file.string(), most_entry);
    auto reply = json ? nvrtc::reply_from_json(*json) : Result<nvrtc::CompileReply>(json.error());
    auto* output = reply ? std::get_if<nvrtc::CompileOutput>(&*reply) : nullptr;
    if (!output || output->cubin.empty() || sha256(output->cubin) != output->sha256)
        return damaged();
    (void)utimensat(AT_FDCWD, file.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
    return std::move(*output);
}

void CubinCache::put(const std::string& key, const nvrtc::CompileOutput& output) {
    if (!m_off.empty() || output.cubin.empty())
        return;
    nvrtc::CompileOutput kept = output;
    kept.cubin_path.clear(); // the bytes are in it
    const std::string rest = key + dump_line(nvrtc::to_json(nvrtc::CompileReply(std::move(kept))));
    const fs::path temporary = m_folder / (key + "." + random_id(12) + ".part");
    std::error_code ignored;
    if (!write_whole(temporary, sha256(rest), rest)) {
        fs::remove(temporary, ignored);
        return;
    }
    fs::rename(temporary, file_of(key), ignored);
    if (ignored)
        fs::remove(temporary, ignored);
    const std::lock_guard lock(m_mutex);
    const bool first = m_added == 0;
    m_added += rest.size() + hash_length;
    if (first || m_added > m_limit / 16)
        prune();
}

void CubinCache::prune() {
    struct Entry {
        fs::file_time_type used;
        std::uint64_t bytes;
        fs::path path;
    };
    std::vector<Entry> entries;
    std::uint64_t sum = 0;
    std::error_code ignored;
    const auto now = fs::file_time_type::clock::now();
    for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {
        const auto bytes = entry.file_size(ignored);
        const auto used = entry.last_write_time(ignored);
        if (entry.path().extension() == ".part") { // of a process that died; one that lives is done within the hour
            if (now - used > std::chrono::hours(1))
                fs::remove(entry.path(), ignored);
            continue;
        }
        entries.push_back({used, bytes, entry.path()});
        sum += bytes;
    }
    m_added = 1;
    if (sum <= m_limit)
        return;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
        if (sum <= m_limit / 4 * 3)
            break;
        fs::remove(entry.path, ignored);
        sum -= entry.bytes;
    }
}

} // namespace kf
