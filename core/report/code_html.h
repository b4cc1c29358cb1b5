// SPDX-License-Identifier: GPL-3.0-or-later
// Sources and diffs as HTML, a line a <span>.
#pragma once

#include <string>
#include <string_view>

namespace kf::html {

// Words, strings, comments, numbers and plan lines of CUDA C++; of a Python file only its text.
std::string source_code(std::string_view text, bool cuda);
// A unified diff; signs stay, colour is not the only word.
std::string unified(std::string_view diff);
struct DiffCount {
    int added = 0, removed = 0;
};
DiffCount count_changes(std::string_view diff);

} // namespace kf::html
