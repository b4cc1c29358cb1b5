// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autopsy/autopsy.h"

#include "core/autopsy/bottleneck.h"
#include "core/autopsy/rules.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kf {
namespace {

std::string value_text(double value) {
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Inf" : "-Inf";
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string index_text(const std::vector<std::int64_t>& index) {
    std::string text = "[";
    for (std::size_t k = 0; k < index.size(); ++k)
        text += (k ? ", " : "") + std::to_string(index[k]);
    return text + "]";
}

void add_elements(const std::string& output, const std::vector<BadElement>& elements, std::size_t limit,
                  Autopsy& autopsy) {
    for (std::size_t k = 0; k < elements.size() && k < limit; ++k)
        autopsy.evidence.push_back(
            {EvidenceRef::Kind::element, output + index_text(elements[k].index),
             "got " + value_text(elements[k].got) + ", expected " + value_text(elements[k].expected)});
}

// Did it fail on data that the author of the candidate must not see? Promotion runs the held-out cases, so a failure
// there that does not name its case is taken to be of that kind.
bool concerns_held_out(const Evaluation& evaluation, const Failure& failure) {
    if (failure.failing_case)
        return failure.failing_case->held_out;
    const bool held_out_failed =
        std::any_of(evaluation.cases.begin(), evaluation.cases.end(),
                    [](const CaseReport& report) { return report.held_out && !report.passed; });
    return held_out_failed || failure.stage == Stage::promote;
}

const Comparison* refused_comparison(const CaseReport& report) {
    for (const Comparison& comparison : report.comparisons)
        if (!comparison.accepted)
            return &comparison;
    return nullptr;
}

void add_case(const Failure& failure, Autopsy& autopsy) {
    const Comparison* refused = failure.failing_case ? refused_comparison(*failure.failing_case) : nullptr;
    const std::string output = refused ? refused->output : failure.place;
    if (failure.shrunk) {
        const ShrunkCase& shrunk = *failure.shrunk;
        autopsy.evidence.push_back({EvidenceRef::Kind::test_case,
                                    to_string(shrunk.symbols) + " " + std::string(to_string(shrunk.regime)),
                                    "the smallest case that fails (" + std::to_string(shrunk.attempts) + " tried)"});
        add_elements(output, shrunk.first_bad, 4, autopsy);
    } else if (failure.failing_case) {
        const CaseReport& report = *failure.failing_case;
        autopsy.evidence.push_back({EvidenceRef::Kind::test_case,
                                    to_string(report.symbols) + " " + std::string(to_string(report.regime)),
                                    "the case that fails"});
        if (refused)
            add_elements(output, refused->first_bad, 4, autopsy);
    }
    if (!refused)
        return;
    autopsy.evidence.push_back({EvidenceRef::Kind::figure, output,
                                std::to_string(refused->bad) + " of " + std::to_string(refused->elements) +
                                    " elements are outside the tolerance, the largest error is " +
                                    value_text(refused->max_abs_error)});
    if (!refused->pattern_text.empty())
        autopsy.evidence.push_back({EvidenceRef::Kind::figure, output, refused->pattern_text});
    if (refused->failed_row && !refused->failed_elementwise)
        autopsy.evidence.push_back({EvidenceRef::Kind::figure, output,
                                    "within the element-wise tolerance, but " + value_text(refused->worst_row_ratio) +
                                        " times the trusted implementation's error in the worst row"});
}

// Lines of a log that speak of an error; the first lines when none does.
std::vector<std::string> error_lines(const std::string& log, std::size_t limit) {
    std::vector<std::string> with_error, all;
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        const std::string line = log.substr(at, end - at);
        at = end + 1;
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        if (all.size() < limit)
            all.push_back(line);
        if (line.find("error") != std::string::npos || line.find("ERROR") != std::string::npos)
            with_error.push_back(line);
        if (with_error.size() >= limit)
            break;
    }
    return with_error.empty() ? all : with_error;
}

void add_log(const Failure& failure, Autopsy& autopsy) {
    std::vector<const Diagnostic*> shown;
    for (const Diagnostic& diagnostic : failure.diagnostics)
        if (diagnostic.severity == "error" && shown.size() < 3)
            shown.push_back(&diagnostic);
    if (shown.empty())
        for (std::size_t k = 0; k < failure.diagnostics.size() && k < 3; ++k)
            shown.push_back(&failure.diagnostics[k]);
    for (const Diagnostic* diagnostic : shown)
        autopsy.evidence.push_back(
            {EvidenceRef::Kind::line, to_string(diagnostic->place), diagnostic->severity + ": " + diagnostic->message});
    if (shown.empty())
        for (std::string& line : error_lines(failure.evidence, 3))
            autopsy.evidence.push_back(
                {EvidenceRef::Kind::log, std::string(to_string(failure.stage)), std::move(line)});
}

void apply_rule(const Rule& rule, double weight, Autopsy& autopsy) {
    for (const RuleCause& cause : rule.causes)
        autopsy.causes.push_back({std::string(cause.what), cause.confidence * weight});
    for (const std::string_view attempt : rule.tries)
        autopsy.tries.emplace_back(attempt);
    if (!rule.unknown.empty())
        autopsy.unknowns.emplace_back(rule.unknown);
}

void explain_failure(const Evaluation& evaluation, const Failure& failure, Autopsy& autopsy) {
    autopsy.stage = failure.stage;
    autopsy.failure = failure.failure;
    autopsy.pattern = failure.pattern;
    if (autopsy.pattern == Pattern::none && failure.failing_case)
        if (const Comparison* refused = refused_comparison(*failure.failing_case))
            autopsy.pattern = refused->pattern;
    autopsy.place = failure.place;
    autopsy.source = failure.source;
    autopsy.held_out = concerns_held_out(evaluation, failure);
    const Rule& rule = rule_for(failure.failure);
    autopsy.headline = failure.message.empty() ? std::string(rule.headline) : failure.message;
    // The pattern says more than the class.
    const Rule* pattern_rule = rule_for(autopsy.pattern);
    if (pattern_rule)
        apply_rule(*pattern_rule, 1, autopsy);
    apply_rule(rule, pattern_rule ? 0.7 : 1, autopsy);
    std::stable_sort(autopsy.causes.begin(), autopsy.causes.end(),
                     [](const Cause& a, const Cause& b) { return a.confidence > b.confidence; });
    if (autopsy.source.line > 0)
        autopsy.evidence.push_back({EvidenceRef::Kind::line, to_string(autopsy.source), "here"});
    add_case(failure, autopsy);
    add_log(failure, autopsy);
    if (!failure.remedy.empty())
        autopsy.evidence.push_back({EvidenceRef::Kind::figure, "remedy", failure.remedy});
    if (failure.failing_case && !failure.shrunk)
        autopsy.unknowns.emplace_back("whether a smaller case fails too: it was not shrunk");
}

} // namespace

std::string_view to_string(EvidenceRef::Kind kind) {
    switch (kind) {
    case EvidenceRef::Kind::line:
        return "line";
    case EvidenceRef::Kind::element:
        return "element";
    case EvidenceRef::Kind::metric:
        return "metric";
    case EvidenceRef::Kind::test_case:
        return "case";
    case EvidenceRef::Kind::log:
        return "log";
    case EvidenceRef::Kind::figure:
        return "figure";
    }
    return "figure";
}

Autopsy make_autopsy(const Evaluation& evaluation, const Candidate* candidate, const Task* task) {
    Autopsy autopsy;
    autopsy.verdict = evaluation.verdict();
    if (evaluation.failure) {
        explain_failure(evaluation, *evaluation.failure, autopsy);
        return autopsy;
    }
    if (!evaluation.accepted()) {
        autopsy.headline = "it was not verified, so nothing can be said about it";
        autopsy.causes = {{"the evaluation ended before its cases were checked", 0.9}};
        autopsy.tries = {"evaluate it again"};
        autopsy.unknowns = {"whether it is right"};
        return autopsy;
    }
    find_bottleneck(evaluation, candidate, task, autopsy);
    return autopsy;
}

Json to_json(const Autopsy& autopsy) {
    Json json{{"verdict", autopsy.verdict},       {"headline", autopsy.headline},
              {"place", autopsy.place},           {"pattern", std::string(to_string(autopsy.pattern))},
              {"bottleneck", autopsy.bottleneck}, {"held_out", autopsy.held_out},
              {"tries", autopsy.tries},           {"unknowns", autopsy.unknowns}};
    if (autopsy.stage)
        json["stage"] = std::string(to_string(*autopsy.stage));
    if (autopsy.failure)
        json["class"] = std::string(to_string(*autopsy.failure));
    json["source"] =
        Json{{"file", autopsy.source.file}, {"line", autopsy.source.line}, {"column", autopsy.source.column}};
    json["causes"] = Json::array();
    for (const Cause& cause : autopsy.causes)
        json["causes"].push_back(Json{{"what", cause.what}, {"confidence", cause.confidence}});
    json["evidence"] = Json::array();
    for (const EvidenceRef& ref : autopsy.evidence)
        json["evidence"].push_back(
            Json{{"kind", std::string(to_string(ref.kind))}, {"target", ref.target}, {"text", ref.text}});
    return json;
}

} // namespace kf
