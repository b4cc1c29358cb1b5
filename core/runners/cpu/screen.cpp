// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/screen.h"

#include "core/runners/cpu/lexer.h"
#include "core/runners/cpu/screen_state.h"
#include "core/runners/cpu/screen_words.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace kf {
namespace {

namespace words = screen_words;
using Kind = Token::Kind;

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

class Screen {
public:
    Screen(const std::string& file_name, const TokenStream& stream, bool preprocessed)
        : m_file(file_name), m_tokens(stream.tokens), m_preprocessed(preprocessed) {
        if (!preprocessed)
            for (const LexProblem& problem : stream.problems)
                m_findings.push_back({ScreenClass::host_code, problem.what + " is not accepted", "write plain C++ text",
                                      Place{m_file, problem.line, problem.column}});
    }

    std::vector<ScreenFinding> run() {
        for (std::size_t i = 0; i < m_tokens.size(); ++i) {
            if (m_tokens[i].first && m_tokens[i].is("#") && !m_preprocessed) {
                if (at(i + 1).is("pragma") && at(i + 2).is("kf")) { // a plan line: no code, read by core/candidate
                    const int plan = m_tokens[i].directive;
                    while (at(i + 1).directive == plan)
                        ++i;
                    continue;
                }
                directive(i);
            }
            if (m_tokens[i].is_identifier())
                word(i);
            if (m_tokens[i].is("[") && at(i + 1).is("["))
                attribute(i + 2, "]");
            if (m_tokens[i].is("<") && at(i + 1).is("<") && at(i + 2).is("<") && touches(i) && touches(i + 1))
                add(ScreenClass::host_code, i, "a kernel launch (<<<…>>>) in the text",
                    "launches stand in plan lines: #pragma kf launch …");
        }
        std::stable_sort(m_findings.begin(), m_findings.end(), [](const ScreenFinding& a, const ScreenFinding& b) {
            return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
        });
        return std::move(m_findings);
    }

private:
    const Token& at(std::size_t i) const {
        static const Token none;
        return i < m_tokens.size() ? m_tokens[i] : none;
    }
    bool touches(std::size_t i) const { return m_tokens[i].end == m_tokens[i + 1].begin; }
    bool follows_member_access(std::size_t i) const {
        return i > 0 && (m_tokens[i - 1].is(".") || m_tokens[i - 1].is("->"));
    }

    void add(ScreenClass kind, std::size_t i, std::string what, std::string remedy) {
        m_findings.push_back(
            {kind, std::move(what), std::move(remedy), Place{m_file, m_tokens[i].line, m_tokens[i].column}});
    }

    void directive(std::size_t i) {
        const int number = m_tokens[i].directive;
        const Token& name = at(i + 1);
        if (name.directive != number) // "#" alone is nothing
            return;
        if (name.kind != Kind::identifier || !words::is_allowed_directive(name.text)) {
            const bool include = name.text == "include_next" || name.text == "import" || name.text == "embed";
            add(include ? ScreenClass::include : ScreenClass::host_code, i, "#" + name.text + " is not accepted",
                include ? "use #include" : "remove it");
            return;
        }
        const Token& argument = at(i + 2);
        const bool has_argument = argument.directive == number;
        if (name.text == "include") {
            include(i, has_argument ? argument : Token{});
        } else if (name.text == "pragma" && has_argument) {
            pragma(i);
        } else if ((name.text == "define" || name.text == "undef") && has_argument &&
                   (starts_with(argument.text, "KF_") || starts_with(argument.text, "kf_"))) {
            add(ScreenClass::host_code, i + 2, "the macro name " + argument.text + " is reserved",
                "choose another name");
        }
    }

    void include(std::size_t i, const Token& header) {
        if (header.kind != Kind::header && header.kind != Kind::string) {
            add(ScreenClass::include, i, "an #include whose header is computed by a macro", "name the header itself");
            return;
        }
        if (is_allowed_include(header.text))
            return;
        const std::string_view feature = words::gpu_header_feature(header.text);
        if (!feature.empty())
            add(ScreenClass::gpu_only, i, "<" + header.text + "> (" + std::string(feature) + ") needs a GPU",
                "run this candidate on a GPU device");
        else
            add(ScreenClass::include, i, "the header <" + header.text + "> is not on the allow-list",
                "include only cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, cooperative_groups.h, math and limits headers");
    }

    void pragma(std::size_t i) {
        const Token& name = at(i + 2);
        const Token& detail = at(i + 3);
        const bool gcc_loop = name.text == "GCC" && detail.directive == name.directive &&
                              (detail.text == "unroll" || detail.text == "ivdep");
        if (!words::is_allowed_pragma(name.text) && !gcc_loop)
            add(ScreenClass::host_code, i, "#pragma " + name.text + " is not accepted",
                "use #pragma unroll or remove it");
    }

    void word(std::size_t i) {
        const Token& token = m_tokens[i];
        const std::string& text = token.text;
        if (words::is_assembler(text)) {
            add(ScreenClass::gpu_only, i, "inline assembly (" + text + ") needs a GPU",
                "write the operation in C++, or run this candidate on a GPU device");
            return;
        }
        if (text == "extern" && !is_dynamic_shared(i))
            add(ScreenClass::host_code, i, "an extern declaration",
                "only `extern __shared__ TYPE NAME[];` is accepted");
        if (text == "__attribute__" || text == "__attribute")
            attribute(i + 1, ")");
        if (words::is_host_function(text) && at(i + 1).is("(") && !follows_member_access(i))
            add(ScreenClass::host_code, i, "a call of " + text, "kernels compute; they call nothing of the system");
        if (m_preprocessed)
            return;
        if (text == "__declspec")
            add(ScreenClass::host_code, i, "__declspec is not accepted", "use the CUDA qualifiers");
        if (text == "_Pragma")
            pragma_operator(i);
        if (text == "__has_include" || text == "__has_include_next")
            add(ScreenClass::include, i, text + " is not accepted", "include what is needed unconditionally");
        if (text == "export" || ((text == "import" || text == "module") && starts_module_line(i)))
            add(ScreenClass::include, i, "modules (" + text + ") are not accepted", "use #include");
        if (starts_with(text, "__builtin_") && !words::is_allowed_builtin(text))
            add(ScreenClass::host_code, i, text + " is not accepted", "use the CUDA function for it");
        if (starts_with(text, "kf_rt_") || starts_with(text, "kf_simt") || starts_with(text, "KF_SIMT_") ||
            text == "kf_module")
            add(ScreenClass::host_code, i, "the name " + text + " is reserved", "choose another name");
        if (starts_with(text, "cuda") && text.size() > 4 && text[4] >= 'A' && text[4] <= 'Z' && at(i + 1).is("(") &&
            text != "cudaGridDependencySynchronize" && text != "cudaTriggerProgrammaticLaunchCompletion")
            add(ScreenClass::host_code, i, "a call of the host API (" + text + ")",
                "memory and launches stand in plan lines: #pragma kf scratch …, #pragma kf launch …");
        if (text == "__managed__" || text == "thread_local" || text == "__thread")
            add(ScreenClass::state, i, "a " + text + " variable keeps state between launches",
                "use a scratch buffer of the plan");
        if (const std::string_view feature = words::gpu_feature(text); !feature.empty())
            add(ScreenClass::gpu_only, i,
                text + ": " + std::string(feature) + " need" +
                    (feature.back() == ')' || feature.back() == 's' ? "" : "s") + " a GPU",
                "run this candidate on a GPU device");
    }

    // `extern … __shared__ … ;` with nothing but attributes between the two words.
    bool is_dynamic_shared(std::size_t i) const {
        int depth = 0;
        for (++i; i < m_tokens.size(); ++i) {
            const Token& token = m_tokens[i];
            if (token.is("("))
                ++depth;
            else if (token.is(")"))
                --depth;
            else if (depth > 0)
                continue;
            else if (token.is("__shared__"))
                return true;
            else if (!token.is("__align__") && !token.is("alignas") && !token.is("__attribute__"))
                return false;
        }
        return false;
    }

    bool starts_module_line(std::size_t i) const {
        const bool statement = m_tokens[i].first || i == 0 || m_tokens[i - 1].is(";");
        const Token& next = at(i + 1);
        return statement &&
               (next.is("<") || next.is(";") || next.is(":") || next.kind == Kind::string ||
                next.kind == Kind::identifier) &&
               !at(i + 1).is("=");
    }

    void pragma_operator(std::size_t i) {
        const Token& text = at(i + 2);
        std::string_view content = text.text;
        while (!content.empty() && content.front() == ' ')
            content.remove_prefix(1);
        std::string_view name = content.substr(0, content.find(' '));
        const bool accepted =
            at(i + 1).is("(") && text.kind == Kind::string &&
            (name == "unroll" || name == "nounroll" || starts_with(name, "nv_") || starts_with(content, "GCC unroll"));
        if (!accepted)
            add(ScreenClass::host_code, i, "_Pragma is accepted for unroll only",
                "use _Pragma(\"unroll\") or remove it");
    }

    // Words inside an attribute list, up to its end at depth 0.
    void attribute(std::size_t i, std::string_view close) {
        int depth = close == "]" ? 1 : 0;
        for (; i < m_tokens.size(); ++i) {
            const Token& token = m_tokens[i];
            if (token.is("(") || token.is("["))
                ++depth;
            if (token.is(")") || token.is("]"))
                --depth;
            if (depth <= 0 || token.is(";") || token.is("{"))
                return;
            if (!token.is_identifier())
                continue;
            const bool refused = m_preprocessed ? words::is_dangerous_attribute(token.text)
                                                : !words::is_allowed_attribute(token.text) && !is_argument(i);
            if (refused) {
                add(ScreenClass::host_code, i, "the attribute " + token.text + " is not accepted", "remove it");
                return;
            }
        }
    }
    // aligned(N): N is not the name of an attribute.
    bool is_argument(std::size_t i) const {
        return i >= 2 && m_tokens[i - 1].is("(") && m_tokens[i - 2].is_identifier() &&
               words::is_allowed_attribute(m_tokens[i - 2].text);
    }

    const std::string& m_file;
    const std::vector<Token>& m_tokens;
    bool m_preprocessed;
    std::vector<ScreenFinding> m_findings;
};

} // namespace

const char* to_string(ScreenClass value) {
    switch (value) {
    case ScreenClass::host_code:
        return "host-code";
    case ScreenClass::state:
        return "state";
    case ScreenClass::gpu_only:
        return "gpu-only";
    case ScreenClass::include:
        return "include";
    }
    return "host-code";
}

Error ScreenFinding::to_error() const {
    return make_error(std::string("refused-") + to_string(kind), what, remedy, place);
}

bool is_allowed_include(std::string_view header) {
    static constexpr auto list = std::to_array<std::string_view>({"cuda_fp16.h",
                                                                  "cuda_bf16.h",
                                                                  "cuda_fp8.h",
                                                                  "cooperative_groups.h",
                                                                  "cooperative_groups/reduce.h",
                                                                  "cuda_runtime.h",
                                                                  "cuda_pipeline.h",
                                                                  "stdint.h",
                                                                  "cstdint",
                                                                  "stddef.h",
                                                                  "cstddef",
                                                                  "math.h",
                                                                  "cmath",
                                                                  "limits.h",
                                                                  "climits",
                                                                  "cfloat",
                                                                  "float.h",
                                                                  "type_traits",
                                                                  "assert.h",
                                                                  "cassert",
                                                                  "stdio.h",
                                                                  "cstdio"});
    if (std::find(list.begin(), list.end(), header) != list.end())
        return true;
    return starts_with(header, "kf/") && header.find("..") == std::string_view::npos &&
           header.find("//") == std::string_view::npos && !starts_with(header, "kf/simt") && header != "kf/abi.h";
}

std::vector<ScreenFinding> screen_cpu(std::string_view source, const std::string& file_name) {
    const TokenStream stream = tokenize(source);
    std::vector<ScreenFinding> findings = Screen(file_name, stream, false).run();
    for (ScreenFinding& finding : find_state(stream.tokens, file_name))
        findings.push_back(std::move(finding));
    std::stable_sort(findings.begin(), findings.end(), [](const ScreenFinding& a, const ScreenFinding& b) {
        return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return findings;
}

bool needs_preprocessed_screen(std::string_view source) {
    const TokenStream stream = tokenize(source);
    const std::vector<Token>& tokens = stream.tokens;
    for (std::size_t i = 1; i < tokens.size(); ++i)
        if (tokens[i].is("#") && tokens[i - 1].is("#") && tokens[i].directive != 0 &&
            tokens[i - 1].end == tokens[i].begin)
            return true;
    return false;
}

std::vector<ScreenFinding> screen_preprocessed(std::string_view output, const std::string& file_name) {
    // Puts the candidate's lines back where they stood; a line may come in several pieces.
    std::vector<std::string> lines;
    bool ours = false;
    std::size_t line = 0;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        const std::string_view text = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        if (starts_with(text, "# ") && text.size() > 2 && text[2] >= '0' && text[2] <= '9') {
            const std::size_t quote = text.find('"');
            ours = quote != std::string_view::npos && starts_with(text.substr(quote + 1), file_name + "\"");
            line = static_cast<std::size_t>(std::atol(std::string(text.substr(2, 12)).c_str()));
            continue;
        }
        // Plan lines are none of the compiler's: a launch is written there as it should be.
        const std::size_t first = text.find_first_not_of(" \t");
        const bool pragma = first != std::string_view::npos && starts_with(text.substr(first), "#pragma");
        if (ours && !pragma && line > 0 && line < 2'000'000) {
            if (lines.size() < line)
                lines.resize(line);
            lines[line - 1] += std::string(text) + " ";
        }
        ++line;
    }
    std::string text;
    for (const std::string& one : lines)
        text += one + "\n";
    return Screen(file_name, tokenize(text), true).run();
}

} // namespace kf
