// SPDX-License-Identifier: GPL-3.0-or-later
// kf-cpu: runs a candidate's kernels on the CPU device for an evaluator on file descriptor 3 (one JSON object a line
// each way) with the tensors in the memory of file descriptor 4. Not meant to be started by hand.
#include "app/kf-cpu/channel.h"
#include "app/kf-cpu/confine.h"
#include "app/kf-cpu/crash.h"
#include "app/kf-cpu/runner.h"
#include "app/kf-cpu/variant.h"
#include "core/runners/cpu/runtime/exports.h"

#include <cstdio>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int main() {
    struct stat info {};
    if (fstat(kf::cpu::channel_fd, &info) != 0 || !S_ISSOCK(info.st_mode)) {
        std::fputs("kf-cpu: file descriptor 3 is not a socket; the evaluator starts this program\n", stderr);
        return 2;
    }
    kf::cpu::install_hooks();
    kf::cpu::enable_exports();
    kf::cpu::harden_process();
    kf::cpu::install_crash_handlers();
    kf::cpu::Channel channel;
    kf::cpu::Runner runner(channel);
    runner.serve();
    // No destructors of the candidate's object: the memory goes with the process.
    _exit(0);
}
