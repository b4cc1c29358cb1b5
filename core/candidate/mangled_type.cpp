// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/mangled_type.h"

#include "core/candidate/scanner.h"

#include <optional>

namespace kf::detail {

namespace {

constexpr std::size_t max_text = 160;
constexpr int max_depth = 64;

std::string cut(std::string text) {
    if (text.size() > max_text)
        text = text.substr(0, max_text - 3) + "...";
    return text;
}

std::string_view builtin_text(char code) {
    switch (code) {
    case 'v':
        return "void";
    case 'w':
        return "wchar_t";
    case 'b':
        return "bool";
    case 'c':
        return "char";
    case 'a':
        return "signed char";
    case 'h':
        return "unsigned char";
    case 's':
        return "short";
    case 't':
        return "unsigned short";
    case 'i':
        return "int";
    case 'j':
        return "unsigned int";
    case 'l':
        return "long";
    case 'm':
        return "unsigned long";
    case 'x':
        return "long long";
    case 'y':
        return "unsigned long long";
    case 'n':
        return "__int128";
    case 'o':
        return "unsigned __int128";
    case 'f':
        return "float";
    case 'd':
        return "double";
    case 'e':
        return "long double";
    case 'g':
        return "__float128";
    case 'z':
        return "...";
    default:
        return {};
    }
}

class Reader {
public:
    explicit Reader(std::string_view text) : m_text(text) {}

    Result<std::vector<MangledType>> run() {
        std::vector<MangledType> parameters;
        if (accept("_Z")) {
            encoding(parameters);
            if (!m_failed && m_i != m_text.size())
                m_failed = true; // a clone suffix, or garbage
        } else {
            accept("Do"); // noexcept
            if (!accept("F"))
                m_failed = true;
            accept("Y"); // extern "C"
            type(0);
            while (!m_failed && !accept("E"))
                parameters.push_back(type(0));
            m_failed = m_failed || m_i != m_text.size();
        }
        if (m_failed || parameters.empty())
            return make_error("plan-signature",
                              "the kernel's type cannot be read from `" + cut(std::string(m_text)) + "`",
                              "use pointers, integers, floats and CUtensorMap as parameters of a kernel that is not "
                              "extern \"C\"");
        if (parameters.size() == 1 && parameters[0].text == "void")
            parameters.clear();
        return parameters;
    }

private:
    char peek(std::size_t ahead = 0) const { return m_i + ahead < m_text.size() ? m_text[m_i + ahead] : '\0'; }
    bool accept(std::string_view token) {
        if (m_failed || m_text.substr(m_i, token.size()) != token)
            return false;
        m_i += token.size();
        return true;
    }
    MangledType fail() {
        m_failed = true;
        return {};
    }
    static MangledType named(std::string text) {
        MangledType type{MangledType::Kind::named, cut(std::move(text)), {}, false};
        type.base = type.text;
        return type;
    }
    MangledType remember(MangledType type) {
        if (!m_failed)
            m_substitutions.push_back(type);
        return type;
    }

    void encoding(std::vector<MangledType>& parameters) {
        bool is_template = false;
        name(0, &is_template);
        if (is_template) // only templates mangle what they return
            type(0);
        while (!m_failed && m_i < m_text.size() && peek() != '.')
            parameters.push_back(type(0));
    }

    // A name that is complete is not remembered here: types are by type(), functions never.
    // `function` is set for the function's own name, whose template arguments T_ refers to; it becomes true for a
    // template.
    MangledType name(int depth, bool* function) {
        if (depth > max_depth)
            return fail();
        if (accept("N"))
            return nested_name(depth, function);
        if (peek() == 'Z')
            return fail(); // local to a function: no kernel is
        MangledType current;
        if (peek() == 'S' && peek(1) != 't') {
            current = substitution();
        } else {
            const bool in_std = accept("St");
            current = named((in_std ? "std::" : "") + unqualified());
            if (peek() == 'I')
                remember(current);
        }
        if (peek() == 'I')
            current = with_arguments(current, depth, function);
        return current;
    }

    MangledType nested_name(int depth, bool* function) {
        while (accept("K") || accept("V") || accept("r")) {
        }
        MangledType current;
        bool any = false;
        while (!m_failed && !accept("E")) {
            bool is_candidate = true;
            if (accept("St")) {
                current = named("std");
                is_candidate = false;
            } else if (peek() == 'S') {
                current = substitution();
                is_candidate = false;
            } else if (peek() == 'T') {
                current = template_parameter();
                is_candidate = false; // template_parameter remembers itself
            } else if (peek() == 'I') {
                if (!any)
                    return fail();
                current = with_arguments(current, depth, function);
            } else {
                const std::string part = unqualified();
                current = named(any ? current.text + "::" + part : part);
                if (function)
                    *function = false;
            }
            any = true;
            if (is_candidate && peek() != 'E')
                remember(current);
        }
        return any ? current : fail();
    }

    MangledType with_arguments(const MangledType& templ, int depth, bool* function) {
        std::vector<std::optional<MangledType>> arguments = template_arguments(depth + 1);
        std::string text = templ.text + "<";
        for (std::size_t i = 0; i < arguments.size() && text.size() <= max_text; ++i)
            text += (i == 0 ? "" : ", ") + (arguments[i] ? arguments[i]->text : std::string("..."));
        if (function) {
            *function = true;
            m_arguments = std::move(arguments);
        }
        return named(text + ">");
    }

    // Types as types; values and packs as nullopt.
    std::vector<std::optional<MangledType>> template_arguments(int depth) {
        std::vector<std::optional<MangledType>> arguments;
        if (depth > max_depth || !accept("I")) {
            m_failed = true;
            return arguments;
        }
        while (!m_failed && !accept("E")) {
            if (peek() == 'L') {
                literal(depth);
                arguments.emplace_back(std::nullopt);
            } else if (accept("J")) {
                while (!m_failed && !accept("E"))
                    peek() == 'L' ? literal(depth) : static_cast<void>(type(depth + 1));
                arguments.emplace_back(std::nullopt);
            } else {
                arguments.emplace_back(type(depth + 1));
            }
        }
        return arguments;
    }

    // L TYPE VALUE E; the value is digits, with n for minus, or the bytes of a float in hexadecimal.
    void literal(int depth) {
        accept("L");
        if (peek() == '_') {
            m_failed = true; // the address of a function or variable
            return;
        }
        type(depth + 1);
        accept("n");
        while (is_digit(peek()) || (peek() >= 'a' && peek() <= 'f'))
            ++m_i;
        if (!accept("E"))
            m_failed = true;
    }

    std::string unqualified() {
        accept("L"); // internal linkage
        if (!is_digit(peek()) || peek() == '0') {
            m_failed = true; // operators, lambdas, constructors: no kernel and no parameter type of ours
            return {};
        }
        std::size_t length = 0;
        while (is_digit(peek()) && length <= m_text.size())
            length = length * 10 + static_cast<std::size_t>(m_text[m_i++] - '0');
        if (length > m_text.size() - m_i) {
            m_failed = true;
            return {};
        }
        std::string text(m_text.substr(m_i, std::min<std::size_t>(length, max_text)));
        m_i += length;
        while (accept("B")) // ABI tags
            text += "[abi:" + unqualified() + "]";
        return text.starts_with("_GLOBAL__N_") ? "(anonymous namespace)" : text;
    }

    // Digits and capitals in base 36 up to "_"; "" is 0 and "0" is 1.
    std::optional<std::size_t> sequence_number() {
        std::size_t value = 0;
        bool any = false;
        while (peek() != '_') {
            const char c = peek();
            if (!is_digit(c) && !(c >= 'A' && c <= 'Z'))
                return std::nullopt;
            value = value * 36 + static_cast<std::size_t>(is_digit(c) ? c - '0' : c - 'A' + 10);
            if (value > max_mangled_bytes)
                return std::nullopt;
            any = true;
            ++m_i;
        }
        ++m_i;
        return any ? value + 1 : 0;
    }

    MangledType substitution() {
        if (!accept("S"))
            return fail();
        switch (peek()) {
        case 'a':
            ++m_i;
            return named("std::allocator");
        case 'b':
            ++m_i;
            return named("std::basic_string");
        case 's':
            ++m_i;
            return named("std::string");
        case 'i':
            ++m_i;
            return named("std::istream");
        case 'o':
            ++m_i;
            return named("std::ostream");
        case 'd':
            ++m_i;
            return named("std::iostream");
        default:
            break;
        }
        const std::optional<std::size_t> index = sequence_number();
        if (!index || *index >= m_substitutions.size())
            return fail();
        return m_substitutions[*index];
    }

    MangledType template_parameter() {
        if (!accept("T"))
            return fail();
        const std::optional<std::size_t> index = sequence_number();
        if (!index || *index >= m_arguments.size() || !m_arguments[*index])
            return fail();
        return remember(*m_arguments[*index]);
    }

    MangledType qualified(MangledType inner, bool is_const, bool is_volatile) {
        const std::string suffix = std::string(is_const ? " const" : "") + (is_volatile ? " volatile" : "");
        inner.text = cut(inner.text + suffix);
        return inner;
    }

    MangledType type(int depth) {
        if (m_failed || depth > max_depth)
            return fail();
        const char c = peek();
        if (c == 'r' || c == 'V' || c == 'K') {
            bool is_const = false, is_volatile = false;
            accept("r");
            is_volatile = accept("V");
            is_const = accept("K");
            MangledType inner = type(depth + 1);
            return remember(qualified(std::move(inner), is_const, is_volatile));
        }
        if (accept("P"))
            return pointer(depth);
        if (accept("R") || accept("O")) {
            MangledType inner = type(depth + 1);
            return remember({MangledType::Kind::reference, cut(inner.text + "&"), inner.base, false});
        }
        if (const std::string_view builtin = builtin_text(c); !builtin.empty()) {
            ++m_i;
            return named(std::string(builtin));
        }
        if (c == 'D')
            return extended();
        if (accept("F"))
            return function(depth);
        if (accept("A"))
            return array(depth);
        if (accept("u"))
            return remember(named(unqualified()));
        if (c == 'T') {
            MangledType parameter = template_parameter();
            if (peek() == 'I')
                return fail(); // a template template parameter
            return parameter;
        }
        if (c == 'S' && peek(1) != 't') {
            MangledType known = substitution();
            if (peek() == 'I')
                return remember(with_arguments(known, depth, nullptr));
            return known;
        }
        if (is_digit(c) || c == 'N' || c == 'S')
            return remember(name(depth + 1, nullptr));
        return fail();
    }

    MangledType pointer(int depth) {
        const MangledType inner = type(depth + 1);
        MangledType pointer{MangledType::Kind::pointer, cut(inner.text + "*"), inner.base, false};
        pointer.is_const = inner.text == inner.base + " const" || inner.text == inner.base + " const volatile";
        if (inner.kind != MangledType::Kind::named)
            pointer.base = inner.text; // a pointer to a pointer matches no tensor
        return remember(pointer);
    }

    MangledType extended() {
        if (accept("DF16_"))
            return named("_Float16");
        if (accept("DF16b"))
            return named("std::bfloat16_t");
        if (accept("Dh"))
            return named("half");
        if (accept("Dn"))
            return named("decltype(nullptr)");
        if (accept("Di"))
            return named("char32_t");
        if (accept("Ds"))
            return named("char16_t");
        if (accept("Du"))
            return named("char8_t");
        if (accept("Do")) {
            if (accept("F"))
                return function(0);
        }
        return fail();
    }

    MangledType function(int depth) {
        accept("Y");
        const MangledType result = type(depth + 1);
        std::string text = result.text + " (";
        bool first = true;
        while (!m_failed && !accept("E")) {
            const MangledType parameter = type(depth + 1);
            text = cut(text + (first ? "" : ", ") + parameter.text);
            first = false;
        }
        text = cut(text + ")");
        return remember({MangledType::Kind::other, text, text, false});
    }

    MangledType array(int depth) {
        std::string extent;
        while (is_digit(peek()))
            extent += m_text[m_i++];
        if (!accept("_"))
            return fail();
        const MangledType element = type(depth + 1);
        const std::string text = cut(element.text + " [" + extent + "]");
        return remember({MangledType::Kind::other, text, text, false});
    }

    std::string_view m_text;
    std::size_t m_i = 0;
    bool m_failed = false;
    std::vector<MangledType> m_substitutions;
    std::vector<std::optional<MangledType>> m_arguments; // of the function template
};

} // namespace

Result<std::vector<MangledType>> mangled_parameters(std::string_view mangled) {
    if (mangled.size() > max_mangled_bytes)
        return make_error("plan-signature",
                          "the kernel's mangled name has " + std::to_string(mangled.size()) + " bytes",
                          "at most " + std::to_string(max_mangled_bytes) + " are read: use shorter template arguments");
    return Reader(mangled).run();
}

} // namespace kf::detail
