// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/sandbox.h"

#include "core/base/files.h"
#include "core/process/child.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <pwd.h>
#include <unistd.h>

namespace kf {
namespace fs = std::filesystem;
namespace {

const char* const kProgram = "bwrap";

std::optional<fs::path> home_folder() {
    std::error_code ignored;
    if (const char* home = std::getenv("HOME"); home && *home == '/')
        return fs::weakly_canonical(home, ignored);
    if (const passwd* entry = getpwuid(getuid()); entry && entry->pw_dir && *entry->pw_dir == '/')
        return fs::weakly_canonical(entry->pw_dir, ignored);
    return std::nullopt;
}

bool is_same_or_inside(const fs::path& inner, const fs::path& outer) {
    auto i = inner.begin();
    for (const fs::path& part : outer) {
        if (part.empty())
            continue;
        if (i == inner.end() || *i != part)
            return false;
        ++i;
    }
    return true;
}

Status check_bind(const SandboxBind& bind) {
    std::error_code error;
    const fs::path real = fs::canonical(bind.source, error);
    if (error || !bind.source.is_absolute())
        return make_error("sandbox-bind", "the sandbox cannot show '" + bind.source.string() +
                                              "': " + (error ? error.message() : "the path is not absolute"));
    const std::optional<fs::path> home = home_folder();
    if (real == "/" || (home && *home != "/" && is_same_or_inside(*home, real)))
        return make_error("sandbox-bind",
                          "the sandbox must not show '" + bind.source.string() +
                              "', which is or contains the home folder",
                          "bind only the files that are needed");
    return {};
}

// The system's programs and libraries. On a merged-/usr system /bin, /lib … are links, elsewhere folders.
void add_system(std::vector<std::string>& command) {
    std::error_code ignored;
    command.insert(command.end(), {"--ro-bind", "/usr", "/usr"});
    for (const char* folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        const fs::file_status status = fs::symlink_status(folder, ignored);
        if (fs::is_symlink(status))
            command.insert(command.end(), {"--symlink", fs::read_symlink(folder, ignored).string(), folder});
        else if (fs::is_directory(status))
            command.insert(command.end(), {"--ro-bind", folder, folder});
    }
    for (const char* path : {"/etc/ld.so.cache", "/etc/alternatives"})
        command.insert(command.end(), {"--ro-bind-try", path, path});
}

// --disable-userns came with bubblewrap 0.8.
bool can_disable_user_namespaces(const std::string& version) {
    int major = 0;
    int minor = 0;
    if (std::sscanf(version.c_str(), "bubblewrap %d.%d", &major, &minor) != 2)
        return false;
    return major > 0 || minor >= 8;
}

std::vector<std::string> prefix(const std::string& program, const std::string& version) {
    std::vector<std::string> command = {program,          "--die-with-parent",
                                        "--unshare-user", "--unshare-pid",
                                        "--unshare-ipc",  "--unshare-net",
                                        "--unshare-uts",  "--unshare-cgroup-try",
                                        "--hostname",     "sandbox",
                                        "--cap-drop",     "ALL",
                                        "--uid",          "65534",
                                        "--gid",          "65534"};
    if (can_disable_user_namespaces(version))
        command.push_back("--disable-userns");
    add_system(command);
    command.insert(command.end(), {"--proc", "/proc", "--dev", "/dev"});
    return command;
}

std::string read_setting(const char* path) {
    const Result<std::string> text = read_file(path, 64);
    return text ? text->substr(0, text->find('\n')) : std::string();
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string remedy_for(const std::string& message) {
    if (read_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
        return "AppArmor forbids user namespaces here: install a profile that allows them for bwrap "
               "(apparmor-profiles, bwrap-userns-restrict), or run sysctl "
               "kernel.apparmor_restrict_unprivileged_userns=0";
    if (read_setting("/proc/sys/kernel/unprivileged_userns_clone") == "0")
        return "run: sysctl kernel.unprivileged_userns_clone=1";
    if (read_setting("/proc/sys/user/max_user_namespaces") == "0")
        return "run: sysctl user.max_user_namespaces=10000";
    std::error_code ignored;
    if (fs::exists("/.dockerenv", ignored) || fs::exists("/run/.containerenv", ignored))
        return "this container forbids namespaces or a new /proc: start it with --security-opt seccomp=unconfined "
               "--security-opt systempaths=unconfined (Docker) or --security-opt unmask=ALL (Podman)";
    if (message.find("nknown option") != std::string::npos)
        return "this bubblewrap is too old: install 0.6 or newer";
    return "run `bwrap --unshare-user --unshare-pid --ro-bind / / true` to see what forbids it";
}

std::string& probed_version() {
    static std::string version;
    return version;
}

Availability try_and_note_version(const std::string& program, std::string& version) {
    ChildSpec spec;
    spec.argv = {program, "--version"};
    RunLimits limits;
    limits.deadline = after(std::chrono::seconds(10));
    const Result<Finished> asked = run_to_end(spec, limits);
    if (!asked)
        return {false, "bubblewrap (bwrap) is not installed", "install the package bubblewrap"};
    version = first_line(asked->out);

    std::vector<std::string> command = prefix(program, version);
    command.insert(command.end(), {"--size", "65536", "--tmpfs", "/tmp", "--remount-ro", "/", "--", "/bin/true"});
    spec.argv = command;
    limits.deadline = after(std::chrono::seconds(10));
    const Result<Finished> tried = run_to_end(spec, limits);
    if (!tried)
        return {false, "bubblewrap cannot be started: " + tried.error().message, tried.error().remedy};
    if (tried->timed_out)
        return {false, "bubblewrap did not come up within 10 s", "try again on an idle machine"};
    if (tried->exit_code != 0)
        return {false, "bubblewrap cannot make a sandbox here: " + first_line(tried->err), remedy_for(tried->err)};
    return {true, version, {}};
}

} // namespace

Availability try_sandbox(const std::string& program) {
    std::string version;
    return try_and_note_version(program, version);
}

const Availability& probe_sandbox() {
    static const Availability answer = try_and_note_version(kProgram, probed_version());
    return answer;
}

Result<std::vector<std::string>> sandbox_command(const SandboxSpec& spec, const std::vector<std::string>& argv,
                                                 const fs::path& cwd, std::uint64_t processes) {
    const Availability& availability = probe_sandbox();
    if (!availability.available)
        return make_error("sandbox-unavailable", availability.reason, availability.remedy);
    std::vector<std::string> command = prefix(kProgram, probed_version());
    for (const fs::path& device : spec.devices)
        command.insert(command.end(), {"--dev-bind", device.string(), device.string()});
    // The order counts: /tmp first, so that a bind below it is not covered.
    command.insert(command.end(), {"--size", std::to_string(spec.tmp_bytes), "--tmpfs", "/tmp"});
    for (const SandboxBind& bind : spec.binds) {
        if (const Status status = check_bind(bind); !status)
            return status.error();
        const fs::path& target = bind.target.empty() ? bind.source : bind.target;
        command.insert(command.end(), {bind.writable ? "--bind" : "--ro-bind", bind.source.string(), target.string()});
    }
    command.insert(command.end(), {"--remount-ro", "/dev", "--size", std::to_string(spec.shm_bytes), "--tmpfs",
                                   "/dev/shm", "--remount-ro", "/"});
    command.insert(command.end(), {"--chdir", cwd.empty() ? "/tmp" : cwd.string(), "--"});
    // RLIMIT_NPROC must be set inside: outside it would count all processes of the user.
    if (processes > 0 && access("/usr/bin/prlimit", X_OK) == 0)
        command.insert(command.end(), {"/usr/bin/prlimit", "--nproc=" + std::to_string(processes), "--"});
    command.insert(command.end(), argv.begin(), argv.end());
    return command;
}

} // namespace kf
