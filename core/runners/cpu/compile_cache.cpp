// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/compile_cache.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/sha256.h"

#include <algorithm>

namespace kf {
namespace fs = std::filesystem;
namespace {
constexpr std::size_t kObjectLimit = std::size_t{64} << 20;
}

fs::path CompileCache::object_path(const std::string& key) const {
    return m_folder / key.substr(0, 2) / (key + ".so");
}
fs::path CompileCache::facts_path(const std::string& key) const {
    return m_folder / key.substr(0, 2) / (key + ".json");
}

std::optional<CpuBinary> CompileCache::find(const std::string& key) const {
    const Result<std::string> text = read_file(facts_path(key), 1 << 20);
    if (!text)
        return std::nullopt;
    const Result<Json> facts = parse_json(*text, facts_path(key).string());
    Result<std::string> object = read_file(object_path(key), kObjectLimit);
    if (!facts || !object || get_string(*facts, "key") != key || get_string(*facts, "sha256") != sha256(*object)) {
        std::error_code ignored;
        fs::remove(facts_path(key), ignored);
        fs::remove(object_path(key), ignored);
        return std::nullopt;
    }
    CpuBinary binary;
    binary.object = *std::move(object);
    binary.sha256 = get_string(*facts, "sha256");
    binary.key = key;
    const std::string mode = get_string(*facts, "mode");
    binary.mode = mode == "asan" ? CpuMode::asan : mode == "tsan" ? CpuMode::tsan : CpuMode::plain;
    for (const Json& flag : get_member(*facts, "flags"))
        if (flag.is_string())
            binary.flags.push_back(flag.get<std::string>());
    binary.compiler = get_string(*facts, "compiler");
    binary.log = get_string(*facts, "log");
    binary.seconds = get_double(*facts, "seconds");
    binary.volatile_yields = get_bool(*facts, "volatile_yields");
    binary.from_cache = true;
    return binary;
}

Status CompileCache::store(const CpuBinary& binary) const {
    std::error_code error;
    fs::create_directories(object_path(binary.key).parent_path(), error);
    if (error)
        return make_error("file-unwritable", "cannot create the cache folder: " + error.message(), {},
                          Place{m_folder.string(), 0, 0});
    const Json facts = {{"key", binary.key},
                        {"sha256", binary.sha256},
                        {"mode", to_string(binary.mode)},
                        {"flags", binary.flags},
                        {"compiler", binary.compiler},
                        {"log", binary.log},
                        {"seconds", binary.seconds},
                        {"volatile_yields", binary.volatile_yields}};
    // The facts last: an entry without them is no entry.
    if (const Status status = write_file_atomic(object_path(binary.key), binary.object); !status)
        return status;
    return write_file_atomic(facts_path(binary.key), dump_line(facts));
}

Result<std::string> hash_of_headers(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->is_regular_file(error))
            files.push_back(at->path());
    if (error || files.empty())
        return make_error("file-missing", "the SIMT headers are not there" + (error ? ": " + error.message() : ""),
                          "install the program's resources, or set KERNELFORGE_RESOURCES",
                          Place{folder.string(), 0, 0});
    std::sort(files.begin(), files.end());
    Sha256 hash;
    for (const fs::path& file : files) {
        const Result<std::string> text = read_file(file, 16 << 20);
        if (!text)
            return text.error();
        hash.update(sha256_of_parts({file.lexically_relative(folder).string(), *text}));
    }
    return hash.finish();
}

} // namespace kf
