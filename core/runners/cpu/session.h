// SPDX-License-Identifier: GPL-3.0-or-later
// One kf-cpu process, which runs one candidate: started in the sandbox (in standby, before the candidate is known),
// given a shared object, an arena and a plan, run and timed from here. Whatever the candidate does ends in a typed
// status.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/process/child.h"
#include "core/process/memory_file.h"
#include "core/runners/cpu/compile.h"
#include "core/runners/cpu/sanitizer_report.h"
#include "core/runners/cpu/steps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kf {

struct CpuSessionSpec {
    CpuMode mode = CpuMode::plain;
    std::filesystem::path program;                // empty: kf-cpu, kf-cpu-asan or kf-cpu-tsan of this installation
    std::vector<std::filesystem::path> libraries; // read-only files or folders that the program needs outside /usr
    bool trusted = false; // may run without a sandbox where there is none: text that a person here wrote
    std::uint64_t arena_limit = std::uint64_t{8} << 30;
    std::uint64_t memory_bytes = 0;    // resident size beyond the arena; 0: what the mode needs
    std::size_t error_tail = 64 << 10; // bytes of standard error that are kept; more for the sanitizers
    std::size_t error_limit = 1 << 20; // and how many it may write before that is a flood
    double start_seconds = 20;
    double reply_seconds = 30; // for everything but run()
};

struct CpuKernel {
    std::string expression; // as the compile request gave it
    std::string signature;  // mangled function type, for parse_signature (core/candidate)
    int argument_count = 0;
};

struct CpuRunStatus {
    enum class Kind {
        ok,
        failed,    // the runner found something wrong: `status` says what ("barrier", "no-progress", "misaligned", …)
        sanitizer, // `reports` say what
        sandbox,   // a system call that is not allowed: `syscall`
        crash,     // `signal`, `address`
        exited,    // the process ended by itself: `exit_code`
        timeout,
        flood,  // too much on standard error
        memory, // too much memory
        lost,   // killed from outside (SIGKILL that we did not send): nobody can say that it was the candidate's fault
        protocol, // what came back is not the protocol
        cancelled
    };
    Kind kind = Kind::ok;
    std::string status;  // the runner's word for a failure
    std::string message; // one sentence
    std::string syscall;
    std::string signal; // "SIGSEGV"
    std::string address;
    int step = -1;   // of the plan
    int kernel = -1; // of the compile request
    std::optional<std::array<std::int64_t, 3>> block;
    std::optional<std::array<std::int64_t, 3>> thread;
    int line = 0; // of the candidate
    int exit_code = -1;
    double seconds = 0; // between the order to go and the answer, by this process's steady clock
    std::vector<SanitizerReport> reports;
    std::string error_tail; // the end of standard error (printf of kernels and reports)

    bool ok() const { return kind == Kind::ok; }
};
const char* to_string(CpuRunStatus::Kind kind); // "ok", "failed", "sandbox-violation", "crash", …

class CpuSession {
public:
    // Starts the program and waits for its greeting. Errors are infrastructure failures: "sandbox-unavailable",
    // "program-missing", "runner-start" …
    static Result<std::unique_ptr<CpuSession>> start(const CpuSessionSpec& spec);
    ~CpuSession();

    // Loads the object; once a session. A failure of the candidate is in load_status(), and the error's code is
    // "candidate-load"; other errors are infrastructure failures.
    Result<std::vector<CpuKernel>> load(const CpuBinary& binary, const std::string& file_name);
    const CpuRunStatus& load_status() const { return m_load_status; }

    // Makes the arena `bytes` long; what it held before stays, new bytes are 0. Errors: "arena-limit", "memory-file",
    // "runner-…".
    Status set_arena(std::uint64_t bytes);
    // The arena in this process. Valid until the next set_arena.
    std::span<std::byte> arena() const {
        return m_arena.bytes().first(std::min<std::size_t>(m_arena_bytes, m_arena.bytes().size()));
    }
    // Guard zones for the asan program: an access to them is reported. Replaces earlier ones.
    Status set_poison(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges);
    Status set_plan(const std::vector<CpuStep>& steps);

    // Runs the plan `repeat` times. After anything but ok and failed the process is gone.
    CpuRunStatus run(std::uint64_t seed, std::uint64_t repeat, SteadyTime deadline,
                     const std::function<bool()>& cancelled = {});
    // What an order that does nothing takes: the smallest of `samples` exchanges, in seconds.
    Result<double> measure_floor(int samples = 50);

    bool alive() const { return m_child.running(); }
    std::uint64_t resident_bytes() const { return m_child.resident_bytes(); }
    // Seconds from start to greeting.
    double start_seconds() const { return m_start_seconds; }

private:
    struct Reply {
        Json json;
        CpuRunStatus status; // not ok: there is no json
        double seconds = 0;
    };

    explicit CpuSession(const CpuSessionSpec& spec) : m_spec(spec) {}
    Status launch();
    Reply exchange(const Json& request, SteadyTime deadline, const std::function<bool()>& cancelled);
    Reply receive(SteadyTime deadline, const std::function<bool()>& cancelled, SteadyTime started);
    bool send_line(const std::string& line, SteadyTime deadline);
    bool read_channel();
    void read_outputs();
    CpuRunStatus broken(CpuRunStatus::Kind kind, std::string message);
    CpuRunStatus ended();
    CpuRunStatus status_of(const Json& reply);
    void add_reports(CpuRunStatus& status);
    Status order(const Json& request, const char* what);
    std::uint64_t memory_limit() const;

    CpuSessionSpec m_spec;
    std::filesystem::path m_work;
    std::string m_candidate_path; // as the runner sees it
    bool m_sandboxed = false;
    bool m_loaded = false;
    double m_start_seconds = 0;
    MemoryFile m_arena;
    std::uint64_t m_arena_bytes = 0;
    UniqueFd m_channel;
    UniqueFd m_output;
    UniqueFd m_error;
    std::string m_buffer; // received and not yet read lines
    std::string m_tail;
    std::size_t m_written = 0; // bytes on stdout and stderr altogether
    std::string m_file_name;
    CpuRunStatus m_load_status;
    Child m_child; // last: killed before anything else goes
};

} // namespace kf
