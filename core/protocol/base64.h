// SPDX-License-Identifier: GPL-3.0-or-later
// Base64 (RFC 4648 §4, with padding) for the chunks of a blob inside a JSON line.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace kf {

std::string base64_encode(std::string_view bytes);

// Strict: padding required, no blanks or line breaks, unused bits zero, so that each byte string has exactly one text.
// Error: "base64-syntax".
Result<std::string> base64_decode(std::string_view text);

} // namespace kf
