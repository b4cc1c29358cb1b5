// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of AddressSanitizer, ThreadSanitizer and UBSan from a runner's standard error, as data.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

struct SanitizerReport {
    std::string tool;     // "AddressSanitizer", "ThreadSanitizer", "UndefinedBehaviorSanitizer"
    std::string kind;     // "data race", "use-after-poison", "heap-buffer-overflow" …
    std::string access;   // "write of 4 bytes"; empty when the report does not say
    std::string function; // the candidate's innermost function of the first stack
    Place place;          // its line in the candidate; line 0 when no frame lies in it
    Place other;          // the access it conflicts with (data races)
    std::string message;  // one sentence
};

// Reports in their order, equal ones once, at most `most`. Frames count as the candidate's when their file is
// `file_name`. The text is untrusted: it can say anything, but not make this fail.
std::vector<SanitizerReport> parse_sanitizer_output(std::string_view text, const std::string& file_name,
                                                    std::size_t most = 16);

} // namespace kf
