// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate's text may not contain on the CPU device, told with line, column and what would be accepted. This is
// the first of four fences (text, ELF inspection, sandbox, seccomp); it gives the good messages, the others the
// certainty.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

enum class ScreenClass {
    host_code, // code that would run outside kernels, or that reaches around the compiler
    state,     // a variable that outlives a launch
    gpu_only,  // needs a GPU: PTX, tensor cores, TMA, clusters, textures
    include    // a header that is not on the allow-list
};
const char* to_string(ScreenClass value); // "host-code", "state", "gpu-only", "include"

struct ScreenFinding {
    ScreenClass kind = ScreenClass::host_code;
    std::string what;
    std::string remedy;
    Place place;

    // Code "refused-<class>".
    Error to_error() const;
};

// Findings in file order; empty when the text is accepted.
std::vector<ScreenFinding> screen_cpu(std::string_view source, const std::string& file_name);

// Pasting (##) can build words that the text does not show. Looks at the candidate's own lines of the preprocessor's
// output (g++ -E with line markers) for the same words; macros of our headers are expanded there, so only what those
// never expand to is looked for.
std::vector<ScreenFinding> screen_preprocessed(std::string_view output, const std::string& file_name);
bool needs_preprocessed_screen(std::string_view source);

// Whether a header may be included: a name of the allow-list or kf/….
bool is_allowed_include(std::string_view header);

} // namespace kf
