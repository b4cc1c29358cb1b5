// SPDX-License-Identifier: GPL-3.0-or-later
// Looking at a process and everything it started, through /proc. Answers are snapshots: a process may end at any
// moment.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kf {

// Direct children (of all threads).
std::vector<pid_t> children_of(pid_t pid);
// `root` first, then all descendants; a child stands after its parent. Empty when `root` is gone.
std::vector<pid_t> process_tree(pid_t root);

// Resident bytes of one process, shared pages included; 0 when it is gone.
std::uint64_t resident_bytes(pid_t pid);
std::uint64_t resident_bytes_of_tree(pid_t root);

struct ProcessStat {
    char state = '?';
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
};
// False when there is no such process.
bool read_stat(pid_t pid, ProcessStat& stat);

// Whether the environment it was started with holds "NAME=value" (false for zombies and other users' processes).
bool has_environment(pid_t pid, const std::string& entry);

} // namespace kf
