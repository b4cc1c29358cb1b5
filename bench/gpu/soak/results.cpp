// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/gpu/soak/results.h"

#include "core/base/files.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

namespace kf::soak {

Results::Results(std::filesystem::path file) : m_file(std::move(file)) {
    const auto text = read_file(m_file, std::size_t{256} << 20);
    if (!text)
        return;
    std::size_t at = 0;
    for (std::size_t end; (end = text->find('\n', at)) != std::string::npos; at = end + 1)
        if (auto line = parse_json(std::string_view(*text).substr(at, end - at), m_file.string());
            line && m_done.insert(get_int(*line, "i", -1)).second)
            m_lines.push_back(std::move(*line));
    std::error_code ignored;
    if (at < text->size())
        std::filesystem::resize_file(m_file, at, ignored);
}

void Results::add(Json line) {
    const std::lock_guard lock(m_mutex);
    std::ofstream(m_file, std::ios::app) << line.dump() + "\n";
    m_done.insert(get_int(line, "i", -1));
    m_lines.push_back(std::move(line));
}

Slope slope_of(const std::vector<Json>& lines, const char* field) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> series;
    for (const Json& line : lines)
        if (get_member(line, field).is_number())
            series[{get_int(line, "part"), get_int(line, "lane")}].push_back(get_double(line, field));
    Slope slope;
    double weighted = 0;
    for (const auto& [name, all] : series) {
        if (all.size() < 20)
            continue;
        const std::vector<double> values(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 4), all.end());
        const auto n = static_cast<double>(values.size());
        double sx = 0, sy = 0, sxx = 0, sxy = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto x = static_cast<double>(i);
            sx += x;
            sy += values[i];
            sxx += x * x;
            sxy += x * values[i];
        }
        weighted += (n * sxy - sx * sy) / (n * sxx - sx * sx) * n;
        slope.lines += values.size();
        slope.grown_kib = std::max(slope.grown_kib, values.back() - values.front());
    }
    if (slope.lines > 0)
        slope.kib_a_candidate = weighted / static_cast<double>(slope.lines);
    return slope;
}

Json summary(const std::vector<Json>& lines) {
    std::map<std::int64_t, double> ends; // seconds of each part
    std::map<std::string, std::pair<int, std::map<std::string, int>>> kinds;
    std::vector<double> right;
    int hostile = 0, wrong = 0, infrastructure = 0;
    Json bad = Json::array();
    for (const Json& line : lines) {
        double& end = ends[get_int(line, "part")];
        end = std::max(end, get_double(line, "at"));
        const std::string kind = get_string(line, "kind"), verdict = get_string(line, "verdict");
        hostile += kind != "right";
        ++kinds[kind].first;
        ++kinds[kind].second[verdict];
        infrastructure += verdict == "infrastructure" || verdict == "no answer";
        if (!get_bool(line, "ok", false)) {
            ++wrong;
            if (bad.size() < 20)
                bad.push_back({{"i", get_int(line, "i")},
                               {"task", get_string(line, "task")},
                               {"kind", kind},
                               {"verdict", verdict},
                               {"what", get_string(line, "what").substr(0, 300)}});
        } else if (kind == "right") {
            right.push_back(get_double(line, "seconds"));
        }
    }
    double seconds = 0;
    for (const auto& [part, end] : ends)
        seconds += end;
    Json verdicts = Json::object();
    for (const auto& [kind, told] : kinds)
        verdicts[kind] = {{"candidates", told.first}, {"verdicts", told.second}};
    Json slopes = Json::object();
    for (const char* field : {"evaluator_kib", "oracle_kib", "compiler_kib", "descriptors"}) {
        const Slope slope = slope_of(lines, field);
        slopes[field] = {{"a_candidate", slope.kib_a_candidate}, {"grown", slope.grown_kib}, {"lines", slope.lines}};
    }
    std::sort(right.begin(), right.end());
    return Json{{"candidates", lines.size()},
                {"hostile", hostile},
                {"wrong", wrong},
                {"infrastructure", infrastructure},
                {"bad", std::move(bad)},
                {"parts", ends.size()},
                {"seconds", seconds},
                {"per_hour", seconds > 0 ? static_cast<double>(lines.size()) / seconds * 3600 : 0},
                {"right_median_s", right.empty() ? 0 : right[right.size() / 2]},
                {"right_p95_s", right.empty() ? 0 : right[right.size() * 95 / 100]},
                {"verdicts", std::move(verdicts)},
                {"slopes", std::move(slopes)}};
}

std::string markdown(const Json& all, const std::string& device) {
    char line[512];
    std::string text = "# Candidates in a row on " + device + "\n\n| what | figure |\n| --- | --- |\n";
    const auto row = [&](const char* what, const std::string& figure) {
        text += "| " + std::string(what) + " | " + figure + " |\n";
    };
    std::snprintf(line, sizeof line, "%lld, %lld of them hostile, in %lld part(s)",
                  static_cast<long long>(get_int(all, "candidates")), static_cast<long long>(get_int(all, "hostile")),
                  static_cast<long long>(get_int(all, "parts")));
    row("candidates", line);
    std::snprintf(line, sizeof line, "%lld of another class than expected, %lld infrastructure",
                  static_cast<long long>(get_int(all, "wrong")),
                  static_cast<long long>(get_int(all, "infrastructure")));
    row("wrong", line);
    std::snprintf(line, sizeof line, "%.0f an hour (%.1f s); a right one %.2f s median, %.2f s at the 95th percentile",
                  get_double(all, "per_hour"), get_double(all, "seconds"), get_double(all, "right_median_s"),
                  get_double(all, "right_p95_s"));
    row("rate", line);
    for (const auto& [field, slope] : get_member(all, "slopes").items()) {
        std::snprintf(line, sizeof line, "%+.2f a candidate, at most %+.0f in one lane (%lld lines)",
                      get_double(slope, "a_candidate"), get_double(slope, "grown"),
                      static_cast<long long>(get_int(slope, "lines")));
        row((field + " after warming up").c_str(), line);
    }
    for (const Json& one : get_member(all, "machine"))
        row(get_string(one, "what").c_str(), get_string(one, "figure"));
    text += "\n| candidate | how many | verdicts |\n| --- | --- | --- |\n";
    for (const auto& [kind, told] : get_member(all, "verdicts").items()) {
        std::string verdicts;
        for (const auto& [verdict, count] : get_member(told, "verdicts").items())
            verdicts += (verdicts.empty() ? "" : ", ") + verdict + " " + std::to_string(count.get<int>());
        text += "| " + kind + " | " + std::to_string(get_int(told, "candidates")) + " | " + verdicts + " |\n";
    }
    return text;
}

} // namespace kf::soak
