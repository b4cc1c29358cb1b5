// SPDX-License-Identifier: GPL-3.0-or-later
// Task and device as a model is told of them. Written field by field: a held-out case is passed over here and the task
// file's own text is never shown.
#pragma once

#include "core/base/json.h"
#include "core/task/task.h"

namespace kf {

std::string device_kind(const Json& device); // "cpu" or "cuda"
std::string task_section(const Task& task, const std::string& device_kind);
std::string device_section(const Json& device);

} // namespace kf
