// SPDX-License-Identifier: GPL-3.0-or-later
// Finds plan lines and kernels in a candidate's text. A small lexer knows comments, strings, raw strings, character
// literals and line splices of CUDA C++, and comments and strings of Python, so that nothing in a comment or a string
// is ever taken for a statement, and nothing outside one is overlooked.
#pragma once

#include "core/base/result.h"
#include "core/candidate/candidate.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kf::detail {

// Offsets of a text as line and column. Columns count characters: a UTF-8 sequence is one. `source` must outlive this.
class LineTable {
public:
    LineTable(std::string_view source, std::string file, std::size_t first_offset);
    Place place(std::size_t offset) const;

private:
    std::string_view m_source;
    std::string m_file;
    std::size_t m_first; // a byte order mark before this offset takes no column
    std::vector<std::size_t> m_starts;
};

// One statement as a logical line: marker removed, comments blanked, continuation lines joined. Each byte knows where
// it came from.
struct StatementText {
    std::string text;
    std::vector<std::uint32_t> offsets; // of each byte in the source, and one more for the end
    const LineTable* lines = nullptr;

    Place place(std::size_t index) const;
    void push(char c, std::size_t offset);
    void finish(std::size_t end_offset); // trims blanks at both ends
};

struct ScanResult {
    std::vector<StatementText> statements;
    std::vector<Kernel> kernels;
    bool kernels_complete = true;
};

// `lines` must outlive the result. Errors go to `errors`; scanning goes on.
ScanResult scan_cuda(std::string_view source, const LineTable& lines, std::vector<Error>& errors);
ScanResult scan_triton(std::string_view source, const LineTable& lines, std::vector<Error>& errors);

// More kernels than this in one text are not listed, and the list counts as incomplete.
inline constexpr std::size_t max_kernels = 256;

// Kernels in CUDA text whose comments, strings and directives have been blanked; `offsets` as in StatementText.
std::vector<Kernel> find_cuda_kernels(std::string_view code, const std::vector<std::uint32_t>& offsets,
                                      const LineTable& lines);

inline bool is_identifier_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
inline bool is_identifier_char(char c) {
    return is_identifier_start(c) || is_digit(c);
}
inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
std::string lower_case(std::string_view text);

} // namespace kf::detail
