// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/child.h"

#include "core/base/random.h"
#include "core/process/environment.h"
#include "core/process/forker.h"
#include "core/process/memory_file.h"
#include "core/process/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>

namespace kf {
namespace fs = std::filesystem;
namespace {

Error missing_program(const std::string& name) {
    return make_error("program-missing", "the program '" + name + "' was not found",
                      name.find('/') == std::string::npos ? "install it, or put its folder on PATH"
                                                          : "check the path and that it may be executed");
}

bool is_program(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

Result<std::string> find_program(const std::string& name) {
    if (name.empty())
        return make_error("spawn-failed", "no program was given");
    if (name.find('/') != std::string::npos)
        return is_program(name) ? Result<std::string>(name) : Result<std::string>(missing_program(name));
    const char* path = std::getenv("PATH");
    std::string_view rest = path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
    while (true) {
        const std::size_t colon = rest.find(':');
        const fs::path folder = rest.substr(0, colon);
        // An empty or relative entry would mean the current folder: not for us.
        if (folder.is_absolute() && is_program(folder / name))
            return (folder / name).string();
        if (colon == std::string_view::npos)
            return missing_program(name);
        rest.remove_prefix(colon + 1);
    }
}

// Whether the path lies below something that the sandbox shows under another name, so that it cannot be checked
// outside.
bool is_bound(const SandboxSpec& sandbox, const std::string& path) {
    return std::any_of(sandbox.binds.begin(), sandbox.binds.end(), [&](const SandboxBind& bind) {
        return !bind.target.empty() && path.compare(0, bind.target.string().size(), bind.target.string()) == 0;
    });
}

struct Ends {
    UniqueFd ours;
    UniqueFd childs;
};

Result<Ends> open_null(int flags) {
    Ends ends;
    ends.childs.reset(open("/dev/null", flags | O_CLOEXEC));
    if (!ends.childs)
        return make_error("spawn-failed", std::string("cannot open /dev/null: ") + std::strerror(errno));
    return ends;
}

Result<Ends> make_pipe(bool child_reads) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return make_error("spawn-failed", std::string("cannot create a pipe: ") + std::strerror(errno));
    Ends ends;
    ends.ours.reset(fds[child_reads ? 1 : 0]);
    ends.childs.reset(fds[child_reads ? 0 : 1]);
    return ends;
}

Result<Ends> input_ends(ChildInput mode) {
    if (mode == ChildInput::null)
        return open_null(O_RDONLY);
    if (mode == ChildInput::pipe)
        return make_pipe(true);
    Result<std::pair<UniqueFd, UniqueFd>> sockets = make_socket_pair();
    if (!sockets)
        return sockets.error();
    return Ends{std::move(sockets->first), std::move(sockets->second)};
}

Result<Ends> output_ends(ChildOutput mode, int inherited) {
    if (mode == ChildOutput::pipe)
        return make_pipe(false);
    if (mode == ChildOutput::null)
        return open_null(O_WRONLY);
    Ends ends;
    ends.childs.reset(fcntl(inherited, F_DUPFD_CLOEXEC, 3));
    if (!ends.childs)
        return open_null(O_WRONLY); // our own descriptor is closed
    return ends;
}

std::vector<std::pair<int, std::uint64_t>> kernel_limits(const ChildSpec& spec) {
    std::vector<std::pair<int, std::uint64_t>> limits = {{RLIMIT_CORE, 0}};
    const auto add = [&](int resource, const std::optional<std::uint64_t>& value) {
        if (value)
            limits.emplace_back(resource, *value);
    };
    add(RLIMIT_AS, spec.limits.address_space);
    add(RLIMIT_CPU, spec.limits.cpu_seconds);
    add(RLIMIT_FSIZE, spec.limits.file_size);
    add(RLIMIT_NOFILE, spec.limits.open_files);
    if (!spec.sandbox)
        add(RLIMIT_NPROC, spec.limits.processes);
    return limits;
}

// The sessions that were started and not yet reaped.
class Sessions {
public:
    static Sessions& instance() {
        static Sessions* const sessions = new Sessions; // never destroyed: other threads may still end children
        return *sessions;
    }
    void add(pid_t pid) {
        const std::scoped_lock lock(m_mutex);
        m_pids.insert(pid);
    }
    // Before waitpid, while its number cannot be another's.
    void remove(pid_t pid) {
        const std::scoped_lock lock(m_mutex);
        m_pids.erase(pid);
    }
    void kill_all() {
        const std::scoped_lock lock(m_mutex);
        for (const pid_t pid : m_pids)
            ::kill(-pid, SIGKILL);
    }

private:
    std::mutex m_mutex;
    std::set<pid_t> m_pids;
};

ExitStatus decode(int status, bool sandboxed) {
    if (WIFSIGNALED(status))
        return {-1, WTERMSIG(status)};
    const int code = WEXITSTATUS(status);
    if (sandboxed && code > 128 && code < 128 + NSIG)
        return {-1, code - 128};
    return {code, 0};
}

} // namespace

Result<Child> Child::start(const ChildSpec& spec) {
    if (spec.argv.empty())
        return make_error("spawn-failed", "no program was given");
    Result<std::vector<std::string>> env = child_environment(spec);
    if (!env)
        return env.error();
    Child child;
    child.m_marker = std::string(child_mark_prefix) + random_id(16);
    env->push_back(child.m_marker + "=1");

    ForkPlan plan;
    plan.env = *std::move(env);
    plan.argv = spec.argv;
    if (spec.sandbox) {
        // Found here already, because inside bubblewrap would only print a line and exit with 1.
        if (!is_bound(*spec.sandbox, spec.argv[0]))
            if (const Result<std::string> inside = find_program(spec.argv[0]); !inside)
                return inside.error();
        Result<std::vector<std::string>> command =
            sandbox_command(*spec.sandbox, spec.argv, spec.cwd, spec.limits.processes.value_or(0));
        if (!command)
            return command.error();
        plan.argv = *std::move(command);
    }
    const Result<std::string> program = find_program(plan.argv[0]);
    if (!program)
        return program.error();
    plan.argv[0] = *program;
    plan.cwd = spec.sandbox || spec.cwd.empty() ? "/" : spec.cwd.string();
    plan.limits = kernel_limits(spec);
    plan.new_session = spec.new_session || spec.sandbox;
    plan.death_signal = spec.death_signal;

    Result<Ends> input = input_ends(spec.input);
    Result<Ends> output = output_ends(spec.output, STDOUT_FILENO);
    Result<Ends> error = output_ends(spec.error_output, STDERR_FILENO);
    for (const Result<Ends>* ends : {&input, &output, &error})
        if (!*ends)
            return ends->error();
    plan.fds = {input->childs.get(), output->childs.get(), error->childs.get()};
    plan.fds.insert(plan.fds.end(), spec.fds.begin(), spec.fds.end());

    Result<ForkResult> forked = Forker::instance().start(plan);
    if (!forked)
        return forked.error();
    child.m_pid = forked->pid;
    if (plan.new_session)
        Sessions::instance().add(child.m_pid);
    child.m_pidfd = std::move(forked->pidfd);
    child.m_input = std::move(input->ours);
    child.m_output = std::move(output->ours);
    child.m_error = std::move(error->ours);
    child.m_sandboxed = spec.sandbox.has_value();
    child.m_own_session = plan.new_session;
    return child;
}

Child::Child(Child&& other) noexcept {
    *this = std::move(other);
}

Child& Child::operator=(Child&& other) noexcept {
    if (this != &other) {
        if (running())
            kill_now();
        m_pid = std::exchange(other.m_pid, -1);
        m_pidfd = std::move(other.m_pidfd);
        m_input = std::move(other.m_input);
        m_output = std::move(other.m_output);
        m_error = std::move(other.m_error);
        m_marker = std::move(other.m_marker);
        m_status = other.m_status;
        m_sandboxed = other.m_sandboxed;
        m_own_session = other.m_own_session;
    }
    return *this;
}

Child::~Child() {
    if (running())
        kill_now();
}

std::optional<ExitStatus> Child::wait(SteadyTime deadline) {
    if (m_status)
        return m_status;
    if (m_pid <= 0 || !poll_until(m_pidfd.get(), POLLIN, deadline))
        return std::nullopt;
    return reap();
}

void Child::signal_all(int signal) const {
    if (signal == SIGKILL) {
        if (m_own_session)
            ::kill(-m_pid, SIGKILL);
        ::kill(m_pid, SIGKILL);
        return;
    }
    if (!m_sandboxed) {
        ::kill(m_own_session ? -m_pid : m_pid, signal);
        return;
    }
    // bubblewrap and the init of its PID namespace end everything at once when signalled; only the programs inside get
    // it.
    const std::vector<pid_t> tree = process_tree(m_pid);
    const std::vector<pid_t> inits = children_of(m_pid);
    for (const pid_t pid : tree)
        if (pid != m_pid && std::find(inits.begin(), inits.end(), pid) == inits.end())
            ::kill(pid, signal);
}

ExitStatus Child::terminate(std::chrono::duration<double> grace) {
    if (!running())
        return m_status.value_or(ExitStatus{});
    if (grace <= grace.zero())
        return kill_now();
    signal_all(SIGTERM);
    if (const std::optional<ExitStatus> status = wait(after(grace)))
        return *status;
    return kill_now();
}

ExitStatus Child::kill_now() {
    if (!running())
        return m_status.value_or(ExitStatus{});
    signal_all(SIGKILL);
    // SIGKILL cannot be refused; a process in an uninterruptible wait may take a moment.
    if (!poll_until(m_pidfd.get(), POLLIN, after(std::chrono::seconds(30)))) {
        m_status = ExitStatus{-1, SIGKILL};
        return *m_status;
    }
    return reap();
}

// The child is a zombie: its number, and so its session, cannot be reused until waitpid.
ExitStatus Child::reap() {
    if (m_own_session)
        ::kill(-m_pid, SIGKILL);
    sweep();
    if (m_own_session)
        Sessions::instance().remove(m_pid);
    int status = 0;
    pid_t n = 0;
    do
        n = waitpid(m_pid, &status, 0);
    while (n < 0 && errno == EINTR);
    m_status = n == m_pid ? decode(status, m_sandboxed) : ExitStatus{-1, SIGKILL};
    return *m_status;
}

// Ends and reaps orphans that came to us: those in the child's session, and those that left it but carry its mark, as
// all do that a child of ours started through this class.
void Child::sweep() const {
    const std::string mark = m_marker + "=1";
    const SteadyTime deadline = after(std::chrono::seconds(2));
    std::vector<pid_t> ours; // recognised before: a zombie has no environment to recognise it by
    for (;;) {
        bool found = false;
        for (const pid_t pid : children_of(getpid())) {
            if (pid == m_pid)
                continue;
            ProcessStat stat;
            if (!read_stat(pid, stat) || stat.parent != getpid())
                continue;
            const bool known = std::find(ours.begin(), ours.end(), pid) != ours.end();
            if (!known && !(m_own_session && stat.session == m_pid) && !has_environment(pid, mark))
                continue;
            if (!known)
                ours.push_back(pid);
            found = true;
            ::kill(pid, SIGKILL);
            waitpid(pid, nullptr, WNOHANG);
        }
        if (!found || std::chrono::steady_clock::now() >= deadline)
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void kill_all_children() {
    Sessions::instance().kill_all();
}

std::uint64_t Child::resident_bytes() const {
    return running() ? resident_bytes_of_tree(m_pid) : 0;
}

std::size_t Child::process_count() const {
    return running() ? process_tree(m_pid).size() : 0;
}

} // namespace kf
