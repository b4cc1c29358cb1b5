// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/service.h"

#include "core/base/files.h"
#include "core/protocol/base64.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sys/resource.h>
#include <unistd.h>

namespace kf::nvrtc {
namespace {

void lower_limit(int resource, rlim_t value) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? value : std::min(value, limit.rlim_max);
    setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// RLIMIT_CPU counts from the process's start: moved ahead of what has been used before each compile.
void allow_cpu_seconds(int seconds) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const rlim_t used = static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1);
    lower_limit(RLIMIT_CPU, used + static_cast<rlim_t>(seconds));
}

Json facts(const Compiler& compiler, const ServiceSettings& settings) {
    Json archs = Json::array();
    for (int number : compiler.library().architectures())
        archs.push_back("sm_" + std::to_string(number));
    const Toolkit& toolkit = compiler.toolkit();
    const auto tool = [](const std::filesystem::path& path, const char* remedy) -> Json {
        if (path.empty())
            return {{"missing", true}, {"remedy", remedy}};
        return {{"path", path.string()}};
    };
    Json headers;
    if (toolkit.headers_missing.empty())
        for (const IncludeRoot& root : toolkit.roots)
            headers[root.label] = root.folder.string();
    else
        headers = {{"missing", toolkit.headers_missing},
                   {"remedy", "install CUDA's headers, or set KERNELFORGE_CUDA_INCLUDE"}};
    return {{"helper", "kf-nvrtc"},
            {"version", KF_VERSION},
            {"protocol", supported_protocol.max},
            {"nvrtc", compiler.library().version()},
            {"library", compiler.library().path()},
            {"archs", std::move(archs)},
            {"headers", std::move(headers)},
            {"ptxas", tool(toolkit.ptxas, "the second try after a crash needs nvcc's ptxas")},
            {"disassembler", tool(toolkit.nvdisasm.empty() ? toolkit.cuobjdump : toolkit.nvdisasm,
                                  "install the wheel nvidia-cuda-nvdisasm, or set KERNELFORGE_NVDISASM")},
            {"recycle_after", settings.recycle_after},
            {"pid", static_cast<std::int64_t>(getpid())}};
}

Result<std::string> cubin_of(const Json& params) {
    if (const std::string path = get_string(params, "path"); !path.empty())
        return read_file(path, max_cubin_bytes);
    if (!get_member(params, "cubin").is_string())
        return make_error("bad-params", "state_symbols needs `cubin` (base64) or `path`");
    return base64_decode(params["cubin"].get<std::string>());
}

} // namespace

int serve(const ServiceSettings& settings, int protocol_in, int protocol_out) {
    RpcServerOptions options;
    options.heartbeat_interval_s = 0;
    options.silence_timeout_s = 0; // the owner sends no heartbeat; its end is the end of our input
    options.workers = 1;
    options.drain_s = 0; // a compile cannot be waited for: leave at once
    RpcServer server(std::make_unique<FdChannel>(UniqueFd(protocol_in), UniqueFd(protocol_out)), options);

    auto created = Compiler::create(settings.toolkit);
    if (!created) {
        const Status told = server.notify("failed", to_rpc_error(created.error()).data);
        std::fprintf(stderr, "kf-nvrtc: %s\n", to_string(created.error()).c_str());
        return told.ok() ? 3 : 4;
    }
    Compiler& compiler = **created;
    lower_limit(RLIMIT_AS, settings.memory_bytes);
    lower_limit(RLIMIT_CORE, 0);
    lower_limit(RLIMIT_NOFILE, 256);
    lower_limit(RLIMIT_FSIZE, max_cubin_bytes);
    // Line tables hold the working directory; the same text must give the same cubin everywhere.
    if (chdir("/") != 0)
        std::fprintf(stderr, "kf-nvrtc: cannot change to /\n");

    server.on_worker("compile", [&](RpcCall& call) -> Result<Json> {
        auto request = request_from_json(call.params());
        if (!request)
            return request.error();
        allow_cpu_seconds(settings.cpu_seconds);
        auto reply = compiler.compile(*request, [&] { return call.cancelled(); });
        if (!reply)
            return reply.error();
        Json json = to_json(*reply);
        json["compiles"] = compiler.compiles();
        json["recycle"] = compiler.compiles() >= settings.recycle_after;
        return json;
    });
    server.on_worker("state_symbols", [&](RpcCall& call) -> Result<Json> {
        auto bytes = cubin_of(call.params());
        if (!bytes)
            return bytes.error();
        auto symbols = compiler.state(*bytes, get_string(call.params(), "source"));
        if (!symbols)
            return symbols.error();
        return Json{{"symbols", to_json(*symbols)}};
    });
    if (auto sent = server.notify("ready", facts(compiler, settings)); !sent)
        return 4;
    const ServerEnd end = server.run();
    if (end.stuck_handlers > 0)
        _exit(0);
    return end.reason == ServerEndReason::closed || end.reason == ServerEndReason::stopped ? 0 : 5;
}

} // namespace kf::nvrtc
