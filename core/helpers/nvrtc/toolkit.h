// SPDX-License-Identifier: GPL-3.0-or-later
// Where this machine keeps NVRTC, CUDA's headers and the tools ptxas, nvdisasm and cuobjdump. Looked for once; what is
// missing carries a reason and a remedy. Order: explicit setting, CUDA_HOME, the loader's own search (ldconfig),
// /usr/local/cuda, the nvidia-* wheels of a given Python. An explicit setting that does not work is an error, never
// passed over.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kf::nvrtc {

struct ToolkitSettings {
    std::string nvrtc;     // path of libnvrtc.so.*; KERNELFORGE_NVRTC
    std::string cuda_home; // CUDA_HOME or CUDA_PATH
    std::string include;   // folder of cuda_fp16.h; KERNELFORGE_CUDA_INCLUDE
    std::string python;    // interpreter whose wheels are searched; KERNELFORGE_PYTHON
    std::string nvdisasm;  // KERNELFORGE_NVDISASM
    std::string resources; // folder with cuda/ (our headers); default resource_folder()/resources
    bool search = true;    // false: only what is named above (tests)

    static ToolkitSettings from_environment();
};

// A header folder that candidates may include from.
struct IncludeRoot {
    std::filesystem::path folder;
    std::string label; // for messages and hashes: "cuda", "cccl", "kf", "std-shims", "extra"
};

struct Toolkit {
    std::vector<std::string> libraries;               // names or paths to try with dlopen, best first
    bool library_is_set = false;                      // true: `libraries` is an explicit setting
    std::vector<IncludeRoot> roots;                   // in search order: kf, cuda, cccl, std-shims
    std::string headers_missing;                      // why there are no CUDA headers; empty when found
    std::filesystem::path ptxas, nvdisasm, cuobjdump; // empty: not found
};

// Error "toolkit-setting" when an explicit setting names something that does not exist.
Result<Toolkit> find_toolkit(const ToolkitSettings& settings);
// The CUDA headers that belong to a library at `library_path`, when the settings named none; adds the roots.
void add_headers_beside(Toolkit& toolkit, const std::filesystem::path& library_path, const ToolkitSettings& settings);

// site-packages folders of an interpreter, from the layout around the program (no program is run).
std::vector<std::filesystem::path> site_packages_of(const std::filesystem::path& python);

} // namespace kf::nvrtc
