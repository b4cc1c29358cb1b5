// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter types of a mangled C++ name (Itanium C++ ABI, "Mangling"), read straight from the mangled form. A demangler
// expands substitutions, so that a short hostile name can grow without bound, and its output has to be parsed again;
// here every type is visited once and every text is cut to a fixed length.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf::detail {

inline constexpr std::size_t max_mangled_bytes = 8192;

struct MangledType {
    enum class Kind { named, pointer, reference, other } kind = Kind::other; // named: builtin types too
    std::string text;                                                        // "__half const*"; cut after 160 bytes
    std::string base;      // pointer: what it points to without qualifiers, "__half"; else text without qualifiers
    bool is_const = false; // pointer: the pointee is
};

// Of "_Z…" names and function types "F…E". Error "plan-signature".
Result<std::vector<MangledType>> mangled_parameters(std::string_view mangled);

} // namespace kf::detail
