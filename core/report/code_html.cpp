// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/code_html.h"

#include "core/report/html_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kf::html {
namespace {

constexpr std::array<std::string_view, 60> words = {
    "alignas",       "auto",         "bool",       "break",        "case",     "char",    "class",
    "const",         "constexpr",    "continue",   "default",      "do",       "double",  "else",
    "enum",          "extern",       "false",      "float",        "float2",   "float4",  "for",
    "half",          "if",           "inline",     "int",          "int2",     "int4",    "long",
    "namespace",     "nullptr",      "return",     "short",        "signed",   "sizeof",  "static",
    "static_assert", "static_cast",  "struct",     "switch",       "template", "true",    "typedef",
    "typename",      "uint2",        "uint4",      "union",        "unsigned", "using",   "void",
    "volatile",      "while",        "__device__", "__global__",   "__half",   "__half2", "__launch_bounds__",
    "__nv_bfloat16", "__restrict__", "__shared__", "__syncthreads"};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string span(const char* name, std::string_view text) {
    return std::string("<i class=\"") + name + "\">" + escaped_lines(text) + "</i>";
}

// One line; `comment`: inside of /* … */ before it, and after it.
std::string coloured(std::string_view line, bool& comment) {
    std::string out;
    std::size_t at = 0;
    const std::size_t first = line.find_first_not_of(" \t");
    if (!comment && first != std::string_view::npos && line.substr(first).starts_with("#pragma kf"))
        return span("p", line);
    while (at < line.size()) {
        const std::size_t from = at;
        if (comment || line.substr(at).starts_with("/*")) {
            const std::size_t end = line.find("*/", comment ? at : at + 2);
            comment = end == std::string_view::npos;
            at = comment ? line.size() : end + 2;
            out += span("c", line.substr(from, at - from));
        } else if (line.substr(at).starts_with("//")) {
            return out + span("c", line.substr(at));
        } else if (line[at] == '"') {
            for (++at; at < line.size() && line[at] != '"'; ++at)
                at += line[at] == '\\';
            at = std::min(at + 1, line.size());
            out += span("s", line.substr(from, at - from));
        } else if (is_word(line[at])) {
            while (at < line.size() &&
                   (is_word(line[at]) || (std::isdigit(static_cast<unsigned char>(line[from])) && line[at] == '.')))
                ++at;
            const std::string_view word = line.substr(from, at - from);
            out += std::isdigit(static_cast<unsigned char>(word.front()))       ? span("n", word)
                   : std::find(words.begin(), words.end(), word) != words.end() ? span("k", word)
                                                                                : escaped_lines(word);
        } else {
            while (at < line.size() && !is_word(line[at]) && line[at] != '"' && (at == from || line[at] != '/'))
                ++at;
            out += escaped_lines(line.substr(from, at - from));
        }
    }
    return out;
}

template<class F> void each_line(std::string_view text, F&& told) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        told(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

} // namespace

std::string source_code(std::string_view text, bool cuda) {
    std::string out = "<pre class=\"code numbered\" tabindex=\"0\"><code>";
    bool comment = false;
    each_line(text, [&](std::string_view line) {
        out += "<span>" + (cuda ? coloured(line, comment) : escaped_lines(line)) + "\n</span>";
    });
    return out + "</code></pre>\n";
}

std::string unified(std::string_view diff) {
    std::string out = "<pre class=\"code diff\" tabindex=\"0\"><code>";
    bool body = false; // behind the first hunk's line: "---" may be a removed line there
    each_line(diff, [&](std::string_view line) {
        const char sign = line.empty() ? ' ' : line.front();
        body = body || sign == '@';
        const char* name = !body ? "head" : sign == '+' ? "add" : sign == '-' ? "del" : sign == '@' ? "hunk" : "same";
        out += std::string("<span class=\"") + name + "\">" + escaped_lines(line) + "\n</span>";
    });
    return out + "</code></pre>\n";
}

DiffCount count_changes(std::string_view diff) {
    DiffCount count;
    bool body = false;
    each_line(diff, [&](std::string_view line) {
        body = body || line.starts_with('@');
        count.added += body && line.starts_with('+');
        count.removed += body && line.starts_with('-');
    });
    return count;
}

} // namespace kf::html
