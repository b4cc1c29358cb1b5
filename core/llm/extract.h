// SPDX-License-Identifier: GPL-3.0-or-later
// From other people's code to a candidate: the last block of a model's reply that parses, or a file with host code,
// whose ordinary launches are lifted into plan lines. What cannot be lifted is refused by line; nothing is guessed
// (docs/candidate.md).
#pragma once

#include "core/candidate/candidate.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

struct DerivedLine {
    std::string plan_line; // as it was written into the candidate
    int from_line = 0;     // of the text it was lifted from, counted from 1
    std::string from;      // that text's own line
};

struct Extraction {
    std::string source, file_name;    // the candidate's whole text; empty when there is none
    std::vector<DerivedLine> derived; // empty when the text was a candidate already
    std::string note;                 // the author's words around the code, shortened
    std::vector<Error> errors;        // why there is none: code "no-code" when the text holds no code at all
    bool ok() const { return errors.empty(); }
};

// A model's reply (Markdown, thinking already taken out).
Extraction extract_candidate(std::string_view reply, const Task& task);
// A file with or without host code: load_inline sources, a Triton module.
Extraction import_candidate(std::string_view text, const std::string& file_name, const Task& task);

} // namespace kf
