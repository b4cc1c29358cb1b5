// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of code that is only read: CUDA C++, Triton, and the plan lines of candidates. Not a parser: it never fails,
// whatever the text.
#pragma once

#include <QStringView>

#include <vector>

namespace kf::ui {

enum class CodeRole { keyword, string, comment, number, plan, added, removed };

struct CodeSpan {
    CodeRole role = CodeRole::keyword;
    int begin = 0, length = 0;
    bool operator==(const CodeSpan&) const = default;
};

// `language`: what stands behind the fence; "py", "python" and "triton" are Python, "diff" is a diff, everything else
// C++. `in_comment`: whether the text begins inside a /* comment */; set to whether it ends in one.
std::vector<CodeSpan> code_spans(QStringView code, QStringView language, bool& in_comment);

} // namespace kf::ui
