// SPDX-License-Identifier: GPL-3.0-or-later
// GCC's messages as data, with places that are true to the candidate's text.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

struct CpuDiagnostic {
    enum class Severity { error, warning, note } severity = Severity::error;
    std::string message;
    Place place;        // in the candidate; for an error inside a header of ours, where the candidate made it happen
    int launch = -1;    // index of the kernel expression it is about, or -1
    std::string header; // the header of ours in which it was raised; empty when in the candidate itself
};

// Errors and warnings in their order; instantiation notes are used for places and then cut. At most `most`.
std::vector<CpuDiagnostic> parse_gcc_output(std::string_view output, const std::string& file_name,
                                            std::size_t most = 20);

// One sentence for a failed compile: the first error in the candidate, or what is wrong with a launch's kernel
// expression.
Error compile_error(const std::vector<CpuDiagnostic>& diagnostics, const std::vector<std::string>& expressions,
                    const std::string& file_name, std::string_view output);

} // namespace kf
