// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU device as a Device: correctness, tests and demos on a machine without a GPU. Its timings are CPU timings.
#pragma once

#include "core/evaluator/device.h"

#include <filesystem>

namespace kf {

// Errors: "cpu-device" when kf-cpu or the headers for candidates are missing.
Result<std::shared_ptr<Device>> make_cpu_device(const std::filesystem::path& cache);

} // namespace kf
