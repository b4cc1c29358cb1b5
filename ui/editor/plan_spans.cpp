// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/plan_spans.h"

#include "core/candidate/scanner.h"
#include "ui/editor/words.h"

#include <algorithm>
#include <set>

namespace kf::ui {
namespace {

// Statement names, and the words that may stand inside each.
struct PlanWordSet {
    std::set<std::string, std::less<>> statements;
    std::set<std::pair<std::string, std::string>> parts; // (statement, word)
};

const PlanWordSet& word_set() {
    static const PlanWordSet set = [] {
        PlanWordSet result;
        const Words& words = Words::get();
        for (const WordEntry& entry : words.statements)
            result.statements.insert(entry.name.toStdString());
        for (const PlanPart& part : words.parts) {
            QString word = part.word;
            while (!word.isEmpty() && (word.back() == QLatin1Char('(') || word.back() == QLatin1Char('[')))
                word.chop(1);
            for (const QString& statement : part.statements)
                result.parts.emplace(statement.toStdString(), word.toStdString());
        }
        return result;
    }();
    return set;
}

class Spans {
public:
    Spans(std::string_view source, std::vector<PlanSpan>& out) : m_source(source), m_out(out) {}

    // The marker before the statement's first byte, back to the start of its line.
    void marker(std::size_t first) {
        std::size_t begin = first;
        while (begin > 0 && m_source[begin - 1] != '\n' && m_source[begin - 1] != '\r')
            --begin;
        const std::size_t hash = m_source.find('#', begin);
        if (hash < first)
            add(hash, first, PlanSpanKind::text);
    }

    void statement(const detail::StatementText& statement) {
        const std::string& text = statement.text;
        std::string head;
        std::size_t i = 0;
        while (i < text.size()) {
            std::size_t end = i + 1;
            PlanSpanKind kind = PlanSpanKind::text;
            if (detail::is_identifier_start(text[i])) {
                while (end < text.size() && detail::is_identifier_char(text[end]))
                    ++end;
                const std::string word = text.substr(i, end - i);
                if (i == 0 && word_set().statements.count(word)) {
                    head = word;
                    kind = PlanSpanKind::word;
                } else if (i > 0 && text[i - 1] != '.' && word_set().parts.count({head, word}) &&
                           !(head == "gemm" && word == "in")) {
                    kind = PlanSpanKind::word;
                }
            } else if (detail::is_digit(text[i])) {
                while (end < text.size() && (detail::is_identifier_char(text[end]) || text[end] == '.'))
                    ++end;
                kind = PlanSpanKind::number;
            } else {
                while (end < text.size() && !detail::is_identifier_start(text[end]) && !detail::is_digit(text[end]))
                    ++end;
            }
            pieces(statement, i, end, kind);
            i = end;
        }
    }

private:
    // Bytes that are not next to each other in the source (comments, continuations) are apart.
    void pieces(const detail::StatementText& statement, std::size_t begin, std::size_t end, PlanSpanKind kind) {
        std::size_t from = begin;
        for (std::size_t i = begin + 1; i <= end; ++i)
            if (i == end || statement.offsets[i] != statement.offsets[i - 1] + 1) {
                const char first = statement.text[from];
                // Blanked comments keep their own colour.
                if (i - from > 1 || !detail::is_blank(first))
                    add(statement.offsets[from], statement.offsets[i - 1] + 1, kind);
                from = i;
            }
    }
    void add(std::size_t begin, std::size_t end, PlanSpanKind kind) {
        if (end > begin && end <= m_source.size())
            m_out.push_back({static_cast<int>(begin), static_cast<int>(end), kind});
    }

    std::string_view m_source;
    std::vector<PlanSpan>& m_out;
};

} // namespace

PlanLayout plan_layout(std::string_view source, Language language) {
    PlanLayout layout;
    const std::size_t first = source.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    const detail::LineTable lines(source, "", first);
    std::vector<Error> errors;
    const detail::ScanResult scan = language == Language::triton ? detail::scan_triton(source, lines, errors)
                                                                 : detail::scan_cuda(source, lines, errors);
    Spans spans(source, layout.spans);
    for (const detail::StatementText& statement : scan.statements) {
        if (statement.text.empty() || statement.offsets.empty())
            continue;
        spans.marker(statement.offsets.front());
        spans.statement(statement);
        const int line = statement.place(0).line - 1;
        layout.statement_lines.push_back(line);
        if (statement.text.compare(0, 6, "launch") == 0)
            layout.launch_lines.push_back(line);
    }
    for (const Kernel& kernel : scan.kernels)
        if (std::find(layout.kernels.begin(), layout.kernels.end(), kernel.name) == layout.kernels.end())
            layout.kernels.push_back(kernel.name);
    return layout;
}

} // namespace kf::ui
