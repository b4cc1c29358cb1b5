// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/diagnostics.h"

#include "core/runners/cpu/translation_unit.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kf {
namespace {

struct Line {
    std::string_view file;
    int line = 0;
    int column = 0;
    std::string_view rest; // behind "file:line:column: "
};

bool take_number(std::string_view& text, int& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

// "file:line:column: rest" or "file:line: rest". File names have no colon (check_file_name).
std::optional<Line> parse_line(std::string_view text) {
    Line line;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0)
        return std::nullopt;
    line.file = text.substr(0, colon);
    text.remove_prefix(colon + 1);
    if (!take_number(text, line.line) || text.empty() || text.front() != ':')
        return std::nullopt;
    text.remove_prefix(1);
    if (take_number(text, line.column)) {
        if (text.empty() || text.front() != ':')
            return std::nullopt;
        text.remove_prefix(1);
    }
    line.rest = text;
    return line;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (text.substr(0, prefix.size()) != prefix)
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

} // namespace

std::vector<CpuDiagnostic> parse_gcc_output(std::string_view output, const std::string& file_name, std::size_t most) {
    std::vector<CpuDiagnostic> result;
    std::optional<Place> required; // the innermost candidate line of the instantiation that the next error belongs to
    int required_launch = -1;
    while (!output.empty() && result.size() < most) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        const std::string_view text = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        std::optional<Line> line = parse_line(text);
        if (!line)
            continue;
        const bool in_candidate = line->file == file_name;
        const bool in_plan = line->file == kPlanFile;
        std::string_view rest = line->rest;
        while (!rest.empty() && rest.front() == ' ')
            rest.remove_prefix(1);
        if (rest.find("required from") == 0 || rest.find("required by") == 0 ||
            rest.find("recursively required") == 0 || rest.find("in ‘constexpr’ expansion") == 0) {
            if (in_candidate && !required)
                required = Place{file_name, line->line, line->column};
            if (in_plan && line->line >= 2)
                required_launch = line->line - 2;
            continue;
        }
        // An error inside a macro of ours stands in our header; where the macro was used follows as a note.
        if (rest.find("note: in expansion of macro") == 0 && !result.empty()) {
            CpuDiagnostic& last = result.back();
            if (in_candidate && last.place.line == 0 && last.launch < 0)
                last.place = Place{file_name, line->line, line->column};
            if (in_plan && last.place.line == 0 && last.launch < 0)
                last.launch = line->line - 2;
            continue;
        }
        CpuDiagnostic diagnostic;
        if (take_prefix(rest, "error: ") || take_prefix(rest, "fatal error: "))
            diagnostic.severity = CpuDiagnostic::Severity::error;
        else if (take_prefix(rest, "warning: "))
            diagnostic.severity = CpuDiagnostic::Severity::warning;
        else
            continue; // notes, "In function …", source lines
        diagnostic.message = rest;
        if (in_candidate) {
            diagnostic.place = Place{file_name, line->line, line->column};
        } else if (in_plan) {
            diagnostic.launch = line->line - 2;
        } else {
            diagnostic.header = line->file.substr(line->file.rfind('/') + 1);
            if (required)
                diagnostic.place = *required;
            diagnostic.launch = required_launch;
        }
        required.reset();
        required_launch = -1;
        result.push_back(std::move(diagnostic));
    }
    return result;
}

Error compile_error(const std::vector<CpuDiagnostic>& diagnostics, const std::vector<std::string>& expressions,
                    const std::string& file_name, std::string_view output) {
    const CpuDiagnostic* first = nullptr;
    for (const CpuDiagnostic& diagnostic : diagnostics)
        if (diagnostic.severity == CpuDiagnostic::Severity::error && diagnostic.place.line > 0 && !first)
            first = &diagnostic;
    if (first)
        return make_error("compile-error", first->message, {}, first->place);
    for (const CpuDiagnostic& diagnostic : diagnostics) {
        if (diagnostic.severity != CpuDiagnostic::Severity::error)
            continue;
        if (diagnostic.launch >= 0 && static_cast<std::size_t>(diagnostic.launch) < expressions.size())
            return make_error("compile-kernel",
                              "launch " + std::to_string(diagnostic.launch + 1) + ": kernel `" +
                                  expressions[static_cast<std::size_t>(diagnostic.launch)] +
                                  "` was not found or is ambiguous: " + diagnostic.message,
                              "name one __global__ function with all its template arguments");
        // At the end of the table: something in the candidate was not closed.
        return make_error("compile-error", diagnostic.message,
                          diagnostic.launch >= 0 ? "look for a missing } or ;" : "", Place{file_name, 0, 0});
    }
    return make_error("compile-error", "the compiler failed: " + std::string(output.substr(0, output.find('\n'))), {},
                      Place{file_name, 0, 0});
}

} // namespace kf
