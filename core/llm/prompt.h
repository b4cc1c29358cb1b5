// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt of one turn, made from the run's state by versioned templates (resources/prompts). Deterministic from its
// inputs. Nothing of a held-out case is ever in it.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/journal/projection.h"
#include "core/llm/chat.h"
#include "core/task/task.h"

#include <functional>
#include <string>
#include <vector>

namespace kf {

struct PromptInputs {
    const RunState* state = nullptr;
    const Task* task = nullptr;
    Json device;                // facts and measured ceilings, as the evaluator's handshake gave them
    int parent = -1;            // the turn to grow from; -1: the champion
    std::string parent_source;  // its text
    std::string strategy;       // of this child; may be empty
    std::string hint;           // of people, for this turn; word for word
    std::string repair;         // of a repair turn: what was wrong with the last reply (render of Extraction::errors)
    std::string repaired_reply; // that reply
    std::function<std::string(const std::string& hash)> blob;            // of the journal
    std::function<std::optional<Evaluation>(int turn)> decisive_of_turn; // the evaluation that speaks for a turn
};

struct PromptOptions {
    int context_tokens = 131072; // of the model, prompt and reply together
    int reply_tokens = 16384;    // kept free
    bool feedback = true;        // false: no history and no autopsy (for comparison)
};

struct Prompt {
    std::vector<ChatMessage> messages;
    std::size_t estimated_tokens = 0;  // bytes / 3, rounded up
    std::vector<std::string> left_out; // what did not fit, in words
    std::string version;               // of the templates
};

// Errors: "prompt-too-large" when not even task, format and parent fit, with the figures.
Result<Prompt> build_prompt(const PromptInputs& inputs, const PromptOptions& options);

} // namespace kf
