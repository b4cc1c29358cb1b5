// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that never change in a run come first, so that providers may reuse what they have read of them.
#include "core/llm/prompt.h"

#include "core/autopsy/autopsy.h"
#include "core/llm/history.h"
#include "core/llm/prompt_task.h"
#include "core/llm/templates.h"

#include <algorithm>
#include <array>

namespace kf {
namespace {

// What is in the prompt; each step of `steps` leaves out a little more.
struct Extent {
    bool champion = true;       // the champion's text beside a failed parent's
    HistoryLimits history;      //
    bool second_example = true; //
    std::size_t autopsy = max_model_text;
    std::size_t repaired = std::size_t{256} << 10; // bytes of the reply that is to be repaired
};

struct Step {
    const char* left_out;
    void (*apply)(Extent&);
};

constexpr std::array<Step, 7> steps = {{
    {"the champion's text (only the parent's is there)", [](Extent& extent) { extent.champion = false; }},
    {"most lines of the history", [](Extent& extent) { extent.history.lines = 12; }},
    {"most lessons of the history", [](Extent& extent) { extent.history.details = 4; }},
    {"the middle of the reply that is to be repaired", [](Extent& extent) { extent.repaired = 8192; }},
    {"the history but for its counts",
     [](Extent& extent) {
         extent.history = {0, 0};
     }},
    {"the second example of the format", [](Extent& extent) { extent.second_example = false; }},
    {"the end of the report and of the reply", [](Extent& extent) { extent.autopsy = 700, extent.repaired = 1024; }},
}};

class Builder {
public:
    Builder(const PromptInputs& inputs, const PromptOptions& options) : m_inputs(inputs), m_options(options) {
        const RunState& state = *inputs.state;
        m_parent = inputs.parent;
        if (m_parent < 0 && state.champion())
            m_parent = state.champion()->turn;
        if (const auto turn = state.turns.find(m_parent); turn != state.turns.end())
            m_parent_turn = &turn->second;
        if (!options.feedback)
            return;
        if (inputs.decisive_of_turn && m_parent >= 0)
            m_evaluation = inputs.decisive_of_turn(m_parent);
        m_mending = m_evaluation ? m_evaluation->failure.has_value()
                                 : m_parent_turn && m_parent_turn->decisive() && m_parent_turn->decisive()->failed;
        if (m_evaluation) {
            const auto candidate = parse_candidate(inputs.parent_source, parent_file());
            m_report = render_for_model(make_autopsy(*m_evaluation, candidate ? &*candidate : nullptr, inputs.task));
        }
        if (m_mending && state.champion() && state.champion()->turn != m_parent && inputs.blob)
            if (const auto turn = state.turns.find(state.champion()->turn);
                turn != state.turns.end() && !turn->second.source.empty())
                m_champion_source = inputs.blob(turn->second.source);
        m_task = task_section(*inputs.task, device_kind(inputs.device));
        m_device = device_section(inputs.device);
    }

    Result<Prompt> build() {
        if (m_task.empty()) {
            m_task = task_section(*m_inputs.task, device_kind(m_inputs.device));
            m_device = device_section(m_inputs.device);
        }
        const std::int64_t room = std::int64_t{m_options.context_tokens} - m_options.reply_tokens;
        Extent extent;
        Prompt prompt = with(extent);
        std::vector<std::string> dropped;
        for (const Step& step : steps) {
            if (fits(prompt, room))
                break;
            step.apply(extent);
            const std::size_t before = prompt.estimated_tokens;
            prompt = with(extent);
            if (prompt.estimated_tokens < before)
                dropped.emplace_back(step.left_out);
        }
        if (!fits(prompt, room))
            return make_error("prompt-too-large",
                              "task, format and parent take about " + std::to_string(prompt.estimated_tokens) +
                                  " tokens, and the context of " + std::to_string(m_options.context_tokens) +
                                  " leaves " + std::to_string(std::max<std::int64_t>(0, room)) + " beside a reply of " +
                                  std::to_string(m_options.reply_tokens),
                              "choose a model with a longer context, or fewer tokens for the reply");
        dropped.insert(dropped.end(), prompt.left_out.begin(), prompt.left_out.end());
        prompt.left_out = std::move(dropped);
        prompt.version = prompt_version();
        return prompt;
    }

private:
    static bool fits(const Prompt& prompt, std::int64_t room) {
        return room > 0 && prompt.estimated_tokens <= static_cast<std::uint64_t>(room);
    }

    std::string parent_file() const {
        return m_parent_turn && !m_parent_turn->file_name.empty() ? m_parent_turn->file_name : "parent.cu";
    }

    Prompt with(const Extent& extent) const {
        Prompt prompt;
        prompt.messages.push_back({"system", prompt_template("system.md") + "\n" + format(extent)});
        std::string user = "# Task\n" + m_task + "\n# Device\n" + m_device;
        if (m_options.feedback) {
            std::string left_out;
            const std::string history = history_text(m_inputs, extent.history, left_out);
            if (!history.empty())
                user += "\n# What was tried\n" + history;
            if (!left_out.empty())
                prompt.left_out.push_back(left_out);
            user += parent(extent);
        }
        user += turn();
        prompt.messages.push_back({"user", std::move(user)});
        if (!m_inputs.repair.empty()) {
            // An empty message is refused by some providers.
            std::string reply = harmless(m_inputs.repaired_reply);
            if (reply.find_first_not_of(" \t\n") == std::string::npos)
                reply = "(an empty reply)";
            prompt.messages.push_back({"assistant", middle_out(reply, extent.repaired)});
            prompt.messages.push_back(
                {"user", fill_template(prompt_template("repair.md"),
                                       {{"errors", fenced(shortened(m_inputs.repair, 4000), "text")}})});
        }
        std::size_t bytes = 0;
        for (const ChatMessage& message : prompt.messages)
            bytes += message.role.size() + message.content.size();
        prompt.estimated_tokens = (bytes + 2) / 3;
        return prompt;
    }

    static std::string middle_out(const std::string& text, std::size_t limit) {
        if (text.size() <= limit)
            return text;
        std::size_t tail = text.size() - limit / 2;
        while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xc0) == 0x80)
            ++tail;
        return shortened(text, limit / 2) + "\n[…]\n" + text.substr(tail);
    }

    std::string format(const Extent& extent) const {
        std::string text = prompt_template("format.md");
        text +=
            "\nExample for out[M, N] = x[M, N] + b[N], all f32:\n" + fenced(prompt_template("example_1.cu"), "cuda");
        if (extent.second_example)
            text += "\nExample for out[M, N] = relu(x[M, K] @ w[N, K].T), all f16, where the task allows gemm:\n" +
                    fenced(prompt_template("example_2.cu"), "cuda");
        return text;
    }

    std::string parent(const Extent& extent) const {
        if (m_inputs.parent_source.empty())
            return {};
        std::string text = "\n# Parent" + (m_parent >= 0 ? ": turn " + std::to_string(m_parent) : std::string());
        const ChampionState* champion = m_inputs.state->champion();
        if (champion && champion->turn == m_parent)
            text += ", the champion";
        if (champion && champion->turn == m_parent && champion->seconds_per_call > 0)
            text += ", " + format_seconds(champion->seconds_per_call) + " a call";
        text += "\n" + fenced(m_inputs.parent_source, "cuda");
        if (!m_report.empty())
            text += "\n# What the judge found in the parent\n" + fenced(shortened(m_report, extent.autopsy), "text");
        else if (m_mending)
            text += "\n# What the judge found in the parent\nIt failed; its report is not at hand.\n";
        if (extent.champion && !m_champion_source.empty())
            text += "\n# The champion, right, for comparison: turn " +
                    std::to_string(m_inputs.state->champion()->turn) + "\n" + fenced(m_champion_source, "cuda");
        return text;
    }

    std::string turn() const {
        std::string text = "\n# This turn\n";
        if (!m_options.feedback || m_inputs.parent_source.empty())
            text += prompt_template("fresh.md");
        else
            text += prompt_template(m_mending ? "mend.md" : "grow.md");
        if (m_options.feedback && !m_inputs.strategy.empty())
            text += "Strategy of this turn: " + one_line(m_inputs.strategy) + "\n";
        if (!m_inputs.hint.empty())
            text +=
                "\n# A person's hint\nFollow it; it comes from who watches this run.\n" + fenced(m_inputs.hint, "text");
        return text;
    }

    static std::string one_line(const std::string& strategy) {
        std::string text = harmless(strategy);
        std::replace(text.begin(), text.end(), '\n', ' ');
        return shortened(text, 1000);
    }

    const PromptInputs& m_inputs;
    const PromptOptions& m_options;
    int m_parent = -1;
    const TurnState* m_parent_turn = nullptr;
    std::optional<Evaluation> m_evaluation;
    bool m_mending = false;
    std::string m_report, m_champion_source, m_task, m_device;
};

} // namespace

Result<Prompt> build_prompt(const PromptInputs& inputs, const PromptOptions& options) {
    if (!inputs.state || !inputs.task)
        return make_error("prompt-inputs", "the prompt lacks the run's state or its task", "give both");
    return Builder(inputs, options).build();
}

} // namespace kf
