// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/nvrtc_client.h"

#include "core/base/files.h"

namespace kf {
namespace {

constexpr double start_seconds = 30, compile_seconds = 60;
constexpr std::size_t most_cubin = std::size_t{256} << 20;

Failure failure_of(const nvrtc::CompileFailure& failed) {
    Failure failure = make_failure(
        Stage::compile, failed.code == "compile-timeout" ? FailureClass::compile_timeout : FailureClass::compile, "",
        nvrtc::first_line(failed), failed.remedy);
    for (const nvrtc::Diagnostic& one : failed.diagnostics) {
        Diagnostic diagnostic{one.severity, Place{one.file, one.line, one.column}, one.message};
        for (const std::string& note : one.notes)
            diagnostic.message += "; " + note;
        failure.diagnostics.push_back(std::move(diagnostic));
    }
    if (!failure.diagnostics.empty()) {
        failure.source = failure.diagnostics.front().place;
        if (failure.source.line > 0)
            failure.place = "line:" + std::to_string(failure.source.line);
    }
    failure.evidence = failed.log.substr(0, 8192);
    return failure;
}

} // namespace

NvrtcClient::NvrtcClient(std::filesystem::path program) : m_program(std::move(program)) {}

NvrtcClient::~NvrtcClient() {
    drop();
    std::error_code ignored;
    if (!m_folder.empty())
        std::filesystem::remove_all(m_folder, ignored);
}

void NvrtcClient::drop() {
    m_client.reset();
    m_child = Child();
}

Status NvrtcClient::ensure(Deadline deadline) {
    if (m_client && m_client->health() && m_child.running())
        return {};
    drop();
    if (m_folder.empty()) {
        auto folder = make_private_folder("kf-nvrtc-");
        if (!folder)
            return folder.error();
        m_folder = *folder;
    }
    ChildSpec spec;
    spec.argv = {m_program.string()};
    spec.pass_env = {
        "CUDA_HOME",          "CUDA_PATH",           "LD_LIBRARY_PATH", "KERNELFORGE_NVRTC", "KERNELFORGE_CUDA_INCLUDE",
        "KERNELFORGE_PYTHON", "KERNELFORGE_NVDISASM"};
    spec.input = ChildInput::pipe;
    spec.error_output = ChildOutput::null;
    auto child = Child::start(spec);
    if (!child)
        return child.error();
    m_child = std::move(*child);
    HelperClientOptions options;
    options.heartbeat_interval_s = 0;
    m_client = std::make_unique<HelperClient>(std::make_unique<FdChannel>(m_child.take_output(), m_child.take_input()),
                                              "kf-nvrtc", options);
    auto ready = m_client->wait_notification("ready", std::min(deadline, deadline_after(start_seconds)));
    if (!ready) {
        const Error error = ready.error();
        drop();
        return make_error("nvrtc-start", "kf-nvrtc did not start: " + error.message, "run `kf-nvrtc` to see why");
    }
    m_facts = std::move(*ready);
    return {};
}

Result<Json> NvrtcClient::facts(Deadline deadline) {
    const std::lock_guard lock(m_mutex);
    if (auto started = ensure(deadline); !started)
        return started.error();
    return m_facts;
}

Result<Json> NvrtcClient::ask(const nvrtc::CompileRequest& request, StopSignal& stop) {
    if (auto started = ensure(stop.deadline()); !started)
        return started.error();
    RequestOptions options;
    options.stop = stop.token();
    auto answer = m_client->request("compile", nvrtc::to_json(request), stop.within(request.seconds + 5), options);
    // After a crash, a missed deadline or enough compiles the next one gets a fresh helper.
    if (answer ? get_bool(*answer, "recycle")
               : is_infrastructure(answer.error()) || answer.error().code == "deadline-exceeded")
        drop();
    return answer;
}

Attempt<nvrtc::CompileOutput> NvrtcClient::compile(nvrtc::CompileRequest request, StopSignal& stop) {
    const std::lock_guard lock(m_mutex);
    request.seconds = std::clamp(seconds_left(stop.deadline()), 1.0, compile_seconds);
    if (auto started = ensure(stop.deadline()); !started)
        return InfrastructureFault{to_string(started.error()), false};
    request.output_folder = m_folder.string();
    auto answer = ask(request, stop);
    if (!answer && !stop.cancelled() && is_infrastructure(answer.error())) {
        request.assembler = nvrtc::Assembler::ptxas; // NVRTC died: PTX from its front end, assembled elsewhere
        answer = ask(request, stop);
        if (!answer && is_infrastructure(answer.error()))
            return make_failure(Stage::compile, FailureClass::compiler_crash, "",
                                "the compiler crashes on this text, also on the second try",
                                "write it another way; the last thing that was changed is the likeliest reason");
    }
    if (stop.cancelled())
        return Cancelled{"cancelled on request"};
    if (!answer) {
        if (answer.error().code == "deadline-exceeded")
            return make_failure(Stage::compile, FailureClass::compile_timeout, "",
                                "the compiler did not end within " + std::to_string(static_cast<int>(request.seconds)) +
                                    " s");
        return InfrastructureFault{"kf-nvrtc: " + to_string(answer.error()), is_infrastructure(answer.error())};
    }
    auto reply = nvrtc::reply_from_json(*answer);
    if (!reply)
        return InfrastructureFault{"kf-nvrtc: " + to_string(reply.error()), true};
    if (const auto* failed = std::get_if<nvrtc::CompileFailure>(&*reply))
        return failure_of(*failed);
    auto output = std::get<nvrtc::CompileOutput>(std::move(*reply));
    if (!output.cubin_path.empty()) {
        auto bytes = read_file(output.cubin_path, most_cubin);
        std::error_code ignored;
        std::filesystem::remove(output.cubin_path, ignored);
        if (!bytes)
            return InfrastructureFault{"kf-nvrtc: " + to_string(bytes.error()), true};
        output.cubin = std::move(*bytes);
    }
    return output;
}

} // namespace kf
