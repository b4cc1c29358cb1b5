// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/toolkit.h"

#include "core/base/files.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace kf::nvrtc {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

bool is_program(const fs::path& path) {
    return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

// Both major versions that are supported, the newer first.
constexpr const char* library_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

void add_libraries_below(const fs::path& home, std::vector<std::string>& out) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
        for (const char* name : library_names)
            if (const fs::path path = home / folder / name; is_file(path))
                out.push_back(path.string());
}

// Folders below site-packages that NVIDIA's wheels use: per component for CUDA 12, one for all from CUDA 13 on.
std::vector<fs::path> wheel_folders(const fs::path& site_packages) {
    std::vector<fs::path> out;
    for (const char* name : {"nvidia/cu13", "nvidia/cuda_nvrtc", "nvidia/cuda_runtime", "nvidia/cuda_nvcc",
                             "nvidia/cuda_nvdisasm", "nvidia/cuda_cuobjdump"})
        if (fs::path folder = site_packages / name; fs::exists(folder))
            out.push_back(std::move(folder));
    return out;
}

std::vector<fs::path> homes(const ToolkitSettings& settings) {
    std::vector<fs::path> out;
    if (!settings.cuda_home.empty())
        out.emplace_back(settings.cuda_home);
    if (settings.search)
        out.emplace_back("/usr/local/cuda");
    if (!settings.python.empty())
        for (const fs::path& site : site_packages_of(settings.python))
            for (fs::path& folder : wheel_folders(site))
                out.push_back(std::move(folder));
    return out;
}

fs::path find_program(const std::string& name, const ToolkitSettings& settings) {
    for (const fs::path& home : homes(settings))
        if (is_program(home / "bin" / name))
            return home / "bin" / name;
    if (!settings.search)
        return {};
    const std::string path = environment("PATH");
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t end = std::min(path.find(':', start), path.size());
        const fs::path candidate = fs::path(path.substr(start, end - start)) / name;
        if (end > start && is_program(candidate))
            return candidate;
        start = end + 1;
    }
    return {};
}

void add_cuda_roots(Toolkit& toolkit, const fs::path& include) {
    const auto shims = std::find_if(toolkit.roots.begin(), toolkit.roots.end(),
                                    [](const IncludeRoot& root) { return root.label == "std-shims"; });
    std::vector<IncludeRoot> found{{include, "cuda"}};
    std::error_code error;
    if (fs::is_directory(include / "cccl", error))
        found.push_back({include / "cccl", "cccl"});
    toolkit.roots.insert(shims, found.begin(), found.end());
    toolkit.headers_missing.clear();
}

} // namespace

ToolkitSettings ToolkitSettings::from_environment() {
    ToolkitSettings s;
    s.nvrtc = environment("KERNELFORGE_NVRTC");
    s.cuda_home = environment("CUDA_HOME");
    if (s.cuda_home.empty())
        s.cuda_home = environment("CUDA_PATH");
    s.include = environment("KERNELFORGE_CUDA_INCLUDE");
    s.python = environment("KERNELFORGE_PYTHON");
    s.nvdisasm = environment("KERNELFORGE_NVDISASM");
    return s;
}

std::vector<fs::path> site_packages_of(const fs::path& python) {
    std::vector<fs::path> out;
    std::error_code error;
    // A virtual environment's bin/python is a link to the base interpreter: look around the link first, then around
    // what it points to.
    for (const fs::path& program : {python, fs::weakly_canonical(python, error)}) {
        const fs::path library = program.parent_path().parent_path() / "lib";
        for (fs::directory_iterator it(library, error), end; !error && it != end; it.increment(error))
            if (it->path().filename().string().starts_with("python3"))
                for (const char* name : {"site-packages", "dist-packages"})
                    if (fs::path folder = it->path() / name;
                        fs::is_directory(folder) && std::find(out.begin(), out.end(), folder) == out.end())
                        out.push_back(std::move(folder));
        error.clear();
    }
    return out;
}

Result<Toolkit> find_toolkit(const ToolkitSettings& settings) {
    Toolkit toolkit;
    if (!settings.nvrtc.empty()) {
        if (!is_file(settings.nvrtc))
            return make_error("toolkit-setting", "KERNELFORGE_NVRTC names " + settings.nvrtc + ", which is no file",
                              "give the path of libnvrtc.so.12 or libnvrtc.so.13");
        toolkit.libraries = {settings.nvrtc};
        toolkit.library_is_set = true;
    } else {
        if (!settings.cuda_home.empty())
            add_libraries_below(settings.cuda_home, toolkit.libraries);
        if (settings.search) {
            for (const char* name : library_names)
                toolkit.libraries.emplace_back(name);
            add_libraries_below("/usr/local/cuda", toolkit.libraries);
        }
        if (!settings.python.empty())
            for (const fs::path& site : site_packages_of(settings.python))
                for (const fs::path& folder : wheel_folders(site))
                    add_libraries_below(folder, toolkit.libraries);
    }

    const fs::path resources =
        (settings.resources.empty() ? resource_folder() / "resources" : fs::path(settings.resources)) / "cuda";
    toolkit.roots = {{resources, "kf"}, {resources / "std-shims", "std-shims"}};
    toolkit.headers_missing = "no folder with cuda_fp16.h was found";
    if (!settings.include.empty()) {
        if (!is_file(fs::path(settings.include) / "cuda_fp16.h"))
            return make_error("toolkit-setting",
                              "KERNELFORGE_CUDA_INCLUDE names " + settings.include + ", where there is no cuda_fp16.h",
                              "give the include folder of a CUDA toolkit");
        add_cuda_roots(toolkit, settings.include);
    }

    toolkit.ptxas = find_program("ptxas", settings);
    if (!settings.nvdisasm.empty()) {
        if (!is_program(settings.nvdisasm))
            return make_error("toolkit-setting",
                              "KERNELFORGE_NVDISASM names " + settings.nvdisasm + ", which is no program",
                              "give the path of nvdisasm");
        toolkit.nvdisasm = settings.nvdisasm;
    } else {
        toolkit.nvdisasm = find_program("nvdisasm", settings);
        toolkit.cuobjdump = find_program("cuobjdump", settings);
    }
    return toolkit;
}

void add_headers_beside(Toolkit& toolkit, const fs::path& library_path, const ToolkitSettings& settings) {
    if (toolkit.headers_missing.empty())
        return;
    std::error_code error;
    std::vector<fs::path> candidates;
    for (const fs::path& path : {library_path, fs::weakly_canonical(library_path, error)})
        if (path.is_absolute()) {
            const fs::path home = path.parent_path().parent_path();
            candidates.push_back(home / "include");
            candidates.push_back(home.parent_path() / "cuda_runtime" / "include"); // CUDA 12 wheels
        }
    for (const fs::path& home : homes(settings)) {
        candidates.push_back(home / "include");
        candidates.push_back(home / "targets" / "x86_64-linux" / "include");
    }
    for (const fs::path& folder : candidates)
        if (is_file(folder / "cuda_fp16.h")) {
            add_cuda_roots(toolkit, folder);
            return;
        }
}

} // namespace kf::nvrtc
