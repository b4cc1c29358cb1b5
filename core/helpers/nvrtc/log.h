// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the texts that NVRTC and ptxas print: diagnostics with line and column, and each kernel's figures.
#pragma once

#include "core/helpers/nvrtc/messages.h"
#include "core/helpers/nvrtc/toolkit.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf::nvrtc {

struct ParsedLog {
    std::vector<Diagnostic> errors, warnings; // in order
    std::string bad_expression;               // a name expression that the compiler refused; "" none
    std::vector<int> ptx_lines;               // for each error: line in the PTX, 0 when it is about the source
};

// `file` is the program's name; paths below a root are shortened to <name>. Errors about the name expressions come
// without a line: they belong to the launch, not to the text. Notes are cut to two an error.
ParsedLog parse_compiler_log(std::string_view log, const std::string& file, const std::vector<IncludeRoot>& roots);

// From `-v` of ptxas (inside NVRTC's log or the program's own output).
std::vector<KernelFigures> parse_assembler_log(std::string_view log);

// Candidate line for each line of a PTX text (index 0 unused): that of the last .loc before it, when the .loc is about
// file `file`; 0 unknown. So an error of the assembler can be shown where the inline assembly stands.
std::vector<int> source_lines_of_ptx(std::string_view ptx, const std::string& file);

// At most `limit` bytes, cut at a line end and saying how much is missing.
std::string cut_log(std::string text, std::size_t limit);

} // namespace kf::nvrtc
