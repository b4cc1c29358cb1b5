// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/candidate.h"

#include "core/base/sha256.h"
#include "core/candidate/plan_checks.h"
#include "core/candidate/scanner.h"
#include "core/candidate/statement_parser.h"

#include <algorithm>

namespace kf {

namespace {

constexpr std::size_t max_errors = 100;

// Length of the UTF-8 sequence at the front, 0 when it is none (overlong forms and surrogates are none).
std::size_t utf8_sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool outside = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
    return overlong || outside ? 0 : length;
}

// The text must be what every later reader takes it for: valid UTF-8 with no NUL.
std::optional<Error> bad_byte(std::string_view source, const detail::LineTable& lines) {
    for (std::size_t i = 0; i < source.size();) {
        if (source[i] == '\0')
            return make_error("parse-nul", "found a NUL byte", "a candidate is plain text", lines.place(i));
        const std::size_t length = utf8_sequence(source.substr(i));
        if (length == 0)
            return make_error("parse-encoding", "found a byte that is not UTF-8", "save the text as UTF-8",
                              lines.place(i));
        i += length;
    }
    return std::nullopt;
}

// Marks what stands between `prepare {` and `}`, and finds brackets with no partner.
void mark_prepare(std::vector<Statement>& statements, std::vector<Error>& errors) {
    const Statement* open = nullptr;
    for (Statement& statement : statements) {
        if (std::holds_alternative<PrepareBegin>(statement.body)) {
            if (open)
                errors.push_back(make_error(
                    "parse-prepare", "found `prepare {` inside `prepare {` of line " + std::to_string(open->place.line),
                    "close the first with `}`", statement.place));
            open = &statement;
        } else if (std::holds_alternative<PrepareEnd>(statement.body)) {
            if (!open)
                errors.push_back(make_error("parse-prepare", "found `}` with no `prepare {` before it",
                                            "remove it or open the block", statement.place));
            open = nullptr;
        } else {
            statement.in_prepare = open != nullptr;
        }
    }
    if (open)
        errors.push_back(make_error("parse-prepare", "found `prepare {` that is never closed",
                                    "close it with a `}` statement", open->place));
}

bool before(const Error& a, const Error& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
}

} // namespace

Language language_of(std::string_view file_name) {
    return file_name.ends_with(".py") ? Language::triton : Language::cuda;
}

std::string Candidate::hash() const {
    return sha256(source);
}

std::optional<Candidate> parse_candidate(std::string_view source, const std::string& file_name,
                                         std::vector<Error>& errors) {
    errors.clear();
    if (source.size() > max_source_bytes) {
        errors.push_back(make_error("limits-source", "the text has " + std::to_string(source.size()) + " bytes",
                                    "at most " + std::to_string(max_source_bytes) + " are accepted", Place{file_name}));
        return std::nullopt;
    }
    const detail::LineTable lines(source, file_name, source.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    if (std::optional<Error> error = bad_byte(source, lines)) {
        errors.push_back(std::move(*error));
        return std::nullopt;
    }

    Candidate candidate;
    candidate.language = language_of(file_name);
    candidate.file_name = file_name;
    detail::ScanResult scan = candidate.language == Language::cuda ? detail::scan_cuda(source, lines, errors)
                                                                   : detail::scan_triton(source, lines, errors);
    candidate.kernel_list = std::move(scan.kernels);
    candidate.kernels_complete = scan.kernels_complete;
    for (const Kernel& kernel : candidate.kernel_list)
        if (std::find(candidate.kernels.begin(), candidate.kernels.end(), kernel.name) == candidate.kernels.end())
            candidate.kernels.push_back(kernel.name);

    if (scan.statements.size() > max_statements) {
        errors.push_back(make_error(
            "limits-statements", "the plan has " + std::to_string(scan.statements.size()) + " statements",
            "at most " + std::to_string(max_statements) + " are accepted", scan.statements[max_statements].place(0)));
        scan.statements.resize(max_statements);
    }
    bool all_read = errors.empty();
    for (const detail::StatementText& text : scan.statements) {
        Result<Statement> statement = detail::parse_statement(text, candidate.language);
        if (statement) {
            candidate.plan.statements.push_back(std::move(statement).value());
        } else {
            errors.push_back(statement.error());
            all_read = false;
        }
    }
    std::vector<Error> unpaired;
    mark_prepare(candidate.plan.statements, unpaired);
    if (all_read) // else a bracket may stand in a statement that was not understood
        errors.insert(errors.end(), unpaired.begin(), unpaired.end());
    detail::check_plan(candidate, all_read, errors);

    std::stable_sort(errors.begin(), errors.end(), before);
    if (errors.size() > max_errors) {
        const std::size_t more = errors.size() - max_errors;
        errors.resize(max_errors);
        errors.push_back(make_error("parse-too-many", "and " + std::to_string(more) + " more errors",
                                    "mend the first ones", errors.back().place));
    }
    if (!errors.empty())
        return std::nullopt;
    candidate.source = source;
    return candidate;
}

Result<Candidate> parse_candidate(std::string_view source, const std::string& file_name) {
    std::vector<Error> errors;
    std::optional<Candidate> candidate = parse_candidate(source, file_name, errors);
    if (!candidate)
        return errors.front();
    return std::move(*candidate);
}

} // namespace kf
