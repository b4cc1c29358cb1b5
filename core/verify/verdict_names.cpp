// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the verdict's enumerations: one table each, read in both directions, so that they cannot disagree.
#include "core/verify/verdict.h"

#include <array>
#include <utility>

namespace kf {
namespace {

template<class Enum, std::size_t N>
std::string_view name_of(const std::array<std::pair<Enum, std::string_view>, N>& table, Enum value) {
    for (const auto& [key, name] : table)
        if (key == value)
            return name;
    return "unknown";
}

template<class Enum, std::size_t N>
std::optional<Enum> value_of(const std::array<std::pair<Enum, std::string_view>, N>& table, std::string_view name) {
    for (const auto& [key, text] : table)
        if (text == name)
            return key;
    return std::nullopt;
}

constexpr std::array<std::pair<Stage, std::string_view>, 7> stages{{
    {Stage::parse, "parse"},
    {Stage::compile, "compile"},
    {Stage::inspect, "inspect"},
    {Stage::verify, "verify"},
    {Stage::measure, "measure"},
    {Stage::profile, "profile"},
    {Stage::promote, "promote"},
}};

constexpr std::array<std::pair<FailureClass, std::string_view>, failure_class_count> failures{{
    {FailureClass::parse, "parse"},
    {FailureClass::plan, "plan"},
    {FailureClass::limits, "limits"},
    {FailureClass::compile, "compile"},
    {FailureClass::compiler_crash, "compiler-crash"},
    {FailureClass::compile_timeout, "compile-timeout"},
    {FailureClass::state, "state"},
    {FailureClass::host_code, "host-code"},
    {FailureClass::needs_gpu, "needs-gpu"},
    {FailureClass::sandbox, "sandbox"},
    {FailureClass::launch, "launch"},
    {FailureClass::crash, "crash"},
    {FailureClass::exit, "exit"},
    {FailureClass::timeout, "timeout"},
    {FailureClass::no_progress, "no-progress"},
    {FailureClass::barrier, "barrier"},
    {FailureClass::misaligned, "misaligned"},
    {FailureClass::out_of_bounds, "out-of-bounds"},
    {FailureClass::input_written, "input-written"},
    {FailureClass::unwritten, "unwritten"},
    {FailureClass::unstable, "unstable"},
    {FailureClass::mismatch, "mismatch"},
    {FailureClass::nonfinite, "nonfinite"},
    {FailureClass::flood, "flood"},
    {FailureClass::memory, "memory"},
    {FailureClass::race, "race"},
    {FailureClass::after_timing, "after-timing"},
    {FailureClass::suspect, "suspect"},
}};

constexpr std::array<std::pair<Pattern, std::string_view>, pattern_count> patterns{{
    {Pattern::none, "none"},
    {Pattern::all, "all"},
    {Pattern::constant, "constant"},
    {Pattern::tail, "tail"},
    {Pattern::row, "row"},
    {Pattern::column, "column"},
    {Pattern::tile, "tile"},
    {Pattern::transposed, "transposed"},
    {Pattern::off_by_one, "off-by-one"},
    {Pattern::broadcast, "broadcast"},
    {Pattern::accumulation, "accumulation"},
    {Pattern::scattered, "scattered"},
    {Pattern::unstable, "unstable"},
}};

constexpr std::array<std::pair<StageReport::Outcome, std::string_view>, 4> outcomes{{
    {StageReport::Outcome::passed, "passed"},
    {StageReport::Outcome::failed, "failed"},
    {StageReport::Outcome::skipped, "skipped"},
    {StageReport::Outcome::not_checked, "not-checked"},
}};

} // namespace

std::string_view to_string(Stage stage) {
    return name_of(stages, stage);
}
std::string_view to_string(FailureClass failure) {
    return name_of(failures, failure);
}
std::string_view to_string(Pattern pattern) {
    return name_of(patterns, pattern);
}
std::string_view to_string(StageReport::Outcome outcome) {
    return name_of(outcomes, outcome);
}

std::optional<Stage> parse_stage(std::string_view name) {
    return value_of(stages, name);
}
std::optional<FailureClass> parse_failure_class(std::string_view name) {
    return value_of(failures, name);
}
std::optional<Pattern> parse_pattern(std::string_view name) {
    return value_of(patterns, name);
}
std::optional<StageReport::Outcome> parse_stage_outcome(std::string_view name) {
    return value_of(outcomes, name);
}

} // namespace kf
