// SPDX-License-Identifier: GPL-3.0-or-later
// kf-cuda: runs one candidate's compiled kernels on a GPU. Speaks JSON-RPC on stdin and stdout, takes and gives data
// over the Unix socket on descriptor 3, and ends with its input. No host code of a candidate is ever in it.
#include "core/runners/cuda/confine.h"
#include "core/runners/cuda/service.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

constexpr const char* usage = "usage: kf-cuda [--device N | --uuid GPU-…] [--confine namespaces|calls|none]\n"
                              "Runner of KernelForge's GPU device; started by kf-evaluator.\n"
                              "  --confine  namespaces: shuts itself in altogether; calls: the system-call filter "
                              "alone (a sandbox is around it)\n";

} // namespace

int main(int argc, char** argv) {
    const pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return 1;
    kf::cuda::ServiceSettings settings;
    std::string_view confine = "none";
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const char* value = i + 1 < argc ? argv[++i] : nullptr;
        bool good = value != nullptr;
        if (good && name == "--device") {
            const auto [end, error] = std::from_chars(value, value + std::strlen(value), settings.ordinal);
            good = error == std::errc() && *end == '\0' && settings.ordinal >= 0;
        } else if (good && name == "--uuid") {
            settings.uuid = value;
        } else if (good && name == "--confine") {
            confine = value;
            good = confine == "namespaces" || confine == "calls" || confine == "none";
        } else {
            good = false;
        }
        if (!good) {
            std::fputs(usage, name == "--help" ? stdout : stderr);
            return name == "--help" ? 0 : 2;
        }
    }
    settings.confined = confine != "none";
    if (confine == "namespaces")
        if (auto entered = kf::cuda::enter_namespaces(); !entered) {
            std::fprintf(stderr, "kf-cuda: %s\n", kf::to_string(entered.error()).c_str());
            return kf::cuda::confine_exit_code;
        }
    signal(SIGPIPE, SIG_IGN);
    // The protocol keeps the original stdin and stdout; whatever a library or a kernel's printf prints goes to stderr.
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("kf-cuda: stdin and stdout");
        return 1;
    }
    close(null);
    return kf::cuda::serve(settings, in, out);
}
