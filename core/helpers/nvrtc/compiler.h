// SPDX-License-Identifier: GPL-3.0-or-later
// From a CompileRequest to a CompileReply: includes judged, options chosen, NVRTC run, logs read, SASS made.
// One thread at a time. NVRTC can crash on valid text (13.0 does on a wgmma with constant descriptors), so this belongs
// in kf-nvrtc, never in a process that must live on.
#pragma once

#include "core/helpers/nvrtc/includes.h"
#include "core/helpers/nvrtc/library.h"
#include "core/helpers/nvrtc/messages.h"
#include "core/helpers/nvrtc/toolkit.h"

#include <functional>
#include <memory>

namespace kf::nvrtc {

inline constexpr std::size_t max_source_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_cubin_bytes = std::size_t{256} << 20;
// A line of the protocol holds 1 MiB; what does not fit beside the rest goes to the output folder.
inline constexpr std::size_t max_inline_cubin_bytes = 500'000;
inline constexpr std::size_t max_inline_sass_bytes = 150'000;

class Compiler {
public:
    // Errors: "nvrtc-missing", "nvrtc-unusable", "toolkit-setting".
    static Result<std::unique_ptr<Compiler>> create(const ToolkitSettings& settings);

    // An error is never the candidate's fault: "nvrtc-failed", "out-of-memory", "bad-params", "assembler-missing",
    // "output-folder-needed", "cancelled".
    Result<CompileReply> compile(const CompileRequest& request, const std::function<bool()>& cancelled = {});
    // The check for state that outlives a launch, of any cubin. `source` may be empty. Error: "cubin-malformed".
    Result<std::vector<StateSymbol>> state(std::string_view cubin, std::string_view source);

    const Library& library() const { return *m_library; }
    const Toolkit& toolkit() const { return m_toolkit; }
    int compiles() const { return m_compiles; }

private:
    Compiler(Toolkit toolkit, std::unique_ptr<Library> library);
    struct Attempt;
    Result<CompileReply> attempt(const CompileRequest& request, const std::string& source,
                                 const std::vector<IncludeRoot>& roots, bool whole_cooperative_groups,
                                 const std::function<bool()>& cancelled);
    CompileFailure explain(const CompileRequest& request, const std::string& source,
                           const std::vector<std::string>& options, const std::vector<IncludeRoot>& roots,
                           const std::string& log);
    Status add_sass(CompileOutput& out, const CompileRequest& request, const std::function<bool()>& cancelled);

    Toolkit m_toolkit;
    std::unique_ptr<Library> m_library;
    HeaderHasher m_headers;
    int m_compiles = 0;
};

} // namespace kf::nvrtc
