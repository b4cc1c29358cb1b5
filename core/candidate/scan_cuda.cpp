// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/scanner.h"

#include <algorithm>

namespace kf::detail {

namespace {

// The text after translation phase 2: line splices removed, every remaining byte with its place in the source.
struct Spliced {
    std::string chars;
    std::vector<std::uint32_t> offsets;

    explicit Spliced(std::string_view source, std::size_t first) {
        chars.reserve(source.size());
        offsets.reserve(source.size() + 1);
        for (std::size_t i = first; i < source.size(); ++i) {
            if (source[i] == '\\') {
                // Compilers let blanks stand between the backslash and the line's end.
                std::size_t end = i + 1;
                while (end < source.size() && is_blank(source[end]))
                    ++end;
                if (end < source.size() && source[end] == '\n') {
                    i = end;
                    continue;
                }
            }
            if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n')
                continue;
            chars.push_back(source[i]);
            offsets.push_back(static_cast<std::uint32_t>(i));
        }
        offsets.push_back(static_cast<std::uint32_t>(source.size()));
    }
};

class CudaScanner {
public:
    CudaScanner(std::string_view source, const LineTable& lines, std::vector<Error>& errors)
        : m_source(source), m_lines(lines), m_errors(errors),
          m_spliced(source, source.starts_with("\xEF\xBB\xBF") ? 3 : 0), m_chars(m_spliced.chars), m_code(m_chars) {}

    ScanResult scan() {
        bool line_start = true;
        while (m_i < m_chars.size()) {
            const char c = m_chars[m_i];
            if (c == '\n') {
                line_start = true;
                end_directive();
                ++m_i;
            } else if (is_blank(c)) {
                ++m_i;
            } else if (at("/*")) {
                skip_block_comment();
            } else if (at("//")) {
                skip_line_comment();
            } else if (c == '#' && line_start) {
                line_start = false;
                directive();
            } else {
                line_start = false;
                token(c);
            }
        }
        end_directive();
        m_result.kernels = find_cuda_kernels(m_code, m_spliced.offsets, m_lines);
        m_result.kernels_complete = m_result.kernels_complete && m_result.kernels.size() < max_kernels;
        return std::move(m_result);
    }

private:
    bool at(std::string_view text) const { return m_chars.compare(m_i, text.size(), text) == 0; }
    Place place(std::size_t index) const { return m_lines.place(m_spliced.offsets[index]); }
    void blank(std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (m_code[i] != '\n')
                m_code[i] = ' ';
    }

    void skip_line_comment() {
        const std::size_t begin = m_i;
        m_i = std::min(m_chars.find('\n', m_i), m_chars.size());
        blank(begin, m_i);
    }

    void skip_block_comment() {
        const std::size_t begin = m_i;
        const std::size_t end = m_chars.find("*/", m_i + 2);
        if (end == std::string::npos) {
            m_errors.push_back(make_error("parse-unterminated", "found a comment that never ends", "close it with `*/`",
                                          place(begin)));
            m_i = m_chars.size();
        } else {
            m_i = end + 2;
        }
        blank(begin, m_i);
    }

    void token(char c) {
        if (is_identifier_start(c)) {
            const std::size_t begin = m_i;
            while (m_i < m_chars.size() && is_identifier_char(m_chars[m_i]))
                ++m_i;
            const std::string_view word(m_chars.data() + begin, m_i - begin);
            if (m_i < m_chars.size() && m_chars[m_i] == '"' &&
                (word == "R" || word == "u8R" || word == "LR" || word == "uR" || word == "UR"))
                raw_string();
        } else if (is_digit(c) || (c == '.' && m_i + 1 < m_chars.size() && is_digit(m_chars[m_i + 1]))) {
            number();
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else {
            ++m_i;
        }
    }

    // A preprocessing number: 1'000 holds a quote that begins no character literal.
    void number() {
        ++m_i;
        while (m_i < m_chars.size()) {
            const char c = m_chars[m_i];
            const char before = m_chars[m_i - 1];
            const bool exponent =
                (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
            const bool separator = c == '\'' && m_i + 1 < m_chars.size() && is_identifier_char(m_chars[m_i + 1]);
            if (!is_identifier_char(c) && c != '.' && !exponent && !separator)
                break;
            ++m_i;
        }
    }

    // Ends at its quote or, as compilers recover, at the line's end: an apostrophe in `#error don't` hides nothing.
    void quoted(char quote) {
        const std::size_t begin = m_i++;
        while (m_i < m_chars.size() && m_chars[m_i] != quote && m_chars[m_i] != '\n')
            m_i += m_chars[m_i] == '\\' && m_i + 1 < m_chars.size() && m_chars[m_i + 1] != '\n' ? 2 : 1;
        if (m_i < m_chars.size() && m_chars[m_i] == quote)
            ++m_i;
        blank(begin + 1, m_i); // the quote stays: `extern "C"` is known by it
    }

    // Splices count inside a raw string, so its end is looked for in the source itself.
    void raw_string() {
        const std::size_t begin = m_i;
        const std::size_t open = m_source.find('(', m_spliced.offsets[begin]);
        const std::size_t first = m_spliced.offsets[begin] + 1;
        const bool good =
            open != std::string_view::npos && open - first <= 16 &&
            m_source.substr(first, open - first).find_first_of(" )\\\t\v\f\n\"") == std::string_view::npos;
        if (!good) {
            quoted('"');
            return;
        }
        const std::string closing = ")" + std::string(m_source.substr(first, open - first)) + "\"";
        const std::size_t end = m_source.find(closing, open + 1);
        if (end == std::string_view::npos) {
            m_errors.push_back(make_error("parse-unterminated", "found a raw string that never ends",
                                          "close it with `" + closing + "`", place(begin)));
            m_i = m_chars.size();
        } else {
            while (m_i < m_chars.size() && m_spliced.offsets[m_i] < end + closing.size())
                ++m_i;
        }
        blank(begin, m_i);
    }

    std::string_view word_at(std::size_t& i) const {
        while (i < m_chars.size() && is_blank(m_chars[i]))
            ++i;
        const std::size_t begin = i;
        while (i < m_chars.size() && is_identifier_char(m_chars[i]))
            ++i;
        return std::string_view(m_chars).substr(begin, i - begin);
    }

    void marker_error(std::size_t hash, std::string found) {
        m_errors.push_back(make_error("parse-marker", "found `" + std::move(found) + "`",
                                      "plan lines of CUDA C++ start with `#pragma kf`", place(hash)));
    }

    void directive() {
        const std::size_t hash = m_i;
        std::size_t i = m_i + 1;
        const std::string_view name = word_at(i);
        if (name == "pragma") {
            const std::string_view owner = word_at(i);
            if (owner == "kf") {
                plan_line(i);
                return;
            }
            if (lower_case(owner) == "kf")
                marker_error(hash, "#pragma " + std::string(owner));
        } else if (lower_case(name) == "kf") {
            marker_error(hash, "# " + std::string(name));
        } else if (name == "include") {
            while (i < m_chars.size() && (is_blank(m_chars[i]) || m_chars[i] == '<' || m_chars[i] == '"'))
                ++i;
            const std::string_view header = std::string_view(m_chars).substr(i, 8);
            if (header.starts_with("cutlass/") || header.starts_with("cute/"))
                m_result.kernels_complete = false;
        } else if (name == "define") {
            m_in_define = true;
        }
        m_directive = hash;
        m_in_directive = true;
        ++m_i;
    }

    // Blanks a directive's text for the search for kernels; one that defines kernels makes the list incomplete.
    void end_directive() {
        if (!m_in_directive)
            return;
        const std::string_view text = std::string_view(m_code).substr(m_directive, m_i - m_directive);
        if (m_in_define && text.find("__global__") != std::string_view::npos)
            m_result.kernels_complete = false;
        blank(m_directive, m_i);
        m_in_directive = m_in_define = false;
    }

    // A splice becomes a line's end, so that places inside expressions stay true.
    void push(StatementText& statement, std::size_t index, char c) const {
        for (std::size_t offset = m_spliced.offsets[index - 1]; offset < m_spliced.offsets[index]; ++offset)
            if (m_source[offset] == '\n' && m_chars[index - 1] != '\n')
                statement.push('\n', offset);
        if (c != '\0')
            statement.push(c, m_spliced.offsets[index]);
    }

    void plan_line(std::size_t i) {
        StatementText statement;
        statement.lines = &m_lines;
        const std::size_t begin = m_i;
        m_i = i;
        while (m_i < m_chars.size() && m_chars[m_i] != '\n') {
            if (at("//")) {
                skip_line_comment();
            } else if (at("/*")) {
                const std::size_t comment = m_i;
                skip_block_comment();
                for (std::size_t j = comment; j < m_i; ++j)
                    push(statement, j, (m_chars[j] & 0xc0) == 0x80 ? '\0' : m_chars[j] == '\n' ? '\n' : ' ');
            } else {
                push(statement, m_i, m_chars[m_i]);
                ++m_i;
            }
        }
        blank(begin, m_i);
        statement.finish(i < m_chars.size() ? m_spliced.offsets[i] : m_source.size());
        m_result.statements.push_back(std::move(statement));
    }

    std::string_view m_source;
    const LineTable& m_lines;
    std::vector<Error>& m_errors;
    Spliced m_spliced;
    const std::string& m_chars;
    std::string m_code; // m_chars with comments, strings and directives blanked
    std::size_t m_i = 0;
    std::size_t m_directive = 0;
    bool m_in_directive = false, m_in_define = false;
    ScanResult m_result;
};

} // namespace

ScanResult scan_cuda(std::string_view source, const LineTable& lines, std::vector<Error>& errors) {
    return CudaScanner(source, lines, errors).scan();
}

} // namespace kf::detail
