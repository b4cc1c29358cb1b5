// SPDX-License-Identifier: GPL-3.0-or-later
// What this machine has and lacks for judging, each with what to do about it and which feature alone it disables.
#pragma once

#include "core/evaluator/device.h"
#include "core/evaluator/oracle_client.h"

#include <filesystem>
#include <stop_token>

namespace kf {

// {"checks": [{"name", "ok", "found", "remedy", "disables"}]}
Json run_doctor(Device& device, OracleClient& oracle, const std::filesystem::path& cache, const std::stop_token& stop);

} // namespace kf
