// SPDX-License-Identifier: GPL-3.0-or-later
// A cubin is an ELF64 file. This reader trusts no offset, size or index in it.
#pragma once

#include "core/base/result.h"
#include "core/helpers/nvrtc/messages.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kf::nvrtc {

struct CubinSection {
    std::string name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0, size = 0;
    std::string_view content; // empty for NOBITS
};
struct CubinSymbol {
    std::string name;
    std::uint8_t type = 0, binding = 0; // STT_*, STB_*
    std::uint16_t section = 0;          // index into Cubin::sections; 0 undefined
    std::uint64_t value = 0, size = 0;
};

struct Cubin {
    std::vector<CubinSection> sections;
    std::vector<CubinSymbol> symbols;
    const CubinSection* find(std::string_view name) const;
};

// The views in the result point into `bytes`. Error "cubin-malformed" says which field is wrong.
Result<Cubin> read_cubin(std::string_view bytes);

// Writable variables in global memory (.nv.global*, and .bss-like sections), printf strings left out. `const` data that
// the compiler put there is listed too: the machine code does not tell it apart, the candidate's text does.
std::vector<StateSymbol> state_symbols(const Cubin& cubin);

// Functions that the code calls but does not define, such as vprintf, malloc or cudaLaunchDeviceV2: a device-side
// launch shows here.
std::vector<std::string> undefined_functions(const Cubin& cubin);

} // namespace kf::nvrtc
