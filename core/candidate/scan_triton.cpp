// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/scanner.h"

#include <algorithm>

namespace kf::detail {

namespace {

class TritonScanner {
public:
    TritonScanner(std::string_view source, const LineTable& lines, std::vector<Error>& errors)
        : m_source(source), m_lines(lines), m_errors(errors), m_code(source) {
        if (source.starts_with("\xEF\xBB\xBF")) {
            blank(0, 3);
            m_i = 3;
        }
    }

    ScanResult scan() {
        bool line_start = true;
        while (m_i < m_source.size()) {
            const char c = m_source[m_i];
            if (c == '\n') {
                line_start = true;
                ++m_i;
            } else if (is_blank(c)) {
                ++m_i;
            } else if (c == '#') {
                comment(line_start);
            } else {
                line_start = false;
                if (c == '"' || c == '\'')
                    string(c);
                else
                    ++m_i;
            }
        }
        find_kernels();
        m_result.kernels_complete = m_result.kernels.size() < max_kernels;
        return std::move(m_result);
    }

private:
    void blank(std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (m_code[i] != '\n')
                m_code[i] = ' ';
    }

    void string(char quote) {
        const std::size_t begin = m_i;
        const std::string triple(3, quote);
        const bool is_triple = m_source.compare(m_i, 3, triple) == 0;
        m_i += is_triple ? 3 : 1;
        while (m_i < m_source.size()) {
            if (m_source[m_i] == '\\') {
                m_i += m_source.compare(m_i, 3, "\\\r\n") == 0 ? 3 : 2;
            } else if (is_triple && m_source.compare(m_i, 3, triple) == 0) {
                m_i += 3;
                blank(begin, m_i);
                return;
            } else if (!is_triple && (m_source[m_i] == quote || m_source[m_i] == '\n')) {
                m_i += m_source[m_i] == quote ? 1 : 0;
                blank(begin, m_i);
                return;
            } else {
                ++m_i;
            }
        }
        m_i = m_source.size();
        if (is_triple)
            m_errors.push_back(make_error("parse-unterminated", "found a string that never ends",
                                          "close it with `" + triple + "`", m_lines.place(begin)));
        blank(begin, m_i);
    }

    std::size_t line_end(std::size_t i) const { return std::min(m_source.find('\n', i), m_source.size()); }

    void comment(bool line_start) {
        const std::size_t hash = m_i;
        const std::size_t end = line_end(hash);
        blank(hash, end);
        m_i = end;
        if (!line_start)
            return;
        std::size_t i = hash + 1;
        const std::string_view first = word(i, end);
        if (first == "kf") {
            plan_line(i, end);
        } else if (lower_case(first) == "kf") {
            marker_error(hash, "# " + std::string(first));
        } else if (first == "pragma" && lower_case(word(i, end)) == "kf") {
            marker_error(hash, "#pragma kf");
        }
    }

    void marker_error(std::size_t hash, std::string found) {
        m_errors.push_back(make_error("parse-marker", "found `" + std::move(found) + "`",
                                      "plan lines of Triton start with `# kf`", m_lines.place(hash)));
    }

    std::string_view word(std::size_t& i, std::size_t end) const {
        while (i < end && is_blank(m_source[i]))
            ++i;
        const std::size_t begin = i;
        while (i < end && is_identifier_char(m_source[i]))
            ++i;
        return m_source.substr(begin, i - begin);
    }

    // A comment cannot be continued in Python, so each further line of a statement is a comment of its own.
    void plan_line(std::size_t i, std::size_t end) {
        StatementText statement;
        statement.lines = &m_lines;
        const std::size_t begin = i;
        while (true) {
            for (; i < end && m_source[i] != '#'; ++i)
                statement.push(m_source[i], i);
            std::size_t last = statement.text.size();
            while (last > 0 && is_blank(statement.text[last - 1]))
                --last;
            if (i < end || last == 0 || statement.text[last - 1] != '\\')
                break;
            statement.text[last - 1] = ' ';
            std::size_t next = std::min(end + 1, m_source.size());
            const std::size_t next_end = line_end(next);
            while (next < next_end && is_blank(m_source[next]))
                ++next;
            if (next >= next_end || m_source[next] != '#') {
                m_errors.push_back(make_error("parse-continuation", "found `\\` before a line that is no comment",
                                              "start the continued line with `#`",
                                              m_lines.place(statement.offsets[last - 1])));
                return;
            }
            blank(next, next_end);
            statement.push('\n', end);
            for (std::size_t at = std::min(end + 1, m_source.size()); at <= next; ++at)
                statement.push(' ', at);
            i = next + 1;
            end = next_end;
            m_i = end;
        }
        statement.finish(begin);
        m_result.statements.push_back(std::move(statement));
    }

    // `def NAME` after decorators of which one is `jit`.
    void find_kernels() {
        bool jit = false;
        for (std::size_t begin = 0; begin < m_code.size() && m_result.kernels.size() < max_kernels;) {
            const std::size_t end = std::min(m_code.find('\n', begin), m_code.size());
            std::size_t i = begin;
            begin = end + 1;
            while (i < end && is_blank(m_code[i]))
                ++i;
            if (i < end && m_code[i] == '@') {
                std::size_t j = i + 1;
                std::string_view name;
                do {
                    name = word_in_code(j, end);
                } while (j < end && m_code[j] == '.' && ++j < end);
                jit = jit || name == "jit";
                continue;
            }
            const std::string_view keyword = word_in_code(i, end);
            if (keyword == "def" && jit) {
                std::size_t at = i;
                while (at < end && is_blank(m_code[at]))
                    ++at;
                std::size_t j = i;
                Kernel kernel;
                kernel.name = word_in_code(j, end);
                kernel.place = m_lines.place(at);
                if (!kernel.name.empty())
                    m_result.kernels.push_back(std::move(kernel));
            }
            if (keyword == "def" || keyword == "class")
                jit = false;
        }
    }

    std::string_view word_in_code(std::size_t& i, std::size_t end) const {
        while (i < end && is_blank(m_code[i]))
            ++i;
        const std::size_t begin = i;
        while (i < end && is_identifier_char(m_code[i]))
            ++i;
        return std::string_view(m_code).substr(begin, i - begin);
    }

    std::string_view m_source;
    const LineTable& m_lines;
    std::vector<Error>& m_errors;
    std::string m_code; // the source with comments and strings blanked
    std::size_t m_i = 0;
    ScanResult m_result;
};

} // namespace

ScanResult scan_triton(std::string_view source, const LineTable& lines, std::vector<Error>& errors) {
    return TritonScanner(source, lines, errors).scan();
}

} // namespace kf::detail
