// SPDX-License-Identifier: GPL-3.0-or-later
// Small tasks for the oracle's tests.
#pragma once

#include "core/base/json.h"
#include "core/task/task.h"

#include <string>

namespace kf::test {

inline Json input(const char* name, const char* dtype, Json shape, Json fill = {{"normal", {0.1, 1}}},
                  const char* role = "") {
    Json json = {{"name", name}, {"dtype", dtype}, {"shape", std::move(shape)}, {"fill", std::move(fill)}};
    if (*role)
        json["role"] = role;
    return json;
}

inline Json output(const char* name, const char* dtype, Json shape, const char* compare = "close") {
    return {{"name", name}, {"dtype", dtype}, {"shape", std::move(shape)}, {"compare", compare}};
}

// {"json", "reference"} as it travels.
inline Json wire_task(const std::string& reference, Json inputs, Json outputs, Json extra = Json::object(),
                      Json symbols = {{"M", 3}, {"N", 5}}) {
    Json json = {{"name", "probe"},
                 {"title", "Probe"},
                 {"stage", 1},
                 {"sizes", {{"cpu", symbols}, {"small", symbols}, {"primary", symbols}}},
                 {"timed", {{{"size", "primary"}, {"weight", 1}}}},
                 {"inputs", std::move(inputs)},
                 {"outputs", std::move(outputs)},
                 {"cases", Json::array()},
                 {"tolerance", {{"atol", 1e-3}, {"rtol", 1e-3}}},
                 {"work", {{"flops", "1"}, {"read", "1"}, {"written", "1"}}}};
    json.update(extra);
    return {{"json", json.dump()}, {"reference", reference}};
}

} // namespace kf::test
