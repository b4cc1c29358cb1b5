// SPDX-License-Identifier: GPL-3.0-or-later
// Where every value and key of a JSON text stands: the JSON library forgets it, and errors of task files must name it.
#pragma once

#include "core/base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kf {

class JsonPlaces {
public:
    // `text` must be valid JSON (parse_json accepted it).
    JsonPlaces(std::string_view text, std::string file);

    // Place of the value at a key path such as "/inputs/0/shape/1"; of a string the first character inside the quotes.
    // An unknown path gives the place of its nearest known parent.
    Place value(const std::string& path) const;
    Place key(const std::string& path) const; // of the member's name
    // The first object member that is given twice, by path.
    const std::optional<std::string>& duplicate() const { return m_duplicate; }

private:
    void read_value(const std::string& path);
    std::string read_string();
    void advance();
    void skip_blanks();

    std::string_view m_text;
    std::size_t m_at = 0;
    Place m_here;
    std::map<std::string, Place> m_values, m_keys;
    std::optional<std::string> m_duplicate;
};

} // namespace kf
