// SPDX-License-Identifier: GPL-3.0-or-later
// A model's reply taken apart: fenced blocks, prose, and what of it was cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kf {

struct ReplyBlock {
    std::string language; // of the fence's info line, lower case: "cuda", "cpp", "python", ""
    std::string text;
    int line = 1;      // of the block's first line in the reply, counted from 1
    bool open = false; // the reply ended inside it
    bool code = true;  // by its label: a block of output, JSON, a shell or a diff is none
};

struct ReplyParts {
    std::vector<ReplyBlock> blocks;
    std::string prose; // what stands outside of fences
};

// Fences of three or more backticks or tildes, as CommonMark has them; `<think>` parts are passed over, an unclosed one
// hides the rest. Linear in the reply's length.
ReplyParts split_reply(std::string_view reply);

} // namespace kf
