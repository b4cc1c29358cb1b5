// SPDX-License-Identifier: GPL-3.0-or-later
// What a provider said when it did not answer: HTTP status and body, or an error inside a stream, to a ModelError.
#pragma once

#include "core/llm/chat.h"

#include <optional>
#include <string>
#include <string_view>

namespace kf {

struct HttpAnswer {
    int status = 0;
    std::string body;
    std::string retry_after;    // the header's text; may be empty
    std::string retry_after_ms; // likewise (OpenAI, Azure)
    std::string location;       // of a redirect
};

// `now`: seconds since 1970, for a Retry-After that is a date. A 3xx is a redirect that names the location's host only.
ModelError explain_http(const HttpAnswer& answer, std::int64_t now);
// The JSON of an error inside a 200 stream, or of a 200 document that is an error.
ModelError explain_stream_error(const Json& body);

// The provider's own words in an error's body: OpenAI's, old vLLM's and FastAPI's forms, HTML, plain text. One line.
std::string provider_words(std::string_view body);
// Whether an error says that the prompt does not fit the context, whatever the wording.
bool says_overflow(std::string_view words);
// Seconds to wait: a number, or an HTTP date (any of its three forms). None: neither.
std::optional<double> parse_retry_after(std::string_view value, std::int64_t now);

// At most `bytes` bytes of `text` in one line: white space joined, control characters dropped, "…" where it was cut.
std::string one_line(std::string_view text, std::size_t bytes);
// Every appearance of `secret` and of any "Bearer …" made unreadable.
std::string without_secret(std::string text, std::string_view secret);

} // namespace kf
