// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_text.h"

#include "core/render/terminal_text.h"

#include <cmath>
#include <cstdio>
#include <ctime>

namespace kf {
namespace html {
namespace {

void add_escaped(std::string& out, std::string_view text) {
    for (const char c : text)
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
}

std::string use(std::string_view symbol, std::string_view classes) {
    return "<svg class=\"mark " + std::string(classes) + "\" aria-hidden=\"true\" focusable=\"false\"><use href=\"#m-" +
           std::string(symbol) + "\"/></svg>";
}

} // namespace

std::string escaped(std::string_view text) {
    std::string out;
    add_escaped(out, plain_text(text));
    return out;
}

std::string escaped_lines(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t end = std::min(text.find_first_of("\n\t", from), text.size());
        add_escaped(out, plain_text(text.substr(from, end - from)));
        if (end == text.size())
            break;
        out += text[end];
        from = end + 1;
    }
    return out;
}

std::string coordinate(double value) {
    if (!std::isfinite(value) || std::abs(value) > 1e6)
        return "0";
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    std::string number = text;
    while (number.back() == '0')
        number.pop_back();
    if (number.back() == '.')
        number.pop_back();
    return number == "-0" ? "0" : number;
}

std::string_view kind_name(VerdictKind kind) {
    switch (kind) {
    case VerdictKind::faster:
        return "faster";
    case VerdictKind::slower:
        return "slower";
    case VerdictKind::equivalent:
        return "equivalent";
    case VerdictKind::inconclusive:
        return "inconclusive";
    case VerdictKind::correct:
        return "correct";
    case VerdictKind::wrong:
        return "wrong";
    case VerdictKind::error:
        return "error";
    case VerdictKind::timeout:
        return "timeout";
    case VerdictKind::suspect:
        return "suspect";
    case VerdictKind::infrastructure:
        return "infrastructure";
    case VerdictKind::cancelled:
        return "cancelled";
    case VerdictKind::duplicate:
        return "duplicate";
    case VerdictKind::start:
        return "start";
    case VerdictKind::none:
        return "none";
    }
    return "none";
}

std::string mark(VerdictKind kind, std::string_view extra_class) {
    const std::string name(kind_name(kind));
    return use(name, "v-" + name + (extra_class.empty() ? "" : " " + std::string(extra_class)));
}

std::string evidence_disc(const std::string& level) {
    return evidence_mark(level) == " " ? "" : use("e-" + level, "disc");
}

std::string star() {
    return "<svg class=\"mark star\" role=\"img\" aria-label=\"champion\" focusable=\"false\"><use "
           "href=\"#m-star\"/></svg>";
}

std::string verdict(const ReportTurn& turn) {
    const std::string name(kind_name(turn.kind));
    return "<span class=\"verdict v-" + name + "\">" + mark(turn.kind) + "<span>" + escaped(verdict_words(turn)) +
           "</span></span>";
}

std::string evidence(const std::string& level) {
    const std::string word = evidence_words(level);
    return word.empty() ? "" : "<span class=\"evidence\">" + evidence_disc(level) + escaped(word) + "</span>";
}

// The same outlines as the window draws (ui/theme/marks.cpp), in a square of 12 around the origin.
std::string symbols() {
    struct Symbol {
        const char* name;
        const char* shape;
    };
    static constexpr Symbol all[] = {
        {"faster", R"(<path d="M-6-4.8H6L0 5.4Z" fill="currentColor"/>)"},
        {"slower", R"(<path d="M-6 4.8H6L0-5.4Z" fill="currentColor"/>)"},
        {"equivalent", R"(<path d="M-4.8-4.8H4.8V4.8H-4.8Z" fill="currentColor"/>)"},
        {"inconclusive", R"(<circle r="5.1" fill="none" stroke="currentColor" stroke-width="1.8"/>)"},
        {"correct",
         R"(<path d="M-4.8.3-1.2 3.9 4.8-3.6" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>)"},
        {"wrong", R"(<path d="M0-5.1 5.1 0 0 5.1-5.1 0Z" fill="none" stroke="currentColor" stroke-width="1.8"/>)"},
        {"error",
         R"(<path d="M-4.2-4.2 4.2 4.2M-4.2 4.2 4.2-4.2" fill="none" stroke="currentColor" stroke-width="2.1" stroke-linecap="round"/>)"},
        {"timeout", R"(<path d="M-4.5-6H4.5L0 .7ZM-4.5 6H4.5L0-.7Z" fill="currentColor"/>)"},
        {"suspect",
         R"(<path d="M-3.3-6 5.4-2.4-3.3 1.2Z" fill="currentColor"/><path d="M-3.6-5.4V5.4" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/>)"},
        {"infrastructure",
         R"(<circle r="5.1" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M-3.6 3.6 3.6-3.6" stroke="currentColor" stroke-width="1.5"/>)"},
        {"cancelled", R"(<path d="M-4-4H4V4H-4Z" fill="none" stroke="currentColor" stroke-width="1.5"/>)"},
        {"duplicate",
         R"(<path d="M-4.8-3.6H4.8M-4.8 0H4.8M-4.8 3.6H4.8" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/>)"},
        {"start", R"(<path d="M-6-2.1H6V2.1H-6Z" fill="currentColor"/>)"},
        {"none",
         R"(<circle cx="-4.2" r="1.2" fill="currentColor"/><circle r="1.2" fill="currentColor"/><circle cx="4.2" r="1.2" fill="currentColor"/>)"},
        {"e-screen",
         R"(<circle r="5.4" fill="none" stroke="currentColor" stroke-width="1.2"/><path d="M0 0V-5.4A5.4 5.4 0 0 1 5.4 0Z" fill="currentColor"/>)"},
        {"e-duel",
         R"(<circle r="5.4" fill="none" stroke="currentColor" stroke-width="1.2"/><path d="M0-5.4A5.4 5.4 0 0 1 0 5.4Z" fill="currentColor"/>)"},
        {"e-certify",
         R"(<circle r="5.4" fill="none" stroke="currentColor" stroke-width="1.2"/><path d="M0 0V-5.4A5.4 5.4 0 1 1-5.4 0Z" fill="currentColor"/>)"},
        {"e-promote", R"(<circle r="6" fill="currentColor"/>)"},
        {"star",
         R"(<path d="M0-6 1.59-2.18 5.71-1.85 2.57.83 3.53 4.85 0 2.7-3.53 4.85-2.57.83-5.71-1.85-1.59-2.18Z" fill="currentColor"/>)"},
    };
    std::string out = "<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>";
    for (const Symbol& symbol : all)
        out +=
            std::string("<symbol id=\"m-") + symbol.name + "\" viewBox=\"-7 -7 14 14\">" + symbol.shape + "</symbol>";
    return out + "</defs></svg>\n";
}

} // namespace html

std::string verdict_words(const ReportTurn& turn) {
    if (!turn.turn->finished && (!turn.shown || !turn.shown->done))
        return turn.turn->started ? "not finished" : "no verdict";
    std::string words(mark_of(turn.kind).word);
    const std::string detail = turn.turn->outcome == "no_candidate"     ? "no kernel in the reply"
                               : turn.kind == VerdictKind::inconclusive ? turn.figures.reason
                               : turn.shown && (turn.shown->failed || turn.kind == VerdictKind::none)
                                   ? turn.shown->verdict
                                   : std::string();
    if (turn.kind == VerdictKind::infrastructure || turn.kind == VerdictKind::cancelled || detail.empty() ||
        detail == words)
        return words;
    std::string readable = detail;
    for (char& c : readable)
        if (c == '-' || c == '_')
            c = ' ';
    return readable == words ? words : words + " · " + readable;
}

std::string evidence_words(const std::string& level) {
    return level == "certify" ? "certified" : level == "promote" ? "promoted" : level;
}

std::string utc_time(double unix_seconds) {
    if (!(unix_seconds > 0) || unix_seconds > 4e9)
        return "–";
    const auto whole = static_cast<std::time_t>(unix_seconds);
    std::tm parts{};
    gmtime_r(&whole, &parts);
    char text[40];
    return std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) > 0 ? text : "–";
}

std::string count_text(std::int64_t count) {
    std::string text = std::to_string(count);
    const std::size_t sign = count < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > sign + 3;) {
        at -= 3;
        text.insert(at, ",");
    }
    return text;
}

TimeUnit unit_for(double seconds) {
    if (!(seconds > 0) || !std::isfinite(seconds))
        return {};
    TimeUnit unit = seconds >= 1      ? TimeUnit{1, "s", 3}
                    : seconds >= 1e-3 ? TimeUnit{1e-3, "ms", 3}
                    : seconds >= 1e-6 ? TimeUnit{1e-6, "µs", 3}
                                      : TimeUnit{1e-9, "ns", 3};
    const double shown = seconds / unit.seconds;
    unit.decimals = shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
    return unit;
}

std::string time_in(double seconds, const TimeUnit& unit) {
    if (!(seconds > 0) || !std::isfinite(seconds))
        return "–";
    const double shown = seconds / unit.seconds;
    if (shown >= 1e5 || shown < 1e-2)
        return format_seconds(seconds);
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", unit.decimals, shown);
    return text;
}

std::string time_with_unit(double seconds, const TimeUnit& unit) {
    const std::string text = time_in(seconds, unit);
    return text == "–" || text.find(' ') != std::string::npos ? text : text + " " + unit.name;
}

} // namespace kf
