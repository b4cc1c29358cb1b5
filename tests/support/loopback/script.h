// SPDX-License-Identifier: GPL-3.0-or-later
// What the loopback model answers, as data: rules from the text of the request to a reply and its way of arriving.
// README.md is the reference of the form.
#pragma once

#include "core/base/json.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kf::loopback {

enum class UsageForm { choices_empty, choices_null, choices_missing, with_finish, none };
enum class ReasoningField { reasoning_content, reasoning, reasoning_details, think };

// How the reply arrives. The defaults are a provider that does everything right.
struct Behaviour {
    int status = 0; // other than 0: this status and `body` instead of a stream
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::string redirect; // 307 to here
    bool drop = false;    // closed once the request was read, before any byte
    bool deaf = false;    // reads the request and answers nothing
    int headers_ms = 0;   // before the status line
    int first_ms = 0;     // between the headers and the first piece
    int pause_ms = 0;     // between pieces
    int piece_chars = 24; // code points of a piece
    int cut_after = -1;   // pieces, then the connection is closed
    int stall_after = -1; // pieces, then silence
    int error_after = -1; // pieces, then `error` as an event
    Json error;
    UsageForm usage = UsageForm::choices_empty;
    std::optional<std::string> finish = "stop"; // none: never sent; "": sent so in every piece
    bool done = true;                           // data: [DONE]
    bool comments = false;                      // ": PROCESSING" between the events
    bool crlf = false;
    bool whole = false;  // one JSON document, as without "stream"
    bool chunked = true; // false: the end of the connection ends the body
    std::string raw;     // these bytes are the body
    ReasoningField reasoning = ReasoningField::reasoning_content;
};

struct Rule {
    std::string name;
    std::vector<std::string> when;      // all of them in the request's messages
    std::vector<std::string> when_last; // all of them in the last message
    std::vector<std::string> unless;    // none of them in the request's messages
    std::string model;                  // the request's; empty: any
    std::size_t longer_than = 0;        // bytes of the request's messages
    int times = -1;                     // so often at most; -1: always
    std::string reply;                  // with the files' text already in it
    std::string thinking;
    Behaviour behaviour;
};

class Script {
public:
    // Errors: "script-syntax" naming the rule and the field; files are looked for from `folder`.
    static Result<Script> parse(const Json& json, const std::filesystem::path& folder);
    static Result<Script> load(const std::filesystem::path& file);
    // One that always says `reply`.
    static Script saying(std::string reply, Behaviour behaviour = {});

    // The first rule that fits, counted; the fallback (name "fallback") when none does.
    const Rule& match(const Json& request);
    const std::vector<std::string>& models() const { return m_models; }
    // Rule's name to how often it spoke.
    Json counters() const;

private:
    std::vector<std::string> m_models = {"loopback"};
    std::vector<Rule> m_rules; // the fallback is the last
    std::vector<int> m_used;
};

} // namespace kf::loopback
