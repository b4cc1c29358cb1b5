// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/tunable_defaults.h"

#include <algorithm>
#include <regex>
#include <vector>

namespace kf::ui {
namespace {

// One line: "#pragma kf tune BLOCK in {256, 128}" or, in Triton, "# kf: tune …".
std::string line_with_defaults(const std::string& line, const Json& tunables) {
    static const std::regex statement(R"((.*\btune\s+)([A-Za-z_]\w*)(\s+in\s*\{)([^{}]*)(\}.*))");
    std::smatch parts;
    if (line.size() > 4096 || !std::regex_match(line, parts, statement))
        return line;
    const Json& wanted = get_member(tunables, parts[2].str().c_str());
    if (!wanted.is_number_integer())
        return line;
    const std::string value = std::to_string(wanted.get<std::int64_t>());
    std::vector<std::string> values;
    const std::string list = parts[4].str();
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        std::string one = list.substr(begin, end - begin);
        one.erase(0, one.find_first_not_of(" \t"));
        one.erase(one.find_last_not_of(" \t") + 1);
        values.push_back(one);
        begin = end + 1;
    }
    const auto found = std::find(values.begin(), values.end(), value);
    if (found == values.end())
        return line;
    std::rotate(values.begin(), found, found + 1);
    std::string joined;
    for (const std::string& one : values)
        joined += (joined.empty() ? "" : ", ") + one;
    return parts[1].str() + parts[2].str() + parts[3].str() + joined + parts[5].str();
}

} // namespace

std::string with_tunable_defaults(const std::string& source, const Json& tunables) {
    if (!tunables.is_object() || tunables.empty())
        return source;
    std::string text;
    text.reserve(source.size());
    for (std::size_t begin = 0; begin < source.size();) {
        const std::size_t end = std::min(source.find('\n', begin), source.size());
        const std::string line = source.substr(begin, end - begin);
        text += line.find("tune") == std::string::npos ? line : line_with_defaults(line, tunables);
        if (end < source.size())
            text += '\n';
        begin = end + 1;
    }
    return text;
}

} // namespace kf::ui
