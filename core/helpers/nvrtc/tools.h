// SPDX-License-Identifier: GPL-3.0-or-later
// The toolkit's programs, each in a process of its own with deadline and limits: ptxas and nvdisasm / cuobjdump.
#pragma once

#include "core/base/result.h"
#include "core/helpers/nvrtc/toolkit.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kf::nvrtc {

struct Assembled {
    bool ok = false;
    std::string cubin;
    std::string log;
    double seconds = 0;
};
// PTX → cubin. Errors: "assembler-missing", "assembler-failed" (timeout, crash, out of memory), "cancelled".
Result<Assembled> assemble(const Toolkit& toolkit, const std::string& ptx, const std::string& arch, int maxreg,
                           bool lineinfo, double seconds, const std::function<bool()>& cancelled);

// Error "sass-missing" (no tool, with the remedy) or "sass-failed".
Result<std::string> disassemble(const Toolkit& toolkit, std::string_view cubin, double seconds,
                                const std::function<bool()>& cancelled);

} // namespace kf::nvrtc
