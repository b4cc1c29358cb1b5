// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/llm/host_tokens.h"

namespace kf::lift {

// One expression of either language from the walker's place. A node of kind unknown when it is none that is known.
class ExpressionParser {
public:
    ExpressionParser(Walker& walker, std::string_view text, bool python)
        : m_w(walker), m_text(text), m_python(python) {}
    Node parse() { return choice(0); }
    // A comma list without brackets (Python).
    Node parse_list();

private:
    Node choice(int depth);
    Node binary(int level, int depth);
    Node unary(int depth);
    Node postfix(int depth);
    Node atom(int depth);
    Node bracketed(std::string_view close, Node list, int depth);
    void arguments(Node& call, std::string_view close, int depth);
    Node launch(Node kernel, int depth);
    std::optional<std::size_t> template_end() const;
    std::optional<std::size_t> cast_end() const;
    std::string operator_at(int level) const;
    Node make(Node::Kind kind, std::string text = {}) const;
    Node unknown(std::string what) const { return make(Node::Kind::unknown, std::move(what)); }

    Walker& m_w;
    std::string_view m_text;
    bool m_python;
};

} // namespace kf::lift
