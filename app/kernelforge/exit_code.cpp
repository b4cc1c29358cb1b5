// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/exit_code.h"

#include "core/protocol/client.h"
#include "core/render/terminal_text.h"

#include <array>
#include <cstdio>
#include <string_view>

namespace kf::cli {

int fail(ExitCode code, const Error& error) {
    // Messages may quote what a stranger wrote, and a compiler's may have many lines.
    std::fprintf(stderr, "kernelforge: %s\n", plain_text(to_string(error)).c_str());
    return code;
}

ExitCode code_of(const Error& error) {
    static constexpr std::array<std::string_view, 17> ours = {
        "evaluator-start",   "evaluator-gone",      "protocol-mismatch", "deadline-exceeded", "journal-unwritable",
        "journal-full",      "journal-undurable",   "control-socket",    "control-gone",      "program-missing",
        "spawn-failed",      "sandbox-unavailable", "packed-unwritable", "file-unwritable",   "rpc-internal",
        "handshake-missing", "lint-infrastructure"};
    if (is_infrastructure(error))
        return exit_infrastructure;
    for (const std::string_view one : ours)
        if (error.code == one)
            return exit_infrastructure;
    return error.code == "cancelled" ? exit_stopped : exit_bad_input;
}

} // namespace kf::cli
