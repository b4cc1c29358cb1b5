// SPDX-License-Identifier: GPL-3.0-or-later
// Word lists of the text screen.
#pragma once

#include <string_view>

namespace kf::screen_words {

bool is_assembler(std::string_view word);           // asm, __asm, __asm__
bool is_allowed_attribute(std::string_view word);   // inside __attribute__((…)) and [[…]]
bool is_dangerous_attribute(std::string_view word); // constructor, ifunc, section, …
bool is_allowed_builtin(std::string_view word);     // __builtin_…
bool is_host_function(std::string_view word);       // syscall, dlopen, fork, … when called
bool is_allowed_directive(std::string_view word);   // include, define, if, …
bool is_allowed_pragma(std::string_view word);      // unroll, kf, once, …
// What a word that needs a GPU belongs to: "tensor cores (wmma)"; empty when it needs none.
std::string_view gpu_feature(std::string_view word);
// The same for a header name.
std::string_view gpu_header_feature(std::string_view header);

} // namespace kf::screen_words
