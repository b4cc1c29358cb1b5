// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/extract.h"

#include "core/candidate/resolve.h"
#include "core/llm/lift.h"
#include "core/llm/reply_blocks.h"
#include "core/llm/templates.h"

#include <algorithm>

namespace kf {
namespace {

constexpr std::size_t max_blocks = 16; // the latest ones are looked at
constexpr std::size_t max_note = 600;

bool has_plan_lines(std::string_view text) {
    return text.find("#pragma kf") != std::string_view::npos || text.find("# kf ") != std::string_view::npos;
}

// Does it look like a kernel at all, whatever is wrong with it?
bool looks_like_code(std::string_view text) {
    for (const std::string_view sign : {"__global__", "#pragma kf", "@triton.jit", "@jit", "# kf ", "<<<"})
        if (text.find(sign) != std::string_view::npos)
            return true;
    return false;
}

bool is_python(std::string_view text, std::string_view language) {
    if (language == "python" || language == "py" || language == "triton" || language == "python3")
        return true;
    // A label of C++ on a Python file happens.
    for (const std::string_view sign : {"import triton", "import torch", "from torch", "# kf launch"})
        if (text.starts_with(sign) || text.find("\n" + std::string(sign)) != std::string_view::npos)
            return text.find("#pragma kf") == std::string_view::npos;
    return language.empty() && text.find("@triton.jit") != std::string_view::npos;
}

void place_errors(Extraction& extraction, int first_line) {
    for (Error& error : extraction.errors)
        if (error.place.line > 0)
            error.place.line += first_line - 1;
}

// The text as one candidate: as it stands when it has plan lines, else lifted.
Extraction as_candidate(std::string_view text, const std::string& file_name, const Task& task) {
    Extraction extraction;
    if (text.size() > max_source_bytes) {
        extraction.errors = {make_error("limits-source", "the text has " + std::to_string(text.size()) + " bytes",
                                        "at most " + std::to_string(max_source_bytes) + " are accepted",
                                        Place{file_name})};
        return extraction;
    }
    if (has_plan_lines(text)) {
        std::vector<Error> errors;
        if (parse_candidate(text, file_name, errors)) {
            extraction.source = text;
            extraction.file_name = file_name;
        }
        extraction.errors = std::move(errors);
        return extraction;
    }
    return lift_candidate(text, file_name, task);
}

// Does it name this task's tensors? Only what is a question of names counts here; the judge says the rest.
bool names_fit(const Extraction& extraction, const Task& task) {
    const auto candidate = parse_candidate(extraction.source, extraction.file_name);
    if (!candidate)
        return false;
    for (const TaskCase& one : cases_for(task, "cpu", false)) {
        DeviceLimits limits = cpu_device_limits(0);
        const auto plan = resolve_plan(*candidate, task, one, {}, limits);
        if (plan)
            return true;
        const std::string& code = plan.error().code;
        return code != "plan-tensor" && code != "plan-argument" && code != "plan-name";
    }
    return true;
}

// A reply without fences: what stands before its first line of code is prose.
ReplyBlock whole_reply(const std::string& text) {
    ReplyBlock block;
    std::size_t begin = 0;
    int line = 1;
    while (begin < text.size()) {
        const std::size_t first = text.find_first_not_of(" \t", begin);
        const std::string_view rest =
            first == std::string::npos ? std::string_view() : std::string_view(text).substr(first);
        bool code = false;
        for (const std::string_view sign :
             {"#pragma",   "#include",   "#define",    "#if",        "# kf ",   "//",      "/*",
              "template<", "template <", "__global__", "__device__", "extern ", "import ", "from ",
              "@triton",   "@jit",       "namespace ", "struct ",    "using ",  "static ", "constexpr "})
            code = code || rest.starts_with(sign);
        if (code)
            break;
        begin = text.find('\n', begin);
        begin = begin == std::string::npos ? text.size() : begin + 1;
        ++line;
    }
    block.text = begin < text.size() ? text.substr(begin) : text;
    block.line = begin < text.size() ? line : 1;
    return block;
}

std::string note_of(std::string_view prose) {
    std::string note;
    bool blank = true;
    for (const char c : harmless(prose)) {
        const bool space = c == ' ' || c == '\n' || c == '\t';
        if (!space || !blank)
            note += space ? ' ' : c;
        blank = space;
        if (note.size() > 4 * max_note)
            break;
    }
    while (note.ends_with(' '))
        note.pop_back();
    return shortened(note, max_note);
}

Error no_code() {
    return make_error("no-code", "the reply holds no code",
                      "give one complete candidate file in one fenced block marked `cuda`");
}

} // namespace

Extraction extract_candidate(std::string_view reply, const Task& task) {
    // A candidate has at most a mebibyte; what goes far beyond is no reply of a model.
    constexpr std::size_t most = 4 * max_source_bytes;
    if (reply.size() > most) {
        Extraction refused;
        refused.errors = {make_error("limits-source", "the reply has " + std::to_string(reply.size()) + " bytes",
                                     "at most " + std::to_string(most) + " are read")};
        return refused;
    }
    ReplyParts parts = split_reply(reply);
    const std::string note = note_of(
        parts.blocks.empty() && looks_like_code(parts.prose) ? std::string_view() : std::string_view(parts.prose));
    if (parts.blocks.empty() && looks_like_code(parts.prose)) {
        parts.blocks.push_back(whole_reply(parts.prose));
    }
    Extraction refused;              // of the latest block that looks like a kernel
    std::optional<Extraction> other; // parses, but names what this task does not have: perhaps an example
    std::size_t looked = 0;
    for (auto block = parts.blocks.rbegin(); block != parts.blocks.rend() && looked < max_blocks; ++block) {
        if (!block->code || !looks_like_code(block->text))
            continue;
        ++looked;
        if (block->open) {
            refused.note = note;
            refused.errors = {make_error("reply-cut", "the reply ends inside its code block",
                                         "give the whole file again, shorter, and close the block",
                                         Place{"reply", block->line})};
            return refused; // an earlier block is not what its author wanted to hand in
        }
        const std::string file = is_python(block->text, block->language) ? "candidate.py" : "candidate.cu";
        Extraction extraction = as_candidate(block->text, file, task);
        extraction.note = note;
        for (DerivedLine& derived : extraction.derived)
            derived.from_line += block->line - 1;
        if (extraction.ok() && names_fit(extraction, task))
            return extraction;
        if (extraction.ok()) {
            if (!other)
                other = std::move(extraction);
            continue;
        }
        if (refused.errors.empty()) {
            for (Error& error : extraction.errors)
                if (error.place.file.empty())
                    error.place.file = "reply";
            place_errors(extraction, block->line);
            refused.errors = std::move(extraction.errors);
            refused.note = note;
        }
    }
    if (other)
        return std::move(*other);
    if (refused.errors.empty()) {
        refused.note = note;
        refused.errors = {no_code()};
        if (!parts.blocks.empty() && parts.blocks.back().open)
            refused.errors = {make_error("reply-cut", "the reply ends inside a code block that holds no kernel yet",
                                         "give the whole file again, shorter, and close the block",
                                         Place{"reply", parts.blocks.back().line})};
    }
    return refused;
}

Extraction import_candidate(std::string_view text, const std::string& file_name, const Task& task) {
    if (!has_plan_lines(text) && !looks_like_code(text)) {
        Extraction refused;
        refused.errors = {make_error("no-code", "the file holds no CUDA or Triton kernel",
                                     "give a file with `__global__` functions or `@triton.jit` functions",
                                     Place{file_name})};
        return refused;
    }
    return as_candidate(text, file_name, task);
}

} // namespace kf
