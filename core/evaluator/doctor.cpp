// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/doctor.h"

#include "core/base/files.h"
#include "core/process/sandbox.h"
#include "core/runners/cuda/device.h"

#include <sys/statvfs.h>
#include <unistd.h>

namespace kf {
namespace {

Json check(const std::string& name, bool ok, const std::string& found, const std::string& remedy,
           const std::string& disables) {
    return Json{
        {"name", name}, {"ok", ok}, {"found", found}, {"remedy", ok ? "" : remedy}, {"disables", ok ? "" : disables}};
}

// First line of what `program --version` prints, or nothing.
std::optional<std::string> version_of(const std::string& program, const std::string& argument = "--version") {
    ChildSpec spec;
    spec.argv = {program, argument};
    RunLimits limits;
    limits.deadline = deadline_after(5);
    limits.output_bytes = 65536;
    auto finished = run_to_end(spec, limits);
    if (!finished || !finished->succeeded())
        return std::nullopt;
    return finished->out.substr(0, finished->out.find('\n'));
}

Json compiler_check() {
    const auto version = version_of("g++");
    return check("C++ compiler", version.has_value(), version.value_or("no g++ on PATH"), "install g++ 12 or newer",
                 "candidates on the CPU device");
}

Json sandbox_check() {
    const Availability& sandbox = probe_sandbox();
    return check("sandbox", sandbox.available, sandbox.reason, sandbox.remedy,
                 "model-written candidates on the CPU device");
}

Json oracle_check(OracleClient& oracle) {
    const auto facts = oracle.facts(deadline_after(60));
    if (!facts)
        return check("oracle (libtorch)", false, facts.error().message, "install libtorch-dev and build again",
                     "verifying: no golden can be made");
    return check("oracle (libtorch)", true,
                 "libtorch " + get_string(*facts, "torch", get_string(*facts, "version", "?")), "", "");
}

Json nvrtc_check() {
    std::error_code ignored;
    const auto program = program_path("kf-nvrtc");
    if (!std::filesystem::exists(program, ignored))
        return check("NVRTC", false, "kf-nvrtc was not built", "install the CUDA toolkit's headers and build again",
                     "compiling for NVIDIA GPUs");
    ChildSpec spec;
    spec.argv = {program.string()};
    spec.input = ChildInput::pipe;
    RunLimits limits;
    limits.deadline = deadline_after(10);
    auto finished = run_to_end(spec, limits);
    const auto line = finished ? parse_json(finished->out.substr(0, finished->out.find('\n')), "kf-nvrtc")
                               : Result<Json>(finished.error());
    if (!line)
        return check("NVRTC", false, "kf-nvrtc does not start", "install the CUDA toolkit (libnvrtc), or set CUDA_HOME",
                     "compiling for NVIDIA GPUs");
    const Json& facts = get_member(*line, "params");
    const std::string version = get_string(facts, "nvrtc"); // "version" is our own
    const bool ok = get_bool(facts, "available", !version.empty());
    return check("NVRTC", ok, ok ? "NVRTC " + version : get_string(facts, "reason", "no libnvrtc found"),
                 "install the CUDA toolkit (libnvrtc), or set CUDA_HOME", "compiling for NVIDIA GPUs");
}

// The driver is asked itself: device nodes alone do not say that it works.
Json gpu_check() {
    const char* remedy = "use the CPU device, or a machine with an NVIDIA GPU and its driver";
    const char* disables = "judging and timing on a GPU";
    auto driver = cuda::Driver::open();
    if (!driver)
        return check("NVIDIA GPU", false, driver.error().message,
                     driver.error().remedy.empty() ? remedy : driver.error().remedy, disables);
    const auto facts = cuda::device_facts(**driver, 0);
    if (!facts)
        return check("NVIDIA GPU", false, facts.error().message, remedy, disables);
    return check("NVIDIA GPU", true,
                 facts->name + " (" + facts->limits.architecture + "), driver for CUDA " +
                     std::to_string(facts->driver_version / 1000) + "." +
                     std::to_string(facts->driver_version % 1000 / 10),
                 "", "");
}

// Of the GPU that is judged on: what its kf-cuda saw of its own confinement, one sentence a missing layer.
Json confinement_check(const Json& facts) {
    const Json& told = get_member(facts, "confinement");
    std::string missing, reasons;
    for (const Json& layer : get_member(told, "missing"))
        missing += (missing.empty() ? "without " : ", ") + layer.get<std::string>();
    for (const Json& reason : get_member(told, "reasons"))
        reasons += "; " + reason.get<std::string>();
    return check("GPU sandbox", missing.empty(),
                 get_string(told, "by", "none") + (missing.empty() ? "" : " " + missing) + reasons,
                 "install bubblewrap, and allow user namespaces",
                 get_string(facts, "sandbox") == "none" ? "model-written candidates on the GPU"
                                                        : "nothing; the layers that are missing stand on each verdict");
}

Json cache_check(const std::filesystem::path& cache) {
    std::error_code error;
    std::filesystem::create_directories(cache, error);
    const bool writable = !error && access(cache.c_str(), W_OK) == 0;
    struct statvfs info {};
    double gib = 0;
    if (writable && statvfs(cache.c_str(), &info) == 0)
        gib = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / 1073741824.0;
    char text[64];
    std::snprintf(text, sizeof text, "%.1f GiB free", gib);
    return check("cache folder", writable && gib > 0.5, writable ? text : "not writable: " + cache.string(),
                 "free some space, or set KERNELFORGE_HOME to a writable folder", "keeping compiled candidates");
}

} // namespace

Json run_doctor(Device& device, OracleClient& oracle, const std::filesystem::path& cache, const std::stop_token& stop) {
    Json checks = Json::array();
    checks.push_back(check("device " + device.id(), true, device.name(), "", ""));
    for (auto* one : {&compiler_check, &sandbox_check, &nvrtc_check, &gpu_check}) {
        if (stop.stop_requested())
            break;
        checks.push_back((*one)());
    }
    if (const Json facts = device.facts(); facts.contains("confinement"))
        checks.push_back(confinement_check(facts));
    if (!stop.stop_requested())
        checks.push_back(oracle_check(oracle));
    checks.push_back(cache_check(cache));
    return Json{{"checks", std::move(checks)}};
}

} // namespace kf
