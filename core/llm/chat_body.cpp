// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/chat_body.h"

namespace kf {
namespace {

void add_reasoning(Json& body, ReasoningEffort effort, ReasoningSwitch way) {
    if (effort == ReasoningEffort::automatic)
        return;
    const bool off = effort == ReasoningEffort::off;
    const bool low = effort == ReasoningEffort::low;
    switch (way) {
    case ReasoningSwitch::none:
        break;
    case ReasoningSwitch::chat_template: {
        Json& arguments = body["chat_template_kwargs"];
        arguments["enable_thinking"] = !off;
        if (low)
            arguments["low_effort"] = true;
        break;
    }
    case ReasoningSwitch::effort:
        body["reasoning_effort"] = off ? "none" : low ? "low" : "high";
        break;
    case ReasoningSwitch::openrouter:
        body["reasoning"] = off ? Json{{"enabled", false}} : Json{{"effort", low ? "low" : "high"}};
        break;
    case ReasoningSwitch::system_line: {
        const std::string line = std::string("detailed thinking ") + (off ? "off" : "on");
        Json& messages = body["messages"];
        if (!messages.empty() && messages[0]["role"] == "system")
            messages[0]["content"] = line + "\n\n" + messages[0]["content"].get<std::string>();
        else
            messages.insert(messages.begin(), Json{{"role", "system"}, {"content", line}});
        break;
    }
    }
}

} // namespace

Json chat_body(const ChatRequest& request, const Provider& provider) {
    Json messages = Json::array();
    for (const ChatMessage& message : request.messages)
        messages.push_back(Json{{"role", message.role}, {"content", message.content}});
    const std::string model = request.model.empty() ? provider.default_model : request.model;
    Json body{{"model", model}, {"messages", std::move(messages)}, {"stream", true}};
    body[provider.max_completion_tokens ? "max_completion_tokens" : "max_tokens"] = request.max_tokens;
    if (provider.stream_usage)
        body["stream_options"] = Json{{"include_usage", true}};
    if (provider.tells_cost)
        body["usage"] = Json{{"include", true}}; // OpenRouter: the cost stands in the reply's usage
    if (request.temperature)
        body["temperature"] = *request.temperature;
    // Several servers read it into 64 bits with a sign.
    if (request.seed)
        body["seed"] = *request.seed & 0x7fffffffffffffffull;
    add_reasoning(body, request.reasoning, provider.reasoning_of(model));
    return body;
}

} // namespace kf
