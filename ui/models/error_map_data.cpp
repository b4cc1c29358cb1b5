// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/terminal_text.h"
#include "ui/models/autopsy_data.h"

#include <algorithm>
#include <limits>

namespace kf::ui {
namespace {

// Which rows of an output of `size` rows fall into cell `cell` of `cells` (core/verify: cell = row * cells / size).
std::optional<std::pair<std::int64_t, std::int64_t>> range_of(int cell, int cells, std::int64_t size) {
    if (size <= 0 || cells <= 0 || cell < 0 || cell >= cells || size > (std::int64_t{1} << 40))
        return std::nullopt;
    const std::int64_t first = (cell * size + cells - 1) / cells;
    const std::int64_t last = ((cell + 1) * size + cells - 1) / cells - 1;
    return std::pair{first, std::max(first, last)};
}

// The output's size as a matrix: all leading axes × the last one. An axis of fewer than 64 cells is shown as it is.
void find_size(const Comparison& comparison, const CaseReport& report, const Task* task, ErrorMapData& map) {
    if (const OutputSpec* output = task ? task->find_output(comparison.output) : nullptr) {
        const auto shape = shape_of(output->shape, report.symbols);
        if (shape && element_count(*shape) == comparison.elements && comparison.elements > 0) {
            map.shape = *shape;
            map.output_columns = shape->empty() ? 1 : shape->back();
            map.output_rows = map.output_columns > 0 ? comparison.elements / map.output_columns : 0;
        }
    }
    constexpr int most_cells = 64;
    if (map.output_rows == 0 && comparison.elements > 0) {
        if (map.columns < most_cells && comparison.elements % map.columns == 0) {
            map.output_columns = map.columns;
            map.output_rows = comparison.elements / map.columns;
        } else if (map.rows < most_cells && comparison.elements % map.rows == 0) {
            map.output_rows = map.rows;
            map.output_columns = comparison.elements / map.rows;
        }
    }
    // A journal can claim anything; a size that does not fit its cells is not known.
    if (map.output_rows < map.rows || map.output_columns < map.columns)
        map.output_rows = map.output_columns = 0;
}

} // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> ErrorMapData::rows_of(int cell_row) const {
    return range_of(cell_row, rows, output_rows);
}

std::optional<std::pair<std::int64_t, std::int64_t>> ErrorMapData::columns_of(int cell_column) const {
    return range_of(cell_column, columns, output_columns);
}

std::optional<std::pair<int, int>> ErrorMapData::cell_of(const std::vector<std::int64_t>& index) const {
    if (empty() || output_rows <= 0 || output_columns <= 0 || index.empty())
        return std::nullopt;
    const std::int64_t column = index.back();
    std::int64_t row = 0;
    if (index.size() == 2) {
        row = index.front();
    } else if (index.size() > 2) {
        if (shape.size() != index.size())
            return std::nullopt; // the sizes of the leading axes are not known
        for (std::size_t k = 0; k + 1 < index.size(); ++k) {
            if (index[k] < 0 || index[k] >= shape[k])
                return std::nullopt;
            row = row * shape[k] + index[k]; // below the number of elements, at most 2^40
        }
    }
    if (row < 0 || row >= output_rows || column < 0 || column >= output_columns)
        return std::nullopt;
    return std::pair{static_cast<int>(row * rows / output_rows), static_cast<int>(column * columns / output_columns)};
}

std::vector<ErrorMapData> error_maps(const Evaluation& evaluation, const Task* task) {
    std::vector<ErrorMapData> maps;
    if (!evaluation.failure)
        return maps;
    const CaseReport* report = evaluation.failure->failing_case ? &*evaluation.failure->failing_case : nullptr;
    if (!report)
        for (const CaseReport& one : evaluation.cases)
            if (!one.passed)
                report = &one;
    if (!report)
        return maps;
    for (const Comparison& comparison : report->comparisons) {
        if (comparison.accepted)
            continue;
        ErrorMapData map;
        const std::size_t cells = comparison.map.bad.size();
        if (comparison.map.rows > 0 && comparison.map.columns > 0 && comparison.map.rows <= 4096 &&
            comparison.map.columns <= 4096 &&
            cells == static_cast<std::size_t>(comparison.map.rows) * static_cast<std::size_t>(comparison.map.columns)) {
            map.rows = comparison.map.rows;
            map.columns = comparison.map.columns;
            map.bad = comparison.map.bad;
            map.most = *std::max_element(map.bad.begin(), map.bad.end());
            find_size(comparison, *report, task, map);
        }
        map.output = QString::fromStdString(plain_text(comparison.output));
        map.elements = comparison.elements;
        map.bad_elements = comparison.bad;
        map.pattern = QString::fromStdString(plain_text(comparison.pattern_text));
        map.test_case = QString::fromStdString(plain_text(to_string(report->symbols))) + QStringLiteral(" · ") +
                        QString::fromStdString(std::string(to_string(report->regime)));
        map.held_out = report->held_out;
        map.worst = comparison.worst;
        map.first = comparison.first_bad;
        if (!map.empty() || !map.worst.empty() || !map.first.empty())
            maps.push_back(std::move(map));
    }
    return maps;
}

} // namespace kf::ui
