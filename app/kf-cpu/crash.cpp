// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/crash.h"

#include "app/kf-cpu/channel.h"
#include "app/kf-cpu/confine.h"
#include "core/runners/cpu/runtime/scheduler.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace kf::cpu {

namespace {

volatile int g_kernel = -1;
alignas(16) char g_stack[65536];

const char* signal_name(int signal) {
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    case SIGABRT:
        return "SIGABRT";
    default:
        return "signal";
    }
}

// `,"kernel":0,"block":[…],"thread":[…]`: only what is known.
int append_position(char* text, std::size_t size) {
    int length = 0;
    if (g_kernel >= 0)
        length = std::snprintf(text, size, ",\"kernel\":%d", static_cast<int>(g_kernel));
    const Position at = Scheduler::instance().position();
    if (at.inside && length >= 0)
        length += std::snprintf(text + length, size - static_cast<std::size_t>(length),
                                ",\"block\":[%u,%u,%u],\"thread\":[%u,%u,%u]", at.block[0], at.block[1], at.block[2],
                                at.thread[0], at.thread[1], at.thread[2]);
    return length;
}

void say(const char* head) {
    char position[256] = "", line[1024];
    append_position(position, sizeof position);
    const int length = std::snprintf(line, sizeof line, "{\"ok\":false,%s%s}\n", head, position);
    if (length > 0)
        write_raw(line,
                  static_cast<std::size_t>(length) < sizeof line ? static_cast<std::size_t>(length) : sizeof line - 1);
}

void on_denied_call(siginfo_t* info) {
    char head[256];
    const char* name = syscall_name(info->si_syscall);
    std::snprintf(
        head, sizeof head,
        "\"status\":\"sandbox\",\"syscall\":\"%s\",\"message\":\"device code called the operating system: %s\"", name,
        name);
    say(head);
    end_process(exit_sandbox);
}

const char* explain(int signal, const siginfo_t* info) {
    if (signal == SIGFPE)
        return "integer division by zero or overflow of a division";
    if (signal != SIGSEGV && signal != SIGBUS)
        return "device code crashed";
    if (Scheduler::instance().is_stack_guard(info->si_addr))
        return "stack overflow: local arrays or recursion need more than a thread's stack, or an index left a local "
               "array";
    if (is_sealed_memory(info->si_addr))
        return "a variable of the candidate was written: state that outlives a launch is not allowed";
    if (reinterpret_cast<unsigned long>(info->si_addr) < 65536)
        return "access through a null pointer";
    return "access outside of the tensors";
}

void on_signal(int signal, siginfo_t* info, void*) {
    if (signal == SIGSYS)
        on_denied_call(info);
    char head[384];
    std::snprintf(head, sizeof head, "\"status\":\"crash\",\"signal\":\"%s\",\"address\":\"0x%llx\",\"message\":\"%s\"",
                  signal_name(signal),
                  reinterpret_cast<unsigned long long>(signal == SIGABRT ? nullptr : info->si_addr),
                  explain(signal, info));
    say(head);
    end_process(exit_crash);
}

} // namespace

// Not _exit(): a sanitizer replaces it with one that takes locks, which the interrupted code may hold.
void end_process(int code) {
    for (;;)
        syscall(SYS_exit_group, code);
}

void set_running_kernel(int kernel) {
    g_kernel = kernel;
}

void install_crash_handlers() {
    Scheduler::instance(); // exists before a handler asks
    stack_t stack{};
    stack.ss_sp = g_stack;
    stack.ss_size = sizeof g_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigfillset(&action.sa_mask);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS})
        sigaction(signal, &action, nullptr);
    signal(SIGPIPE, SIG_IGN);
}

void report_sanitizer_death() {
    say("\"status\":\"sanitizer\",\"message\":\"the sanitizer's report is on standard error\"");
}

} // namespace kf::cpu
