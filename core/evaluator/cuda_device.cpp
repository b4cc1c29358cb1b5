// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cuda_device.h"

#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/evaluator/cuda_cache.h"
#include "core/evaluator/cuda_lock.h"
#include "core/evaluator/cuda_session.h"
#include "core/evaluator/nvrtc_client.h"
#include "core/process/sandbox.h"
#include "core/runners/cuda/device.h"
#include "core/runners/cuda/judge_source.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>

namespace kf {
namespace {

constexpr double start_seconds = 60;
constexpr std::size_t kept_binaries = 64;

class CudaDevice final : public Device {
public:
    CudaDevice(cuda::DeviceFacts facts, std::unique_ptr<NvrtcClient> compiler, MemoryFile judge, Json compiler_facts,
               std::unique_ptr<CudaLock> lock, const std::filesystem::path& cache)
        : m_facts(std::move(facts)), m_compiler(std::move(compiler)), m_judge(std::move(judge)),
          m_compiler_facts(std::move(compiler_facts)), m_lock(std::move(lock)),
          m_cache(cache / "cubins", m_compiler_facts) {}

    // Starts the first kf-cuda with the most confinement that this machine gives, and keeps that for all. Errors as
    // CudaProcess::start, when it does not even start without any.
    Status open(CudaRunner runner);

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
        facts["sandbox"] = std::string(to_string(m_runner.confinement));
        facts["confinement"] = m_confinement;
        if (!m_cache.off().empty())
            facts["cubin_cache"] = "off: " + m_cache.off();
        return facts;
    }
    std::vector<std::string> labels() const override {
        std::vector<std::string> labels = {"warm L2, one call a sample"};
        std::string missing;
        for (const Json& layer : get_member(m_confinement, "missing"))
            missing += (missing.empty() ? "" : ", ") + layer.get<std::string>();
        if (m_runner.confinement == Confinement::none)
            labels.emplace_back("no sandbox");
        else if (!missing.empty())
            labels.push_back("sandbox without " + missing);
        return labels;
    }
    // Device code alone reaches the GPU, nothing of a candidate runs on the host; still, a hole in the driver or the
    // compiler must not be open to a text that nobody read. A layer that is missing is told; without any it is refused.
    std::optional<Error> refuses_untrusted() const override {
        if (m_runner.confinement != Confinement::none)
            return std::nullopt;
        return make_error("sandbox-unavailable",
                          "model-written candidates are refused: kf-cuda cannot be confined here: " +
                              get_string(m_confinement, "reason", "unknown"),
                          "install bubblewrap, or run where system calls can be filtered");
    }
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
        return CudaProcess::start(m_runner, m_judge, deadline_after(start_seconds));
    }

    cuda::DeviceFacts m_facts;
    std::unique_ptr<NvrtcClient> m_compiler;
    MemoryFile m_judge;
    Json m_compiler_facts;
    std::unique_ptr<CudaLock> m_lock;
    CubinCache m_cache;
    CudaRunner m_runner;
    Json m_confinement; // CudaProcess::confinement(), with `by` and the `reasons` of what could not be had
    std::mutex m_mutex;
    std::map<std::string, std::shared_ptr<Binary>> m_binaries; // of this process's compiler and headers
    std::future<Result<std::unique_ptr<CudaProcess>>> m_standby;
};

Status CudaDevice::open(CudaRunner runner) {
    m_runner = std::move(runner);
    std::vector<Confinement> levels = {Confinement::bubblewrap, Confinement::namespaces, Confinement::calls,
                                       Confinement::none};
    // A setting for tests and for machines where a layer does harm: at most that much.
    if (const char* most = std::getenv("KERNELFORGE_CUDA_CONFINEMENT"); most && *most) {
        const auto found =
            std::find_if(levels.begin(), levels.end(), [&](Confinement one) { return to_string(one) == most; });
        if (found == levels.end())
            return make_error("cuda-confinement", "KERNELFORGE_CUDA_CONFINEMENT is `" + std::string(most) + "`",
                              "bubblewrap, namespaces, calls or none");
        levels.erase(levels.begin(), found);
    }
    Json reasons = Json::array();
    std::string last;
    for (const Confinement level : levels) {
        m_runner.confinement = level;
        auto started = CudaProcess::start(m_runner, m_judge, deadline_after(start_seconds / 2));
        if (!started) {
            last = to_string(started.error());
            reasons.push_back(std::string(to_string(level)) + ": " + last);
            continue;
        }
        m_confinement = (*started)->confinement();
        m_confinement["by"] = level == Confinement::bubblewrap ? probe_sandbox().reason : std::string(to_string(level));
        m_confinement["reason"] = last;
        m_confinement["reasons"] = std::move(reasons);
        std::promise<Result<std::unique_ptr<CudaProcess>>> ready;
        ready.set_value(std::move(started));
        m_standby = ready.get_future();
        return {};
    }
    return make_error("kf-cuda-start", last, "run `kernelforge doctor`");
}

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
    const std::string disk_key = m_cache.off().empty() ? m_cache.key(request) : "";
    std::shared_ptr<Binary> binary;
    if (auto kept = m_cache.find(disk_key)) {
        binary = std::make_shared<CudaBinary>(std::move(*kept), job, true);
    } else {
        auto output = m_compiler->compile(std::move(request), stop);
        if (!output)
            return std::move(output.halt());
        m_cache.put(disk_key, *output);
        binary = std::make_shared<CudaBinary>(std::move(*output), job);
    }
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
    if (auto halted = m_lock->enter(stop))
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
        if (!started) {
            m_lock->leave();
            return InfrastructureFault{to_string(started.error()), true};
        }
        process = std::move(*started);
    }
    return std::unique_ptr<DeviceSession>(std::make_unique<CudaDeviceSession>(
        std::move(process), std::static_pointer_cast<const CudaBinary>(binary), *m_lock, stop));
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
    auto lock = CudaLock::open(facts->uuid);
    if (!lock)
        return lock.error();
    CudaRunner runner;
    runner.uuid = facts->uuid;
    runner.bus_id = facts->bus_id;
    runner.driver = (*driver)->path();
    runner.memory_limit = runner_memory_limit();
    auto device = std::make_shared<CudaDevice>(std::move(*facts), std::move(compiler), std::move(*judge),
                                               std::move(*compiler_facts), std::move(*lock), cache);
    if (auto opened = device->open(std::move(runner)); !opened)
        return opened.error();
    return std::shared_ptr<Device>(std::move(device));
}

} // namespace kf
