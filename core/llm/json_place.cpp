// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/json_place.h"

namespace kf {
namespace {

class Walker {
public:
    explicit Walker(std::string_view text) : m_text(text) {}

    std::size_t find(const std::vector<JsonStep>& path) {
        std::size_t found = skip_blank();
        for (const JsonStep& step : path) {
            if (!enter(step))
                break;
            found = skip_blank();
        }
        return found;
    }

private:
    char at() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    std::size_t skip_blank() {
        while (m_at < m_text.size() && std::string_view(" \t\r\n,:").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
        return m_at;
    }
    std::string_view string() {
        const std::size_t from = ++m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"')
            m_at += m_text[m_at] == '\\' ? 2 : 1;
        const std::string_view inside = m_text.substr(from, m_at - from);
        ++m_at;
        return inside;
    }
    void skip_value() {
        skip_blank();
        int depth = 0;
        do {
            const char c = at();
            if (c == '"') {
                string();
            } else {
                depth += c == '{' || c == '[';
                depth -= c == '}' || c == ']';
                ++m_at;
                if (depth == 0) // a number or a word: to its end
                    while (m_at < m_text.size() && c != '}' && c != ']' &&
                           std::string_view(" \t\r\n,]}").find(m_text[m_at]) == std::string_view::npos)
                        ++m_at;
            }
        } while (depth > 0 && m_at < m_text.size());
    }
    bool enter(const JsonStep& step) {
        const char open = at();
        if (open != '{' && open != '[')
            return false;
        const std::size_t start = m_at++;
        for (std::size_t index = 0; skip_blank(), m_at < m_text.size() && at() != '}' && at() != ']'; ++index) {
            const bool member = open == '{';
            const std::string_view name = member ? string() : std::string_view();
            skip_blank();
            const std::string* wanted = std::get_if<std::string>(&step);
            if (member ? wanted && *wanted == name : !wanted && std::get<std::size_t>(step) == index)
                return true;
            skip_value();
        }
        m_at = start;
        return false;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

Place place_in_json(std::string_view text, const std::vector<JsonStep>& path, const std::string& file) {
    const std::size_t at = Walker(text).find(path);
    Place place{file, 1, 1};
    for (std::size_t i = 0; i < at && i < text.size(); ++i) {
        ++place.column;
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
        }
    }
    return place;
}

std::string to_string(const std::vector<JsonStep>& path) {
    std::string text;
    for (const JsonStep& step : path) {
        if (const auto* name = std::get_if<std::string>(&step))
            text += (text.empty() ? "" : ".") + *name;
        else
            text += "[" + std::to_string(std::get<std::size_t>(step)) + "]";
    }
    return text;
}

} // namespace kf
