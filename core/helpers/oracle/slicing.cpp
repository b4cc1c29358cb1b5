// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/oracle/slicing.h"

#include <algorithm>
#include <cstring>

namespace kf::oracle {
namespace {

struct Blocks {
    std::size_t outer = 1, extent = 1, inner = 1; // inner in bytes
};

Blocks blocks_of(const Shape& shape, int axis, std::size_t item) {
    Blocks b;
    b.inner = item;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto extent = static_cast<std::size_t>(shape[i]);
        (static_cast<int>(i) < axis ? b.outer : static_cast<int>(i) == axis ? b.extent : b.inner) *= extent;
    }
    return b;
}

} // namespace

Result<int> split_axis(const std::vector<Expression>& shape, const std::string& symbol, const std::string& tensor) {
    int axis = -1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto names = shape[i].names();
        if (std::find(names.begin(), names.end(), symbol) == names.end())
            continue;
        if (shape[i].print() != symbol || axis >= 0)
            return make_error("golden-split",
                              "golden_split names " + symbol + ", but axis " + std::to_string(i) + " of " + tensor +
                                  " is " + shape[i].print() + (axis >= 0 ? " and another axis depends on it too" : ""),
                              "name a symbol that is one whole axis of every tensor it occurs in", shape[i].place());
        axis = static_cast<int>(i);
    }
    return axis;
}

std::vector<std::byte> take_slice(std::span<const std::byte> whole, const Shape& shape, int axis, std::int64_t first,
                                  std::int64_t count, std::size_t item) {
    const Blocks b = blocks_of(shape, axis, item);
    const std::size_t bytes = static_cast<std::size_t>(count) * b.inner;
    std::vector<std::byte> out(b.outer * bytes);
    for (std::size_t o = 0; o < b.outer && bytes > 0; ++o)
        std::memcpy(out.data() + o * bytes, whole.data() + (o * b.extent + static_cast<std::size_t>(first)) * b.inner,
                    bytes);
    return out;
}

void put_slice(std::span<std::byte> whole, const Shape& shape, int axis, std::int64_t first, std::int64_t count,
               std::size_t item, std::span<const std::byte> part) {
    const Blocks b = blocks_of(shape, axis, item);
    const std::size_t bytes = static_cast<std::size_t>(count) * b.inner;
    for (std::size_t o = 0; o < b.outer && bytes > 0; ++o)
        std::memcpy(whole.data() + (o * b.extent + static_cast<std::size_t>(first)) * b.inner, part.data() + o * bytes,
                    bytes);
}

} // namespace kf::oracle
