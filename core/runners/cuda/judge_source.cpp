// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/judge_source.h"

#include "core/base/files.h"

#include <sstream>

namespace kf::cuda {

Result<std::string> judge_source(const std::filesystem::path& resources) {
    std::string whole;
    for (const char* name : {"exact.cuh", "inputs.cuh", "judge.cu"}) { // each includes only those before it
        auto text = read_file(resources / "cuda" / "judge" / name, std::size_t{1} << 20);
        if (!text)
            return text.error();
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);)
            if (line.rfind("#include", 0) != 0 && line != "#pragma once")
                whole += line + "\n";
    }
    return whole;
}

} // namespace kf::cuda
