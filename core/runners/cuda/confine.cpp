// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/confine.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace kf::cuda {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "the system-call filter knows x86-64 and aarch64"
#endif

// Not all that a runner does without, but all that would take it further: other programs, other processes, the
// network, namespaces, the kernel.
constexpr int refused_calls[] = {
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_reboot,
    SYS_swapon,
    SYS_acct,
    SYS_quotactl,
    425 /* io_uring_setup */,
    438 /* pidfd_getfd */,
};

Error step_failed(const std::string& step) {
    return make_error("confine", step + ": " + std::strerror(errno));
}

bool write_text(const char* path, const std::string& text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(fd);
    return written;
}

Status new_namespaces() {
    constexpr int wanted = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
    if (unshare(wanted) == 0)
        return {};
    const uid_t user = geteuid();
    const gid_t group = getegid();
    if (unshare(wanted | CLONE_NEWUSER) != 0)
        return step_failed("namespaces of its own");
    // The same numbers as outside: the device nodes' permissions keep their meaning.
    if (!write_text("/proc/self/setgroups", "deny") ||
        !write_text("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1") ||
        !write_text("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1"))
        return step_failed("a user namespace of its own");
    return {};
}

// mount_setattr(2), which glibc 2.35 and older lack.
struct MountAttributes {
    std::uint64_t set = 0, clear = 0, propagation = 0, user_namespace = 0;
};
constexpr long mount_setattr_number = 442;
constexpr std::uint64_t mount_read_only = 1;
constexpr unsigned int recursive = 0x8000;

std::string link_text(const char* path) {
    std::error_code ignored;
    return fs::read_symlink(path, ignored).string();
}

// The value of a line "Name:\tvalue" of /proc/self/status.
std::string status_field(const std::string& status, const std::string& name) {
    const auto at = status.find("\n" + name + ":");
    if (at == std::string::npos)
        return "";
    auto begin = at + name.size() + 2;
    while (begin < status.size() && (status[begin] == '\t' || status[begin] == ' '))
        ++begin;
    return status.substr(begin, status.find('\n', begin) - begin);
}

std::string proc_text(const char* path) {
    std::string text;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return text;
    std::array<char, 4096> chunk{};
    for (ssize_t n = 0; text.size() < 65536 && (n = read(fd, chunk.data(), chunk.size())) > 0;)
        text.append(chunk.data(), static_cast<std::size_t>(n));
    close(fd);
    return text;
}

bool only_loopback() {
    const std::string text = proc_text("/proc/self/net/dev");
    if (text.empty())
        return false; // not seen is not known
    std::size_t at = 0;
    for (int line = 0; at < text.size(); ++line) {
        const auto end = std::min(text.find('\n', at), text.size());
        const std::string one = text.substr(at, end - at);
        at = end + 1;
        const auto colon = one.find(':');
        if (line < 2 || colon == std::string::npos)
            continue;
        const auto begin = one.find_first_not_of(' ');
        if (one.substr(begin, colon - begin) != "lo")
            return false;
    }
    return true;
}

// Whether a library that is opened later lies below: then it must stay visible, and confinement() tells it.
bool holds_libraries(const std::string& folder) {
    for (const char* variable :
         {"KERNELFORGE_LIBCUDA", "KERNELFORGE_CUBLASLT", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"})
        if (const char* value = std::getenv(variable);
            value && (":" + std::string(value)).find(":" + folder + "/") != std::string::npos)
            return true;
    return false;
}

bool is_empty_or_missing(const char* folder) {
    std::error_code error;
    const fs::directory_iterator entries(folder, error);
    return error ? error == std::errc::no_such_file_or_directory : entries == fs::directory_iterator();
}

} // namespace

Status enter_namespaces() {
    if (auto made = new_namespaces(); !made)
        return made;
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return step_failed("mounts of its own");
    const MountAttributes attributes{mount_read_only, 0, 0, 0};
    if (syscall(mount_setattr_number, AT_FDCWD, "/", recursive, &attributes, sizeof attributes) != 0)
        return step_failed("a read-only root");
    std::error_code ignored;
    for (const auto& [folder, options] :
         {std::pair{"/home", "size=64k,mode=755"}, std::pair{"/root", "size=64k,mode=755"},
          std::pair{"/tmp", "size=256m,mode=1777"}, std::pair{"/dev/shm", "size=64m,mode=1777"}})
        if (fs::is_directory(folder, ignored) && !holds_libraries(folder) &&
            mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
            return step_failed(std::string("a cover over ") + folder);
    return {};
}

Status drop_privileges() {
    for (int capability = 0; capability < 64; ++capability)
        if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1)
            (void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0); // refused where we have none: then there is none to drop
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return step_failed("no new privileges");
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct nothing[2] = {};
    if (syscall(SYS_capset, &header, nothing) != 0)
        return step_failed("no capabilities");

    std::vector<sock_filter> program;
    const auto add = [&](std::uint16_t code, std::uint32_t value, std::uint8_t yes = 0, std::uint8_t no = 0) {
        program.push_back(sock_filter{code, yes, no, value});
    };
    constexpr std::size_t count = std::size(refused_calls);
    static_assert(count < 200); // jumps are one byte
    const auto calls = static_cast<std::uint8_t>(count);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    // Another architecture's numbers mean other calls: all refused.
    add(BPF_JMP | BPF_JEQ | BPF_K, architecture, 0, static_cast<std::uint8_t>(calls + 3));
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, static_cast<std::uint8_t>(calls + 1), 0); // x32
    for (std::uint8_t i = 0; i < calls; ++i)
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(refused_calls[i]),
            static_cast<std::uint8_t>(calls - i), 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    // In every thread: the driver has its own.
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0)
        return step_failed("a filter of system calls");
    return {};
}

Json confinement() {
    const std::string status = proc_text("/proc/self/status");
    struct statvfs root {};
    const bool read_only = statvfs("/", &root) == 0 && (root.f_flag & ST_RDONLY) != 0;
    const std::string numbers = status_field(status, "NSpid");
    const bool zero_capabilities =
        status_field(status, "CapEff").find_first_not_of('0') == std::string::npos && !status.empty();
    // A call that the filter refuses and that does no harm where there is none.
    const long tried = syscall(SYS_execve, "", nullptr, nullptr);
    const bool filtered = tried < 0 && errno == EPERM;
    return Json{{"network", only_loopback()},
                {"files", read_only && is_empty_or_missing("/home") && is_empty_or_missing("/root")},
                {"processes", getpid() < 10 || numbers.find('\t') != std::string::npos},
                {"privileges", zero_capabilities && status_field(status, "NoNewPrivs") == "1"},
                {"calls", filtered},
                {"uid", static_cast<std::int64_t>(getuid())},
                {"network_namespace", link_text("/proc/self/ns/net")},
                {"mount_namespace", link_text("/proc/self/ns/mnt")}};
}

} // namespace kf::cuda
