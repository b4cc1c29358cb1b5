// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says about an exchange with a language model: figures, costs, what went wrong and what helps. Pure.
#pragma once

#include "ui/models/exchange_store.h"
#include "ui/models/plot_axis.h" // count_text

#include <QString>

namespace kf::ui {

QString money_text(double money);  // "$0.0021"; "" for nothing
QString wait_text(double seconds); // "0.8 s", "21 s", "3 min 05 s"

// "reasoning, 1,204 tokens, 6.2 s". `seconds` 0: not known.
QString reasoning_text(const Exchange* exchange, const ChatReply& reply);
// "3,190 tokens in · 1,480 out · first token 0.8 s · 69 tok/s · $0.0021".
QString cost_text(const Exchange& exchange);
// "4 messages, 3,190 tokens".
QString prompt_text(const Exchange& exchange, const ChatRequest* request);
// Tokens of a text as the prompt's own budget counts them: bytes / 3.
std::int64_t estimated_tokens(std::size_t bytes);

// An exchange's error: a heading, the words that came, and what a person can do.
struct ExchangeError {
    QString title, text, remedy;
};
ExchangeError exchange_error(const Exchange& exchange);

} // namespace kf::ui
