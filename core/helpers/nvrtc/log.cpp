// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/log.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace kf::nvrtc {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        out.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
    return out;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

// The number at the front of `text`, which is moved behind it.
std::optional<std::int64_t> take_number(std::string_view& text, int base = 10) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end == text.data())
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// The number just before `what` in `line`: "24 registers" → 24.
std::optional<std::int64_t> number_before(std::string_view line, std::string_view what) {
    const std::size_t at = line.find(what);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::size_t begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
        --begin;
    std::string_view digits = line.substr(begin, at - begin);
    return take_number(digits);
}

std::string quoted_after(std::string_view line, std::string_view what) {
    const std::size_t at = line.find(what);
    if (at == std::string_view::npos)
        return {};
    const std::size_t end = line.find('\'', at + what.size());
    return std::string(line.substr(at + what.size(), end == std::string_view::npos ? end : end - at - what.size()));
}

struct Head {
    std::string file;
    int line = 0;
    std::string severity; // error, warning, note
    std::string message;
};

// "cand.cu(5): error: text", "cand.cu(2): warning #161-D: text", "x.h(3): catastrophic error: text", "warning: text".
std::optional<Head> read_head(std::string_view line) {
    Head head;
    const std::size_t paren = line.find("): ");
    std::string_view rest = line;
    if (paren != std::string_view::npos) {
        const std::size_t open = line.rfind('(', paren);
        if (open == std::string_view::npos || open == 0)
            return std::nullopt;
        std::string_view digits = line.substr(open + 1, paren - open - 1);
        const auto number = take_number(digits);
        if (!number || !digits.empty() || *number > 100'000'000)
            return std::nullopt;
        head.file = std::string(line.substr(0, open));
        head.line = static_cast<int>(*number);
        rest = line.substr(paren + 3);
    }
    struct Form {
        const char* text;
        const char* severity;
    };
    for (const auto& [text, severity] :
         {Form{"catastrophic error", "error"}, Form{"internal error", "error"}, Form{"error", "error"},
          Form{"warning", "warning"}, Form{"remark", "note"}, Form{"note", "note"}}) {
        if (!rest.starts_with(text))
            continue;
        std::string_view after = rest.substr(std::string_view(text).size());
        if (after.starts_with(" #")) { // number of the diagnostic
            const std::size_t colon = after.find(':');
            if (colon == std::string_view::npos)
                return std::nullopt;
            after = after.substr(colon);
        }
        if (!after.starts_with(": "))
            continue;
        head.severity = severity;
        head.message = std::string(trimmed(after.substr(2)));
        return head;
    }
    return std::nullopt;
}

std::string short_file(const std::string& file, const std::vector<IncludeRoot>& roots) {
    for (const IncludeRoot& root : roots) {
        const std::string prefix = root.folder.string() + "/";
        if (file.starts_with(prefix))
            return "<" + file.substr(prefix.size()) + ">";
    }
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? file : "<" + file.substr(slash + 1) + ">";
}

// A line that holds only a caret.
std::optional<std::size_t> caret_of(std::string_view line) {
    const std::size_t caret = line.find_first_not_of(" \t");
    if (caret == std::string_view::npos || line[caret] != '^' || trimmed(line).size() != 1)
        return std::nullopt;
    return caret;
}

// "ptxas application ptx input, line 25; error   : text", "ptxas error   : text", "ptxas fatal   : text".
bool read_assembler_line(std::string_view line, ParsedLog& out) {
    const bool ours = line.starts_with("ptxas");
    const std::size_t colon = line.find(" : ");
    if (!ours || colon == std::string_view::npos)
        return ours;
    const std::string_view head = line.substr(0, colon);
    const bool warning = head.find("warning") != std::string_view::npos;
    const bool fatal = head.find("fatal") != std::string_view::npos;
    if (!warning && !fatal && head.find("error") == std::string_view::npos)
        return true;
    if (fatal && !out.errors.empty()) // "Ptx assembly aborted due to errors" says nothing new
        return true;
    Diagnostic d;
    d.severity = warning ? "warning" : "error";
    d.message = std::string(trimmed(line.substr(colon + 3)));
    int ptx_line = 0;
    if (const std::size_t at = head.find(", line "); at != std::string_view::npos) {
        std::string_view digits = head.substr(at + 7);
        ptx_line = static_cast<int>(std::clamp<std::int64_t>(take_number(digits).value_or(0), 0, 1 << 30));
    }
    if (warning) {
        out.warnings.push_back(std::move(d));
    } else {
        out.errors.push_back(std::move(d));
        out.ptx_lines.push_back(ptx_line);
    }
    return true;
}

} // namespace

ParsedLog parse_compiler_log(std::string_view log, const std::string& file, const std::vector<IncludeRoot>& roots) {
    constexpr std::size_t most_notes = 2;
    ParsedLog out;
    Diagnostic* last = nullptr;
    bool about_names = false;
    for (const std::string_view line : lines_of(log)) {
        if (read_assembler_line(line, out)) {
            last = nullptr;
            continue;
        }
        if (auto head = read_head(line)) {
            about_names = head->file == "__nv_name_map";
            if (about_names && head->message.starts_with("Error in parsing name expression")) {
                std::string name(head->message.substr(head->message.rfind(": \"") + 3));
                if (!name.empty() && name.back() == '"')
                    name.pop_back();
                if (out.bad_expression.empty())
                    out.bad_expression = std::string(trimmed(name));
                last = nullptr;
                continue;
            }
            if (head->severity == "note") {
                if (last && last->notes.size() < most_notes)
                    last->notes.push_back(head->message);
                continue;
            }
            Diagnostic d;
            d.severity = head->severity;
            d.message = head->message;
            if (!about_names) {
                d.file = head->file == file || head->file.empty() ? file : short_file(head->file, roots);
                d.line = head->line;
            }
            auto& list = d.severity == "error" ? out.errors : out.warnings;
            list.push_back(std::move(d));
            if (list.back().severity == "error")
                out.ptx_lines.push_back(0);
            last = &list.back();
            continue;
        }
        if (!last)
            continue;
        if (const auto caret = caret_of(line)) {
            // The source line above the caret is printed behind two blanks.
            if (last->column == 0 && *caret >= 2 && last->line > 0)
                last->column = static_cast<int>(*caret) - 1;
            continue;
        }
        // Continuations stand further in than the quoted source: "            argument types are: (…)".
        if (line.starts_with("          ") && last->notes.size() < most_notes && last->column == 0)
            last->notes.emplace_back(trimmed(line));
        else if (const std::string_view text = trimmed(line);
                 text.starts_with("detected during") && last->notes.size() < most_notes)
            last->notes.emplace_back(text);
    }
    return out;
}

std::vector<KernelFigures> parse_assembler_log(std::string_view log) {
    std::vector<KernelFigures> out;
    std::map<std::string, std::size_t, std::less<>> index;
    std::string entry, function; // the entry being compiled; the function whose properties follow
    const auto at = [&](const std::string& name) -> KernelFigures& {
        const auto [it, added] = index.emplace(name, out.size());
        if (added) {
            out.emplace_back();
            out.back().name = name;
            out.back().entry = false;
        }
        return out[it->second];
    };
    for (const std::string_view line : lines_of(log)) {
        if (const std::string name = quoted_after(line, "Compiling entry function '"); !name.empty()) {
            entry = name;
            at(entry).entry = true;
        } else if (const std::size_t of = line.find("Function properties for "); of != std::string_view::npos) {
            function = std::string(trimmed(line.substr(of + 24)));
        } else if (const auto stack = number_before(line, " bytes stack frame"); stack && !function.empty()) {
            KernelFigures& f = at(function);
            f.stack = *stack;
            f.spill_stores = number_before(line, " bytes spill stores").value_or(-1);
            f.spill_loads = number_before(line, " bytes spill loads").value_or(-1);
        } else if (const auto registers = number_before(line, " registers"); registers && !entry.empty()) {
            KernelFigures& f = at(entry);
            f.registers = static_cast<int>(*registers);
            f.barriers = static_cast<int>(number_before(line, " barriers").value_or(0));
            f.shared = number_before(line, " bytes smem").value_or(0);
            if (const auto constant = number_before(line, " bytes cmem[0]"))
                f.constant = *constant;
        }
    }
    return out;
}

std::vector<int> source_lines_of_ptx(std::string_view ptx, const std::string& file) {
    const auto lines = lines_of(ptx);
    std::int64_t wanted = -1;
    for (const std::string_view raw : lines) { // .file 1 "/candidate.cu"
        std::string_view line = trimmed(raw);
        if (!line.starts_with(".file"))
            continue;
        line = trimmed(line.substr(5));
        const auto number = take_number(line);
        const std::size_t open = line.find('"'), close = line.rfind('"');
        if (!number || open == std::string_view::npos || close <= open)
            continue;
        const std::string_view path = line.substr(open + 1, close - open - 1);
        if (path == file || path.ends_with("/" + file))
            wanted = *number;
    }
    std::vector<int> out{0};
    int current = 0;
    for (const std::string_view raw : lines) { // .loc 1 12 5 [, function_name …, inlined_at …]
        std::string_view line = trimmed(raw);
        if (line.starts_with(".loc")) {
            line = trimmed(line.substr(4));
            const auto number = take_number(line);
            line = trimmed(line);
            const auto source_line = take_number(line);
            current = number && source_line && *number == wanted ? static_cast<int>(*source_line) : 0;
        } else if (line.starts_with(".visible") || line.starts_with(".func") || line.starts_with(".entry")) {
            current = 0;
        }
        out.push_back(current);
    }
    return out;
}

std::string cut_log(std::string text, std::size_t limit) {
    if (text.size() <= limit)
        return text;
    const std::size_t end = text.rfind('\n', limit);
    const std::size_t keep = end == std::string::npos || end == 0 ? limit : end + 1;
    const std::size_t missing = text.size() - keep;
    text.resize(keep);
    return text + "… " + std::to_string(missing) + " bytes more\n";
}

} // namespace kf::nvrtc
