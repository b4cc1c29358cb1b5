// SPDX-License-Identifier: GPL-3.0-or-later
// Thinking that a model writes into its answer, between <think> and </think>, taken apart while it streams.
#pragma once

#include "core/llm/chat.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

// Only a <think> that opens the answer counts: in the middle of an answer it is text like any other.
class ThinkSplitter {
public:
    // Appends pieces; holds back at most what could be the beginning of a tag.
    void feed(std::string_view content, double at_s, std::vector<ReplyPiece>& pieces);
    void finish(double at_s, std::vector<ReplyPiece>& pieces);

private:
    enum class State { before, thinking, after_tag, answer };
    void put(ReplyPiece::Kind kind, std::string_view text, double at_s, std::vector<ReplyPiece>& pieces);

    State m_state = State::before;
    std::string m_held;
};

} // namespace kf
