// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation finds: typed values with evidence, never text to be searched. Everything here goes into journals
// and over the protocol (to_json / from_json), so names are stable.
#pragma once

#include "core/base/json.h"
#include "core/base/level.h"
#include "core/base/result.h"
#include "core/task/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kf {

enum class Stage { parse, compile, inspect, verify, measure, profile, promote };
std::string_view to_string(Stage stage);
std::optional<Stage> parse_stage(std::string_view name);

// Why a candidate failed: the closed list that autopsies, `wrong/` kernels ("expect: class=…") and rewards use. The
// text form has dashes.
enum class FailureClass {
    parse,          // the text or a plan line is not well formed
    plan,           // refused against the task or the device (names, shapes, argument types)
    limits,         // launch beyond the device's limits, byte plan too large
    compile,        // the compiler refused it
    compiler_crash, // the compiler died on it and on the second try
    compile_timeout,
    state,         // keeps state between launches
    host_code,     // host functions, constructors, asm on the CPU device
    needs_gpu,     // correct for a GPU, cannot be judged on this device
    sandbox,       // tried something that the sandbox stopped (evidence names it)
    launch,        // a launch failed or never ran
    crash,         // signal in the candidate (illegal address…)
    exit,          // ended the process
    timeout,       // over its deadline
    no_progress,   // waits on another block
    barrier,       // divergent barrier
    misaligned,    // vector access at a misaligned address
    out_of_bounds, // wrote into a guard zone or was named by AddressSanitizer
    input_written, // changed an input
    unwritten,     // left poison in an output
    unstable,      // two runs differ and the output is not declared unordered
    mismatch,      // outside the tolerance
    nonfinite,     // NaN or Inf counts differ from the golden's
    flood,         // printed too much
    memory,        // allocated too much
    race,          // named by ThreadSanitizer
    after_timing,  // right while verified, wrong while timed
    suspect,       // faster than the device can be
};
inline constexpr int failure_class_count = static_cast<int>(FailureClass::suspect) + 1;
std::string_view to_string(FailureClass failure);
std::optional<FailureClass> parse_failure_class(std::string_view name);

// The shape of an error over the output.
enum class Pattern {
    none,
    all,
    constant,
    tail,
    row,
    column,
    tile,
    transposed,
    off_by_one,
    broadcast,
    accumulation,
    scattered,
    unstable
};
inline constexpr int pattern_count = static_cast<int>(Pattern::unstable) + 1;
std::string_view to_string(Pattern pattern);
std::optional<Pattern> parse_pattern(std::string_view name);

struct BadElement {
    std::vector<std::int64_t> index;
    double expected = 0, got = 0;
};

// Error counts over at most 64 × 64 cells of the output seen as a matrix (all leading axes × last axis).
struct ErrorMap {
    int rows = 0, columns = 0;
    std::vector<std::uint32_t> bad; // row-major, counts of bad elements in each cell
};

// How an output compared with the golden.
struct Comparison {
    std::string output;
    bool accepted = false;
    std::int64_t elements = 0, bad = 0;
    double max_abs_error = 0, max_rel_error = 0;
    // Error against the trusted implementation's, worst row: 1.3 means 1.3 times eager's. 0 when not applicable.
    double worst_row_ratio = 0, worst_row_rms_ratio = 0;
    std::int64_t nan_got = 0, nan_expected = 0, inf_got = 0, inf_expected = 0;
    bool failed_elementwise = false, failed_row = false, failed_nonfinite = false, failed_exact = false;
    Pattern pattern = Pattern::none;
    std::string pattern_text;          // "the last 87 of 343 columns of every row"
    std::vector<BadElement> first_bad; // at most 8
    std::vector<BadElement> worst;     // at most 4
    ErrorMap map;
};

struct CaseReport {
    Symbols symbols;
    Regime regime = Regime::normal;
    std::uint64_t seed = 0;
    bool held_out = false;
    bool passed = false;
    std::vector<Comparison> comparisons;
    double seconds = 0;
};

// The smallest case found that still fails.
struct ShrunkCase {
    Symbols symbols;
    Regime regime = Regime::normal;
    std::uint64_t seed = 0;
    std::vector<BadElement> first_bad;
    int attempts = 0;
};

struct Diagnostic {       // of a compiler or of the plan
    std::string severity; // "error", "warning", "note"
    Place place;
    std::string message;
};

struct Failure {
    Stage stage = Stage::parse;
    FailureClass failure = FailureClass::parse;
    // Where: "line:12" (source), an output's name, "<buffer>:after"/"<buffer>:before" for guards, a kernel's name, a
    // system call, an argument.
    std::string place;
    Pattern pattern = Pattern::none;
    std::string message; // one sentence for a person
    std::string remedy;
    Place source; // line and column in the candidate where known
    std::vector<Diagnostic> diagnostics;
    std::optional<CaseReport> failing_case;
    std::optional<ShrunkCase> shrunk;
    std::string evidence; // tail of logs, sanitizer report; at most 8 KiB
};

struct StageReport {
    Stage stage = Stage::parse;
    enum class Outcome { passed, failed, skipped, not_checked } outcome = Outcome::passed;
    double seconds = 0;
    std::string note; // why skipped or not checked; notable evidence in one line
    Json evidence;    // figures of the stage (registers, spills, shared, cache hit…)
};

std::string_view to_string(StageReport::Outcome outcome); // "not-checked"
std::optional<StageReport::Outcome> parse_stage_outcome(std::string_view name);

// JSON has no NaN and no infinity: such figures travel as the texts "nan", "inf", "-inf". Readers keep what they know,
// pass over fields that they do not know, and take the default for a missing field that has one; a missing or unknown
// stage, class or outcome and a field of a wrong type are the error "verdict-invalid", which names the field.
Json to_json(const Comparison&);
Json to_json(const CaseReport&);
Json to_json(const ShrunkCase&);
Json to_json(const Failure&);
Json to_json(const StageReport&);
Result<Comparison> comparison_from_json(const Json&);
Result<CaseReport> case_from_json(const Json&);
Result<ShrunkCase> shrunk_from_json(const Json&);
Result<Failure> failure_from_json(const Json&);
Result<StageReport> stage_from_json(const Json&);

// Building blocks for other readers of the same texts.
Json number_to_json(double value);
Result<double> number_from_json(const Json& json, const std::string& field);
Json symbols_to_json(const Symbols& symbols);
Result<Symbols> symbols_from_json(const Json& json, const std::string& field);

} // namespace kf
