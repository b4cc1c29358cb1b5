// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/model_error.h"

#include "core/llm/sse.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace kf {
namespace {

constexpr std::size_t words_limit = 400;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

template<class... Parts> bool has_any(const std::string& text, Parts... parts) {
    return (has(text, parts) || ...);
}

// FastAPI: {"detail": "…"} or {"detail": [{"loc": [...], "msg": "…"}]}.
std::string detail_words(const Json& detail) {
    if (detail.is_string())
        return detail.get<std::string>();
    std::string words;
    if (detail.is_array())
        for (const Json& one : detail) {
            std::string place;
            if (const Json& loc = get_member(one, "loc"); loc.is_array())
                for (const Json& step : loc)
                    place += (place.empty() ? "" : ".") + (step.is_string() ? step.get<std::string>() : step.dump());
            words += (words.empty() ? "" : "; ") + place + (place.empty() ? "" : ": ") + get_string(one, "msg");
        }
    return words;
}

std::string json_words(const Json& body) {
    const Json& error = get_member(body, "error");
    if (error.is_string())
        return error.get<std::string>();
    std::string words = get_string(error, "message");
    // OpenRouter passes on what the provider behind it said.
    if (const Json& raw = get_member(get_member(error, "metadata"), "raw"); raw.is_string()) {
        const std::string inner = provider_words(raw.get_ref<const std::string&>());
        if (!inner.empty() && !has(words, inner))
            words += (words.empty() ? "" : ": ") + inner;
    }
    if (words.empty())
        words = get_string(body, "message");
    if (words.empty())
        words = detail_words(get_member(body, "detail"));
    if (words.empty())
        words = get_string(error, "type", get_string(error, "code"));
    return words;
}

// The title of a page and its text, tags taken out.
std::string html_words(std::string_view page) {
    const std::string small = lower(page);
    if (const std::size_t title = small.find("<title>"); title != std::string::npos)
        if (const std::size_t end = small.find("</title>", title); end != std::string::npos)
            return std::string(page.substr(title + 7, end - title - 7));
    std::string text;
    bool in_tag = false;
    for (const char c : page) {
        if (c == '<')
            in_tag = true;
        else if (c == '>')
            in_tag = false, text += ' ';
        else if (!in_tag)
            text += c;
    }
    return text;
}

std::string all_text(const Json& body) {
    const Json& error = get_member(body, "error");
    return json_words(body) + " " + get_string(error, "type") + " " + get_string(error, "code") + " " +
           get_string(body, "type") + " " + get_string(body, "code");
}

// A 429 that waiting does not mend: money is used up, or one request is more than a minute's allowance.
bool no_money(const std::string& words) {
    return has_any(words, "insufficient_quota", "insufficient quota", "exceeded your current quota",
                   "insufficient balance", "insufficient credits", "billing hard limit", "payment required");
}
bool never_fits(const std::string& words) {
    return has_any(words, "request too large", "request is too large", "too large for model", "tokens must be reduced",
                   "reduce your message size", "exceeds the maximum tokens per");
}

std::string host_of(std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos)
        return url.substr(0, 2) == "//" ? host_of("x:" + std::string(url)) : std::string("the same host");
    std::string_view rest = url.substr(scheme + 3);
    rest = rest.substr(0, rest.find_first_of("/?#"));
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos)
        rest.remove_prefix(at + 1);
    return one_line(rest, 100);
}

struct Meaning {
    ModelFailure failure;
    const char* what;
    const char* remedy;
};

Meaning meaning_of(int status, const std::string& words) {
    if ((status == 400 || status == 413 || status == 422 || status >= 500) && says_overflow(words))
        return {ModelFailure::overflow, "the prompt does not fit the model's context",
                "give a smaller context budget, or a model with a larger context"};
    if (status == 429 && no_money(words))
        return {ModelFailure::payment, "the account's quota is used up",
                "add credit at the provider, or choose another one"};
    if (status == 429 && never_fits(words))
        return {ModelFailure::too_large, "one request is more than the account may send in a minute",
                "give a smaller context budget, or ask the provider for a higher limit"};
    switch (status) {
    case 401:
        return {ModelFailure::unauthorized, "the key was refused", "check the provider's key"};
    case 402:
        return {ModelFailure::payment, "the provider wants to be paid", "add credit at the provider"};
    case 403:
        return {ModelFailure::forbidden, "this key may not do that", "check that the key's account may use the model"};
    case 404:
    case 410:
        return {ModelFailure::not_found, "there is no such model, or no such address",
                "check the base URL and the model's name (kernelforge models lists them)"};
    case 408:
        return {ModelFailure::server, "the provider waited too long for the request", "try again"};
    case 413:
        return {ModelFailure::too_large, "the request is too large for the provider", "give a smaller context budget"};
    case 429:
        return {ModelFailure::rate_limited, "too many requests", "wait, or ask the provider for a higher limit"};
    default:
        break;
    }
    if (status >= 500)
        return {ModelFailure::server, "the provider failed", "try again later"};
    if (status >= 400)
        return {ModelFailure::bad_request, "the provider refused the request", "the provider's words say why"};
    return {ModelFailure::malformed, "the provider answered with a status that means nothing here",
            "check that the URL is the base of an OpenAI-compatible API"};
}

std::string sentence(const std::string& what, int status, const std::string& words) {
    std::string text = what;
    if (status)
        text += " (HTTP " + std::to_string(status) + ")";
    if (!words.empty())
        text += ": " + words;
    return text;
}

// Days since 1970-01-01 of a date of the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date
// algorithms").
std::int64_t days_from_civil(std::int64_t y, int m, int d) {
    y -= m <= 2;
    const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
    const std::int64_t yoe = y - era * 400;
    const std::int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

std::optional<int> number_in(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994" (RFC 9110, 5.6.7).
std::optional<std::int64_t> parse_http_date(std::string_view text) {
    constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun",
                                                         "jul", "aug", "sep", "oct", "nov", "dec"};
    int day = -1, month = 0, year = -1, hour = -1, minute = 0, second = 0;
    std::string word;
    std::vector<std::string> parts;
    for (const char c : lower(text) + " ") {
        if (c != ' ' && c != ',' && c != '-') {
            word += c;
        } else if (!word.empty()) {
            parts.push_back(word);
            word.clear();
        }
    }
    for (const std::string& part : parts) {
        const auto found = std::find(months.begin(), months.end(), std::string_view(part).substr(0, 3));
        if (part.size() == 8 && part[2] == ':' && part[5] == ':') {
            const auto h = number_in(part.substr(0, 2)), m = number_in(part.substr(3, 2)),
                       s = number_in(part.substr(6));
            if (!h || !m || !s || *h > 23 || *m > 59 || *s > 60)
                return std::nullopt;
            hour = *h, minute = *m, second = *s;
        } else if (const auto number = number_in(part)) {
            (day < 0 ? day : year) = *number;
            if (year >= 0 && part.size() == 2)
                year += year < 70 ? 2000 : 1900;
        } else if (found != months.end() && part.size() == 3) {
            month = static_cast<int>(found - months.begin()) + 1;
        }
    }
    if (day < 1 || day > 31 || month == 0 || year < 1970 || year > 9999 || hour < 0)
        return std::nullopt;
    return days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}

} // namespace

std::string one_line(std::string_view text, std::size_t bytes) {
    std::string out;
    bool space = false;
    for (const char c : replace_invalid_utf8(text)) {
        const auto code = static_cast<unsigned char>(c);
        if (std::isspace(code)) {
            space = !out.empty();
        } else if (code >= 0x20 && code != 0x7f) {
            if (space)
                out += ' ';
            space = false;
            out += c;
        }
    }
    // U+0080 to U+009F are control characters too.
    for (std::size_t at = 0; (at = out.find('\xc2', at)) != std::string::npos;) {
        if (at + 1 < out.size() && static_cast<unsigned char>(out[at + 1]) < 0xa0)
            out.erase(at, 2);
        else
            ++at;
    }
    if (out.size() > bytes) {
        std::size_t cut = bytes;
        while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xc0) == 0x80)
            --cut;
        out = out.substr(0, cut) + "…";
    }
    return out;
}

std::string without_secret(std::string text, std::string_view secret) {
    constexpr std::string_view hidden = "(key hidden)";
    if (!secret.empty())
        for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += hidden.size())
            text.replace(at, secret.size(), hidden);
    const auto is_key = [](unsigned char c) {
        return std::isalnum(c) || std::string_view("-._~+/=").find(c) != std::string_view::npos;
    };
    for (std::size_t at = 0; (at = lower(text).find("bearer ", at)) != std::string::npos;) {
        at += 7;
        std::size_t end = at;
        while (end < text.size() && is_key(static_cast<unsigned char>(text[end])))
            ++end;
        if (end - at >= 8) {
            text.replace(at, end - at, hidden);
            at += hidden.size();
        }
    }
    return text;
}

std::string provider_words(std::string_view body) {
    if (const Result<Json> json = parse_json(replace_invalid_utf8(body), "error", std::size_t{1} << 20); json) {
        if (json->is_string())
            return one_line(json->get_ref<const std::string&>(), words_limit);
        const Json& first = json->is_array() && !json->empty() ? json->front() : *json;
        return one_line(json_words(first), words_limit);
    }
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && body[first] == '<')
        return one_line(html_words(body.substr(0, 65536)), words_limit);
    return one_line(body.substr(0, 4096), words_limit);
}

bool says_overflow(std::string_view text) {
    const std::string words = lower(text);
    if (has_any(words, "context_length_exceeded", "exceed_context_size", "context window", "maximum context",
                "context size", "context length", "model_max_prompt_tokens", "prompt is too long", "prompt too long",
                "context limit", "max_model_len", "maximum model length", "n_ctx", "string_above_max_length",
                "context_window_exceeded"))
        return true;
    // "Input length (9000) exceeds the maximum (8192)", "input tokens exceed the configured limit",
    // "`inputs` tokens + `max_new_tokens` must be <= 4096", "too many input tokens".
    const bool amount =
        has_any(words, "input length", "prompt length", "input tokens", "prompt tokens", "input is too long",
                "inputs` tokens", "number of tokens", "token limit", "too many tokens");
    return amount && has_any(words, "exceed", "must be <=", "too long", "too many", "greater than", "larger than",
                             "longer than", "maximum");
}

std::optional<double> parse_retry_after(std::string_view value, std::int64_t now) {
    const std::size_t from = value.find_first_not_of(" \t");
    if (from == std::string_view::npos)
        return std::nullopt;
    value = value.substr(from, value.find_last_not_of(" \t") - from + 1);
    double seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error == std::errc() && end == value.data() + value.size())
        return std::isfinite(seconds) && seconds >= 0 ? std::optional(std::min(seconds, 1e7)) : std::nullopt;
    if (const std::optional<std::int64_t> date = parse_http_date(value))
        return static_cast<double>(std::max<std::int64_t>(0, *date - now));
    return std::nullopt;
}

ModelError explain_http(const HttpAnswer& answer, std::int64_t now) {
    ModelError error;
    error.http_status = answer.status;
    if (answer.status >= 300 && answer.status < 400) {
        error.failure = ModelFailure::redirect;
        error.message = sentence("the provider sends requests on to " + host_of(answer.location), answer.status, {});
        error.remedy = "redirects are not followed, the key would go along: give the final address as the base URL";
        return error;
    }
    const std::string words = provider_words(answer.body);
    std::string classified = words;
    if (const Result<Json> json = parse_json(replace_invalid_utf8(answer.body), "error", std::size_t{1} << 20); json)
        classified = all_text(json->is_array() && !json->empty() ? json->front() : *json);
    const Meaning meaning = meaning_of(answer.status, lower(classified));
    error.failure = meaning.failure;
    error.message = sentence(meaning.what, answer.status, words);
    error.remedy = meaning.remedy;
    if (const auto milliseconds = parse_retry_after(answer.retry_after_ms, now))
        error.retry_after_s = *milliseconds / 1000;
    else
        error.retry_after_s = parse_retry_after(answer.retry_after, now).value_or(0);
    // Behind a proxy's time-out the provider may have worked all the same.
    error.maybe_billed = answer.status == 502 || answer.status == 504 || answer.status == 408;
    return error;
}

ModelError explain_stream_error(const Json& body) {
    ModelError error;
    error.http_status = 200;
    const std::string words = one_line(json_words(body), words_limit);
    const std::string classified = lower(all_text(body));
    if (says_overflow(classified)) {
        const Meaning meaning = meaning_of(400, classified);
        error.failure = meaning.failure;
        error.message = sentence(meaning.what, 0, words);
        error.remedy = meaning.remedy;
        return error;
    }
    error.failure = ModelFailure::stream_error;
    error.message = sentence("the provider broke the reply off", 0, words.empty() ? "it gave no reason" : words);
    error.remedy = "try again";
    return error;
}

} // namespace kf
