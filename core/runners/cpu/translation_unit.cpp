// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/translation_unit.h"

#include "core/runners/cpu/lexer.h"
#include "core/runners/cpu/screen_state.h"

#include <algorithm>

namespace kf {
namespace {

bool is_alignment(const Token& token) {
    return token.is("__align__") || token.is("alignas") || token.is("__attribute__");
}

std::size_t behind_parentheses(const std::vector<Token>& tokens, std::size_t open) {
    int depth = 0;
    std::size_t i = open;
    for (; i < tokens.size(); ++i) {
        if (tokens[i].is("("))
            ++depth;
        if (tokens[i].is(")") && --depth == 0)
            return i + 1;
    }
    return i;
}

struct SharedDeclaration {
    std::size_t end = 0; // index of the ";"
    std::string type;
    std::string name;
};

// `i` stands at `extern`. Empty name: not of the accepted form.
SharedDeclaration parse_shared(const std::vector<Token>& tokens, std::size_t i) {
    SharedDeclaration declaration;
    std::size_t at = i + 1;
    std::vector<std::string> words;
    bool seen_shared = false;
    while (at < tokens.size() && !tokens[at].is("[") && !tokens[at].is(";") && !tokens[at].is("{")) {
        if (is_alignment(tokens[at]) && at + 1 < tokens.size() && tokens[at + 1].is("(")) {
            at = behind_parentheses(tokens, at + 1);
            continue;
        }
        if (tokens[at].is("__shared__"))
            seen_shared = true;
        else
            words.push_back(tokens[at].text);
        ++at;
    }
    const bool brackets = at + 2 < tokens.size() && tokens[at].is("[") && tokens[at + 1].is("]");
    if (!seen_shared || !brackets || words.size() < 2)
        return declaration;
    at += 2;
    while (at + 1 < tokens.size() && is_alignment(tokens[at]) && tokens[at + 1].is("("))
        at = behind_parentheses(tokens, at + 1);
    if (at >= tokens.size() || !tokens[at].is(";"))
        return declaration;
    declaration.end = at;
    declaration.name = words.back();
    words.pop_back();
    for (const std::string& word : words)
        declaration.type += (declaration.type.empty() ? "" : " ") + word;
    return declaration;
}

} // namespace

Result<std::string> rewrite_dynamic_shared(std::string_view source, const std::string& file_name) {
    const TokenStream stream = tokenize(source);
    const std::vector<Token>& tokens = stream.tokens;
    const std::vector<bool> outside = at_namespace_scope(tokens);
    std::string result;
    std::size_t copied = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is("extern") || tokens[i].directive != 0)
            continue;
        const SharedDeclaration declaration = parse_shared(tokens, i);
        if (declaration.name.empty())
            return make_error("refused-host-code", "this extern declaration has no form that is known",
                              "write extern __shared__ TYPE NAME[];",
                              Place{file_name, tokens[i].line, tokens[i].column});
        result += source.substr(copied, tokens[i].begin - copied);
        if (outside[i])
            result += "static constexpr ::kf_simt::DynamicShared<" + declaration.type + "> " + declaration.name + ";";
        else
            result += declaration.type + "* const " + declaration.name + " = static_cast<" + declaration.type +
                      "*>(::kf_simt::dynamic_shared());";
        // Lines that the declaration spanned stay, so that places below are true.
        const std::size_t end = tokens[declaration.end].end;
        const std::string_view gone = source.substr(tokens[i].begin, end - tokens[i].begin);
        result.append(static_cast<std::size_t>(std::count(gone.begin(), gone.end(), '\n')), '\n');
        copied = end;
        i = declaration.end;
    }
    result += source.substr(copied);
    return result;
}

Status check_expression(const std::string& expression, std::size_t index) {
    const auto refuse = [&](const std::string& why) {
        return make_error("compile-kernel",
                          "launch " + std::to_string(index + 1) + ": '" + expression.substr(0, 120) +
                              "' is no kernel expression: " + why,
                          "write a kernel's name with its template arguments, such as swiglu<256>");
    };
    if (expression.empty() || expression.size() > 4096)
        return refuse(expression.empty() ? "it is empty" : "it is longer than 4096 bytes");
    std::string open;
    for (const char c : expression) {
        const bool name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!name && std::string_view("_:<>,() +-*/%&|!~^=?.'").find(c) == std::string_view::npos)
            return refuse(std::string("the character '") + c + "' is not accepted");
        if (c == '(')
            open += c;
        if (c == ')') {
            if (open.empty())
                return refuse("brackets do not match");
            open.pop_back();
        }
    }
    if (!open.empty())
        return refuse("brackets do not match");
    const TokenStream stream = tokenize(expression);
    for (const Token& token : stream.tokens)
        if (token.is("asm") || token.is("__asm__") || token.is("__attribute__") || token.is("extern") ||
            token.text.rfind("__builtin_", 0) == 0 || token.text.rfind("kf_", 0) == 0)
            return refuse("'" + token.text + "' is not accepted");
    if (expression.find("//") != std::string::npos || expression.find("/*") != std::string::npos ||
        !stream.problems.empty())
        return refuse("comments and literals are not accepted");
    return {};
}

Status check_file_name(const std::string& file_name) {
    const bool bad = file_name.empty() || file_name.size() > 255 || file_name.front() == '<' ||
                     std::any_of(file_name.begin(), file_name.end(), [](unsigned char c) {
                         return c < 0x20 || c == 0x7f || c == '"' || c == '\\' || c == ':';
                     });
    if (bad)
        return make_error("compile-request", "'" + file_name.substr(0, 80) + "' is no file name for a candidate",
                          "use up to 255 printable characters without quotes, backslashes and colons");
    return {};
}

Result<std::string> make_translation_unit(std::string_view source, const std::string& file_name,
                                          const std::vector<std::string>& expressions) {
    if (const Status status = check_file_name(file_name); !status)
        return status.error();
    Result<std::string> text = rewrite_dynamic_shared(source, file_name);
    if (!text)
        return text.error();
    std::string unit = "#include <kf/simt.h>\n#line 1 \"" + file_name + "\"\n" + *text + "\n#line 1 \"" + kPlanFile +
                       "\"\nKF_SIMT_MODULE_BEGIN\n";
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        if (const Status status = check_expression(expressions[i], i); !status)
            return status.error();
        unit += "KF_SIMT_KERNEL(" + expressions[i] + ")\n";
    }
    return unit + "KF_SIMT_MODULE_END\n";
}

} // namespace kf
