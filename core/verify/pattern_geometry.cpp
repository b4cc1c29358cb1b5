// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns that show in the places: tails, rows, columns, tiles. A region counts when most of it is bad (an element may
// be right by chance) and nearly nothing outside is.
#include "core/verify/pattern_parts.h"

#include <algorithm>
#include <array>

namespace kf::pattern_parts {
namespace {

constexpr double dense = 0.6;    // share of a region that must be bad
constexpr double covered = 0.95; // share of the bad elements that the regions must hold

double ratio(std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) / static_cast<double>(std::max<std::int64_t>(1, b));
}

std::string range_text(std::int64_t first, std::int64_t last) {
    return first == last ? std::to_string(first) : std::to_string(first) + "–" + std::to_string(last);
}

std::string plural(const std::string& word, std::int64_t n) {
    return n == 1 ? word : word + "s";
}

// Rows or columns by number: a range, a stride, or the first few.
std::string list_text(const std::string& word, const std::vector<std::int64_t>& lines, std::int64_t total) {
    const auto count = static_cast<std::int64_t>(lines.size());
    const std::string of_total = " of " + std::to_string(total);
    if (lines.back() - lines.front() + 1 == count)
        return plural(word, count) + " " + range_text(lines.front(), lines.back()) + of_total;
    const std::int64_t step = lines[1] - lines[0];
    bool regular = count > 2;
    for (std::size_t k = 1; k < lines.size(); ++k)
        regular = regular && lines[k] - lines[k - 1] == step;
    if (regular)
        return "every " + std::to_string(step) + "th " + word + " from " + std::to_string(lines.front()) + of_total;
    std::string text = std::to_string(count) + of_total + " " + word + "s: ";
    for (std::size_t k = 0; k < lines.size() && k < 6; ++k)
        text += (k ? ", " : "") + std::to_string(lines[k]);
    return text + (count > 6 ? ", …" : "");
}

// Bad elements in each row and each column of the matrix view.
struct LineCounts {
    std::vector<std::uint32_t> rows, columns;
};

LineCounts count_lines(std::int64_t rows, std::int64_t columns, const BadMask& bad) {
    LineCounts counts{std::vector<std::uint32_t>(static_cast<std::size_t>(rows)),
                      std::vector<std::uint32_t>(static_cast<std::size_t>(columns))};
    bad.for_each([&](std::int64_t i) {
        ++counts.rows[static_cast<std::size_t>(i / columns)];
        ++counts.columns[static_cast<std::size_t>(i % columns)];
    });
    return counts;
}

bool is_flat(const OutputView& view) {
    return view.rows() < 2 || view.columns() < 2;
}

struct Lines {
    std::vector<std::int64_t> bad;
    double density = 0;
};

// Lines that are bad over most of their length, when they hold nearly all that is bad and are not nearly all lines.
std::optional<Lines> whole_lines(const std::vector<std::uint32_t>& counts, std::int64_t length, std::int64_t total) {
    Lines lines;
    std::int64_t held = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        if (static_cast<double>(counts[k]) >= dense * static_cast<double>(length)) {
            lines.bad.push_back(static_cast<std::int64_t>(k));
            held += counts[k];
        }
    }
    if (lines.bad.empty() || ratio(held, total) < covered ||
        ratio(static_cast<std::int64_t>(lines.bad.size()), static_cast<std::int64_t>(counts.size())) > 0.8)
        return std::nullopt;
    lines.density = ratio(held, static_cast<std::int64_t>(lines.bad.size()) * length);
    return lines;
}

} // namespace

Found find_tail(const OutputView& view, const BadMask& bad) {
    const Shape& shape = view.shape();
    const std::int64_t n = view.elements(), first = bad.first();
    if (first == 0 && shape.size() < 2)
        return std::nullopt;
    // Along each axis: everything from some index on.
    std::vector<std::int64_t> low(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        low[axis] = shape[axis];
    const std::vector<std::int64_t> strides = strides_of(shape);
    bad.for_each([&](std::int64_t i) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            low[axis] = std::min(low[axis], i / strides[axis] % shape[axis]);
    });
    double best = 0;
    std::size_t best_axis = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (low[axis] == 0)
            continue;
        const double density = ratio(bad.count(), n / shape[axis] * (shape[axis] - low[axis]));
        if (density > best) {
            best = density;
            best_axis = axis;
        }
    }
    // In the order of memory, when no axis explains it better: the end of the last row, or a part row and all after it.
    const double flat = first > 0 ? ratio(bad.count(), n - first) : 0;
    const std::string of_n = " of " + std::to_string(n) + " elements";
    if (best >= dense && best >= flat) {
        const std::int64_t length = shape[best_axis] - low[best_axis];
        const std::string last = "the last " + (length == 1 ? "" : std::to_string(length) + " ") + "of " +
                                 std::to_string(shape[best_axis]) + " ";
        if (shape.size() == 1)
            return PatternFinding{Pattern::tail, last + "elements"};
        if (best_axis + 1 == shape.size())
            return PatternFinding{Pattern::tail, last + "columns of every row"};
        if (shape.size() == 2)
            return PatternFinding{Pattern::tail, last + "rows"};
        return PatternFinding{Pattern::tail, last + "along axis " + std::to_string(best_axis)};
    }
    if (flat >= dense)
        return PatternFinding{Pattern::tail, "the last " + std::to_string(n - first) + of_n};
    return std::nullopt;
}

Found find_lines(const OutputView& view, const BadMask& bad) {
    if (is_flat(view))
        return std::nullopt;
    const std::int64_t rows = view.rows(), columns = view.columns();
    const LineCounts counts = count_lines(rows, columns, bad);
    const auto bad_rows = whole_lines(counts.rows, columns, bad.count());
    const auto bad_columns = whole_lines(counts.columns, rows, bad.count());
    if (bad_rows && (!bad_columns || bad_rows->density >= bad_columns->density))
        return PatternFinding{Pattern::row, list_text("row", bad_rows->bad, rows)};
    if (bad_columns)
        return PatternFinding{Pattern::column, list_text("column", bad_columns->bad, columns)};
    return std::nullopt;
}

namespace {

// Blocks of one dimension: a run, or several equal blocks at multiples of their length.
Found find_blocks(std::int64_t n, const BadMask& bad) {
    const std::int64_t first = bad.first(), last = bad.last(), length = last - first + 1;
    if (length >= 4 && ratio(bad.count(), length) >= dense && ratio(length, n) <= 0.8)
        return PatternFinding{Pattern::tile, "elements " + range_text(first, last) + " of " + std::to_string(n)};
    for (const std::int64_t block : {4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8}) {
        if (block * 2 > n)
            continue;
        std::vector<std::uint32_t> counts(static_cast<std::size_t>((n + block - 1) / block));
        bad.for_each([&](std::int64_t i) { ++counts[static_cast<std::size_t>(i / block)]; });
        const auto blocks = whole_lines(counts, block, bad.count());
        if (blocks)
            return PatternFinding{Pattern::tile,
                                  "blocks of " + std::to_string(block) + " elements: " +
                                      list_text("block", blocks->bad, static_cast<std::int64_t>(counts.size()))};
    }
    return std::nullopt;
}

// Bad elements in cells of 4 × 4: tiles of any larger size are added up from these.
struct CellGrid {
    static constexpr std::int64_t edge = 4;
    std::int64_t rows, columns; // of cells
    std::vector<std::uint8_t> bad;

    CellGrid(std::int64_t matrix_rows, std::int64_t matrix_columns, const BadMask& mask)
        : rows((matrix_rows + edge - 1) / edge), columns((matrix_columns + edge - 1) / edge),
          bad(static_cast<std::size_t>(rows * columns)) {
        mask.for_each([&](std::int64_t i) {
            ++bad[static_cast<std::size_t>(i / matrix_columns / edge * columns + i % matrix_columns / edge)];
        });
    }
};

} // namespace

Found find_tiles(const OutputView& view, const BadMask& bad) {
    const std::int64_t n = view.elements();
    if (is_flat(view))
        return find_blocks(n, bad);
    const std::int64_t rows = view.rows(), columns = view.columns();
    std::int64_t top = rows, bottom = -1, left = columns, right = -1;
    bad.for_each([&](std::int64_t i) {
        top = std::min(top, i / columns);
        bottom = std::max(bottom, i / columns);
        left = std::min(left, i % columns);
        right = std::max(right, i % columns);
    });
    const std::int64_t area = (bottom - top + 1) * (right - left + 1);
    if (area >= 4 && ratio(bad.count(), area) >= dense && ratio(area, n) <= 0.8)
        return PatternFinding{Pattern::tile, "rows " + range_text(top, bottom) + ", columns " +
                                                 range_text(left, right) + " of " + std::to_string(rows) + " × " +
                                                 std::to_string(columns)};
    const CellGrid grid(rows, columns, bad);
    constexpr std::array<std::int64_t, 6> edges{128, 64, 32, 16, 8, 4};
    std::int64_t best_area = 0;
    std::string text;
    for (const std::int64_t height : edges) {
        for (const std::int64_t width : edges) {
            if (height * width <= best_area || (height * 2 > rows && width * 2 > columns))
                continue;
            const std::int64_t tile_rows = (rows + height - 1) / height, tile_columns = (columns + width - 1) / width;
            std::vector<std::uint32_t> counts(static_cast<std::size_t>(tile_rows * tile_columns));
            for (std::int64_t r = 0; r < grid.rows; ++r)
                for (std::int64_t c = 0; c < grid.columns; ++c)
                    counts[static_cast<std::size_t>(r * CellGrid::edge / height * tile_columns +
                                                    c * CellGrid::edge / width)] +=
                        grid.bad[static_cast<std::size_t>(r * grid.columns + c)];
            std::int64_t tiles = 0, held = 0, first_row = -1, first_column = -1;
            for (std::int64_t r = 0; r < tile_rows; ++r) {
                for (std::int64_t c = 0; c < tile_columns; ++c) {
                    const std::int64_t inside =
                        std::min(height, rows - r * height) * std::min(width, columns - c * width);
                    const std::int64_t count = counts[static_cast<std::size_t>(r * tile_columns + c)];
                    if (ratio(count, inside) < dense)
                        continue;
                    if (tiles++ == 0) {
                        first_row = r;
                        first_column = c;
                    }
                    held += count;
                }
            }
            if (tiles == 0 || ratio(held, bad.count()) < covered || ratio(tiles, tile_rows * tile_columns) > 0.8)
                continue;
            best_area = height * width;
            text = std::to_string(tiles) + " of " + std::to_string(tile_rows * tile_columns) + " tiles of " +
                   std::to_string(height) + " × " + std::to_string(width) + ", the first at row " +
                   std::to_string(first_row * height) + ", column " + std::to_string(first_column * width);
        }
    }
    if (best_area > 0)
        return PatternFinding{Pattern::tile, text};
    return std::nullopt;
}

} // namespace kf::pattern_parts
