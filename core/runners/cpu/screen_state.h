// SPDX-License-Identifier: GPL-3.0-or-later
// Recognises variables that outlive a launch in the candidate's text: non-const at namespace scope or static in a
// function. A recogniser, no parser: what it misses, the compiled object's symbols show (elf_inspect.h).
#pragma once

#include "core/runners/cpu/lexer.h"
#include "core/runners/cpu/screen.h"

#include <string>
#include <vector>

namespace kf {

std::vector<ScreenFinding> find_state(const std::vector<Token>& tokens, const std::string& file_name);

// What kind of brace encloses each token: true where only namespaces (and extern "C" blocks) do.
std::vector<bool> at_namespace_scope(const std::vector<Token>& tokens);

} // namespace kf
