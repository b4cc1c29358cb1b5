// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/think.h"

#include <utility>

namespace kf {
namespace {

constexpr std::string_view opening = "<think>";
constexpr std::string_view closing = "</think>";
constexpr std::string_view blank = " \t\r\n";

// Length of the longest end of `text` that `tag` begins with.
std::size_t begun(std::string_view text, std::string_view tag) {
    for (std::size_t n = std::min(text.size(), tag.size() - 1); n > 0; --n)
        if (text.substr(text.size() - n) == tag.substr(0, n))
            return n;
    return 0;
}

} // namespace

void ThinkSplitter::put(ReplyPiece::Kind kind, std::string_view text, double at_s, std::vector<ReplyPiece>& pieces) {
    if (!text.empty())
        pieces.push_back(ReplyPiece{kind, std::string(text), at_s});
}

void ThinkSplitter::feed(std::string_view content, double at_s, std::vector<ReplyPiece>& pieces) {
    std::string joined = std::exchange(m_held, {});
    joined += content;
    std::string_view text = joined;
    while (!text.empty()) {
        if (m_state == State::before) {
            const std::size_t first = text.find_first_not_of(blank);
            const std::string_view word = first == std::string_view::npos ? std::string_view() : text.substr(first);
            if (word.substr(0, opening.size()) == opening) {
                text = word.substr(opening.size());
                m_state = State::thinking;
            } else if (word.size() < opening.size() && opening.substr(0, word.size()) == word) {
                m_held = text;
                return;
            } else {
                m_state = State::answer;
            }
        } else if (m_state == State::thinking) {
            const std::size_t end = text.find(closing);
            if (end == std::string_view::npos) {
                const std::size_t n = text.size() - begun(text, closing);
                put(ReplyPiece::Kind::reasoning, text.substr(0, n), at_s, pieces);
                m_held = text.substr(n);
                return;
            }
            put(ReplyPiece::Kind::reasoning, text.substr(0, end), at_s, pieces);
            text.remove_prefix(end + closing.size());
            m_state = State::after_tag;
        } else if (m_state == State::after_tag) {
            const std::size_t first = text.find_first_not_of(blank);
            if (first == std::string_view::npos)
                return;
            text.remove_prefix(first);
            m_state = State::answer;
        } else {
            put(ReplyPiece::Kind::content, text, at_s, pieces);
            return;
        }
    }
}

void ThinkSplitter::finish(double at_s, std::vector<ReplyPiece>& pieces) {
    put(m_state == State::thinking ? ReplyPiece::Kind::reasoning : ReplyPiece::Kind::content, std::exchange(m_held, {}),
        at_s, pieces);
}

} // namespace kf
