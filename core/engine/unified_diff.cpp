// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/unified_diff.h"

#include <algorithm>
#include <vector>

namespace kf {
namespace {

constexpr int context_lines = 3;
constexpr int most_changes = 2000; // lines; the search keeps a row of as many numbers for each

// Lines with their line feeds, so that a text without a last one differs from the same text with it.
std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

struct Step {
    char kind = ' ';                // ' ' in both, '-' before only, '+' after only
    int old_line = 0, new_line = 0; // how many lines of each came before it
};

// Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), §4, greedy: the shortest way from (0, 0) to the end
// of both; rows of furthest points are kept to walk back.
std::vector<Step> steps_between(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
    const auto at = [](const std::vector<std::string_view>& lines, int i) {
        return lines[static_cast<std::size_t>(i)];
    };
    std::vector<std::vector<int>> rows;
    std::vector<Step> steps;
    const int most = std::min(n + m, most_changes);
    const auto of = [](std::vector<int>& row, int k) -> int& {
        return row[static_cast<std::size_t>(k + static_cast<int>(row.size()) / 2)];
    };
    bool found = false;
    std::vector<int> furthest(3, 0);
    for (int d = 0; d <= most && !found; ++d) {
        std::vector<int> row(static_cast<std::size_t>(2 * d + 3), 0);
        for (int k = -d; k <= d; k += 2) {
            int x = 0;
            if (d > 0) {
                const bool down = k == -d || (k != d && of(furthest, k - 1) < of(furthest, k + 1));
                x = down ? of(furthest, k + 1) : of(furthest, k - 1) + 1;
            }
            while (x < n && x - k < m && at(a, x) == at(b, x - k))
                ++x;
            of(row, k) = x;
            found = found || (x >= n && x - k >= m);
        }
        rows.push_back(row);
        furthest = std::move(row);
    }
    if (!found) {
        for (int i = 0; i < n; ++i)
            steps.push_back({'-', i, 0});
        for (int i = 0; i < m; ++i)
            steps.push_back({'+', n, i});
        return steps;
    }
    int x = n, y = m;
    for (int d = static_cast<int>(rows.size()) - 1; d >= 0; --d) {
        int from_x = 0, from_y = 0;
        bool down = false;
        if (d > 0) {
            std::vector<int>& row = rows[static_cast<std::size_t>(d) - 1];
            const int k = x - y;
            down = k == -d || (k != d && of(row, k - 1) < of(row, k + 1));
            const int before = down ? k + 1 : k - 1;
            from_x = of(row, before);
            from_y = from_x - before;
        }
        const int start_x = d == 0 ? 0 : down ? from_x : from_x + 1;
        while (x > start_x) {
            --x, --y;
            steps.push_back({' ', x, y});
        }
        if (d > 0)
            steps.push_back({down ? '+' : '-', from_x, from_y});
        x = from_x, y = from_y;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::string range(int first, int count) {
    return std::to_string(count == 0 ? first : first + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

} // namespace

std::string unified_diff(std::string_view before, std::string_view after, const std::string& before_name,
                         const std::string& after_name) {
    if (before == after)
        return {};
    const std::vector<std::string_view> a = lines_of(before), b = lines_of(after);
    const std::vector<Step> steps = steps_between(a, b);
    std::string text = "--- " + before_name + "\n+++ " + after_name + "\n";
    const int count = static_cast<int>(steps.size());
    for (int i = 0; i < count;) {
        if (steps[static_cast<std::size_t>(i)].kind == ' ') {
            ++i;
            continue;
        }
        const int begin = std::max(0, i - context_lines);
        int end = i, last = i;
        // Changes with less than twice the context between them are one hunk.
        for (; end < count && end - last <= 2 * context_lines; ++end)
            if (steps[static_cast<std::size_t>(end)].kind != ' ')
                last = end;
        end = std::min(count, last + 1 + context_lines);
        int olds = 0, news = 0;
        std::string body;
        for (int one = begin; one < end; ++one) {
            const Step& step = steps[static_cast<std::size_t>(one)];
            olds += step.kind != '+';
            news += step.kind != '-';
            const std::string_view line = step.kind == '+' ? b[static_cast<std::size_t>(step.new_line)]
                                                           : a[static_cast<std::size_t>(step.old_line)];
            body += step.kind;
            body += line;
            if (line.empty() || line.back() != '\n')
                body += "\n\\ No newline at end of file\n";
        }
        const Step& first = steps[static_cast<std::size_t>(begin)];
        text += "@@ -" + range(first.old_line, olds) + " +" + range(first.new_line, news) + " @@\n" + body;
        i = end;
    }
    return text;
}

} // namespace kf
