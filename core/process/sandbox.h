// SPDX-License-Identifier: GPL-3.0-or-later
// The sandbox for untrusted native code, made by bubblewrap: own user, PID, IPC, UTS, cgroup and (empty) network
// namespaces, a read-only root with nothing but the system's programs and libraries and what the spec binds, private
// size-limited /tmp and /dev/shm, no capabilities, no home folder. Everything inside dies with the child.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kf {

// A host file or folder that is seen inside. An empty target means the same path.
struct SandboxBind {
    std::filesystem::path source;
    std::filesystem::path target;
    bool writable = false;
};

struct SandboxSpec {
    std::vector<SandboxBind> binds;
    std::vector<std::filesystem::path> devices; // device nodes beyond null, zero, full, random, urandom, tty
    std::uint64_t tmp_bytes = std::uint64_t{256} << 20;
    std::uint64_t shm_bytes = std::uint64_t{64} << 20;
};

struct Availability {
    bool available = false;
    std::string reason; // why not, or what is there: "bubblewrap 0.8.0"
    std::string remedy; // what to do when it is not available
};

// Tries the sandbox once for the process (a few milliseconds) and remembers the answer. Without it callers must refuse
// to run code they do not trust; nothing falls back to running it unprotected.
const Availability& probe_sandbox();

// One try, not remembered; `program` is the bubblewrap to use.
Availability try_sandbox(const std::string& program);

// The command line that runs argv inside. `processes` limits the number of processes inside when it is not 0. The
// environment is the caller's: it must already be clean. Errors: "sandbox-unavailable", "sandbox-bind" (a source that
// does not exist, or that is or contains the home folder).
Result<std::vector<std::string>> sandbox_command(const SandboxSpec& spec, const std::vector<std::string>& argv,
                                                 const std::filesystem::path& cwd, std::uint64_t processes = 0);

} // namespace kf
