// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/confine.h"

#include "app/kf-cpu/channel.h"
#include "app/kf-cpu/variant.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace kf::cpu {

namespace {

constexpr int name_count = 512;
std::array<char[32], name_count> g_names;
const Module* g_sealed = nullptr;

// seccomp_syscall_resolve_num_arch allocates, so names are looked up before they are needed in a signal handler.
void fill_names() {
    for (int i = 0; i < name_count; ++i) {
        char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, i);
        if (name != nullptr)
            std::strncpy(g_names[static_cast<std::size_t>(i)], name, sizeof g_names[0] - 1);
        std::free(name);
    }
}

class Filter {
public:
    Filter() : m_context(seccomp_init(SCMP_ACT_TRAP)) {}
    ~Filter() { seccomp_release(m_context); }
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;

    template<class... Conditions> void allow(int call, Conditions... conditions) {
        const scmp_arg_cmp list[] = {conditions..., scmp_arg_cmp{}};
        m_ok = m_ok && m_context != nullptr &&
               seccomp_rule_add_array(m_context, SCMP_ACT_ALLOW, call, sizeof...(conditions), list) == 0;
    }
    bool load() {
        // Threads of a sanitizer exist already: they get the same filter.
        return m_ok && seccomp_attr_set(m_context, SCMP_FLTATR_CTL_TSYNC, 1) == 0 && seccomp_load(m_context) == 0;
    }

    // The filter as the kernel takes it; empty when it cannot be made. Through a pipe: this process may write no file.
    std::vector<char> program() {
        int ends[2];
        std::vector<char> bytes;
        if (!m_ok || pipe2(ends, O_CLOEXEC) != 0)
            return bytes;
        const bool exported = seccomp_export_bpf(m_context, ends[1]) == 0;
        close(ends[1]);
        char chunk[4096];
        for (ssize_t got; exported && (got = read(ends[0], chunk, sizeof chunk)) > 0;)
            bytes.insert(bytes.end(), chunk, chunk + got);
        close(ends[0]);
        return bytes;
    }

private:
    scmp_filter_ctx m_context;
    bool m_ok = true;
};

scmp_arg_cmp equals(unsigned int argument, std::uint64_t value) {
    return scmp_arg_cmp{argument, SCMP_CMP_EQ, value, 0};
}
scmp_arg_cmp masked(unsigned int argument, std::uint64_t mask, std::uint64_t value) {
    return scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, mask, value};
}

void allow_sanitizer(Filter& filter) {
    // Reports name lines by reading debug information: files may be opened for reading, nothing else.
    const std::uint64_t write_flags = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
    filter.allow(SCMP_SYS(openat), masked(2, write_flags, O_RDONLY));
    filter.allow(SCMP_SYS(open), masked(1, write_flags, O_RDONLY));
    filter.allow(SCMP_SYS(read));
    filter.allow(SCMP_SYS(mmap), masked(2, PROT_EXEC | PROT_WRITE, 0));
    for (int call :
         {SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(stat), SCMP_SYS(lseek), SCMP_SYS(readlink),
          SCMP_SYS(pread64), SCMP_SYS(getrlimit), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(getuid),
          SCMP_SYS(sched_getaffinity), SCMP_SYS(uname), SCMP_SYS(gettimeofday)})
        filter.allow(call);
    for (std::uint64_t command : {F_GETFD, F_SETFD, F_GETFL})
        filter.allow(SCMP_SYS(fcntl), equals(1, command));
    // prlimit64 to read limits of its own: the new limit is null.
    filter.allow(SCMP_SYS(prlimit64), equals(0, 0), equals(2, 0));
    filter.allow(SCMP_SYS(ioctl), equals(0, STDERR_FILENO)); // isatty
}

} // namespace

void harden_process() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // A sanitizer reads /proc/self/maps for its report, which a process that is not dumpable may not.
    if (variant() == Variant::Plain)
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    fill_names();
}

namespace {

void allow_running(Filter& filter) {
    filter.allow(SCMP_SYS(read), equals(0, channel_fd));
    for (int fd : {STDOUT_FILENO, STDERR_FILENO, channel_fd})
        filter.allow(SCMP_SYS(write), equals(0, static_cast<std::uint64_t>(fd)));
    filter.allow(SCMP_SYS(mmap), masked(2, PROT_EXEC, 0), masked(3, MAP_ANONYMOUS, MAP_ANONYMOUS));
    filter.allow(SCMP_SYS(mmap), masked(2, PROT_EXEC, 0), equals(4, arena_fd));
    filter.allow(SCMP_SYS(mprotect), masked(2, PROT_EXEC, 0));
    filter.allow(SCMP_SYS(fstat), equals(0, arena_fd));
    filter.allow(SCMP_SYS(newfstatat), equals(0, arena_fd));
    // tgkill: abort() signals its own process, whose number a filter that is made before the fork cannot know. Others
    // that it could reach are this runner's own.
    for (int call : {SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(futex),
                     SCMP_SYS(clock_gettime), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack),
                     SCMP_SYS(sched_yield), SCMP_SYS(restart_syscall), SCMP_SYS(getpid), SCMP_SYS(gettid),
                     SCMP_SYS(tgkill), SCMP_SYS(exit), SCMP_SYS(exit_group)})
        filter.allow(call);
}

Error no_filter() {
    return make_error("confine", "the system-call filter cannot be installed",
                      "the kernel needs seccomp filters (CONFIG_SECCOMP_FILTER)");
}

// The filter of children, made once: making it takes longer than the fork.
std::vector<char> g_run_filter;

} // namespace

Status confine_waiting() {
    Filter run;
    allow_running(run);
    g_run_filter = run.program();
    Filter filter;
    allow_running(filter);
    if (variant() != Variant::Plain)
        allow_sanitizer(filter);
    else
        for (int call : {SCMP_SYS(clone), SCMP_SYS(fork), SCMP_SYS(wait4), SCMP_SYS(seccomp), SCMP_SYS(prctl),
                         SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(rt_sigaction)})
            filter.allow(call);
    if (g_run_filter.empty() || !filter.load())
        return no_filter();
    return {};
}

Status confine_run() {
    if (g_run_filter.empty()) { // no candidate was loaded: fills and products alone
        Filter run;
        allow_running(run);
        return run.load() ? Status() : Status(no_filter());
    }
    sock_fprog program{};
    program.len = static_cast<unsigned short>(g_run_filter.size() / sizeof(sock_filter));
    program.filter = reinterpret_cast<sock_filter*>(g_run_filter.data());
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return no_filter();
    return {};
}

const char* syscall_name(int number) {
    if (number < 0 || number >= name_count || g_names[static_cast<std::size_t>(number)][0] == 0)
        return "unknown";
    return g_names[static_cast<std::size_t>(number)];
}

void set_sealed_module(const Module* module) {
    g_sealed = module;
}
bool is_sealed_memory(const void* address) {
    return g_sealed != nullptr && g_sealed->is_sealed(address);
}

} // namespace kf::cpu
