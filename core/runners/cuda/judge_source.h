// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's device text as one compile request wants it.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace kf::cuda {

// resources/cuda/judge with its own includes put in place. Errors: those of read_file.
Result<std::string> judge_source(const std::filesystem::path& resources);

} // namespace kf::cuda
