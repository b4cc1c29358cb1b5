// SPDX-License-Identifier: GPL-3.0-or-later
// Mutates streams of chat completions and feeds them in random portions. Besides what the sanitizers find it checks:
// the same bytes in other portions give the same events and the same reply; whatever comes out is valid UTF-8; a reply
// that is none says why; an answer without an end in order is no success.
//
//   fuzz_sse SECONDS | --runs N   [--seed N]      seconds of processor time
// A failing input is written to fuzz_sse.failed in the current folder.
#include "core/base/random.h"
#include "core/llm/chat_stream.h"
#include "core/llm/model_error.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>

namespace {
using namespace kf;

const char* const seeds[] = {
    "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi "
    "\xe2\x98\x83\"},\"finish_reason\":null}]}\n\n"
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n",
    "\xef\xbb\xbf: comment\r\n\r\nevent: message\r\ndata: "
    "{\"choices\":[{\"delta\":{\"content\":\"<think>a</thi\"}}]}\r\n\r\n"
    "data: {\"choices\":[{\"delta\":{\"content\":\"nk>b</think>\"},\"finish_reason\":\"length\"}]}\r\n\r\n",
    "data: "
    "{\"choices\":[{\"delta\":{\"reasoning\":\"t\",\"reasoning_content\":\"t\",\"reasoning_details\":[{\"text\":\"t\"}]"
    "}}]}\r\r"
    "data: {\"error\":{\"message\":\"maximum context length\",\"code\":400}}\r\r",
    "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"reasoning\":null},\"finish_"
    "reason\":\"stop\"}],"
    "\"usage\":{\"cost\":0.5,\"completion_tokens_details\":{\"reasoning_tokens\":1}}}",
    "event: error\ndata: {\"message\":\"x\"}\n\nid\nretry: 1\ndata\ndata:y\n",
};
const char* const words[] = {"data: ",
                             "\n\n",
                             "\r",
                             "\r\n",
                             ":",
                             "event: error\n",
                             "[DONE]",
                             "<think>",
                             "</think>",
                             "null",
                             "{",
                             "}",
                             "[",
                             "]",
                             "\"error\":",
                             "\"choices\":",
                             "\"finish_reason\":\"stop\"",
                             "\"usage\":",
                             "\xff",
                             "\xe2\x98",
                             "1e999",
                             "-1",
                             "\\u0000",
                             "\\ud800",
                             "\xef\xbb\xbf",
                             "\"index\":1,",
                             "\"content\":"};

std::string mutated(SplitMix64& random) {
    std::string text = seeds[random.below(std::size(seeds))];
    for (std::uint64_t n = random.below(12); n > 0; --n) {
        const std::size_t at = random.below(text.size() + 1);
        switch (random.below(7)) {
        case 0:
            text.insert(at, words[random.below(std::size(words))]);
            break;
        case 1:
            text.insert(at, 1, static_cast<char>(random.below(256)));
            break;
        case 2:
            text.erase(at, random.below(20));
            break;
        case 3:
            if (at < text.size())
                text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << random.below(8)));
            break;
        case 4:
            text.insert(at, text.substr(random.below(text.size() + 1), random.below(80)));
            break;
        case 5:
            text += seeds[random.below(std::size(seeds))];
            break;
        default:
            text.resize(at);
            break;
        }
    }
    return text;
}

struct Outcome {
    std::vector<SseEvent> events;
    std::string reply; // everything of it that the portions must not change
};

template<class Portion> Outcome run(const std::string& text, Portion portion) {
    Outcome outcome;
    SseParser parser(SseLimits{4096, 8192});
    ChatStream stream({.reply_bytes = 65536, .thinking_off = text.size() % 2 == 0});
    std::vector<ReplyPiece> pieces;
    bool parsing = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t n = std::min(text.size() - at, portion());
        const std::string bytes = text.substr(at, n); // a copy of its own, so that reading past it is seen
        parsing = parsing && parser.feed(bytes, outcome.events).ok();
        stream.feed(bytes, 1, pieces);
        at += n;
    }
    if (parsing)
        parser.finish(outcome.events);
    const ChatOutcome end = stream.finish(2, pieces);
    const ChatReply* reply = std::get_if<ChatReply>(&end);
    const ModelError* error = std::get_if<ModelError>(&end);
    const ChatReply& words_of = reply ? *reply : error->partial;
    outcome.reply = std::string(error ? to_string(error->failure) : "ok") + "\n" + (error ? error->message : "") +
                    "\n" + words_of.content + "\n" + words_of.reasoning + "\n" + words_of.finish_reason;
    return outcome;
}

const char* complaint(const std::string& text, SplitMix64& random) {
    const Outcome whole = run(text, [] { return std::size_t{1} << 30; });
    const Outcome bytes = run(text, [] { return std::size_t{1}; });
    const Outcome portions = run(text, [&] { return static_cast<std::size_t>(1 + random.below(40)); });
    if (whole.events != bytes.events || whole.events != portions.events)
        return "other portions give other events";
    if (whole.reply != bytes.reply || whole.reply != portions.reply)
        return "other portions give another reply";
    for (const SseEvent& event : whole.events)
        if (replace_invalid_utf8(event.data) != event.data)
            return "an event holds invalid UTF-8";
    if (replace_invalid_utf8(whole.reply) != whole.reply)
        return "the reply holds invalid UTF-8";
    const bool success = whole.reply.rfind("ok\n", 0) == 0;
    if (success && text.find("finish_reason") == std::string::npos && text.find("[DONE]") == std::string::npos &&
        text.find("\\u") == std::string::npos && text.find('{') > text.find_first_not_of(" \t\r\n\xef\xbb\xbf"))
        return "a success without finish_reason and [DONE]";
    (void)parse_retry_after(text, 0);
    const ModelError error =
        explain_http(HttpAnswer{static_cast<int>(300 + random.below(300)), text, text, {}, text}, 0);
    if (error.message.empty() || replace_invalid_utf8(error.message) != error.message)
        return "an HTTP error without a readable message";
    return nullptr;
}

} // namespace

int main(int argc, char** argv) {
    double seconds = 10;
    std::uint64_t runs = 0, seed = system_seed();
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--runs") && i + 1 < argc)
            runs = std::strtoull(argv[++i], nullptr, 10);
        else if (!std::strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = std::strtoull(argv[++i], nullptr, 10);
        else
            seconds = std::atof(argv[i]);
    }
    SplitMix64 random(seed);
    // Processor time: at a low priority on a busy machine, time on the clock says nothing about what was tried.
    const auto elapsed = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    std::uint64_t n = 0;
    for (; runs ? n < runs : elapsed() < seconds; ++n) {
        const std::string text = mutated(random);
        if (const char* what = complaint(text, random)) {
            std::ofstream("fuzz_sse.failed", std::ios::binary) << text;
            std::printf("seed %llu, execution %llu: %s (input in fuzz_sse.failed)\n",
                        static_cast<unsigned long long>(seed), static_cast<unsigned long long>(n), what);
            return 1;
        }
    }
    std::printf("%llu executions in %.0f s of processor time, seed %llu: nothing found\n",
                static_cast<unsigned long long>(n), elapsed(), static_cast<unsigned long long>(seed));
    return 0;
}
