// SPDX-License-Identifier: GPL-3.0-or-later
// What a child of the search is asked to try: one table by bottleneck for kernels that are right, one by failure class
// for kernels that are to be mended (the autopsy's rules first).
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kf {

// The first strategy for this bottleneck that `used` does not hold; when every single one was tried, two of them
// together; never one of `used` again.
std::string growing_strategy(std::string_view bottleneck, const std::set<std::string>& used);
// `attempt` counts from 0; `failure` is the class's text form, or anything else when it is not known.
std::string mending_strategy(std::string_view failure, int attempt);

} // namespace kf
