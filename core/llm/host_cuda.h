// SPDX-License-Identifier: GPL-3.0-or-later
// The two halves of reading CUDA C++ with host code: whole files (host_cuda.cpp) and the bodies of functions.
#pragma once

#include "core/llm/host_tokens.h"

#include <initializer_list>

namespace kf::lift {

bool has_word(const std::vector<Token>& tokens, std::size_t begin, std::size_t end,
              std::initializer_list<std::string_view> words);
// The statements from the walker's place to its end, or to a `}` that nothing opened.
std::vector<Statement> cuda_statements(const Walker& walker, std::string_view text);

} // namespace kf::lift
