// SPDX-License-Identifier: GPL-3.0-or-later
// JSON has no NaN and no infinity; here null stands for "not known" both ways.
#pragma once

#include "core/base/json.h"

#include <cmath>
#include <limits>

namespace kf {

inline Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

inline double number_or_nan(const Json& object, const char* key) {
    return get_double(object, key, std::numeric_limits<double>::quiet_NaN());
}

} // namespace kf
