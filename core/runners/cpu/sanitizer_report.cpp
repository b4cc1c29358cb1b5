// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/sanitizer_report.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kf {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

struct Frame {
    std::string function;
    Place place;
};

// "#0 0x7f11 in k(float*) /kf/work/k.cu:12:3" or "#0 k(float*) k.cu:12 (candidate.so+0x1234)".
std::optional<Frame> parse_frame(std::string_view line, const std::string& file_name) {
    line = trim(line);
    if (line.size() < 3 || line[0] != '#' || line[1] < '0' || line[1] > '9')
        return std::nullopt;
    line.remove_prefix(std::min(line.find(' '), line.size()));
    line = trim(line);
    if (line.substr(0, 2) == "0x") {
        const std::size_t in = line.find(" in ");
        line.remove_prefix(in == std::string_view::npos ? line.size() : in + 4);
    }
    Frame frame;
    // The candidate's file name with a line behind it, and a blank or a slash before.
    for (std::size_t at = line.find(file_name + ":"); at != std::string_view::npos;
         at = line.find(file_name + ":", at + 1)) {
        if (at > 0 && line[at - 1] != ' ' && line[at - 1] != '/')
            continue;
        const char* const end = line.data() + line.size();
        const auto [behind, error] = std::from_chars(line.data() + at + file_name.size() + 1, end, frame.place.line);
        if (error != std::errc())
            continue;
        frame.place.file = file_name;
        if (behind != end && *behind == ':')
            std::from_chars(behind + 1, end, frame.place.column);
        const std::size_t blank = line.rfind(' ', at);
        frame.function = trim(line.substr(0, blank == std::string_view::npos ? 0 : blank));
        return frame;
    }
    frame.function = line.substr(0, line.find(" ("));
    return frame;
}

// "WRITE of size 4 at …", "Previous atomic read of size 8 at …".
std::optional<std::string> parse_access(std::string_view line) {
    line = trim(line);
    if (line.substr(0, 9) == "Previous ")
        line.remove_prefix(9);
    const std::size_t of = line.find(" of size ");
    if (of == std::string_view::npos || of > 24)
        return std::nullopt;
    std::string word(line.substr(0, of));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (word != "read" && word != "write" && word != "atomic read" && word != "atomic write")
        return std::nullopt;
    int bytes = 0;
    std::from_chars(line.data() + of + 9, line.data() + line.size(), bytes);
    return word + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// "…ERROR: AddressSanitizer: use-after-poison on address 0x…" or "WARNING: ThreadSanitizer: data race (pid=1)".
std::optional<SanitizerReport> parse_head(std::string_view line) {
    for (const char* tool : {"AddressSanitizer", "ThreadSanitizer"}) {
        for (const char* level : {"ERROR: ", "WARNING: "}) {
            const std::string head = std::string(level) + tool + ": ";
            const std::size_t at = line.find(head);
            if (at == std::string_view::npos)
                continue;
            std::string_view kind = line.substr(at + head.size());
            for (const char* end : {" on address", " on unknown address", " (pid", ": ", " in thread"})
                kind = kind.substr(0, kind.find(end));
            SanitizerReport report;
            report.tool = tool;
            report.kind = std::string(trim(kind)).substr(0, 80);
            return report;
        }
    }
    // "k.cu:3:5: runtime error: load of misaligned address …"
    const std::size_t at = line.find(": runtime error: ");
    if (at == std::string_view::npos)
        return std::nullopt;
    SanitizerReport report;
    report.tool = "UndefinedBehaviorSanitizer";
    report.kind = std::string(trim(line.substr(at + 17))).substr(0, 200);
    return report;
}

void finish(SanitizerReport& report, std::vector<SanitizerReport>& reports) {
    report.message = report.kind;
    if (!report.access.empty())
        report.message += ": " + report.access;
    if (!report.function.empty())
        report.message += " in " + report.function;
    if (report.place.line > 0)
        report.message += " at " + to_string(report.place);
    if (report.other.line > 0)
        report.message += ", against " + to_string(report.other);
    const bool known = std::any_of(reports.begin(), reports.end(), [&](const SanitizerReport& other) {
        return other.kind == report.kind && other.place == report.place && other.other == report.other;
    });
    if (!known)
        reports.push_back(std::move(report));
}

} // namespace

std::vector<SanitizerReport> parse_sanitizer_output(std::string_view text, const std::string& file_name,
                                                    std::size_t most) {
    std::vector<SanitizerReport> reports;
    std::optional<SanitizerReport> current;
    int stack = 0; // which stack of the report: 0 none yet, 1 the access, 2 what it conflicts with
    while (!text.empty() && reports.size() < most) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, std::min<std::size_t>(end, 4096));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (std::optional<SanitizerReport> head = parse_head(line)) {
            if (current)
                finish(*current, reports);
            current = std::move(head);
            stack = 0;
            if (current->tool[0] == 'U')
                if (const std::optional<Frame> frame = parse_frame("#0 " + std::string(line), file_name);
                    frame && frame->place.line > 0)
                    current->place = frame->place;
            continue;
        }
        if (!current)
            continue;
        if (const std::optional<std::string> access = parse_access(line)) {
            ++stack;
            if (current->access.empty())
                current->access = *access;
            continue;
        }
        const std::optional<Frame> frame = parse_frame(line, file_name);
        // Stacks behind the second one say where memory was allocated or a thread began.
        if (!frame || stack > 2)
            continue;
        if (trim(line).substr(0, 2) == "#0" && stack == 0)
            stack = 1; // a report without an access line, such as one of a crash
        if (frame->place.line == 0)
            continue;
        if (stack <= 1 && current->place.line == 0) {
            current->place = frame->place;
            current->function = frame->function;
        } else if (stack == 2 && current->other.line == 0) {
            current->other = frame->place;
        }
    }
    if (current && reports.size() < most)
        finish(*current, reports);
    return reports;
}

} // namespace kf
