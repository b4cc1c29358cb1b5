// SPDX-License-Identifier: GPL-3.0-or-later
// kf-oracle: golden results and the eager baseline of a task by TorchScript. Speaks JSON-RPC on stdin and stdout, sends
// data over the Unix socket on descriptor 3, and ends with its input.
#include "core/helpers/oracle/service.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

constexpr const char* usage = "usage: kf-oracle [--threads N] [--memory-mib N]\n"
                              "Reference helper of KernelForge; started by kf-evaluator.\n";

bool read_number(const char* text, long low, long high, long& value) {
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
    return error == std::errc() && *end == '\0' && value >= low && value <= high;
}

} // namespace

int main(int argc, char** argv) {
    const pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return 1;
    kf::oracle::ServiceSettings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--help") {
            std::fputs(usage, stdout);
            return 0;
        }
        const char* value = i + 1 < argc ? argv[++i] : nullptr;
        long number = 0;
        bool good = value != nullptr;
        if (good && name == "--threads" && (good = read_number(value, 1, 1024, number)))
            settings.threads = static_cast<int>(number);
        else if (good && name == "--memory-mib" && (good = read_number(value, 256, 1 << 24, number)))
            settings.memory_bytes = static_cast<std::uint64_t>(number) << 20;
        else
            good = false;
        if (!good) {
            std::fprintf(stderr, "kf-oracle: cannot use argument %s%s%s\n%s", argv[i - (value ? 1 : 0)],
                         value ? " " : "", value ? value : "", usage);
            return 2;
        }
    }
    // The protocol keeps the original stdin and stdout; whatever a library prints goes to stderr.
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("kf-oracle: stdin and stdout");
        return 1;
    }
    close(null);
    return kf::oracle::serve(settings, in, out);
}
