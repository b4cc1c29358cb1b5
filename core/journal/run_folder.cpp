// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/run_folder.h"

#include "core/base/files.h"
#include "core/base/random.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <sys/stat.h>

namespace kf {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_task_bytes = 40;
constexpr std::size_t id_bytes = 6;

bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_task_char(char c) {
    return is_lower_or_digit(c) || c == '_' || c == '.' || c == '-';
}

bool is_time(std::string_view text) {
    if (text.size() != 16)
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (i == 8 ? text[i] != 'T' : i == 15 ? text[i] != 'Z' : !digit)
            return false;
    }
    return true;
}

} // namespace

RunName RunName::make(const std::string& task, std::chrono::system_clock::time_point now) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char time[32];
    std::strftime(time, sizeof time, "%Y%m%dT%H%M%SZ", &utc);
    RunName name{time, {}, random_id(id_bytes)};
    for (char c : task) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
        const char kept = is_task_char(c) ? c : '-';
        if (kept != '-' || (!name.task.empty() && name.task.back() != '-'))
            name.task += kept;
        if (name.task.size() == max_task_bytes)
            break;
    }
    while (!name.task.empty() && name.task.back() == '-')
        name.task.pop_back();
    if (name.task.empty())
        name.task = "run";
    return name;
}

std::optional<RunName> RunName::parse(std::string_view text) {
    const std::size_t first = text.find('-');
    const std::size_t last = text.rfind('-');
    if (first == std::string_view::npos || last <= first + 1)
        return std::nullopt;
    RunName name{std::string(text.substr(0, first)), std::string(text.substr(first + 1, last - first - 1)),
                 std::string(text.substr(last + 1))};
    if (!is_time(name.time) || name.id.size() != id_bytes ||
        !std::all_of(name.id.begin(), name.id.end(), is_lower_or_digit) || name.task.size() > max_task_bytes ||
        !std::all_of(name.task.begin(), name.task.end(), is_task_char))
        return std::nullopt;
    return name;
}

fs::path runs_folder() {
    return data_folder() / "runs";
}

Result<fs::path> make_run_folder(const std::string& task, const fs::path& runs) {
    std::error_code error;
    fs::create_directories(runs, error);
    int number = error.value();
    // A second run of the same second differs in its id; a name that is taken all the same is tried again.
    for (int attempt = 0; !error && attempt < 10; ++attempt) {
        const fs::path folder = runs / RunName::make(task, std::chrono::system_clock::now()).text();
        if (mkdir(folder.c_str(), 0700) == 0)
            return folder;
        number = errno;
        if (number != EEXIST)
            break;
    }
    return make_error("journal-unwritable", std::string("cannot make a folder for the run: ") + std::strerror(number),
                      "set KERNELFORGE_HOME or XDG_DATA_HOME to a folder that can be written",
                      Place{runs.string(), 0, 0});
}

std::vector<RunEntry> list_runs(const fs::path& runs) {
    std::vector<RunEntry> entries;
    std::error_code error;
    for (fs::directory_iterator it(runs, error), end; !error && it != end; it.increment(error)) {
        const auto name = RunName::parse(it->path().filename().string());
        std::error_code ignored;
        if (name && fs::is_regular_file(it->path() / "journal.jsonl", ignored))
            entries.push_back(RunEntry{it->path(), *name, lock_info(it->path())});
    }
    std::sort(entries.begin(), entries.end(),
              [](const RunEntry& a, const RunEntry& b) { return a.name.text() > b.name.text(); });
    return entries;
}

Result<fs::path> find_run(const std::string& text, const fs::path& runs) {
    std::error_code error;
    if (!text.empty() && fs::is_regular_file(fs::path(text) / "journal.jsonl", error))
        return fs::path(text);
    std::vector<fs::path> matches;
    for (const RunEntry& entry : list_runs(runs)) {
        if (text == "last" || entry.name.text() == text)
            return entry.folder;
        if (!text.empty() && (entry.name.text().starts_with(text) || entry.name.id.starts_with(text)))
            matches.push_back(entry.folder);
    }
    if (matches.size() == 1)
        return matches.front();
    if (matches.empty())
        return make_error("run-missing", "there is no run \"" + text + "\" in " + runs.string(),
                          "give a path, a name, the beginning of a name or id, or \"last\"");
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(matches.size(), 5); ++i)
        names += (i ? ", " : "") + matches[i].filename().string();
    return make_error("run-ambiguous",
                      std::to_string(matches.size()) + " runs begin with \"" + text + "\": " + names +
                          (matches.size() > 5 ? ", …" : ""),
                      "give more of the name");
}

} // namespace kf
