// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/forker.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

namespace kf {
namespace {

constexpr const char* kStages[] = {"set up signals",      "die with its parent", "start a session", "enter its folder",
                                   "arrange descriptors", "set its limits",      "be executed"};
enum Stage { stage_signals, stage_parent, stage_session, stage_folder, stage_fds, stage_limits, stage_exec };

struct Report {
    int stage;
    int number;
};

// Raw pointers into the plan, so that the child touches no container that might allocate.
struct Prepared {
    std::vector<char*> argv;
    std::vector<char*> env;
    std::vector<int> scratch; // one slot a descriptor
    int report_fd;
    pid_t parent;
};

[[noreturn]] void fail(const Prepared& prepared, int report_fd, Stage stage) {
    const Report report{stage, errno};
    (void)!write(report_fd, &report, sizeof report);
    (void)prepared;
    _exit(127);
}

// Runs in the child between fork and exec: async-signal-safe calls only.
[[noreturn]] void run_child(const ForkPlan& plan, Prepared& prepared) {
    int report_fd = prepared.report_fd;
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigaction(signal, &action, nullptr); // SIGKILL, SIGSTOP and libc's own refuse, rightly
    }
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0)
        fail(prepared, report_fd, stage_signals);
    if (prctl(PR_SET_PDEATHSIG, plan.death_signal) != 0)
        fail(prepared, report_fd, stage_parent);
    if (getppid() != prepared.parent) // it died before the prctl: nobody would ever kill us
        _exit(127);
    if (plan.new_session && setsid() < 0)
        fail(prepared, report_fd, stage_session);
    if (!plan.cwd.empty() && chdir(plan.cwd.c_str()) != 0)
        fail(prepared, report_fd, stage_folder);

    // All sources move out of the way of the targets first, then every target is filled.
    const int count = static_cast<int>(plan.fds.size());
    const int base = count + 8;
    report_fd = fcntl(report_fd, F_DUPFD_CLOEXEC, base);
    if (report_fd < 0)
        fail(prepared, prepared.report_fd, stage_fds);
    for (int i = 0; i < count; ++i) {
        prepared.scratch[static_cast<std::size_t>(i)] =
            fcntl(plan.fds[static_cast<std::size_t>(i)], F_DUPFD_CLOEXEC, base);
        if (prepared.scratch[static_cast<std::size_t>(i)] < 0)
            fail(prepared, report_fd, stage_fds);
    }
    for (int i = 0; i < count; ++i)
        if (dup2(prepared.scratch[static_cast<std::size_t>(i)], i) < 0)
            fail(prepared, report_fd, stage_fds);
    if (syscall(SYS_close_range, static_cast<unsigned>(count), ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0) {
        rlimit limit{}; // before Linux 5.11
        getrlimit(RLIMIT_NOFILE, &limit);
        const int end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 65536));
        for (int fd = count; fd < end; ++fd)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    for (const auto& [resource, value] : plan.limits) {
        rlimit old{};
        getrlimit(static_cast<__rlimit_resource_t>(resource), &old);
        const rlim_t wanted = std::min<rlim_t>(value, old.rlim_max);
        const rlimit limit{wanted, wanted};
        if (setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0)
            fail(prepared, report_fd, stage_limits);
    }
    execve(prepared.argv[0], prepared.argv.data(), prepared.env.data());
    fail(prepared, report_fd, stage_exec);
}

Result<ForkResult> fork_and_exec(const ForkPlan& plan) {
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return make_error("spawn-failed", std::string("cannot create a pipe: ") + std::strerror(errno));
    UniqueFd reader(pipe_ends[0]);
    UniqueFd writer(pipe_ends[1]);

    Prepared prepared;
    for (const std::string& text : plan.argv)
        prepared.argv.push_back(const_cast<char*>(text.c_str()));
    prepared.argv.push_back(nullptr);
    for (const std::string& text : plan.env)
        prepared.env.push_back(const_cast<char*>(text.c_str()));
    prepared.env.push_back(nullptr);
    prepared.scratch.resize(plan.fds.size());
    prepared.report_fd = writer.get();
    prepared.parent = getpid();

    // This thread blocks all signals, so that no handler of ours runs in the child before it has reset them.
    const pid_t pid = fork();
    if (pid == 0)
        run_child(plan, prepared);
    const int fork_error = errno;
    if (pid < 0)
        return make_error("spawn-failed", std::string("cannot fork: ") + std::strerror(fork_error));
    writer.reset();

    Report report{};
    ssize_t n = 0;
    do
        n = read(reader.get(), &report, sizeof report);
    while (n < 0 && errno == EINTR);
    if (n == static_cast<ssize_t>(sizeof report)) {
        waitpid(pid, nullptr, 0);
        const bool missing = report.stage == stage_exec && (report.number == ENOENT || report.number == EACCES);
        return make_error(missing ? "program-missing" : "spawn-failed",
                          "'" + plan.argv[0] + "' cannot " + kStages[report.stage] + ": " +
                              std::strerror(report.number),
                          report.stage == stage_folder ? "give a folder that exists: " + plan.cwd : std::string());
    }
    ForkResult result;
    result.pid = pid;
    result.pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!result.pidfd) {
        const int number = errno;
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
        return make_error("spawn-failed", std::string("cannot watch the child: ") + std::strerror(number),
                          "Linux 5.3 or newer is needed");
    }
    return result;
}

} // namespace

Forker& Forker::instance() {
    static std::mutex mutex;
    static Forker* forker = nullptr; // never destroyed: its thread must outlive every child
    const std::scoped_lock lock(mutex);
    if (!forker || forker->m_owner != getpid()) // threads do not survive a fork without exec
        forker = new Forker;
    return *forker;
}

Forker::Forker() : m_owner(getpid()) {
    // Orphaned grandchildren come to us, so that Child can find and end them.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::thread([this] { work(); }).detach();
}

void Forker::work() {
    pthread_setname_np(pthread_self(), "forker");
    sigset_t all;
    sigfillset(&all); // handlers of the program run in its other threads
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (;;) {
        Job* job = nullptr;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return !m_jobs.empty(); });
            job = m_jobs.front();
            m_jobs.pop_front();
        }
        // The job lives on the asker's stack and is gone once the promise is kept.
        std::promise<Result<ForkResult>> answer = std::move(job->answer);
        answer.set_value(fork_and_exec(*job->plan));
    }
}

Result<ForkResult> Forker::start(const ForkPlan& plan) {
    Job job{&plan, {}};
    std::future<Result<ForkResult>> answer = job.answer.get_future();
    {
        const std::scoped_lock lock(m_mutex);
        m_jobs.push_back(&job);
    }
    m_wake.notify_one();
    return answer.get();
}

} // namespace kf
