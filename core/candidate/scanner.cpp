// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/scanner.h"

#include <algorithm>

namespace kf::detail {

LineTable::LineTable(std::string_view source, std::string file, std::size_t first_offset)
    : m_source(source), m_file(std::move(file)), m_first(first_offset) {
    m_starts.push_back(first_offset);
    for (std::size_t i = first_offset; i < source.size(); ++i)
        if (source[i] == '\n')
            m_starts.push_back(i + 1);
}

Place LineTable::place(std::size_t offset) const {
    offset = std::clamp(offset, m_first, std::max(m_first, m_source.size()));
    const auto next = std::upper_bound(m_starts.begin(), m_starts.end(), offset);
    const auto line = static_cast<int>(next - m_starts.begin());
    int column = 1;
    for (std::size_t i = *(next - 1); i < offset; ++i)
        column += (m_source[i] & 0xc0) != 0x80 ? 1 : 0;
    return Place{m_file, line, column};
}

Place StatementText::place(std::size_t index) const {
    return lines->place(offsets[std::min(index, offsets.size() - 1)]);
}

void StatementText::push(char c, std::size_t offset) {
    text.push_back(c);
    offsets.push_back(static_cast<std::uint32_t>(offset));
}

void StatementText::finish(std::size_t end_offset) {
    std::size_t end = text.size();
    while (end > 0 && (is_blank(text[end - 1]) || text[end - 1] == '\n'))
        --end;
    std::size_t begin = 0;
    while (begin < end && (is_blank(text[begin]) || text[begin] == '\n'))
        ++begin;
    // The end of the statement is just behind its last byte, where a missing word belongs.
    const std::uint32_t after =
        begin == end ? static_cast<std::uint32_t>(end_offset) : static_cast<std::uint32_t>(offsets[end - 1] + 1);
    text = text.substr(begin, end - begin);
    offsets.assign(offsets.begin() + static_cast<std::ptrdiff_t>(begin),
                   offsets.begin() + static_cast<std::ptrdiff_t>(end));
    offsets.push_back(after);
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

} // namespace kf::detail
