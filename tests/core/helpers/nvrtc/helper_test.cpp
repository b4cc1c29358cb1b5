// SPDX-License-Identifier: GPL-3.0-or-later
// kf-nvrtc as a process: protocol, a crash that costs only the helper, its end with its owner.
#include "core/base/files.h"
#include "core/helpers/nvrtc/compiler.h"
#include "core/helpers/nvrtc/messages.h"
#include "tests/core/helpers/helper_process.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>

namespace kf::nvrtc {
namespace {

using test::HelperProcess;

std::string missing_nvrtc() {
    auto created = Compiler::create(ToolkitSettings::from_environment());
    return created ? std::string() : to_string(created.error());
}
#define KF_NEED_NVRTC()                                                                                                \
    if (const std::string reason = missing_nvrtc(); !reason.empty())                                                   \
    GTEST_SKIP() << reason

Json compile_params(const std::string& source, std::vector<std::string> names = {}) {
    CompileRequest r;
    r.source = source;
    r.name = "kernel.cu";
    r.arch = "sm_90a";
    r.name_expressions = std::move(names);
    return to_json(r);
}

constexpr const char* plain = "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n";

TEST(NvrtcHelper, SaysWhatItIsAndCompiles) {
    KF_NEED_NVRTC();
    HelperProcess helper("kf-nvrtc", {"--recycle-after", "2"});
    EXPECT_EQ(get_string(helper.ready, "helper"), "kf-nvrtc");
    const Json& archs = get_member(helper.ready, "archs");
    ASSERT_TRUE(archs.is_array());
    EXPECT_NE(std::find(archs.begin(), archs.end(), "sm_90"), archs.end());

    auto first = helper.ask("compile", compile_params(plain, {"k"}));
    ASSERT_TRUE(first.ok()) << to_string(first.error());
    auto reply = reply_from_json(*first);
    ASSERT_TRUE(reply.ok());
    const auto& out = std::get<CompileOutput>(*reply);
    EXPECT_TRUE(out.cubin.starts_with("\x7f"
                                      "ELF"));
    EXPECT_FALSE(get_bool(*first, "recycle"));

    auto symbols = helper.ask("state_symbols", {{"cubin", get_string(*first, "cubin")}});
    ASSERT_TRUE(symbols.ok());
    EXPECT_EQ(get_member(*symbols, "symbols"), Json::array());
    EXPECT_EQ(helper.ask("state_symbols", {{"cubin", "AAAA"}}).error().code, "cubin-malformed");
    EXPECT_FALSE(helper.ask("state_symbols", {{"cubin", "not base64"}}).ok());
    EXPECT_FALSE(helper.ask("state_symbols", Json::object()).ok());

    auto failed = helper.ask("compile", compile_params("__global__ void k() { oops; }\n"));
    ASSERT_TRUE(failed.ok()); // the candidate's fault is an answer
    EXPECT_FALSE(get_bool(*failed, "ok", true));
    EXPECT_EQ(get_string(*failed, "code"), "compile-error");
    EXPECT_TRUE(get_bool(*failed, "recycle"));
    EXPECT_EQ(helper.ask("compile", Json::object()).error().code, "bad-params");
    EXPECT_FALSE(helper.ask("no_such_method", Json::object()).ok());
}

TEST(NvrtcHelper, GarbageGetsAnErrorAndDoesNoHarm) {
    KF_NEED_NVRTC();
    ChildSpec spec;
    spec.argv = {std::string(KF_BIN_DIR) + "/kf-nvrtc"};
    spec.pass_env = {"KERNELFORGE_NVRTC", "KERNELFORGE_CUDA_INCLUDE", "CUDA_HOME", "LD_LIBRARY_PATH"};
    spec.input = ChildInput::pipe;
    RunLimits limits;
    limits.deadline = deadline_after(60);
    limits.input =
        "not "
        "json\n[1,2]\n{\"jsonrpc\":\"2.0\",\"id\":3}\n\xff\xfe\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}\n";
    auto finished = run_to_end(spec, limits); // and it ends with its input
    ASSERT_TRUE(finished.ok());
    EXPECT_EQ(finished->exit_code, 0) << finished->ending() << finished->err;
    std::size_t lines = 0, errors = 0;
    bool ponged = false;
    std::string_view rest = finished->out;
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        const auto message = parse_json(line, "stdout");
        ASSERT_TRUE(message.ok()) << line; // nothing else on stdout
        errors += message->contains("error");
        ponged = ponged || (get_int(*message, "id") == 4 && message->contains("result"));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        ++lines;
    }
    EXPECT_GE(errors, 4u);
    EXPECT_TRUE(ponged);
    EXPECT_GE(lines, 6u);
}

TEST(NvrtcHelper, ACrashCostsOnlyTheHelper) {
    KF_NEED_NVRTC();
    const auto text = read_file(std::string(KF_SOURCE_DIR) + "/tests/data/nvrtc_wgmma_zero_descriptors.cu");
    ASSERT_TRUE(text.ok());
    Json params = compile_params(*text, {"zero_descriptors"});
    HelperProcess helper("kf-nvrtc");
    const bool crashes = get_string(helper.ready, "nvrtc") == "13.0";
    auto answer = helper.ask("compile", params);
    if (crashes) {
        ASSERT_FALSE(answer.ok());
        EXPECT_TRUE(is_infrastructure(answer.error())) << to_string(answer.error());
        const auto status = helper.child.wait(deadline_after(30));
        ASSERT_TRUE(status.has_value());
        EXPECT_EQ(status->signal, SIGSEGV);
    } else {
        ASSERT_TRUE(answer.ok()) << to_string(answer.error());
    }
    // A fresh helper works at once, and its second try assembles the same text.
    HelperProcess next("kf-nvrtc");
    ASSERT_TRUE(next.ask("compile", compile_params(plain, {"k"})).ok());
    if (get_member(get_member(next.ready, "ptxas"), "path").is_string()) {
        params["assembler"] = "ptxas";
        auto second = next.ask("compile", params);
        ASSERT_TRUE(second.ok()) << to_string(second.error());
        auto reply = reply_from_json(*second);
        ASSERT_TRUE(reply.ok());
        ASSERT_TRUE(std::holds_alternative<CompileOutput>(*reply)) << *second;
        EXPECT_EQ(std::get<CompileOutput>(*reply).assembler, Assembler::ptxas);
        EXPECT_EQ(std::get<CompileOutput>(*reply).lowered_names.at("zero_descriptors"), "_Z16zero_descriptorsPf");
    }
}

TEST(NvrtcHelper, EndsWithItsInputEvenWhileCompiling) {
    KF_NEED_NVRTC();
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "__global__ void k" + std::to_string(i) +
                "(float* x) {\n#pragma unroll\nfor (int i = 0; i < 400; ++i) x[i] = __sinf(x[i + 1]) * x[i + 2];\n}\n";
    Request request;
    request.id = std::int64_t{1};
    request.method = "compile";
    request.params = compile_params(text);
    ChildSpec spec;
    spec.argv = {std::string(KF_BIN_DIR) + "/kf-nvrtc"};
    spec.pass_env = {"KERNELFORGE_NVRTC", "KERNELFORGE_CUDA_INCLUDE", "CUDA_HOME", "LD_LIBRARY_PATH"};
    spec.input = ChildInput::pipe;
    RunLimits limits;
    limits.deadline = deadline_after(60);
    limits.input = format_message(request) + "\n"; // and then the end of its input
    auto finished = run_to_end(spec, limits);
    ASSERT_TRUE(finished.ok());
    EXPECT_EQ(finished->exit_code, 0) << finished->ending() << finished->err;
}

TEST(NvrtcHelper, LargeCubinsGoToTheOutputFolder) {
    KF_NEED_NVRTC();
    const auto folder = make_private_folder("kf-test").value();
    std::string text = "__device__ const int big[200000] = {1};\n__global__ void k(int* x) { x[0] = big[x[1]]; }\n";
    HelperProcess helper("kf-nvrtc");
    Json params = compile_params(text, {"k"});
    auto without = helper.ask("compile", params);
    ASSERT_FALSE(without.ok());
    EXPECT_EQ(without.error().code, "output-folder-needed");
    params["output_folder"] = folder.string();
    auto answer = helper.ask("compile", params);
    ASSERT_TRUE(answer.ok()) << to_string(answer.error());
    const std::string path = get_string(*answer, "cubin_path");
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(path)), get_int(*answer, "size"));
    auto symbols = helper.ask("state_symbols", {{"path", path}, {"source", text}});
    ASSERT_TRUE(symbols.ok());
    const Json first = get_member(*symbols, "symbols").at(0);
    EXPECT_EQ(get_string(first, "identifier"), "big");
    EXPECT_FALSE(get_bool(first, "suspect", true));
    std::filesystem::remove_all(folder);
}

TEST(NvrtcHelper, AMissingLibraryIsNamedWithItsRemedy) {
    ChildSpec spec;
    spec.argv = {std::string(KF_BIN_DIR) + "/kf-nvrtc", "--nvrtc", "/nowhere/libnvrtc.so.13"};
    spec.input = ChildInput::pipe;
    RunLimits limits;
    limits.deadline = deadline_after(60);
    auto finished = run_to_end(spec, limits);
    ASSERT_TRUE(finished.ok());
    EXPECT_EQ(finished->exit_code, 3);
    EXPECT_NE(finished->out.find("\"method\":\"failed\""), std::string::npos) << finished->out;
    EXPECT_NE(finished->err.find("/nowhere/libnvrtc.so.13"), std::string::npos);
    spec.argv = {std::string(KF_BIN_DIR) + "/kf-nvrtc", "--memory-mib", "many"};
    finished = run_to_end(spec, limits);
    ASSERT_TRUE(finished.ok());
    EXPECT_EQ(finished->exit_code, 2);
}

} // namespace
} // namespace kf::nvrtc
