// SPDX-License-Identifier: GPL-3.0-or-later
// EXPR of candidate.md: 64-bit integer expressions over named symbols, shared by task files and launch plans.
//   + - * / % ( ), comparisons (== != < <= > >=), && || !, ?:, cdiv(a,b) min max round_up(a,m) next_pow2(a) log2(a),
//   abs(a)
// and, where a real value is allowed (scalar arguments), literals with a point or exponent, sqrt(x), exp(x), real
// division: an expression is real as soon as it holds a real literal or a real function. Overflow, division by zero and
// values that do not fit are errors with a place, never wrapped.
// Precedence and associativity are C's; && || ?: evaluate only the side that is needed. Comparisons and logic give the
// integers 0 and 1. `%`, cdiv, round_up, next_pow2 and log2 take integers only (log2 rounds down, cdiv and round_up
// round towards +infinity). Numbers are decimal. At most 4096 bytes and 60 nested parentheses; hostile text is an
// error, never a crash.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

// Names that an expression gives a meaning of its own: no symbol or tensor may be called so.
bool is_builtin_function(std::string_view name);

// What the names in an expression mean. Unknown names give an error that lists what is known (`names()`).
class Scope {
public:
    virtual ~Scope() = default;
    virtual std::optional<std::int64_t> value(std::string_view name) const = 0;
    virtual std::vector<std::string> names() const = 0;
    // Function of the device, such as resident(kernel, block, shared): the first argument may be a bare kernel name,
    // given as text in `kernel`. nullopt: there is no such function.
    virtual std::optional<Result<std::int64_t>> call(std::string_view function, std::string_view kernel,
                                                     const std::vector<std::int64_t>& arguments) const;
};

// A scope of plain name → value pairs, with an optional outer scope.
class SymbolTable final : public Scope {
public:
    SymbolTable() = default;
    explicit SymbolTable(const Scope* outer) : m_outer(outer) {}
    void set(std::string name, std::int64_t value);
    bool contains(std::string_view name) const;
    const std::vector<std::pair<std::string, std::int64_t>>& entries() const {
        return m_entries;
    } // in order of setting
    std::optional<std::int64_t> value(std::string_view name) const override;
    std::vector<std::string> names() const override;
    std::optional<Result<std::int64_t>> call(std::string_view function, std::string_view kernel,
                                             const std::vector<std::int64_t>& arguments) const override;
    bool operator==(const SymbolTable& other) const { return m_entries == other.m_entries; }

private:
    const Scope* m_outer = nullptr;
    std::vector<std::pair<std::string, std::int64_t>> m_entries;
};

class Expression {
public:
    // Parses the whole text; `start` is the place of its first character, so that errors point into the file.
    static Result<Expression> parse(std::string_view text, const Place& start);
    // Parses the longest expression at the front of `text` and tells how many bytes it took (without trailing blanks).
    // It ends before anything that cannot continue it: `,` `)` `>>>` `]` a word such as `when`.
    static Result<Expression> parse_prefix(std::string_view text, const Place& start, std::size_t& consumed);
    static Expression constant(std::int64_t value);
    Expression() : Expression(constant(0)) {}

    Result<std::int64_t>
    integer(const Scope& scope) const; // error "expression-real" when the value is real and not whole
    Result<double> real(const Scope& scope) const;
    // By form: holds a real literal or function outside comparisons, conditions and integer functions.
    bool is_real() const;

    std::vector<std::string> names() const; // symbols that occur, each once, in order
    std::string print() const;              // canonical text; parsing it gives an equal tree
    const Place& place() const;             // of its first character

    struct Node;

private:
    Expression(std::shared_ptr<const Node> root, Place place) : m_root(std::move(root)), m_place(std::move(place)) {}
    std::shared_ptr<const Node> m_root;
    Place m_place;
};

} // namespace kf
