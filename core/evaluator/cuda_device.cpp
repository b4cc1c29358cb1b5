// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cuda_device.h"

#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/evaluator/cuda_session.h"
#include "core/evaluator/nvrtc_client.h"
#include "core/runners/cuda/device.h"
#include "core/runners/cuda/judge_source.h"

#include <algorithm>
#include <future>
#include <map>

namespace kf {
namespace {

constexpr double start_seconds = 60;
constexpr std::size_t kept_binaries = 64;

class CudaDevice final : public Device {
public:
    CudaDevice(cuda::DeviceFacts facts, std::unique_ptr<NvrtcClient> compiler, MemoryFile judge, Json compiler_facts)
        : m_facts(std::move(facts)), m_compiler(std::move(compiler)), m_judge(std::move(judge)),
          m_compiler_facts(std::move(compiler_facts)) {}

    std::string id() const override { return "cuda:" + std::to_string(m_facts.ordinal); }
    std::string name() const override { return m_facts.name; }
    const DeviceLimits& limits() const override { return m_facts.limits; }
    // The first timed size: what a task calls its own.
    std::string size_name(const Task& task) const override {
        return task.timed.empty() ? "primary" : task.timed.front().size;
    }
    std::string timer() const override { return "cuda-event around one call"; }
    int rounds_per_process() const override { return 4; }
    Json facts() const override {
        Json facts = cuda::to_json(m_facts);
        facts["nvrtc"] = get_member(m_compiler_facts, "nvrtc");
        facts["sandbox"] = "none: kf-cuda is not confined yet";
        return facts;
    }
    std::vector<std::string> labels() const override { return {"warm L2, one call a sample", "no sandbox"}; }
    // Device code alone reaches the GPU; nothing of a candidate runs on the host.
    std::optional<Error> refuses_untrusted() const override { return std::nullopt; }
    std::optional<Failure> screen(const Candidate& candidate) const override {
        if (candidate.language == Language::triton)
            return make_failure(Stage::parse, FailureClass::needs_gpu, "", "Triton candidates are not run yet",
                                "write it in CUDA C++");
        return std::nullopt;
    }

    Attempt<std::shared_ptr<Binary>> compile(const CompileJob& job, StopSignal& stop) override;
    std::optional<Failure> inspect(const Candidate& candidate, const Binary& binary) const override;
    Attempt<std::unique_ptr<DeviceSession>> start(const std::shared_ptr<Binary>& binary, StopSignal& stop) override;
    std::vector<SanitizerFinding> sanitize(const CompileJob&, const CaseJob&, StopSignal&,
                                           std::vector<std::string>& notes, bool) override {
        notes.push_back("compute-sanitizer not checked: it is part of the promotion stage");
        return {};
    }
    void warm() override {
        const std::lock_guard lock(m_mutex);
        if (!m_standby.valid())
            m_standby = std::async(std::launch::async, [this] { return new_process(); });
    }

private:
    Result<std::unique_ptr<CudaProcess>> new_process() const {
        return CudaProcess::start(m_facts.ordinal, m_judge, deadline_after(start_seconds));
    }

    cuda::DeviceFacts m_facts;
    std::unique_ptr<NvrtcClient> m_compiler;
    MemoryFile m_judge;
    Json m_compiler_facts;
    std::mutex m_mutex;
    std::map<std::string, std::shared_ptr<Binary>> m_binaries; // of this process's compiler and headers
    std::future<Result<std::unique_ptr<CudaProcess>>> m_standby;
};

Attempt<std::shared_ptr<Binary>> CudaDevice::compile(const CompileJob& job, StopSignal& stop) {
    nvrtc::CompileRequest request;
    request.source = job.candidate->source;
    request.name = job.candidate->file_name;
    request.arch = m_facts.limits.architecture;
    request.name_expressions = job.expressions;
    for (const auto& [name, value] : job.defines)
        request.defines[name] = value;
    request.fast_math = job.fast_math;
    request.maxreg = job.maxreg.value_or(0);
    const std::string key = sha256(dump_line(nvrtc::to_json(request)));
    {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_binaries.find(key); found != m_binaries.end())
            return found->second;
    }
    auto output = m_compiler->compile(std::move(request), stop);
    if (!output)
        return std::move(output.halt());
    std::shared_ptr<Binary> binary = std::make_shared<CudaBinary>(std::move(*output), job);
    const std::lock_guard lock(m_mutex);
    if (m_binaries.size() >= kept_binaries)
        m_binaries.erase(m_binaries.begin());
    m_binaries[key] = binary;
    return binary;
}

std::optional<Failure> CudaDevice::inspect(const Candidate&, const Binary& binary) const {
    const nvrtc::CompileOutput& output = static_cast<const CudaBinary&>(binary).output();
    for (const nvrtc::StateSymbol& symbol : output.state)
        if (symbol.suspect())
            return make_failure(Stage::inspect, FailureClass::state, symbol.identifier,
                                "the variable `" + symbol.demangled + "` (" + std::to_string(symbol.size) +
                                    " bytes) outlives a launch",
                                "keep it in a scratch buffer of the plan, or make it const");
    for (const std::string& function : output.undefined)
        if (function != "vprintf" && function != "__assertfail")
            return make_failure(Stage::inspect, FailureClass::host_code, function,
                                "the compiled code calls `" + function + "`, which is not in it",
                                "device-side launches and device libraries are not supported");
    return std::nullopt;
}

Attempt<std::unique_ptr<DeviceSession>> CudaDevice::start(const std::shared_ptr<Binary>& binary, StopSignal& stop) {
    if (auto halted = stop.check())
        return std::move(*halted);
    std::unique_ptr<CudaProcess> process;
    std::future<Result<std::unique_ptr<CudaProcess>>> standby;
    {
        const std::lock_guard lock(m_mutex);
        standby = std::move(m_standby);
    }
    if (standby.valid()) {
        auto ready = standby.get();
        if (ready && (*ready)->alive())
            process = std::move(*ready);
    }
    if (!process) {
        auto started = new_process();
        if (!started)
            return InfrastructureFault{to_string(started.error()), true};
        process = std::move(*started);
    }
    return std::unique_ptr<DeviceSession>(std::make_unique<CudaDeviceSession>(
        std::move(process), std::static_pointer_cast<const CudaBinary>(binary), stop));
}

// The judge's kernels for this architecture, from the cache where they are.
Result<std::string> judge_cubin(NvrtcClient& compiler, const Json& compiler_facts, const std::string& architecture,
                                const std::filesystem::path& cache) {
    auto source = cuda::judge_source(resource_folder() / "resources");
    if (!source)
        return source.error();
    const std::string key = sha256_of_parts(
        {*source, architecture, get_string(compiler_facts, "nvrtc"), get_string(compiler_facts, "library")});
    const std::filesystem::path file = cache / "judge" / (key + ".cubin");
    if (auto kept = read_file(file, std::size_t{64} << 20))
        return *kept;
    nvrtc::CompileRequest request;
    request.source = *source;
    request.name = "judge.cu";
    request.arch = architecture;
    StopSignal stop({}, deadline_after(120));
    auto output = compiler.compile(std::move(request), stop);
    if (!output) {
        const auto* failure = std::get_if<Failure>(&output.halt());
        const auto* fault = std::get_if<InfrastructureFault>(&output.halt());
        return make_error("judge", "the judge's kernels do not compile: " + (failure ? failure->message
                                                                             : fault ? fault->what
                                                                                     : std::string("cancelled")));
    }
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    (void)write_file_atomic(file, output->cubin);
    return output->cubin;
}

} // namespace

Result<std::shared_ptr<Device>> make_cuda_device(int ordinal, const std::filesystem::path& cache) {
    auto driver = cuda::Driver::open();
    if (!driver)
        return driver.error();
    auto facts = cuda::device_facts(**driver, ordinal);
    if (!facts)
        return facts.error();
    auto compiler = std::make_unique<NvrtcClient>(program_path("kf-nvrtc"));
    auto compiler_facts = compiler->facts(deadline_after(60));
    if (!compiler_facts)
        return compiler_facts.error();
    auto cubin = judge_cubin(*compiler, *compiler_facts, facts->limits.architecture, cache);
    if (!cubin)
        return cubin.error();
    auto judge = MemoryFile::from_bytes("kf-judge", std::as_bytes(std::span(cubin->data(), cubin->size())));
    if (!judge)
        return judge.error();
    return std::shared_ptr<Device>(std::make_shared<CudaDevice>(std::move(*facts), std::move(compiler),
                                                                std::move(*judge), std::move(*compiler_facts)));
}

} // namespace kf
