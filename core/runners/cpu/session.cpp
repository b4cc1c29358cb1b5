// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/session.h"

#include "core/base/files.h"
#include "core/runners/cpu/abi.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace kf {
namespace fs = std::filesystem;
namespace {

using Kind = CpuRunStatus::Kind;

constexpr std::size_t kLineLimit = std::size_t{4} << 20;
constexpr auto kTick = std::chrono::milliseconds(20);
constexpr const char* kWork = "/kf/work";
constexpr const char* kProgram = "/kf/bin/runner";

std::string mode_program(CpuMode mode) {
    return mode == CpuMode::plain ? "kf-cpu" : std::string("kf-cpu-") + to_string(mode);
}

std::optional<std::array<std::int64_t, 3>> read_index(const Json& value) {
    if (!value.is_array() || value.size() != 3)
        return std::nullopt;
    std::array<std::int64_t, 3> index{};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!value[i].is_number_integer())
            return std::nullopt;
        index[i] = value[i].get<std::int64_t>();
    }
    return index;
}

// Text from the other side is shown to people: no control characters, bounded.
std::string clean(std::string text) {
    if (text.size() > 4096)
        text.resize(4096);
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
            c = '?';
    return text;
}

void set_nonblocking(int fd) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

} // namespace

const char* to_string(CpuRunStatus::Kind kind) {
    switch (kind) {
    case Kind::ok:
        return "ok";
    case Kind::failed:
        return "failed";
    case Kind::sanitizer:
        return "sanitizer";
    case Kind::sandbox:
        return "sandbox-violation";
    case Kind::crash:
        return "crash";
    case Kind::exited:
        return "exited";
    case Kind::timeout:
        return "timeout";
    case Kind::flood:
        return "flood";
    case Kind::memory:
        return "memory";
    case Kind::lost:
        return "lost";
    case Kind::protocol:
        return "protocol";
    case Kind::cancelled:
        return "cancelled";
    }
    return "protocol";
}

CpuSession::~CpuSession() {
    if (m_child.running())
        m_child.kill_now();
    std::error_code ignored;
    if (!m_work.empty())
        fs::remove_all(m_work, ignored);
}

Result<std::unique_ptr<CpuSession>> CpuSession::start(const CpuSessionSpec& spec) {
    std::unique_ptr<CpuSession> session(new CpuSession(spec));
    if (const Status status = session->launch(); !status)
        return status.error();
    return session;
}

Status CpuSession::launch() {
    const SteadyTime start = std::chrono::steady_clock::now();
    m_sandboxed = probe_sandbox().available;
    if (!m_sandboxed && !m_spec.trusted)
        return make_error("sandbox-unavailable",
                          "a model's candidate is run only inside a sandbox: " + probe_sandbox().reason,
                          probe_sandbox().remedy);
    const fs::path program = m_spec.program.empty() ? program_path(mode_program(m_spec.mode)) : m_spec.program;
    std::error_code error;
    if (!fs::is_regular_file(program, error))
        return make_error("program-missing", "the runner of the CPU device is not there: " + program.string(),
                          "build or install " + mode_program(m_spec.mode));
    Result<fs::path> work = make_private_folder("kernelforge-cpu-");
    if (!work)
        return work.error();
    m_work = *work;
    if (m_spec.mode != CpuMode::plain) { // reports are long
        m_spec.error_tail = std::max<std::size_t>(m_spec.error_tail, std::size_t{512} << 10);
        m_spec.error_limit = std::max<std::size_t>(m_spec.error_limit, std::size_t{8} << 20);
    }
    Result<MemoryFile> arena = MemoryFile::create("kernelforge-arena", 0);
    if (!arena)
        return arena.error();
    m_arena = *std::move(arena);
    if (const Status status = m_arena.seal_shrink(); !status)
        return status;
    Result<std::pair<UniqueFd, UniqueFd>> sockets = make_socket_pair();
    if (!sockets)
        return sockets.error();
    m_channel = std::move(sockets->first);

    ChildSpec child;
    child.argv = {m_sandboxed ? std::string(kProgram) : fs::absolute(program, error).string()};
    child.fds = {sockets->second.get(), m_arena.fd()};
    child.env["LC_ALL"] = "C";
    if (m_spec.mode == CpuMode::asan)
        child.env["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=0:exitcode=103:color=never:symbolize=1:"
                                    "allocator_may_return_null=1:allow_user_segv_handler=1:strip_path_prefix=/kf/work/";
    if (m_spec.mode == CpuMode::tsan)
        child.env["TSAN_OPTIONS"] = "exitcode=0:halt_on_error=0:color=never:report_signal_unsafe=0:"
                                    "report_thread_leaks=0:history_size=4:strip_path_prefix=/kf/work/";
    // ThreadSanitizer writes a page of markers to a temporary file when it starts; the plain program writes none.
    child.limits.file_size = m_spec.mode == CpuMode::plain ? 0 : 1 << 20;
    child.limits.open_files = 256;
    child.limits.processes = 32;
    m_candidate_path = (m_work / "candidate.so").string();
    if (m_sandboxed) {
        child.sandbox.emplace();
        child.sandbox->tmp_bytes = 1 << 20;
        child.sandbox->shm_bytes = 1 << 20;
        child.sandbox->binds = {{fs::canonical(program, error), kProgram, false}, {m_work, kWork, false}};
        for (const fs::path& library : m_spec.libraries)
            child.sandbox->binds.push_back({library, {}, false});
        m_candidate_path = std::string(kWork) + "/candidate.so";
    }
    Result<Child> started = Child::start(child);
    if (!started)
        return started.error();
    m_child = *std::move(started);
    m_output = m_child.take_output();
    m_error = m_child.take_error();
    for (const int fd : {m_output.get(), m_error.get(), m_channel.get()})
        set_nonblocking(fd);
    sockets->second.reset(); // or the channel would never end

    const Reply hello = receive(after(std::chrono::duration<double>(m_spec.start_seconds)), {}, start);
    if (!hello.status.ok() || get_string(hello.json, "op") != "ready")
        return make_error("runner-start",
                          "the runner did not come up: " +
                              (hello.status.ok() ? std::string("it said something else") : hello.status.message) +
                              (m_tail.empty() ? "" : ": " + clean(m_tail.substr(0, m_tail.find('\n')))),
                          "check the installation of " + mode_program(m_spec.mode));
    if (get_int(hello.json, "abi") != KF_CPU_ABI_VERSION)
        return make_error("runner-start",
                          "the runner speaks version " + std::to_string(get_int(hello.json, "abi")) +
                              " of the protocol instead of " + std::to_string(KF_CPU_ABI_VERSION),
                          "install programs of one build");
    m_start_seconds = hello.seconds;
    return {};
}

std::uint64_t CpuSession::memory_limit() const {
    constexpr std::uint64_t gib = std::uint64_t{1} << 30;
    // The sanitizers keep shadow memory: an eighth of what is touched (asan), four times as much (tsan).
    const std::uint64_t factor = m_spec.mode == CpuMode::tsan ? 6 : m_spec.mode == CpuMode::asan ? 2 : 1;
    const std::uint64_t own = m_spec.memory_bytes > 0         ? m_spec.memory_bytes
                              : m_spec.mode == CpuMode::plain ? gib
                                                              : 3 * gib;
    return own + factor * m_arena_bytes;
}

bool CpuSession::send_line(const std::string& line, SteadyTime deadline) {
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t n = send(m_channel.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            rest.remove_prefix(static_cast<std::size_t>(n));
        else if (n < 0 && errno == EAGAIN) {
            if (!poll_until(m_channel.get(), POLLOUT, deadline))
                return false;
        } else if (n < 0 && errno != EINTR) {
            return false; // the other side is gone; receive() finds out how it ended
        }
    }
    return true;
}

// False at the end of the stream.
bool CpuSession::read_channel() {
    char chunk[16384];
    while (m_buffer.size() <= kLineLimit) {
        const ssize_t n = recv(m_channel.get(), chunk, sizeof chunk, MSG_DONTWAIT);
        if (n > 0) {
            m_buffer.append(chunk, static_cast<std::size_t>(n));
            if (static_cast<std::size_t>(n) < sizeof chunk)
                return true;
        } else if (n == 0) {
            return false;
        } else if (errno != EINTR) {
            return errno == EAGAIN;
        }
    }
    return true;
}

void CpuSession::read_outputs() {
    for (UniqueFd* fd : {&m_output, &m_error}) {
        char chunk[16384];
        // Stops beyond the limit: the flood is killed then.
        while (*fd && m_written <= m_spec.error_limit) {
            const ssize_t n = read(fd->get(), chunk, sizeof chunk);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0 && errno == EAGAIN)
                break;
            if (n <= 0) {
                fd->reset();
                break;
            }
            m_written += static_cast<std::size_t>(n);
            m_tail.append(chunk, static_cast<std::size_t>(n));
            if (m_tail.size() > 2 * m_spec.error_tail)
                m_tail.erase(0, m_tail.size() - m_spec.error_tail);
        }
    }
}

CpuSession::Reply CpuSession::exchange(const Json& request, SteadyTime deadline,
                                       const std::function<bool()>& cancelled) {
    if (!m_child.running())
        return {{}, broken(Kind::protocol, "the runner is gone"), 0};
    // Nothing may lie in the channel before an order: an answer in advance is a forged one.
    read_channel();
    if (!m_buffer.empty())
        return {{}, broken(Kind::protocol, "the runner answered without being asked"), 0};
    const std::string line = dump_line(request) + "\n";
    const SteadyTime start = std::chrono::steady_clock::now();
    if (!send_line(line, deadline) && std::chrono::steady_clock::now() >= deadline)
        return {{}, broken(Kind::timeout, "the runner did not take the order in time"), 0};
    return receive(deadline, cancelled, start);
}

CpuSession::Reply CpuSession::receive(SteadyTime deadline, const std::function<bool()>& cancelled, SteadyTime started) {
    SteadyTime next_look = started + kTick;
    for (;;) {
        const std::size_t end = m_buffer.find('\n');
        if (end != std::string::npos) {
            Reply reply;
            reply.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
            const std::string line = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            Result<Json> json = parse_json(line, "runner", kLineLimit);
            read_outputs();
            if (!json || !json->is_object())
                return {{}, broken(Kind::protocol, "the runner's answer is no JSON object"), reply.seconds};
            if (m_written > m_spec.error_limit)
                return {{},
                        broken(Kind::flood,
                               "the candidate printed more than " + std::to_string(m_spec.error_limit >> 10) + " KiB"),
                        reply.seconds};
            reply.json = *std::move(json);
            return reply;
        }
        if (m_buffer.size() > kLineLimit)
            return {{}, broken(Kind::protocol, "the runner's answer has no end"), 0};
        pollfd entries[4];
        std::size_t count = 0;
        entries[count++] = {m_channel.get(), POLLIN, 0};
        entries[count++] = {m_child.pidfd(), POLLIN, 0};
        for (const UniqueFd* fd : {&m_output, &m_error})
            if (*fd)
                entries[count++] = {fd->get(), POLLIN, 0};
        poll_until(std::span(entries, count), std::min(deadline, next_look));
        const bool open = read_channel();
        if (m_buffer.find('\n') != std::string::npos)
            continue;
        read_outputs();
        if (m_written > m_spec.error_limit)
            return {{},
                    broken(Kind::flood,
                           "the candidate printed more than " + std::to_string(m_spec.error_limit >> 10) + " KiB"),
                    0};
        const SteadyTime now = std::chrono::steady_clock::now();
        const double seconds = std::chrono::duration<double>(now - started).count();
        if (!open || m_child.wait(started))
            return {{}, ended(), seconds};
        if (now >= deadline)
            return {{}, broken(Kind::timeout, "no end within the time limit"), seconds};
        if (now < next_look)
            continue;
        next_look = now + kTick;
        if (cancelled && cancelled())
            return {{}, broken(Kind::cancelled, "cancelled"), seconds};
        // Memory files that nobody maps show in no process's resident size.
        const std::uint64_t bytes = std::max(m_child.resident_bytes(), m_arena.allocated_bytes());
        if (bytes > memory_limit())
            return {{},
                    broken(Kind::memory, "more than " + std::to_string(memory_limit() >> 20) + " MiB of memory"),
                    seconds};
    }
}

// Kills the process and says why.
CpuRunStatus CpuSession::broken(Kind kind, std::string message) {
    m_child.kill_now();
    read_outputs();
    CpuRunStatus status;
    status.kind = kind;
    status.message = std::move(message);
    return status;
}

// The process has ended, or closed its channel, without an answer.
CpuRunStatus CpuSession::ended() {
    const std::optional<ExitStatus> exit = m_child.wait(after(std::chrono::seconds(1)));
    read_outputs();
    if (!exit)
        return broken(Kind::protocol, "the runner closed its channel");
    CpuRunStatus status;
    status.exit_code = exit->exit_code;
    if (exit->signal == SIGKILL) {
        // Nobody here killed it, and a candidate cannot: the kernel did, for want of memory, or somebody else.
        status.kind = Kind::lost;
        status.message =
            "the process was killed from outside (SIGKILL): by somebody, or by the system for want of memory";
    } else if (exit->signal != 0) {
        status.kind = Kind::crash;
        status.signal = std::string("SIG") + (sigabbrev_np(exit->signal) ? sigabbrev_np(exit->signal) : "?");
        status.message = std::string("the process crashed: ") + strsignal(exit->signal);
    } else {
        status.kind = Kind::exited;
        status.message = "the process ended by itself with exit code " + std::to_string(exit->exit_code);
    }
    return status;
}

// An answer of the runner as a status.
CpuRunStatus CpuSession::status_of(const Json& reply) {
    CpuRunStatus status;
    if (get_bool(reply, "ok")) {
        if (get_int(reply, "reports") > 0)
            status.kind = Kind::sanitizer;
        return status;
    }
    status.status = clean(get_string(reply, "status"));
    status.message = clean(get_string(reply, "message"));
    status.kernel = static_cast<int>(std::clamp<std::int64_t>(get_int(reply, "kernel", -1), -1, 1 << 20));
    status.step = static_cast<int>(std::clamp<std::int64_t>(get_int(reply, "step", -1), -1, 1 << 20));
    status.line = static_cast<int>(std::clamp<std::int64_t>(get_int(reply, "line"), 0, 1 << 30));
    status.block = read_index(get_member(reply, "block"));
    status.thread = read_index(get_member(reply, "thread"));
    if (status.status == "sandbox") {
        status.kind = Kind::sandbox;
        status.syscall = clean(get_string(reply, "syscall"));
        if (status.message.empty())
            status.message = "the candidate tried the system call " + status.syscall;
    } else if (status.status == "crash") {
        status.kind = Kind::crash;
        status.signal = clean(get_string(reply, "signal"));
        status.address = clean(get_string(reply, "address"));
    } else if (status.status == "sanitizer") {
        status.kind = Kind::sanitizer;
    } else if (status.status == "protocol" || status.status.empty()) {
        return broken(Kind::protocol, "the runner refused the order: " + status.message);
    } else {
        status.kind = Kind::failed;
        return status;
    }
    // It is about to end; what it still writes belongs to the report.
    if (const std::optional<ExitStatus> exit = m_child.wait(after(std::chrono::seconds(10))))
        status.exit_code = exit->exit_code;
    else
        m_child.kill_now();
    read_outputs();
    return status;
}

void CpuSession::add_reports(CpuRunStatus& status) {
    if (m_tail.size() > m_spec.error_tail)
        m_tail.erase(0, m_tail.size() - m_spec.error_tail);
    status.error_tail = m_tail;
    if (m_spec.mode == CpuMode::plain || status.kind == Kind::ok)
        return;
    status.reports = parse_sanitizer_output(m_tail, m_file_name);
    if (m_spec.mode == CpuMode::tsan) {
        // A race without a line of the candidate's is one of the runner's own bookkeeping between fibres.
        std::erase_if(status.reports, [](const SanitizerReport& report) { return report.place.line == 0; });
        if (status.kind == Kind::sanitizer && status.reports.empty() && m_child.running())
            status.kind = Kind::ok;
    }
    // A sanitizer that ends the process without a last word: its report is what matters.
    if (status.kind == Kind::exited && !status.reports.empty())
        status.kind = Kind::sanitizer;
    if (status.kind != Kind::sanitizer || status.reports.empty())
        return;
    status.message = status.reports.front().message;
    if (status.line == 0)
        status.line = status.reports.front().place.line;
}

Result<std::vector<CpuKernel>> CpuSession::load(const CpuBinary& binary, const std::string& file_name) {
    if (m_loaded)
        return make_error("runner-order", "a session loads one candidate", "start another session");
    if (binary.mode != m_spec.mode)
        return make_error("runner-order", std::string("an object made for ") + to_string(binary.mode) +
                                              " does not run in the " + to_string(m_spec.mode) + " program");
    m_loaded = true;
    m_file_name = file_name;
    if (const Status status = write_file_atomic(m_work / "candidate.so", binary.object); !status)
        return status.error();
    Reply reply = exchange({{"op", "load"}, {"path", m_candidate_path}},
                           after(std::chrono::duration<double>(m_spec.reply_seconds)), {});
    m_load_status = reply.status.ok() ? status_of(reply.json) : reply.status;
    add_reports(m_load_status);
    if (!m_load_status.ok())
        return make_error("candidate-load", "the candidate cannot be loaded: " + m_load_status.message, {},
                          Place{file_name, 0, 0});
    std::vector<CpuKernel> kernels;
    for (const Json& kernel : get_member(reply.json, "kernels"))
        kernels.push_back({get_string(kernel, "expression"), get_string(kernel, "signature"),
                           static_cast<int>(get_int(kernel, "args"))});
    return kernels;
}

// An order whose refusal is a mistake of ours or of the installation, not the candidate's.
Status CpuSession::order(const Json& request, const char* what) {
    const Reply reply = exchange(request, after(std::chrono::duration<double>(m_spec.reply_seconds)), {});
    if (!reply.status.ok())
        return make_error("runner-lost", std::string("the runner failed to ") + what + ": " + reply.status.message);
    if (!get_bool(reply.json, "ok"))
        return make_error("runner-order", std::string("the runner refused to ") + what + ": " +
                                              clean(get_string(reply.json, "message")));
    return {};
}

Status CpuSession::set_arena(std::uint64_t bytes) {
    if (bytes == 0 || bytes > m_spec.arena_limit)
        return make_error("arena-limit", "an arena of " + std::to_string(bytes) + " bytes is not possible; at most " +
                                             std::to_string(m_spec.arena_limit) + " bytes are");
    constexpr std::uint64_t page = 4096;
    const std::uint64_t size = (bytes + page - 1) / page * page;
    if (size > m_arena.size())
        if (const Status status = m_arena.resize(size); !status)
            return status;
    if (const Result<std::span<std::byte>> mapped = m_arena.map(); !mapped)
        return mapped.error();
    m_arena_bytes = bytes;
    return order({{"op", "arena"}, {"bytes", std::to_string(size)}}, "map the arena");
}

Status CpuSession::set_poison(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges) {
    Json list = Json::array();
    for (const auto& [offset, bytes] : ranges)
        list.push_back({std::to_string(offset), std::to_string(bytes)});
    return order({{"op", "poison"}, {"ranges", std::move(list)}}, "set guard zones");
}

Status CpuSession::set_plan(const std::vector<CpuStep>& steps) {
    return order({{"op", "plan"}, {"steps", to_json(steps)}}, "take the plan");
}

CpuRunStatus CpuSession::run(std::uint64_t seed, std::uint64_t repeat, SteadyTime deadline,
                             const std::function<bool()>& cancelled) {
    // A fresh child for every run, forked before the clock starts: what a call leaves in its process is gone with it.
    const Reply armed = exchange({{"op", "arm"}}, deadline, cancelled);
    CpuRunStatus ready = armed.status.ok() ? status_of(armed.json) : armed.status;
    if (!ready.ok()) {
        add_reports(ready);
        return ready;
    }
    const Reply reply =
        exchange({{"op", "run"}, {"seed", std::to_string(seed)}, {"repeat", repeat}}, deadline, cancelled);
    CpuRunStatus status = reply.status.ok() ? status_of(reply.json) : reply.status;
    status.seconds = reply.seconds;
    add_reports(status);
    return status;
}

Result<double> CpuSession::measure_floor(int samples) {
    double best = 0;
    for (int i = 0; i < std::max(samples, 1); ++i) {
        const CpuRunStatus status = run(0, 0, after(std::chrono::duration<double>(m_spec.reply_seconds)));
        if (!status.ok())
            return make_error("runner-lost", "the runner failed to do nothing: " + status.message);
        best = i == 0 ? status.seconds : std::min(best, status.seconds);
    }
    return best;
}

} // namespace kf
