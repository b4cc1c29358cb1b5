// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/json_places.h"

#include <utility>

namespace kf {

JsonPlaces::JsonPlaces(std::string_view text, std::string file) : m_text(text), m_here{std::move(file), 1, 1} {
    read_value("");
}

Place JsonPlaces::value(const std::string& path) const {
    for (std::string shorter = path;; shorter.resize(shorter.rfind('/'))) {
        if (const auto it = m_values.find(shorter); it != m_values.end())
            return it->second;
        if (shorter.empty())
            return Place{m_here.file, 0, 0};
    }
}

Place JsonPlaces::key(const std::string& path) const {
    const auto it = m_keys.find(path);
    return it == m_keys.end() ? value(path) : it->second;
}

void JsonPlaces::advance() {
    const char c = m_text[m_at++];
    if (c == '\n') {
        ++m_here.line;
        m_here.column = 1;
    } else if ((c & 0xc0) != 0x80) { // a UTF-8 sequence is one column
        ++m_here.column;
    }
}

void JsonPlaces::skip_blanks() {
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n' ||
                                    m_text[m_at] == '\r' || m_text[m_at] == ',' || m_text[m_at] == ':'))
        advance();
}

// At an opening quote; returns the text as written, escapes and all.
std::string JsonPlaces::read_string() {
    advance();
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && m_text[m_at] != '"') {
        if (m_text[m_at] == '\\' && m_at + 1 < m_text.size())
            advance();
        advance();
    }
    std::string inside(m_text.substr(begin, m_at - begin));
    if (m_at < m_text.size())
        advance();
    return inside;
}

void JsonPlaces::read_value(const std::string& path) {
    skip_blanks();
    if (m_at >= m_text.size())
        return;
    const char c = m_text[m_at];
    Place place = m_here;
    if (c == '"')
        ++place.column;
    m_values[path] = place;
    if (c == '"') {
        read_string();
    } else if (c == '{' || c == '[') {
        advance();
        for (std::size_t index = 0; skip_blanks(), m_at < m_text.size() && m_text[m_at] != '}' && m_text[m_at] != ']';
             ++index) {
            std::string member = path + '/';
            if (c == '{') {
                const Place key_place = m_here;
                member += read_string();
                if (m_keys.contains(member) && !m_duplicate)
                    m_duplicate = member;
                m_keys[member] = key_place; // of two, the second is the one to remove
            } else {
                member += std::to_string(index);
            }
            read_value(member);
        }
        if (m_at < m_text.size())
            advance();
    } else {
        while (m_at < m_text.size() && std::string_view(",]} \t\r\n").find(m_text[m_at]) == std::string_view::npos)
            advance();
    }
}

} // namespace kf
