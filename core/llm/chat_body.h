// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON that is posted to /chat/completions, in the provider's dialect.
#pragma once

#include "core/llm/chat.h"
#include "core/llm/provider.h"

namespace kf {

// Streams always. `request.model` empty: the provider's default.
Json chat_body(const ChatRequest& request, const Provider& provider);

} // namespace kf
