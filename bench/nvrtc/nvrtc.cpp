// SPDX-License-Identifier: GPL-3.0-or-later
// What the compile helper costs beside the compiler itself: the same text compiled warm by NVRTC called directly in
// this process and through kf-nvrtc, alternating, so that both meet the same machine. Prints medians and the number of
// samples.
#include "core/base/files.h"
#include "core/helpers/nvrtc/compiler.h"
#include "core/process/child.h"
#include "core/protocol/client.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace kf;
using namespace kf::nvrtc;

constexpr const char* saxpy = "__global__ void k(float* y, const float* x, float a, int n) {\n"
                              "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    if (i < n)\n        y[i] += a * x[i];\n}\n";
constexpr const char* half_softmax =
    "#include <cuda_fp16.h>\n"
    "template<int BLOCK> __global__ void k(const half* x, half* y, int n) {\n"
    "    __shared__ float s[BLOCK / 32];\n    float best = -1e30f, sum = 0;\n"
    "    const half* row = x + static_cast<long long>(blockIdx.x) * n;\n"
    "    for (int i = threadIdx.x; i < n; i += BLOCK)\n        best = fmaxf(best, __half2float(row[i]));\n"
    "    for (int d = 16; d > 0; d /= 2)\n        best = fmaxf(best, __shfl_xor_sync(~0u, best, d));\n"
    "    if (threadIdx.x % 32 == 0)\n        s[threadIdx.x / 32] = best;\n    __syncthreads();\n"
    "    for (int i = 0; i < BLOCK / 32; ++i)\n        best = fmaxf(best, s[i]);\n"
    "    for (int i = threadIdx.x; i < n; i += BLOCK)\n        sum += __expf(__half2float(row[i]) - best);\n"
    "    for (int i = threadIdx.x; i < n; i += BLOCK)\n"
    "        y[static_cast<long long>(blockIdx.x) * n + i] = __float2half(__expf(__half2float(row[i]) - best) / "
    "sum);\n}\n";

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// NVRTC with the same options and nothing around it.
bool direct(const Library& library, const std::string& source, const std::string& expression,
            const std::vector<std::string>& options) {
    auto program = Program::create(library, source, "candidate.cu");
    return program && program->add_name_expression(expression) &&
           program->compile(options, deadline_after(60)) == Program::Outcome::ok && program->cubin().ok();
}

} // namespace

int main(int argc, char** argv) {
    const int samples = argc > 1 ? std::max(3, std::atoi(argv[1])) : 25;
    const auto settings = ToolkitSettings::from_environment();
    auto compiler = Compiler::create(settings);
    if (!compiler) {
        std::fprintf(stderr, "bench_nvrtc: %s\n", to_string(compiler.error()).c_str());
        return 1;
    }
    ChildSpec spec;
    spec.argv = {program_path("kf-nvrtc").string()};
    spec.pass_env = {"KERNELFORGE_NVRTC", "KERNELFORGE_CUDA_INCLUDE", "CUDA_HOME", "LD_LIBRARY_PATH"};
    spec.input = ChildInput::pipe;
    spec.error_output = ChildOutput::inherit;
    auto child = Child::start(spec);
    if (!child) {
        std::fprintf(stderr, "bench_nvrtc: %s\n", to_string(child.error()).c_str());
        return 1;
    }
    HelperClient client(std::make_unique<FdChannel>(child->take_output(), child->take_input()), "kf-nvrtc");
    if (auto ready = client.wait_notification("ready", deadline_after(60)); !ready) {
        std::fprintf(stderr, "bench_nvrtc: %s\n", to_string(ready.error()).c_str());
        return 1;
    }
    std::printf("NVRTC %s, sm_90a, n = %d each, warm, wall milliseconds\n", (*compiler)->library().version().c_str(),
                samples);
    bool within = true;
    for (const auto& [name, source, expression] :
         {std::tuple{"saxpy", saxpy, "k"}, std::tuple{"half softmax", half_softmax, "k<256>"}}) {
        CompileRequest request;
        request.source = source;
        request.arch = "sm_90a";
        request.name_expressions = {expression};
        const auto reply = (*compiler)->compile(request);
        if (!reply || !std::holds_alternative<CompileOutput>(*reply)) {
            std::fprintf(stderr, "bench_nvrtc: %s does not compile\n", name);
            return 1;
        }
        std::vector<std::string> options = std::get<CompileOutput>(*reply).options;
        for (const IncludeRoot& root : (*compiler)->toolkit().roots)
            options.push_back("--include-path=" + root.folder.string());
        const Json params = to_json(request);
        std::vector<double> inside, through;
        for (int i = -2; i < samples; ++i) { // two of each to warm up
            double start = now();
            if (!direct((*compiler)->library(), source, expression, options))
                return 1;
            const double first = now() - start;
            start = now();
            const auto answer = client.request("compile", params, deadline_after(60));
            const double second = now() - start;
            if (!answer || !get_bool(*answer, "ok"))
                return 1;
            if (i >= 0) {
                inside.push_back(first * 1000);
                through.push_back(second * 1000);
            }
        }
        const double ratio = median(through) / median(inside);
        within = within && ratio <= 1.3;
        std::printf("%-14s direct %7.2f   through kf-nvrtc %7.2f   ratio %.3f\n", name, median(inside), median(through),
                    ratio);
    }
    std::printf("aim: ratio at most 1.3: %s\n", within ? "met" : "missed");
    return within ? 0 : 2;
}
