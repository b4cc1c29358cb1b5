// SPDX-License-Identifier: GPL-3.0-or-later
// A GPU, the judge's kernels on it, and a compiler, once for all tests of the program.
#pragma once

#include "core/base/files.h"
#include "core/helpers/nvrtc/compiler.h"
#include "core/runners/cuda/case_runner.h"
#include "core/runners/cuda/judge_source.h"

#include <gtest/gtest.h>

namespace kf {

class GpuTest : public testing::Test {
protected:
    struct Machine {
        std::string missing; // why there is no GPU to test on
        std::unique_ptr<cuda::DeviceContext> device;
        std::unique_ptr<nvrtc::Compiler> compiler;
        std::unique_ptr<cuda::Judge> judge;
    };

    static Machine& machine() {
        static Machine one = make();
        return one;
    }
    void SetUp() override {
        if (!machine().missing.empty())
            GTEST_SKIP() << machine().missing;
    }

    const cuda::DeviceContext& device() const { return *machine().device; }
    const cuda::Judge& judge() const { return *machine().judge; }

    // Compiles for this GPU; a candidate's fault fails the test.
    static Result<nvrtc::CompileOutput> compile(const std::string& source, const std::string& name,
                                                std::vector<std::string> expressions,
                                                std::map<std::string, std::int64_t> defines = {}) {
        nvrtc::CompileRequest request;
        request.source = source;
        request.name = name;
        request.arch = machine().device->facts().limits.architecture;
        request.name_expressions = std::move(expressions);
        request.defines = std::move(defines);
        request.output_folder = testing::TempDir();
        auto reply = machine().compiler->compile(request);
        if (!reply)
            return reply.error();
        if (const auto* failure = std::get_if<nvrtc::CompileFailure>(&*reply))
            return make_error(failure->code, nvrtc::first_line(*failure));
        auto output = std::get<nvrtc::CompileOutput>(std::move(*reply));
        if (!output.cubin_path.empty()) {
            auto bytes = read_file(output.cubin_path, nvrtc::max_cubin_bytes);
            if (!bytes)
                return bytes.error();
            output.cubin = std::move(*bytes);
        }
        return output;
    }

private:
    static Machine make() {
        Machine one;
        auto driver = cuda::Driver::open();
        if (!driver) {
            one.missing = to_string(driver.error());
            return one;
        }
        auto device = cuda::DeviceContext::open(std::move(*driver), 0);
        if (!device) {
            one.missing = to_string(device.error());
            return one;
        }
        auto compiler = nvrtc::Compiler::create(nvrtc::ToolkitSettings::from_environment());
        if (!compiler) {
            one.missing = to_string(compiler.error());
            return one;
        }
        one.device = std::move(*device);
        one.compiler = std::move(*compiler);
        const auto source = cuda::judge_source(std::filesystem::path(KF_SOURCE_DIR) / "resources");
        if (!source) {
            ADD_FAILURE() << to_string(source.error());
            return one;
        }
        nvrtc::CompileRequest request;
        request.source = *source;
        request.name = "judge.cu";
        request.arch = one.device->facts().limits.architecture;
        request.output_folder = testing::TempDir();
        auto reply = one.compiler->compile(request);
        const auto* output = reply ? std::get_if<nvrtc::CompileOutput>(&*reply) : nullptr;
        if (!output) {
            ADD_FAILURE() << (reply ? std::get<nvrtc::CompileFailure>(*reply).log : to_string(reply.error()));
            return one;
        }
        auto cubin = output->cubin_path.empty() ? Result<std::string>(output->cubin)
                                                : read_file(output->cubin_path, nvrtc::max_cubin_bytes);
        auto judge = cuda::Judge::load(*one.device, *cubin);
        if (!judge)
            ADD_FAILURE() << to_string(judge.error());
        else
            one.judge = std::move(*judge);
        return one;
    }
};

} // namespace kf
