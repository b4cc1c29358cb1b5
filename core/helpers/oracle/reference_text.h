// SPDX-License-Identifier: GPL-3.0-or-later
// The text of reference.py before TorchScript sees it: what must not stand in it, by line and column.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf::oracle {

// Everything found, in order; empty: well. Codes: "reference-import", "reference-cast" (.float(), .half(), …: the dtype
// of the arithmetic is acc's), "reference-dtype" (a dtype's name), "reference-name" (math, torch.nn.functional, random
// numbers, files, printing, threads), "reference-function" (not exactly one def, class, lambda, decorator).
std::vector<Error> lint_reference(std::string_view text, const std::string& file);

// The text for the TorchScript compiler: accepted import lines blanked, everything else unchanged, lines kept.
std::string without_imports(std::string_view text);

} // namespace kf::oracle
