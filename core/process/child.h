// SPDX-License-Identifier: GPL-3.0-or-later
// Child processes that cannot outlive us, cannot hang us and cannot inherit what they must not have.
//
// All children are forked by one thread that lives as long as the process (forker.h), get PR_SET_PDEATHSIG and a
// session of their own. Without a sandbox, grandchildren are killed with the session (also those that left the process
// group, as long as we live); only with a sandbox do they also die when we are killed.
#pragma once

#include "core/base/result.h"
#include "core/process/poll_until.h"
#include "core/process/sandbox.h"
#include "core/process/unique_fd.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kf {

enum class ChildInput { null, pipe, socket }; // socket: fd 0 is one end of a Unix stream socket pair
enum class ChildOutput { pipe, null, inherit };

// Kernel limits; unset ones are inherited. Core files are always off. `processes` counts the processes of the user
// without a sandbox, those inside with one (root is exempt: use RunLimits::processes as well).
struct ChildLimits {
    std::optional<std::uint64_t> address_space; // bytes; breaks CUDA and the sanitizers
    std::optional<std::uint64_t> cpu_seconds;
    std::optional<std::uint64_t> file_size; // bytes of any one file
    std::optional<std::uint64_t> open_files;
    std::optional<std::uint64_t> processes;
};

struct ChildSpec {
    std::vector<std::string> argv;          // argv[0] is looked for on PATH when it has no slash
    std::map<std::string, std::string> env; // set besides the allow-list (PATH, LANG, LC_*, TZ); secrets are refused
    std::vector<std::string> pass_env;      // more variables to hand on from our environment; secrets are refused
    bool pass_home = false;                 // hand on HOME and XDG_*
    std::filesystem::path cwd;              // empty: "/" ("/tmp" inside a sandbox)
    std::optional<SandboxSpec> sandbox;
    ChildLimits limits;
    std::vector<int> fds; // become descriptors 3, 4, … of the child; everything else is closed
    ChildInput input = ChildInput::null;
    ChildOutput output = ChildOutput::pipe;
    ChildOutput error_output = ChildOutput::pipe;
    bool new_session = true; // always so inside a sandbox
    // What it gets when we die. SIGTERM only for a program that then ends its own children (kill_all_children()) and
    // itself.
    int death_signal = 9; // SIGKILL
};

// How a child ended. Inside a sandbox a signal arrives as exit code 128 + signal; it is turned back into `signal` here,
// so that a program which really returns 139 cannot be told from one that crashed. Never base a verdict on that
// difference.
struct ExitStatus {
    int exit_code = -1; // -1 when a signal ended it
    int signal = 0;
};

// One running child. Destroying it kills everything it started and reaps it.
class Child {
public:
    // Errors: "program-missing" (with remedy), "spawn-failed", "sandbox-unavailable", "sandbox-bind",
    // "secret-in-environment".
    static Result<Child> start(const ChildSpec& spec);

    Child() = default;
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();

    pid_t pid() const { return m_pid; }
    int pidfd() const { return m_pidfd.get(); } // readable once it has ended
    bool running() const { return m_pid > 0 && !m_status; }

    // Our ends of the pipes; -1 where there is none.
    int input_fd() const { return m_input.get(); }
    int output_fd() const { return m_output.get(); }
    int error_fd() const { return m_error.get(); }
    void close_input() { m_input.reset(); }
    UniqueFd take_input() { return std::move(m_input); }
    UniqueFd take_output() { return std::move(m_output); }
    UniqueFd take_error() { return std::move(m_error); }

    // The status, or nothing when it still runs at the deadline.
    std::optional<ExitStatus> wait(SteadyTime deadline);
    // SIGTERM to everything it started, SIGKILL after `grace`.
    ExitStatus terminate(std::chrono::duration<double> grace);
    // SIGKILL to everything it started.
    ExitStatus kill_now();

    // Of the child and all its descendants.
    std::uint64_t resident_bytes() const;
    std::size_t process_count() const;

private:
    void signal_all(int signal) const;
    ExitStatus reap();
    void sweep() const;

    pid_t m_pid = -1;
    UniqueFd m_pidfd;
    UniqueFd m_input;
    UniqueFd m_output;
    UniqueFd m_error;
    std::string m_marker; // "KF_CHILD_<random>": in its environment and that of all it starts through us
    std::optional<ExitStatus> m_status;
    bool m_sandboxed = false;
    bool m_own_session = true;
};

// For a program that is told to end at once: SIGKILL to the sessions of all its children. A bubblewrap that is killed
// alone, as its death signal does it, leaves its half-made sandbox waiting for it for ever.
void kill_all_children();

// What run_to_end() allows. Exceeding any of them kills the child and is named in Finished.
struct RunLimits {
    SteadyTime deadline; // required
    std::size_t output_bytes = std::size_t{16} << 20;
    std::size_t error_bytes = std::size_t{1} << 20;
    std::uint64_t memory_bytes = 0; // resident size of the whole tree; 0: no limit
    std::size_t processes = 0;      // of the whole tree, bubblewrap's own two included; 0: no limit
    std::chrono::duration<double> grace{0};
    std::function<bool()> cancelled; // asked about every 10 ms
    std::string input;               // written to the child's fd 0 when it is a pipe or socket; then closed
};

struct Finished {
    int exit_code = -1;
    int signal = 0;
    std::string out; // at most the caps
    std::string err;
    bool timed_out = false;
    bool flooded = false;
    bool memory_exceeded = false;
    bool processes_exceeded = false;
    bool cancelled = false;
    double seconds = 0;

    bool succeeded() const {
        return exit_code == 0 && !timed_out && !flooded && !memory_exceeded && !processes_exceeded && !cancelled;
    }
    // "exit code 1", "killed by signal 11 (Segmentation fault)", "no end within the time limit" …
    std::string ending() const;
};

// Starts, feeds, collects and reaps. Errors are those of Child::start; whatever the child does is a Finished.
Result<Finished> run_to_end(const ChildSpec& spec, const RunLimits& limits);

} // namespace kf
