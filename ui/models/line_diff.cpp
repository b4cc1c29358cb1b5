// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace kf::ui {
namespace {

// Cells of the table that lines two texts up: 2 bytes each.
constexpr std::size_t max_cells = 6'000'000;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

using Lines = std::vector<std::string_view>;
enum class Step : std::uint8_t { keep, remove, add };

// The shortest way from the middle part of one text to that of the other, by the longest common subsequence.
std::vector<Step> steps_between(const Lines& a, std::size_t a_begin, std::size_t a_end, const Lines& b,
                                std::size_t b_begin, std::size_t b_end, bool& exact) {
    const std::size_t n = a_end - a_begin, m = b_end - b_begin;
    std::vector<Step> steps;
    if (n > 65'000 || m > 65'000 || (n + 1) * (m + 1) > max_cells) {
        exact = false;
        steps.insert(steps.end(), n, Step::remove);
        steps.insert(steps.end(), m, Step::add);
        return steps;
    }
    std::vector<std::uint16_t> common((n + 1) * (m + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& { return common[i * (m + 1) + j]; };
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t j = m; j-- > 0;)
            at(i, j) = a[a_begin + i] == b[b_begin + j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                                        : std::max(at(i + 1, j), at(i, j + 1));
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && a[a_begin + i] == b[b_begin + j]) {
            steps.push_back(Step::keep);
            ++i, ++j;
        } else if (i < n && (j >= m || at(i + 1, j) >= at(i, j + 1))) {
            steps.push_back(Step::remove);
            ++i;
        } else {
            steps.push_back(Step::add);
            ++j;
        }
    }
    return steps;
}

} // namespace

LineDiff line_diff(std::string_view before, std::string_view after, int context) {
    const Lines a = lines_of(before), b = lines_of(after);
    std::size_t head = 0, tail = 0;
    while (head < a.size() && head < b.size() && a[head] == b[head])
        ++head;
    while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    LineDiff diff;
    std::vector<Step> steps(head, Step::keep);
    const auto middle = steps_between(a, head, a.size() - tail, b, head, b.size() - tail, diff.exact);
    steps.insert(steps.end(), middle.begin(), middle.end());
    steps.insert(steps.end(), tail, Step::keep);

    // Which kept lines stand near a change.
    const std::size_t reach = static_cast<std::size_t>(std::max(0, context));
    std::vector<bool> shown(steps.size(), false);
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps[k] != Step::keep)
            for (std::size_t n = k - std::min(k, reach); n < std::min(steps.size(), k + reach + 1); ++n)
                shown[n] = true;
    std::size_t i = 0, j = 0;
    bool left_out = false;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const Step step = steps[k];
        if (shown[k]) {
            if (left_out && !diff.lines.empty())
                diff.lines.push_back({DiffLine::Kind::gap, 0, 0, {}});
            left_out = false;
            const bool old_side = step != Step::add, new_side = step != Step::remove;
            diff.lines.push_back({step == Step::keep  ? DiffLine::Kind::context
                                  : step == Step::add ? DiffLine::Kind::added
                                                      : DiffLine::Kind::removed,
                                  old_side ? static_cast<int>(i) + 1 : 0, new_side ? static_cast<int>(j) + 1 : 0,
                                  std::string(old_side ? a[i] : b[j])});
        } else {
            left_out = true;
        }
        diff.added += step == Step::add;
        diff.removed += step == Step::remove;
        i += step != Step::add;
        j += step != Step::remove;
    }
    return diff;
}

LineDiff parse_unified(std::string_view text) {
    LineDiff diff;
    int old_line = 0, new_line = 0;
    bool inside = false;
    for (const std::string_view line : lines_of(text)) {
        if (line.rfind("@@", 0) == 0) {
            if (std::sscanf(std::string(line).c_str(), "@@ -%d,%*d +%d", &old_line, &new_line) < 2 &&
                std::sscanf(std::string(line).c_str(), "@@ -%d +%d", &old_line, &new_line) < 2)
                old_line = new_line = 0;
            if (!diff.lines.empty())
                diff.lines.push_back({DiffLine::Kind::gap, 0, 0, {}});
            inside = true;
            continue;
        }
        if (!inside || (!line.empty() && line.front() == '\\'))
            continue;
        const char mark = line.empty() ? ' ' : line.front();
        const std::string rest(line.empty() ? line : line.substr(1));
        if (mark == '+') {
            diff.lines.push_back({DiffLine::Kind::added, 0, new_line++, rest});
            ++diff.added;
        } else if (mark == '-') {
            diff.lines.push_back({DiffLine::Kind::removed, old_line++, 0, rest});
            ++diff.removed;
        } else {
            diff.lines.push_back({DiffLine::Kind::context, old_line++, new_line++, rest});
        }
    }
    return diff;
}

} // namespace kf::ui
