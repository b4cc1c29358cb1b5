// SPDX-License-Identifier: GPL-3.0-or-later
// An NVIDIA GPU as a Device: kf-nvrtc compiles, a kf-cuda process of its own runs each candidate.
#pragma once

#include "core/evaluator/device.h"

#include <filesystem>

namespace kf {

// Errors: "cuda-missing", "cuda-unusable", "cuda-device" (no driver, no such GPU), "nvrtc-start", "judge" (the judge's
// own kernels do not compile), "device-lock", "kf-cuda-start".
Result<std::shared_ptr<Device>> make_cuda_device(int ordinal, const std::filesystem::path& cache);

} // namespace kf
