// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "core/search/model_search.h"

#include <algorithm>
#include <cmath>

namespace kf {
namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Copies a quoted text as it stands; `i` is at its quote and moves behind it.
void copy_quoted(std::string_view source, std::size_t& i, bool python, std::string& out) {
    const char quote = source[i];
    const bool triple = python && source.size() - i >= 3 && source[i + 1] == quote && source[i + 2] == quote;
    const std::size_t begin = i;
    i += triple ? 3 : 1;
    while (i < source.size()) {
        if (source[i] == '\\') {
            i += 2;
        } else if (triple ? source.substr(i, 3) == source.substr(begin, 3) : source[i] == quote || source[i] == '\n') {
            i += triple ? 3 : source[i] == quote ? 1 : 0;
            break;
        } else {
            ++i;
        }
    }
    i = std::min(i, source.size());
    out += source.substr(begin, i - begin);
}

bool is_plan_line(std::string_view rest) {
    std::size_t i = 1;
    while (i < rest.size() && is_space(rest[i]))
        ++i;
    return rest.substr(i, 2) == "kf" && (i + 2 == rest.size() || !is_word(rest[i + 2]));
}

TunableValues values_of(const Json& json) {
    TunableValues values;
    if (json.is_object())
        for (const auto& [name, value] : json.items())
            if (value.is_number_integer())
                values[name] = value.get<std::int64_t>();
    return values;
}

} // namespace

std::string normalised_source(std::string_view source, Language language) {
    const bool python = language == Language::triton;
    std::string out;
    out.reserve(source.size());
    bool line_start = true, directive = false;
    bool blank = false; // blanks were passed over
    for (std::size_t i = 0; i < source.size();) {
        const char c = source[i];
        if (c == '\n') {
            // In C++ a line's end counts only behind a directive.
            if ((python || directive) && !out.empty() && out.back() != '\n')
                out += '\n';
            blank = !python && !directive;
            directive = false;
            line_start = true;
            ++i;
        } else if (c == '\\' && i + 1 < source.size() && source[i + 1] == '\n') {
            blank = true;
            i += 2;
        } else if (is_space(c)) {
            const std::size_t begin = i;
            while (i < source.size() && is_space(source[i]))
                ++i;
            std::size_t next = i;
            if (python && line_start && next < source.size() && source[next] != '\n' &&
                (source[next] != '#' || is_plan_line(source.substr(next))))
                out += source.substr(begin, i - begin);
            else
                blank = true;
        } else if (!python && c == '/' && source.substr(i, 2) == "//") {
            i = std::min(source.find('\n', i), source.size());
        } else if (!python && c == '/' && source.substr(i, 2) == "/*") {
            const std::size_t end = source.find("*/", i + 2);
            i = end == std::string_view::npos ? source.size() : end + 2;
            blank = true;
        } else if (python && c == '#' && !(line_start && is_plan_line(source.substr(i)))) {
            i = std::min(source.find('\n', i), source.size());
        } else {
            if (!python && c == '#' && line_start) {
                if (!out.empty() && out.back() != '\n')
                    out += '\n';
                directive = true;
            } else if (blank && !out.empty() && is_word(out.back()) && is_word(c)) {
                out += ' ';
            }
            line_start = blank = false;
            if (c == '"' || c == '\'') {
                copy_quoted(source, i, python, out);
            } else {
                out += c;
                ++i;
            }
        }
    }
    while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
        out.pop_back();
    return out;
}

const std::string& DuplicateFinder::normalised(const std::string& hash, const std::string& file_name) {
    const auto [it, added] = m_normalised.try_emplace(hash);
    if (added && m_blob)
        if (const std::string text = m_blob(hash); !text.empty())
            it->second = sha256(normalised_source(text, language_of(file_name)));
    return it->second;
}

std::optional<int> DuplicateFinder::find(const RunState& state, std::string_view source, const std::string& file_name,
                                         const TunableValues& tunables) {
    const std::string wanted = sha256(normalised_source(source, language_of(file_name)));
    TunableValues values = tunables;
    if (const auto candidate = parse_candidate(source, file_name))
        if (const auto complete = complete_tunables(candidate->plan, tunables))
            values = *complete;
    for (const auto& [number, turn] : state.turns) {
        if (turn.source.empty() || language_of(turn.file_name) != language_of(file_name) ||
            normalised(turn.source, turn.file_name) != wanted)
            continue;
        for (const EvaluationState& evaluation : turn.evaluations)
            if (evaluation.done && values_of(evaluation.tunables) == values)
                return number;
    }
    return std::nullopt;
}

std::optional<int> find_duplicate(const RunState& state, std::string_view source, const TunableValues& tunables,
                                  const std::function<std::string(const std::string& hash)>& blob) {
    const bool triton = !parse_candidate(source, "a.cu") && parse_candidate(source, "a.py");
    return DuplicateFinder(blob).find(state, source, triton ? "a.py" : "a.cu", tunables);
}

bool promising_for_sweep(const RunState& state, const Candidate& candidate, const Evaluation& evaluation,
                         double within) {
    const auto tunables = candidate.plan.tunables();
    const bool has_space = std::any_of(tunables.begin(), tunables.end(),
                                       [](const TuneStatement* tune) { return tune->values.size() > 1; });
    if (!has_space || !evaluation.accepted())
        return false;
    const std::string hash = candidate.hash();
    for (const auto& [number, turn] : state.turns)
        if (turn.author == "tuner" && turn.source == hash)
            return false;
    double slower = 0; // time as a multiple of the champion's
    if (evaluation.duel && evaluation.duel->decision.interval.estimate > 0)
        slower = 1 / evaluation.duel->decision.interval.estimate;
    else if (state.champion() && state.champion()->seconds_per_call > 0 && !evaluation.timings.empty())
        slower = evaluation.timings.front().median / state.champion()->seconds_per_call;
    return slower > 0 && std::isfinite(slower) && slower <= within;
}

} // namespace kf
