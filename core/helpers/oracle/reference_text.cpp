// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/oracle/reference_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kf::oracle {
namespace {

struct Token {
    std::string_view text;
    int line = 0, column = 0;
    bool first = false; // of its logical line
};

bool word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Names, numbers and single punctuation characters of Python text; comments and strings left out.
std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> out;
    int line = 1;
    std::size_t line_begin = 0;
    bool first = true;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            line_begin = ++i;
            first = true;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
        } else if (c == '#') {
            while (i < text.size() && text[i] != '\n')
                ++i;
        } else if (c == '"' || c == '\'') {
            const std::string three(3, c);
            const bool is_long = text.substr(i, 3) == three;
            i += is_long ? 3 : 1;
            while (i < text.size()) {
                if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n') {
                    i += 2;
                } else if (is_long ? text.substr(i, 3) == three : text[i] == c) {
                    i += is_long ? 3 : 1;
                    break;
                } else if (text[i] == '\n') {
                    if (!is_long)
                        break;
                    ++line;
                    line_begin = ++i;
                } else {
                    ++i;
                }
            }
            first = false;
        } else {
            std::size_t end = i + 1;
            if (word_character(c))
                while (end < text.size() && word_character(text[end]))
                    ++end;
            out.push_back({text.substr(i, end - i), line, static_cast<int>(i - line_begin) + 1, first});
            first = false;
            i = end;
        }
    }
    return out;
}

template<std::size_t N> bool one_of(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 5> casts = {"float", "half", "double", "bfloat16", "type"};
constexpr std::array<std::string_view, 14> dtypes = {"float16", "float32", "float64", "bfloat16", "half",
                                                     "double",  "float",   "int8",    "int16",    "int32",
                                                     "int64",   "uint8",   "long",    "short"};
constexpr std::array<std::string_view, 19> random_names = {
    "rand",      "randn",      "randint",     "randperm", "rand_like",  "randn_like", "randint_like",
    "bernoulli", "bernoulli_", "multinomial", "normal",   "normal_",    "uniform_",   "random_",
    "dropout",   "dropout_",   "poisson",     "seed",     "manual_seed"};
constexpr std::array<std::string_view, 14> outside = {"open",      "print",      "exec",       "eval",   "load",
                                                      "save",      "from_file",  "subprocess", "os",     "sys",
                                                      "importlib", "__import__", "input",      "compile"};

bool accepted_import(std::string_view line) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
        line.remove_suffix(1);
    if (const std::size_t comment = line.find('#'); comment != std::string_view::npos) {
        line = line.substr(0, comment);
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
            line.remove_suffix(1);
    }
    return line == "import torch" || line == "from torch import Tensor" ||
           line == "from __future__ import annotations" || line.starts_with("from typing import ");
}

template<class F> void for_each_line(std::string_view text, F visit) {
    int number = 1;
    while (true) {
        const std::size_t end = text.find('\n');
        visit(text.substr(0, end), number++, end != std::string_view::npos);
        if (end == std::string_view::npos)
            return;
        text.remove_prefix(end + 1);
    }
}

} // namespace

std::string without_imports(std::string_view text) {
    std::string out;
    for_each_line(text, [&](std::string_view line, int, bool ends) {
        if (!accepted_import(line))
            out += line;
        if (ends)
            out += '\n';
    });
    return out;
}

std::vector<Error> lint_reference(std::string_view text, const std::string& file) {
    std::vector<Error> errors;
    const auto add = [&](const Token& at, const char* code, std::string message, std::string remedy) {
        errors.push_back(make_error(code, std::move(message), std::move(remedy), Place{file, at.line, at.column}));
    };
    const std::string stripped = without_imports(text);
    const auto tokens = tokens_of(stripped);
    static const Token nothing{};
    const auto at = [&](std::size_t i) -> const Token& { return i < tokens.size() ? tokens[i] : nothing; };
    int functions = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        const std::string name(token.text);
        const std::string_view before = i > 0 ? tokens[i - 1].text : std::string_view();
        const bool attribute = before == ".";
        const bool of_torch = attribute && i > 1 && tokens[i - 2].text == "torch";
        const bool called = at(i + 1).text == "(";
        const bool keyword = at(i + 1).text == "=" && at(i + 2).text != "="; // an argument's name
        if (token.first && (name == "import" || name == "from")) {
            add(token, "reference-import",
                "`" + name + " " + std::string(at(i + 1).text) + "` is not accepted in a reference",
                "only `import torch`, `from torch import Tensor` and typing may be imported");
        } else if (name == "def") {
            if (++functions > 1)
                add(token, "reference-function", "a second function", "write one function");
        } else if (!attribute && (name == "class" || name == "lambda" || (name == "@" && token.first) ||
                                  name == "global" || name == "yield" || name == "async")) {
            add(token, "reference-function", "`" + name + "` is not accepted in a reference",
                "write one plain function");
        } else if (attribute && !of_torch && called && one_of(name, casts)) {
            add(token, "reference-cast", "`." + name + "()` fixes a dtype",
                "write .to(acc) before arithmetic, .to(x.dtype) after");
        } else if (of_torch && !called && one_of(name, dtypes)) {
            add(token, "reference-dtype", "`torch." + name + "` names a dtype", "use acc, x.dtype, .long() or .bool()");
        } else if (!attribute && name == "math") {
            add(token, "reference-name", "`math` is not accepted in a reference", "use torch functions or x ** 0.5");
        } else if ((of_torch &&
                    (name == "nn" || name == "ops" || name == "jit" || name == "cuda" || name == "backends")) ||
                   (!attribute && name == "F" && at(i + 1).text == ".")) {
            add(token, "reference-name",
                "`" + std::string(of_torch ? "torch." : "") + name + "` is not accepted in a reference",
                "use the ATen name: torch.silu, torch.gelu, torch.layer_norm, …");
        } else if (!keyword && (attribute || called) && one_of(name, random_names)) {
            add(token, "reference-name", "`" + name + "` draws random numbers",
                "a reference is a function of its inputs alone");
        } else if ((of_torch || (!attribute && (called || at(i + 1).text == "."))) && one_of(name, outside)) {
            add(token, "reference-name", "`" + name + "` reaches outside the computation",
                "a reference is a function of its inputs alone");
        }
    }
    if (functions == 0)
        errors.push_back(make_error("reference-function", "there is no function", "write `def reference(…, acc: int)`",
                                    Place{file, 1, 1}));
    return errors;
}

} // namespace kf::oracle
