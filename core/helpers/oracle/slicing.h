// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting tensors along one axis and putting results together again, so that float64 fits into memory.
#pragma once

#include "core/base/result.h"
#include "core/task/task.h"

#include <span>
#include <vector>

namespace kf::oracle {

// Axis whose extent is exactly `symbol`; -1 when the shape does not depend on it. Error "golden-split" when it depends
// on the symbol in another way (2*B) or on two axes.
Result<int> split_axis(const std::vector<Expression>& shape, const std::string& symbol, const std::string& tensor);

// Rows [first, first + count) along `axis` of a dense tensor, as a dense tensor. `item` is bytes an element.
std::vector<std::byte> take_slice(std::span<const std::byte> whole, const Shape& shape, int axis, std::int64_t first,
                                  std::int64_t count, std::size_t item);
// The inverse.
void put_slice(std::span<std::byte> whole, const Shape& shape, int axis, std::int64_t first, std::int64_t count,
               std::size_t item, std::span<const std::byte> part);

} // namespace kf::oracle
