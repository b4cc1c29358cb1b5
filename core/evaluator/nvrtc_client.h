// SPDX-License-Identifier: GPL-3.0-or-later
// kf-nvrtc as the evaluator uses it: started when needed, started again after a crash and after enough compiles. Text
// that crashes NVRTC gets a second try, with PTX from NVRTC's front end and the toolkit's own assembler in a process
// apart.
#pragma once

#include "core/evaluator/halt.h"
#include "core/helpers/nvrtc/messages.h"
#include "core/process/child.h"
#include "core/protocol/client.h"

#include <filesystem>
#include <memory>
#include <mutex>

namespace kf {

class NvrtcClient {
public:
    explicit NvrtcClient(std::filesystem::path program);
    ~NvrtcClient();

    // What its first line said (version, tools). Errors: "nvrtc-start".
    Result<Json> facts(Deadline deadline);
    // A failure is the candidate's: compile, compiler-crash, compile-timeout.
    Attempt<nvrtc::CompileOutput> compile(nvrtc::CompileRequest request, StopSignal& stop);

private:
    Status ensure(Deadline deadline);
    void drop();
    Result<Json> ask(const nvrtc::CompileRequest& request, StopSignal& stop);

    std::filesystem::path m_program;
    std::filesystem::path m_folder; // for cubins that are too large for a line
    std::mutex m_mutex;
    Child m_child;
    std::unique_ptr<HelperClient> m_client;
    Json m_facts;
};

} // namespace kf
