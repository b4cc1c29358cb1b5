// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/reply_blocks.h"

#include "core/candidate/scanner.h"

#include <algorithm>
#include <array>

namespace kf {
namespace {

constexpr std::array<std::string_view, 15> code_labels = {
    "", "cuda", "cu", "c", "cc", "cpp", "c++", "cxx", "cuh", "h", "python", "py", "triton", "python3", "nvcc"};

std::string_view without_thoughts(std::string_view reply, std::string& storage) {
    static constexpr std::string_view open = "<think>", close = "</think>";
    if (reply.find(open) == std::string_view::npos) {
        // Some servers swallow the opening tag.
        const std::size_t end = reply.find(close);
        if (end == std::string_view::npos)
            return reply;
    }
    // Lines are kept, so that places in the reply stay true.
    const auto keep_lines = [&storage](std::string_view part) {
        for (const char c : part)
            if (c == '\n')
                storage += '\n';
    };
    std::size_t i = 0;
    const std::size_t first_open = reply.find(open), first_close = reply.find(close);
    if (first_close < first_open) {
        i = first_close + close.size();
        keep_lines(reply.substr(0, i));
    }
    while (i < reply.size()) {
        const std::size_t begin = reply.find(open, i);
        storage += reply.substr(i, begin == std::string_view::npos ? begin : begin - i);
        if (begin == std::string_view::npos)
            break;
        const std::size_t end = reply.find(close, begin);
        i = end == std::string_view::npos ? reply.size() : end + close.size();
        keep_lines(reply.substr(begin, i - begin));
    }
    return storage;
}

} // namespace

ReplyParts split_reply(std::string_view reply) {
    std::string storage;
    const std::string_view text = without_thoughts(reply, storage);
    ReplyParts parts;
    char fence = '\0';
    std::size_t fence_length = 0, fence_indent = 0;
    int line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view whole = text.substr(begin, end - begin);
        begin = end + 1;
        ++line;
        if (whole.ends_with('\r'))
            whole.remove_suffix(1);
        std::size_t indent = 0;
        while (indent < whole.size() && (whole[indent] == ' ' || whole[indent] == '\t'))
            ++indent;
        const std::string_view rest = whole.substr(indent);
        const char mark = rest.empty() ? '\0' : rest.front();
        std::size_t run = 0;
        if (mark == '`' || mark == '~')
            while (run < rest.size() && rest[run] == mark)
                ++run;
        const std::string_view info = rest.substr(run);
        if (fence == '\0') {
            const bool opens = run >= 3 && (mark == '~' || info.find('`') == std::string_view::npos);
            if (!opens) {
                parts.prose.append(whole);
                parts.prose += '\n';
                continue;
            }
            fence = mark;
            fence_length = run;
            fence_indent = indent;
            ReplyBlock block;
            std::size_t word = 0;
            while (word < info.size() && (info[word] == ' ' || info[word] == '\t'))
                ++word;
            std::size_t word_end = word;
            while (word_end < info.size() && info[word_end] != ' ' && info[word_end] != '\t' && info[word_end] != ':' &&
                   info[word_end] != '{' && info[word_end] != ',')
                ++word_end;
            block.language = detail::lower_case(info.substr(word, std::min<std::size_t>(word_end - word, 40)));
            block.code = std::find(code_labels.begin(), code_labels.end(), block.language) != code_labels.end();
            block.line = line + 1;
            block.open = true;
            parts.blocks.push_back(std::move(block));
            continue;
        }
        const bool closes =
            run >= fence_length && mark == fence && info.find_first_not_of(" \t") == std::string_view::npos;
        if (closes) {
            parts.blocks.back().open = false;
            fence = '\0';
            continue;
        }
        // A fence in a list item indents its lines too.
        whole.remove_prefix(std::min(indent, fence_indent));
        parts.blocks.back().text.append(whole);
        parts.blocks.back().text += '\n';
    }
    return parts;
}

} // namespace kf
