// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/tools.h"

#include "core/base/deadline.h"
#include "core/base/files.h"
#include "core/process/child.h"

#include <system_error>

namespace kf::nvrtc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t tool_memory = std::uint64_t{4} << 30;
constexpr std::size_t largest_output = std::size_t{256} << 20;

// A folder that goes away with this object.
class WorkFolder {
public:
    static Result<WorkFolder> create() {
        auto path = make_private_folder("kf-nvrtc");
        if (!path)
            return path.error();
        return WorkFolder(std::move(path).value());
    }
    explicit WorkFolder(fs::path path) : m_path(std::move(path)) {}
    WorkFolder(WorkFolder&& other) noexcept : m_path(std::move(other.m_path)) { other.m_path.clear(); }
    WorkFolder& operator=(WorkFolder&&) = delete;
    ~WorkFolder() {
        std::error_code ignored;
        if (!m_path.empty())
            fs::remove_all(m_path, ignored);
    }
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

Result<Finished> run_tool(std::vector<std::string> argv, const fs::path& folder, double seconds,
                          const std::function<bool()>& cancelled) {
    ChildSpec spec;
    spec.argv = std::move(argv);
    spec.cwd = folder;
    spec.limits.address_space = tool_memory;
    spec.limits.file_size = largest_output;
    RunLimits limits;
    limits.deadline = deadline_after(seconds);
    limits.output_bytes = largest_output;
    limits.cancelled = cancelled;
    return run_to_end(spec, limits);
}

} // namespace

Result<Assembled> assemble(const Toolkit& toolkit, const std::string& ptx, const std::string& arch, int maxreg,
                           bool lineinfo, double seconds, const std::function<bool()>& cancelled) {
    if (toolkit.ptxas.empty())
        return make_error("assembler-missing", "the second try needs the program ptxas, which was not found",
                          "install the CUDA toolkit's compiler (nvcc package or the wheel nvidia-cuda-nvcc), or set "
                          "CUDA_HOME");
    auto folder = WorkFolder::create();
    if (!folder)
        return folder.error();
    const fs::path input = folder->path() / "kernel.ptx", output = folder->path() / "kernel.cubin";
    if (auto written = write_file_atomic(input, ptx); !written)
        return written.error();
    // Relative names, so that no folder of this machine gets into the cubin.
    std::vector<std::string> argv{toolkit.ptxas.string(), "-v", "-arch=" + arch, "kernel.ptx", "-o", "kernel.cubin"};
    if (lineinfo)
        argv.emplace_back("--generate-line-info");
    if (maxreg > 0)
        argv.push_back("--maxrregcount=" + std::to_string(maxreg));
    auto finished = run_tool(std::move(argv), folder->path(), seconds, cancelled);
    if (!finished)
        return finished.error();
    if (finished->cancelled)
        return make_error("cancelled", "the compile was cancelled");
    if (finished->signal != 0 || finished->timed_out || finished->flooded || finished->memory_exceeded)
        return make_error("assembler-failed", "ptxas: " + finished->ending(),
                          "simplify the kernel, or raise the deadline");
    Assembled out;
    out.log = finished->err + finished->out;
    out.seconds = finished->seconds;
    out.ok = finished->exit_code == 0;
    if (out.ok) {
        auto bytes = read_file(output, largest_output);
        if (!bytes)
            return bytes.error();
        out.cubin = std::move(bytes).value();
    }
    return out;
}

Result<std::string> disassemble(const Toolkit& toolkit, std::string_view cubin, double seconds,
                                const std::function<bool()>& cancelled) {
    const bool nvdisasm = !toolkit.nvdisasm.empty();
    if (!nvdisasm && toolkit.cuobjdump.empty())
        return make_error("sass-missing", "neither nvdisasm nor cuobjdump was found",
                          "install the wheel nvidia-cuda-nvdisasm or the package cuda-nvdisasm, or set "
                          "KERNELFORGE_NVDISASM");
    auto folder = WorkFolder::create();
    if (!folder)
        return folder.error();
    if (auto written = write_file_atomic(folder->path() / "kernel.cubin", cubin); !written)
        return written.error();
    auto finished =
        nvdisasm ? run_tool({toolkit.nvdisasm.string(), "--print-line-info", "kernel.cubin"}, folder->path(), seconds,
                            cancelled)
                 : run_tool({toolkit.cuobjdump.string(), "-sass", "kernel.cubin"}, folder->path(), seconds, cancelled);
    if (!finished)
        return finished.error();
    if (!finished->succeeded())
        return make_error("sass-failed",
                          std::string(nvdisasm ? "nvdisasm: " : "cuobjdump: ") + finished->ending() +
                              (finished->err.empty() ? "" : ": " + finished->err.substr(0, 300)),
                          "use a disassembler at least as new as NVRTC");
    return std::move(finished->out);
}

} // namespace kf::nvrtc
