// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html.h"

#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/report/page_parts.h"

#include <algorithm>

namespace kf {
namespace {

constexpr std::size_t most_resource_bytes = std::size_t{1} << 20;

// A hash as a content policy wants it.
std::string base64_of_hex(const std::string& hex) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes, out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned value = 0;
        for (std::size_t j = 0; j < 3; ++j)
            value = value << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j)
            out += i + j <= bytes.size() ? digits[value >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

bool is_colour(const std::string& text) {
    return text.size() == 7 && text[0] == '#' &&
           std::all_of(text.begin() + 1, text.end(), [](unsigned char c) { return std::isxdigit(c); });
}

// "--accent:#5aa9ff;…" of one set of the window's colours.
Result<std::string> colours(const Json& theme, const char* set) {
    std::string out;
    const Json& all = get_member(theme, set);
    if (!all.is_object() || all.empty())
        return make_error("theme-invalid", std::string("there are no colours \"") + set + "\" in theme.json",
                          "install KernelForge again");
    for (const auto& [name, value] : all.items()) {
        const bool plain =
            std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
        if (!plain || !value.is_string() || !is_colour(value.get<std::string>()))
            return make_error("theme-invalid", "`" + name + "` of theme.json is no colour", "#rrggbb");
        out += "--" + name + ":" + value.get<std::string>() + ";";
    }
    return out;
}

Result<std::string> style_of(const std::filesystem::path& resources) {
    auto style = read_file(resources / "report" / "style.css", most_resource_bytes);
    if (!style)
        return style.error();
    auto text = read_file(resources / "ui" / "theme" / "theme.json", most_resource_bytes);
    if (!text)
        return text.error();
    auto theme = parse_json(*text, "theme.json");
    if (!theme)
        return theme.error();
    auto light = colours(*theme, "light"), dark = colours(*theme, "dark"), contrast = colours(*theme, "contrast");
    for (const auto* set : {&light, &dark, &contrast})
        if (!*set)
            return set->error();
    // The reader's own choice, where there is one, wins over the system's.
    return ":root{color-scheme:light;" + *light +
           "}\n@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;" + *dark +
           "}}\n@media screen{:root[data-theme=dark]{color-scheme:dark;" + *dark +
           "}}\n@media screen and (prefers-contrast:more) and (prefers-color-scheme:dark){:root:not([data-theme]){" +
           *contrast + "}}\n" + *style;
}

std::string head(const RunReport& report, const std::string& style, const std::string& script) {
    const std::string policy = "default-src 'none'; style-src 'sha256-" + base64_of_hex(sha256(style)) +
                               "'; script-src 'sha256-" + base64_of_hex(sha256(script)) +
                               "'; base-uri 'none'; form-action 'none'";
    const std::string task = report.state.start.task.empty() ? report.name : report.state.start.task;
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
           "http-equiv=\"Content-Security-Policy\" content=\"" +
           policy +
           "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" "
           "content=\"no-referrer\">\n"
           "<meta name=\"generator\" content=\"" +
           html::escaped(report.program) + "\">\n<title>" + html::escaped(task) +
           " · KernelForge report</title>\n<style>" + style + "</style>\n</head>\n";
}

std::string top_bar(const RunReport& report) {
    std::string out = "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header class=\"bar\"><span "
                      "class=\"brand\">KernelForge</span><span class=\"bar-task\">" +
                      html::escaped(report.state.start.task) + "</span><nav aria-label=\"Sections\">";
    static constexpr std::pair<const char*, const char*> sections[] = {
        {"summary", "Summary"}, {"timeline", "Timeline"}, {"distribution", "Distribution"},
        {"table", "Turns"},     {"repeat", "Repeat"},     {"environment", "Environment"}};
    for (const auto& [id, name] : sections)
        out += std::string("<a href=\"#") + id + "\">" + name + "</a>";
    // Shown by the script alone: without it they would do nothing.
    return out + "</nav><span class=\"tools\" hidden><input id=\"find\" type=\"search\" placeholder=\"Find a turn ( / "
                 ")\" aria-label=\"Find a turn\"><output id=\"found\" for=\"find\"></output>"
                 "<button id=\"theme\" type=\"button\" aria-label=\"Light or dark\">◐</button><button id=\"help\" "
                 "type=\"button\" aria-label=\"Keys\">?</button></span></header>\n";
}

constexpr const char* help_dialog =
    "<dialog id=\"keys\" aria-labelledby=\"h-keys\"><h2 id=\"h-keys\">Keys</h2><dl class=\"keys\">"
    "<dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next, previous turn</dd><dt><kbd>Enter</kbd></dt><dd>open or fold the "
    "turn</dd>"
    "<dt><kbd>o</kbd></dt><dd>open all turns, or fold them</dd><dt><kbd>/</kbd></dt><dd>find a turn by what is said of "
    "it</dd>"
    "<dt><kbd>Esc</kbd></dt><dd>show all turns again</dd><dt><kbd>t</kbd></dt><dd>light or "
    "dark</dd><dt><kbd>?</kbd></dt><dd>these keys</dd></dl>"
    "<form method=\"dialog\"><button>Close</button></form></dialog>\n";

} // namespace

Result<std::string> html_report(const RunReport& report, const std::filesystem::path& resources) {
    auto style = style_of(resources);
    if (!style)
        return style.error();
    auto script = read_file(resources / "report" / "script.js", most_resource_bytes);
    if (!script)
        return script.error();
    const RunState& state = report.state;
    std::string out = head(report, *style, *script) + "<body>\n" + html::symbols() + top_bar(report);
    out += "<main id=\"main\">\n<div class=\"title\"><h1>" +
           html::escaped(state.start.task.empty() ? "A run without a task" : state.start.task) +
           "</h1><p class=\"dim\">" + (state.start.title.empty() ? "" : html::escaped(state.start.title) + " · ") +
           "<code>" + html::escaped(report.name) + "</code> <span class=\"status\">" +
           html::escaped(to_string(report.status)) + "</span></p></div>\n";
    if (!report.warnings.empty()) {
        out += "<div class=\"warnings\" role=\"note\"><ul>";
        for (const std::string& warning : report.warnings)
            out += "<li>" + html::escaped(warning) + "</li>";
        out += "</ul></div>\n";
    }
    out += html::summary_section(report) + html::timeline_section(report) + html::distribution_section(report) +
           html::table_section(report) + html::turns_section(report) + html::environment_section(report);
    out += "</main>\n<footer><p>Made by " + html::escaped(report.program) +
           " from the run's journal. Times are medians of a call; a speed-up above 1 is faster; brackets are "
           "intervals. Evidence: " +
           html::evidence("screen") + " " + html::evidence("duel") + " " + html::evidence("certify") + " " +
           html::evidence("promote") + ".</p></footer>\n";
    return out + help_dialog + "<script>" + *script + "</script>\n</body>\n</html>\n";
}

} // namespace kf
