// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cpu_device.h"

#include "core/base/files.h"
#include "core/evaluator/cpu_session.h"
#include "core/process/sandbox.h"
#include "core/runners/cpu/compile.h"
#include "core/runners/cpu/screen.h"

#include <algorithm>
#include <fstream>
#include <future>
#include <mutex>
#include <unistd.h>

namespace kf {
namespace {

constexpr std::size_t most_findings = 100;

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0)
            if (const auto colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "unknown processor";
}

// Half of what is free now: the oracle, the compiler and the other contender need room, too.
std::int64_t usable_memory() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("MemAvailable:", 0) == 0)
            return std::atoll(line.c_str() + 13) * 1024 / 2;
    return std::int64_t{1} << 30;
}

FailureClass class_of_refusal(const std::string& code) {
    if (code == "refused-state")
        return FailureClass::state;
    if (code == "refused-gpu-only")
        return FailureClass::needs_gpu;
    if (code.rfind("refused-", 0) == 0 || code == "elf-malformed")
        return FailureClass::host_code;
    if (code == "compile-timeout")
        return FailureClass::compile_timeout;
    if (code == "compile-memory")
        return FailureClass::memory;
    return FailureClass::compile;
}

// The text between the first pair of quotes, or nothing.
std::string quoted(const std::string& message) {
    const auto begin = message.find_first_of("`'");
    if (begin == std::string::npos)
        return "";
    const auto end = message.find_first_of("`'", begin + 1);
    return end == std::string::npos ? "" : message.substr(begin + 1, end - begin - 1);
}

std::string place_of(const Error& error) {
    if (error.place.line > 0)
        return "line:" + std::to_string(error.place.line);
    const std::string name = quoted(error.message);
    return name.empty() ? error.code : name;
}

std::string line_text(const std::string& source, int line) {
    std::size_t begin = 0;
    for (int i = 1; i < line; ++i) {
        begin = source.find('\n', begin);
        if (begin == std::string::npos)
            return "";
        ++begin;
    }
    return source.substr(begin, source.find('\n', begin) - begin);
}

class CpuDevice final : public Device {
public:
    explicit CpuDevice(std::filesystem::path cache)
        : m_cache(std::move(cache)), m_name(processor_name()), m_limits(cpu_device_limits(usable_memory())) {}

    std::string id() const override { return "cpu"; }
    std::string name() const override { return m_name; }
    const DeviceLimits& limits() const override { return m_limits; }
    std::string size_name(const Task&) const override { return "cpu"; }
    std::string timer() const override { return "steady clock around one call, CPU"; }
    int rounds_per_process() const override { return 1; } // some 30 ms each
    Json facts() const override {
        return Json{
            {"kind", "cpu"},
            {"processor", m_name},
            {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
            {"memory", m_limits.memory},
            {"sandbox", probe_sandbox().available ? probe_sandbox().reason : "none: " + probe_sandbox().reason}};
    }
    std::vector<std::string> labels() const override {
        std::vector<std::string> labels = {"CPU timings"};
        if (!probe_sandbox().available)
            labels.push_back("no sandbox");
        return labels;
    }
    std::optional<Error> refuses_untrusted() const override {
        if (probe_sandbox().available)
            return std::nullopt;
        return make_error("sandbox-unavailable",
                          "model-written candidates are native code on the CPU device and there is no sandbox: " +
                              probe_sandbox().reason,
                          probe_sandbox().remedy);
    }

    std::optional<Failure> screen(const Candidate& candidate) const override {
        if (candidate.language == Language::triton)
            return make_failure(Stage::parse, FailureClass::needs_gpu, "",
                                "a Triton candidate is compiled, not run, on the CPU device",
                                "use a GPU, or write it in CUDA C++");
        const auto findings = screen_cpu(candidate.source, candidate.file_name);
        if (findings.empty())
            return std::nullopt;
        const Error first = findings.front().to_error();
        Failure failure =
            make_failure(Stage::parse, class_of_refusal(first.code), place_of(first), first.message, first.remedy);
        failure.source = first.place;
        for (const ScreenFinding& finding : findings) {
            if (failure.diagnostics.size() == most_findings)
                break; // one line of the protocol has to hold them
            failure.diagnostics.push_back(Diagnostic{
                "error", finding.place, finding.what + (finding.remedy.empty() ? "" : " (" + finding.remedy + ")")});
        }
        return failure;
    }

    Attempt<std::shared_ptr<Binary>> compile(const CompileJob& job, StopSignal& stop) override {
        auto binary = compile_as(job, CpuMode::plain, stop);
        if (!binary)
            return std::move(binary.halt());
        return std::shared_ptr<Binary>(std::make_shared<CpuBinaryHandle>(std::move(*binary), job));
    }

    // The object was inspected before it came out of compile_cpu, where it is refused by name.
    std::optional<Failure> inspect(const Candidate&, const Binary&) const override { return std::nullopt; }

    Attempt<std::unique_ptr<DeviceSession>> start(const std::shared_ptr<Binary>& binary, StopSignal& stop) override {
        auto handle = std::static_pointer_cast<const CpuBinaryHandle>(binary);
        auto session = start_with(handle, CpuMode::plain, stop);
        if (!session)
            return std::move(session.halt());
        return std::unique_ptr<DeviceSession>(std::move(*session));
    }

    std::vector<SanitizerFinding> sanitize(const CompileJob& job, const CaseJob& case_job, StopSignal& stop,
                                           std::vector<std::string>& notes, bool memory_only) override;
    void warm() override {
        const std::lock_guard lock(m_mutex);
        if (!m_standby.valid())
            m_standby = std::async(std::launch::async, [] {
                CpuSessionSpec spec;
                spec.trusted = true;
                return CpuSession::start(spec);
            });
    }

private:
    Attempt<CpuBinary> compile_as(const CompileJob& job, CpuMode mode, StopSignal& stop) const;
    Attempt<std::unique_ptr<CpuDeviceSession>> start_with(const std::shared_ptr<const CpuBinaryHandle>& binary,
                                                          CpuMode mode, StopSignal& stop);
    Result<std::unique_ptr<CpuSession>> take_process(CpuMode mode);

    std::filesystem::path m_cache;
    std::string m_name;
    DeviceLimits m_limits;
    std::shared_ptr<InputCache> m_inputs = std::make_shared<InputCache>();
    std::mutex m_mutex;
    std::future<Result<std::unique_ptr<CpuSession>>> m_standby;
};

Attempt<CpuBinary> CpuDevice::compile_as(const CompileJob& job, CpuMode mode, StopSignal& stop) const {
    CpuCompileRequest request;
    request.source = job.candidate->source;
    request.file_name = job.candidate->file_name;
    request.expressions = job.expressions;
    request.defines = job.defines;
    request.mode = mode;
    request.fast_math = job.fast_math;
    request.cache_folder = m_cache / "cpu";
    request.trusted = true; // untrusted text is refused before, where there is no sandbox
    request.seconds = std::clamp(seconds_left(stop.deadline()), 1.0, 60.0);
    request.cancelled = [&stop] { return stop.cancelled(); };
    CpuCompileReport report;
    auto binary = compile_cpu(request, &report);
    if (binary)
        return std::move(*binary);
    const Error& error = binary.error();
    if (stop.cancelled() || error.code == "cancelled")
        return Cancelled{"cancelled on request"};
    if (!is_candidate_failure(error))
        return InfrastructureFault{"compiling: " + to_string(error), error.code != "program-missing"};
    const bool inspected = error.code == "refused-import" || error.code == "refused-constructor" ||
                           error.code == "refused-object" || error.code == "elf-malformed" ||
                           (error.code == "refused-state" && error.place.line <= 0);
    Failure failure = make_failure(inspected ? Stage::inspect : Stage::compile, class_of_refusal(error.code),
                                   place_of(error), error.message, error.remedy);
    failure.source = error.place;
    for (const CpuDiagnostic& diagnostic : report.diagnostics) {
        static constexpr const char* names[] = {"error", "warning", "note"};
        failure.diagnostics.push_back(
            Diagnostic{names[static_cast<int>(diagnostic.severity)], diagnostic.place, diagnostic.message});
    }
    failure.evidence = report.log.substr(0, 8192);
    return failure;
}

Result<std::unique_ptr<CpuSession>> CpuDevice::take_process(CpuMode mode) {
    if (mode == CpuMode::plain) {
        std::future<Result<std::unique_ptr<CpuSession>>> standby;
        {
            const std::lock_guard lock(m_mutex);
            standby = std::move(m_standby);
        }
        if (standby.valid()) {
            auto ready = standby.get();
            if (ready && (*ready)->alive())
                return ready;
        }
    }
    CpuSessionSpec spec;
    spec.mode = mode;
    spec.trusted = true;
    return CpuSession::start(spec);
}

Attempt<std::unique_ptr<CpuDeviceSession>> CpuDevice::start_with(const std::shared_ptr<const CpuBinaryHandle>& binary,
                                                                 CpuMode mode, StopSignal& stop) {
    if (auto halted = stop.check())
        return std::move(*halted);
    auto process = take_process(mode);
    if (!process)
        return InfrastructureFault{"kf-cpu: " + to_string(process.error()), process.error().code != "program-missing"};
    auto kernels = (*process)->load(binary->binary(), binary->job().candidate->file_name);
    if (!kernels) {
        if (kernels.error().code != "candidate-load")
            return InfrastructureFault{"kf-cpu: " + to_string(kernels.error()), true};
        const CpuRunStatus& status = (*process)->load_status();
        if (status.kind == CpuRunStatus::Kind::lost)
            return InfrastructureFault{"kf-cpu: " + status.message, true};
        Failure failure = make_failure(
            Stage::inspect, status.kind == CpuRunStatus::Kind::sandbox ? FailureClass::sandbox : FailureClass::crash,
            status.syscall, "the compiled candidate cannot be loaded: " + kernels.error().message);
        failure.evidence = status.error_tail;
        return failure;
    }
    return std::make_unique<CpuDeviceSession>(std::move(*process), std::move(*kernels), binary, stop, m_inputs,
                                              mode == CpuMode::asan);
}

std::vector<SanitizerFinding> CpuDevice::sanitize(const CompileJob& job, const CaseJob& case_job, StopSignal& stop,
                                                  std::vector<std::string>& notes, bool memory_only) {
    std::vector<SanitizerFinding> findings;
    for (const CpuMode mode : {CpuMode::asan, CpuMode::tsan}) {
        if (memory_only && mode == CpuMode::tsan)
            continue;
        const std::string tool = mode == CpuMode::asan ? "AddressSanitizer" : "ThreadSanitizer";
        if (stop.check()) {
            notes.push_back(tool + " not checked: no time left");
            continue;
        }
        auto binary = compile_as(job, mode, stop);
        if (!binary) {
            const auto* failure = std::get_if<Failure>(&binary.halt());
            const auto* fault = std::get_if<InfrastructureFault>(&binary.halt());
            notes.push_back(tool + " not checked: " + (failure ? failure->message : fault ? fault->what : "cancelled"));
            continue;
        }
        auto session = start_with(std::make_shared<CpuBinaryHandle>(std::move(*binary), job), mode, stop);
        if (!session) {
            const auto* fault = std::get_if<InfrastructureFault>(&session.halt());
            notes.push_back(tool + " not checked: " + (fault ? fault->what : "the candidate cannot be loaded there"));
            continue;
        }
        // A candidate that fails is why we are here: how this run ends matters less than what the tool says of it.
        auto halted = (*session)->open_case(case_job);
        if (!halted)
            halted = (*session)->run(0, case_job.layout_seed, stop.within(20));
        for (const SanitizerReport& report : (*session)->reports()) {
            SanitizerFinding finding;
            finding.tool = report.tool;
            finding.kind = report.kind;
            finding.kernel = report.function;
            finding.place = report.place;
            finding.text = report.message;
            if (report.other.line > 0) {
                finding.text += " (with line " + std::to_string(report.other.line) + ")";
                // Which of the two accesses comes first is chance; the lower line is named, so that the answer repeats.
                if (finding.place.line <= 0 || report.other.line < finding.place.line)
                    finding.place = report.other;
            }
            const std::string text = line_text(job.candidate->source, finding.place.line);
            finding.advisory = report.tool == "ThreadSanitizer" &&
                               (text.find("volatile") != std::string::npos || text.find("atomic") != std::string::npos);
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

} // namespace

Result<std::shared_ptr<Device>> make_cpu_device(const std::filesystem::path& cache) {
    std::error_code ignored;
    if (!std::filesystem::exists(program_path("kf-cpu"), ignored))
        return make_error("cpu-device", "kf-cpu is missing beside this program",
                          "build it (Boost.Context is needed), or repair the installation");
    if (!std::filesystem::exists(resource_folder() / "resources" / "simt", ignored) &&
        !std::filesystem::exists(resource_folder() / "simt", ignored))
        return make_error("cpu-device", "the headers for candidates are missing (resources/simt)",
                          "set KERNELFORGE_RESOURCES or repair the installation");
    return std::shared_ptr<Device>(std::make_shared<CpuDevice>(cache));
}

} // namespace kf
