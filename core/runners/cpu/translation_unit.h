// SPDX-License-Identifier: GPL-3.0-or-later
// The text that is compiled for a candidate: the SIMT header, the candidate with dynamic shared memory rewritten
// (recipe in resources/simt/kf/simt.h), the table of kernels.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

// Name under which messages about the kernel table come back; its line n + 2 is expression n (from 0).
inline constexpr const char* kPlanFile = "<plan>";

// `extern __shared__ TYPE NAME[];` → the declarations of the recipe; every other byte, and every line number, stays.
// Error: "refused-host-code" when such a declaration has another form.
Result<std::string> rewrite_dynamic_shared(std::string_view source, const std::string& file_name);

// A kernel expression goes into the text: one line of names, numbers and operators with balanced brackets.
// Error: "compile-kernel".
Status check_expression(const std::string& expression, std::size_t index);

// A file name goes into a #line directive: no quotes, backslashes, control characters; not empty, at most 255 bytes.
Status check_file_name(const std::string& file_name);

Result<std::string> make_translation_unit(std::string_view source, const std::string& file_name,
                                          const std::vector<std::string>& expressions);

} // namespace kf
