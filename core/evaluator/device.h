// SPDX-License-Identifier: GPL-3.0-or-later
// What the pipeline needs of a device, whatever it is: compile a candidate, give it a process of its own, run its plan
// on a case, look at what it wrote, time it. A new backend implements these two classes and nothing else.
#pragma once

#include "core/candidate/resolve.h"
#include "core/evaluator/halt.h"
#include "core/verify/compare.h"
#include "core/verify/verdict.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kf {

// The golden of one case: everything the comparison needs, made by the oracle for this seed.
struct CaseGolden {
    std::uint64_t seed = 0;
    std::vector<std::uint64_t> input_checksums; // as the oracle made them; must equal ours
    struct Output {
        std::span<const std::byte> golden, trusted;
        bool integers = false;
    };
    std::vector<Output> outputs;  // in the task's order
    std::string trusted_note;     // "eager", or why it is a stand-in
    std::shared_ptr<void> memory; // keeps the spans alive
    // The sealed memory file that the spans lie in, for a process that compares elsewhere; -1: none.
    int file = -1;
    std::span<const std::byte> whole; // all of it
};

// How a candidate is compiled: one distinct set of macros and the kernels that the cases with that set launch.
struct CompileJob {
    const Candidate* candidate = nullptr;
    std::vector<std::pair<std::string, std::int64_t>> defines;
    std::vector<std::string> expressions; // kernel name expressions, each once
    bool fast_math = false;
    std::optional<int> maxreg;
};

// A compiled candidate; what it holds is the backend's business.
class Binary {
public:
    virtual ~Binary() = default;
    virtual std::string hash() const = 0; // of the bytes that run
    virtual Json figures() const = 0;     // registers, spills, cache hit, seconds
};

// One case for a session. The pointers outlive the session's next open_case.
struct CaseJob {
    const Task* task = nullptr;
    const Candidate* candidate = nullptr;
    const TaskCase* task_case = nullptr;
    const ResolvedPlan* plan = nullptr;
    std::uint64_t input_seed = 0;
    std::uint64_t layout_seed = 0; // where buffers lie and what fills the guards
};

// Elements of an output that no run wrote.
struct UnwrittenElements {
    int output = 0;
    std::int64_t count = 0, first = 0;
};

// A candidate in its own process. Not thread-safe. Destroying it ends the process.
class DeviceSession {
public:
    virtual ~DeviceSession() = default;

    // Lays out the buffers, makes the inputs, binds the plan to the kernels' signatures.
    virtual std::optional<Halt> open_case(const CaseJob& job) = 0;
    virtual std::vector<std::uint64_t> input_checksums() const = 0;

    // Restores inout inputs, poisons outputs and scratch with pattern 0 or 1, runs the whole plan once, then checks
    // every launch, the guards and the inputs. `order_seed` permutes what the device leaves open (order of threads and
    // blocks).
    virtual std::optional<Halt> run(int poison, std::uint64_t order_seed, Deadline deadline) = 0;
    // Remembers the outputs as slot 0 or 1.
    virtual std::optional<Halt> keep(int slot) = 0;
    // Index of the first output whose slots differ, leaving out those in `unordered`; -1 when all are the same bytes.
    virtual Attempt<int> first_difference(const std::vector<std::string>& unordered) = 0;
    // Elements that still held poison in both slots (slot s after poison s).
    virtual Attempt<std::optional<UnwrittenElements>> unwritten() = 0;
    virtual Attempt<std::vector<Comparison>> compare(int slot, const CaseGolden& golden) = 0;

    // Restores inout inputs and poisons outputs and scratch (so that no call can live off an earlier one, and no call
    // can tell whether it will be checked), then takes the seconds of one run of the plan's steps, outside the
    // candidate's process.
    virtual Attempt<double> time(std::uint64_t order_seed, Deadline deadline) = 0;
    // Seconds that the plan's `prepare` took when the case was opened; 0 without one. Told apart from the calls.
    virtual double prepare_seconds() const = 0;
    // Guards and inputs after timed calls.
    virtual std::optional<Halt> check_after() = 0;
    // Seconds of an empty call: the timer's own floor.
    virtual Attempt<double> floor() = 0;
};

// What a sanitizer build said about a failing case.
struct SanitizerFinding {
    std::string tool; // "AddressSanitizer", "ThreadSanitizer"
    std::string kind; // "global-buffer-overflow", "data race"
    std::string kernel;
    Place place;      // in the candidate
    std::string text; // the report, cut
    bool advisory = false;
};

class Device {
public:
    virtual ~Device() = default;
    virtual std::string id() const = 0;   // "cpu", "cuda:0"
    virtual std::string name() const = 0; // the hardware's own
    virtual const DeviceLimits& limits() const = 0;
    virtual std::string size_name(const Task& task) const = 0; // "cpu", "small", "primary"
    virtual std::string timer() const = 0;
    // Rounds that may share a process in a certification (in all comparisons when it is 1). 1 where starting one is
    // cheap: what differs between processes is then drawn anew for every round, as the decision rule assumes.
    virtual int rounds_per_process() const = 0;
    virtual Json facts() const = 0;
    virtual std::vector<std::string> labels() const = 0; // shown on every verdict: "CPU timings", "no sandbox"
    // Set when untrusted (model-written) candidates must be refused here, with the reason.
    virtual std::optional<Error> refuses_untrusted() const = 0;
    // Screening of the text beyond the plan (the CPU device's host-code rules).
    virtual std::optional<Failure> screen(const Candidate& candidate) const = 0;
    virtual Attempt<std::shared_ptr<Binary>> compile(const CompileJob& job, StopSignal& stop) = 0;
    // Stage *inspect*: what the compiled code holds that it must not (state between launches, host functions).
    virtual std::optional<Failure> inspect(const Candidate& candidate, const Binary& binary) const = 0;
    virtual Attempt<std::unique_ptr<DeviceSession>> start(const std::shared_ptr<Binary>& binary, StopSignal& stop) = 0;
    // Runs the case under the device's sanitizers (of memory alone, if asked); empty when they find nothing. Faults of
    // the tools are told in `notes`.
    virtual std::vector<SanitizerFinding> sanitize(const CompileJob& compile, const CaseJob& job, StopSignal& stop,
                                                   std::vector<std::string>& notes, bool memory_only = false) = 0;
    // Makes ready what the next evaluation needs (a standby process).
    virtual void warm() = 0;
};

} // namespace kf
