// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/process_tree.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace kf {
namespace {

// /proc files have size 0; reads until the end or the cap. No allocation beyond the string: this runs every few ms.
std::string slurp(const std::string& path, std::size_t cap) {
    std::string text;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return text;
    char buffer[4096];
    while (text.size() < cap) {
        const ssize_t n = read(fd, buffer, sizeof buffer);
        if (n <= 0)
            break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    close(fd);
    return text;
}

std::string proc(pid_t pid, const char* file) {
    return "/proc/" + std::to_string(pid) + "/" + file;
}

std::vector<pid_t> numeric_entries(const std::string& folder) {
    std::vector<pid_t> numbers;
    DIR* directory = opendir(folder.c_str());
    if (!directory)
        return numbers;
    while (const dirent* entry = readdir(directory))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            numbers.push_back(static_cast<pid_t>(std::atol(entry->d_name)));
    closedir(directory);
    return numbers;
}

bool kernel_lists_children() {
    static const bool answer = access("/proc/self/task", R_OK) == 0 &&
                               access(("/proc/self/task/" + std::to_string(getpid()) + "/children").c_str(), R_OK) == 0;
    return answer;
}

} // namespace

bool read_stat(pid_t pid, ProcessStat& stat) {
    const std::string text = slurp(proc(pid, "stat"), 4096);
    // The name is in parentheses and may contain anything, also ")": look for the last one.
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos)
        return false;
    return std::sscanf(text.c_str() + end + 1, " %c %d %d %d", &stat.state, &stat.parent, &stat.group, &stat.session) ==
           4;
}

std::vector<pid_t> children_of(pid_t pid) {
    std::vector<pid_t> children;
    if (kernel_lists_children()) {
        for (const pid_t thread : numeric_entries(proc(pid, "task"))) {
            const std::string list =
                slurp("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/children", 1 << 20);
            const char* at = list.c_str();
            while (*at) {
                char* end = nullptr;
                const long child = std::strtol(at, &end, 10);
                if (end == at)
                    break;
                children.push_back(static_cast<pid_t>(child));
                at = end;
                while (*at == ' ')
                    ++at;
            }
        }
        return children;
    }
    for (const pid_t candidate : numeric_entries("/proc")) {
        ProcessStat stat;
        if (read_stat(candidate, stat) && stat.parent == pid)
            children.push_back(candidate);
    }
    return children;
}

std::vector<pid_t> process_tree(pid_t root) {
    std::vector<pid_t> tree;
    ProcessStat stat;
    if (root <= 0 || !read_stat(root, stat))
        return tree;
    tree.push_back(root);
    for (std::size_t i = 0; i < tree.size(); ++i)
        for (const pid_t child : children_of(tree[i]))
            if (std::find(tree.begin(), tree.end(), child) == tree.end())
                tree.push_back(child);
    return tree;
}

std::uint64_t resident_bytes(pid_t pid) {
    const std::string text = slurp(proc(pid, "statm"), 256);
    unsigned long long total = 0;
    unsigned long long resident = 0;
    if (std::sscanf(text.c_str(), "%llu %llu", &total, &resident) != 2)
        return 0;
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return resident * page;
}

std::uint64_t resident_bytes_of_tree(pid_t root) {
    std::uint64_t sum = 0;
    for (const pid_t pid : process_tree(root))
        sum += resident_bytes(pid);
    return sum;
}

bool has_environment(pid_t pid, const std::string& entry) {
    const std::string text = '\0' + slurp(proc(pid, "environ"), 256 << 10);
    return text.find('\0' + entry + '\0') != std::string::npos;
}

} // namespace kf
