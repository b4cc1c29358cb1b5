// SPDX-License-Identifier: GPL-3.0-or-later
// kf-evaluator: judges candidates on one device. Speaks the protocol on stdin and stdout and ends with its input.
#include "core/base/files.h"
#ifdef KF_HAS_CPU_DEVICE
#include "core/evaluator/cpu_device.h"
#endif
#include "core/evaluator/cuda_device.h"
#include "core/evaluator/service.h"
#include "core/process/child.h"
#include "core/protocol/handshake.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr const char* usage = "usage: kf-evaluator [--device cpu|cuda:N] [--cache FOLDER] [--silence SECONDS]\n"
                              "Started by kernelforge; speaks JSON-RPC 2.0 on stdin and stdout (docs/evaluator.md).\n"
                              "  --device   which device it judges on\n"
                              "  --cache    folder of compiled candidates\n"
                              "  --silence  ends after so many seconds without a byte from its owner (30; 0: never)\n";

struct Settings {
    std::string device = "cpu";
    std::filesystem::path cache;
    double silence_s = 30;
};

// The exit code when the arguments end the program.
std::optional<int> parse_arguments(int argc, char** argv, Settings& settings) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--help") {
            std::fputs(usage, stdout);
            return 0;
        }
        const char* value = i + 1 < argc ? argv[++i] : nullptr;
        bool good = value != nullptr;
        if (good && name == "--device") {
            settings.device = value;
        } else if (good && name == "--cache") {
            settings.cache = value;
        } else if (good && name == "--silence") {
            const auto [end, error] = std::from_chars(value, value + std::strlen(value), settings.silence_s);
            good = error == std::errc() && *end == '\0' && settings.silence_s >= 0;
        } else {
            good = false;
        }
        if (!good) {
            std::fprintf(stderr, "kf-evaluator: bad argument %s\n%s", argv[i], usage);
            return 2;
        }
    }
    return std::nullopt;
}

// Error "device-unknown" for a name that is neither.
kf::Result<std::shared_ptr<kf::Device>> make_device(const Settings& settings) {
    if (settings.device == "cpu") {
#ifdef KF_HAS_CPU_DEVICE
        return kf::make_cpu_device(settings.cache);
#else
        return kf::make_error("device-unknown", "this build has no CPU device", "build it with Boost.Context");
#endif
    }
    int ordinal = 0;
    const std::string name = settings.device;
    const std::size_t digits = std::strlen("cuda:");
    if (name == "cuda" || name.rfind("cuda:", 0) == 0) {
        const char* begin = name.size() > digits ? name.data() + digits : nullptr;
        const auto [end, error] = begin ? std::from_chars(begin, name.data() + name.size(), ordinal)
                                        : std::from_chars_result{name.data() + name.size(), std::errc()};
        if (error == std::errc() && end == name.data() + name.size())
            return kf::make_cuda_device(ordinal, settings.cache);
    }
    return kf::make_error("device-unknown", "there is no device `" + name + "`", "cpu, cuda:0, cuda:1, …");
}

// Our death signal (ChildSpec): the owner is gone, so everything ends here, half-made sandboxes too. A thread of its
// own takes it, whatever the others do; called before any other is started.
void end_with_owner() {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    std::thread([ending] {
        int signal = 0;
        sigwait(&ending, &signal);
        kf::kill_all_children();
        _exit(3);
    }).detach();
}

} // namespace

int main(int argc, char** argv) {
    Settings settings;
    settings.cache = kf::cache_folder();
    if (const auto code = parse_arguments(argc, argv, settings))
        return *code;
    signal(SIGPIPE, SIG_IGN);
    end_with_owner();
    signal(SIGINT, SIG_IGN); // Ctrl-C goes to the whole terminal; the owner decides what it means

    // stdout carries the protocol and nothing else: whatever a library prints goes to stderr.
    const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (output < 0 || input < 0 || null < 0)
        return 1;
    dup2(STDERR_FILENO, STDOUT_FILENO);
    dup2(null, STDIN_FILENO);
    auto channel = std::make_unique<kf::FdChannel>(kf::UniqueFd(input), kf::UniqueFd(output));

    kf::ServiceParts parts;
    parts.cache = settings.cache;
    parts.oracle = std::make_shared<kf::OracleClient>(kf::program_path("kf-oracle"));
    auto device = make_device(settings);
    if (!device) {
        std::fprintf(stderr, "kf-evaluator: %s\n", kf::to_string(device.error()).c_str());
        return device.error().code == "device-unknown" ? 2 : 3;
    }
    parts.device = std::move(*device);
    parts.versions = kf::Json{{"kernelforge", KF_BUILD_ID}, {"protocol", kf::supported_protocol.max}};

    int status = 0;
    int stuck = 0;
    {
        kf::EvaluatorService service(std::move(parts));
        kf::Handshake handshake;
        handshake.build = KF_BUILD_ID;
        handshake.pid = getpid();
        handshake.devices = kf::Json::array({service.handshake_facts()});
        if (!channel->write_line(kf::format_handshake(handshake), kf::deadline_after(10)))
            return 1;
        kf::RpcServerOptions options;
        options.silence_timeout_s = settings.silence_s;
        kf::RpcServer server(std::move(channel), options);
        service.register_methods(server);
        const kf::ServerEnd end = server.run();
        if (end.reason == kf::ServerEndReason::silent || end.reason == kf::ServerEndReason::broken) {
            std::fprintf(stderr, "kf-evaluator: %s\n", end.text.c_str());
            status = 3;
        }
        stuck = end.stuck_handlers;
        if (stuck > 0)
            _exit(3); // a thread is still inside a handler: its children die with this process
    }
    return status;
}
