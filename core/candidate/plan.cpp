// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/plan.h"

#include "core/candidate/scanner.h"

#include <algorithm>
#include <array>

namespace kf {

namespace {

std::string join(const std::vector<Expression>& values) {
    std::string text;
    for (const Expression& value : values)
        text += (text.empty() ? "" : ", ") + value.print();
    return text;
}

std::string print_extents(const Extents& extents) {
    std::size_t count = 3;
    while (count > 1 && extents[count - 1].print() == "1")
        --count;
    if (count == 1)
        return extents[0].print();
    return "(" + join({extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(count)}) + ")";
}

struct Printer {
    std::string operator()(const TuneStatement& s) const {
        std::string text = "tune " + s.name + " in {";
        for (std::size_t i = 0; i < s.values.size(); ++i)
            text += (i == 0 ? "" : ", ") + std::to_string(s.values[i]);
        return text + "}" + (s.where ? " where " + s.where->print() : "");
    }
    std::string operator()(const DefineStatement& s) const { return "define " + s.name + " = " + s.value.print(); }
    std::string operator()(const OptionStatement& s) const {
        std::string text = "option";
        for (const std::string& option : s.texts)
            text += " " + option;
        return text;
    }
    std::string operator()(const RequiresStatement& s) const { return "requires " + s.architecture; }
    std::string operator()(const ScratchStatement& s) const {
        return "scratch " + s.name + ": " + std::string(to_string(s.dtype)) + "[" + join(s.shape) + "]";
    }
    std::string operator()(const FillStatement& s) const { return "fill " + s.buffer + " = " + s.value.print(); }
    std::string operator()(const LaunchStatement& s) const {
        std::string text = "launch " + s.kernel + "<<<" + print_extents(s.grid);
        // Triton's block follows from warps(…).
        if (!print_as_triton)
            text += ", " + print_extents(s.block);
        if (s.shared)
            text += ", " + s.shared->print();
        text += ">>>(";
        for (std::size_t i = 0; i < s.arguments.size(); ++i)
            text += (i == 0 ? "" : ", ") + s.arguments[i].value.print();
        text += ")";
        if (s.cluster)
            text += " cluster(" + join({s.cluster->begin(), s.cluster->end()}) + ")";
        text += s.cooperative ? " cooperative" : "";
        text += s.overlap ? " overlap" : "";
        text += s.warps ? " warps(" + s.warps->print() + ")" : "";
        text += s.stages ? " stages(" + s.stages->print() + ")" : "";
        return text + (s.ctas ? " ctas(" + s.ctas->print() + ")" : "");
    }
    std::string operator()(const GemmStatement& s) const {
        std::string text = "gemm " + s.out + " = " + s.a.buffer + (s.a.transposed ? ".T" : "") + " @ " + s.b.buffer +
                           (s.b.transposed ? ".T" : "");
        text += s.bias.empty() ? "" : " + " + s.bias;
        text += s.epilogue.empty() ? "" : " " + s.epilogue;
        return text + (s.tune == 1 ? "" : " tune(" + std::to_string(s.tune) + ")");
    }
    std::string operator()(const TensormapStatement& s) const {
        std::string text =
            "tensormap " + s.name + " = " + s.buffer + "[view " + join(s.view) + "] box[" + join(s.box) + "]";
        text += s.strides.empty() ? "" : " strides[" + join(s.strides) + "]";
        text += s.swizzle == "none" ? "" : " swizzle(" + s.swizzle + ")";
        return text + (s.fill == "zero" ? "" : " fill(" + s.fill + ")");
    }
    std::string operator()(const PrepareBegin&) const { return "prepare {"; }
    std::string operator()(const PrepareEnd&) const { return "}"; }
    std::string operator()(const UnorderedStatement& s) const {
        std::string text = "unordered ";
        for (std::size_t i = 0; i < s.outputs.size(); ++i)
            text += (i == 0 ? "" : ", ") + s.outputs[i];
        return text;
    }

    bool print_as_triton = false;
};

std::string print_body(const Statement& statement, Language language) {
    std::string text = std::visit(Printer{language == Language::triton}, statement.body);
    return text + (statement.when ? " when " + statement.when->print() : "");
}

} // namespace

Extents unit_extents() {
    return {Expression::constant(1), Expression::constant(1), Expression::constant(1)};
}

std::string LaunchStatement::kernel_name() const {
    std::string_view name(kernel);
    name = name.substr(0, name.find('<'));
    if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos)
        name = name.substr(colon + 1);
    const std::size_t begin = name.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return std::string(name.substr(begin, name.find_last_not_of(" \t") + 1 - begin));
}

std::string label_of(const Statement& statement) {
    struct Label {
        std::string operator()(const TuneStatement& s) const { return "tune " + s.name; }
        std::string operator()(const DefineStatement& s) const { return "define " + s.name; }
        std::string operator()(const OptionStatement&) const { return "option"; }
        std::string operator()(const RequiresStatement& s) const { return "requires " + s.architecture; }
        std::string operator()(const ScratchStatement& s) const { return "scratch " + s.name; }
        std::string operator()(const FillStatement& s) const { return "fill " + s.buffer; }
        std::string operator()(const LaunchStatement& s) const { return "launch " + s.kernel; }
        std::string operator()(const GemmStatement& s) const { return "gemm " + s.out; }
        std::string operator()(const TensormapStatement& s) const { return "tensormap " + s.name; }
        std::string operator()(const PrepareBegin&) const { return "prepare"; }
        std::string operator()(const PrepareEnd&) const { return "}"; }
        std::string operator()(const UnorderedStatement&) const { return "unordered"; }
    };
    return std::visit(Label{}, statement.body);
}

std::string print_statement(const Statement& statement, Language language) {
    return print_body(statement, language);
}

std::vector<const TuneStatement*> Plan::tunables() const {
    std::vector<const TuneStatement*> tunables;
    for (const Statement& statement : statements)
        if (const auto* tune = std::get_if<TuneStatement>(&statement.body))
            tunables.push_back(tune);
    return tunables;
}

std::string Plan::print(Language language) const {
    std::string text;
    for (const Statement& statement : statements)
        text += (language == Language::cuda ? "#pragma kf " : "# kf ") + print_body(statement, language) + "\n";
    return text;
}

bool equal(const Plan& a, const Plan& b) {
    // Canonical text is a complete and unambiguous form of a statement; what it leaves out (the block of a Triton
    // launch) has no meaning there.
    return std::equal(a.statements.begin(), a.statements.end(), b.statements.begin(), b.statements.end(),
                      [](const Statement& left, const Statement& right) {
                          return left.body.index() == right.body.index() && left.in_prepare == right.in_prepare &&
                                 print_body(left, Language::cuda) == print_body(right, Language::cuda);
                      });
}

std::string macro_name_problem(std::string_view name) {
    static constexpr std::array reserved = {
        "NULL",    "EOF",     "NAN",     "INFINITY",    "INT_MAX", "INT_MIN",  "UINT_MAX",    "LONG_MAX", "LONG_MIN",
        "FLT_MAX", "FLT_MIN", "DBL_MAX", "FLT_EPSILON", "DBL_MIN", "HUGE_VAL", "CHAR_BIT",    "RAND_MAX", "DBL_EPSILON",
        "M_PI",    "M_E",     "M_PI_2",  "M_SQRT2",     "M_LN2",   "M_LOG2E",  "CUDA_VERSION"};
    const bool form = name.size() >= 3 && name.front() >= 'A' && name.front() <= 'Z' &&
                      std::all_of(name.begin(), name.end(),
                                  [](char c) { return (c >= 'A' && c <= 'Z') || detail::is_digit(c) || c == '_'; });
    if (!form)
        return name.size() < 3 ? "is too short" : "is not in capitals";
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end() || name.starts_with("CUDART_") ||
        name.starts_with("KF_"))
        return "is a macro of the system's own headers";
    return {};
}

} // namespace kf
