// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/runner.h"

#include "app/kf-cpu/confine.h"
#include "app/kf-cpu/crash.h"
#include "app/kf-cpu/variant.h"
#include "app/kf-cpu/wire.h"
#include "core/base/random.h"
#include "core/runners/cpu/runtime/scheduler.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kf::cpu {

namespace {

// A place that no library is mapped to: below the range in which the kernel puts mappings, and inside the range that
// ThreadSanitizer allows applications.
char* const arena_address = reinterpret_cast<char*>(0x7e9000000000ull);

Json refused(const std::string& status, const std::string& message) {
    return Json{{"ok", false}, {"status", status}, {"message", message}};
}
Json refused(const Error& error) {
    return refused(error.code, to_string(error));
}

void fill(char* to, std::uint64_t bytes, std::uint64_t pattern, unsigned int element) {
    for (std::uint64_t i = 0; i < bytes; i += element)
        std::memcpy(to + i, &pattern, element);
}

Json array_of(const Index3& index) {
    return Json::array({index[0], index[1], index[2]});
}

} // namespace

Runner::~Runner() {
    if (m_arena != nullptr)
        munmap(m_arena, m_arena_bytes);
}

void Runner::serve() {
    m_channel.write(Json{{"op", "ready"}, {"abi", KF_CPU_ABI_VERSION}, {"variant", variant_name()}});
    while (const std::optional<std::string> line = m_channel.read_line()) {
        const Result<Json> request = parse_json(*line, "channel");
        if (!request || !request->is_object()) {
            m_channel.write(refused("protocol", "a request must be one JSON object a line"));
            continue;
        }
        const std::string op = get_string(*request, "op");
        if (op == "quit") {
            m_channel.write(Json{{"ok", true}});
            return;
        }
        const std::optional<Json> answer = handle(op, *request);
        if (answer && !m_channel.write(*answer))
            return;
        if (m_is_child && op == "run")
            end_process(get_bool(*answer, "ok") ? exit_run_done : exit_run_failed);
    }
}

namespace {

void wait_once(void**) {
    Scheduler::instance().barrier(BarrierKind::Plain, false, 1);
}

} // namespace

// What a first run would spend on memory for stacks belongs to no candidate's time.
void Runner::touch_stacks() {
    for (const Step& step : m_plan)
        if (const auto* launch_step = std::get_if<LaunchStep>(&step)) {
            Launch launch;
            launch.kernel = {"warm-up", "FvvE", wait_once, 0};
            launch.block = launch_step->block;
            (void)Scheduler::instance().launch(launch);
        }
}

std::optional<Json> Runner::arm() {
    if (variant() != Variant::Plain)
        return Json{{"ok", true}}; // a sanitizer's process serves one case and is not timed
    if (m_is_child)
        return refused("protocol", "arm comes once for each run");
    if (Status status = check_plan(m_plan, m_module.kernels(), m_arena_bytes); !status)
        return refused(status.error());
    const pid_t child = fork();
    if (child < 0)
        return refused("arm", std::string("no process for the run: ") + std::strerror(errno));
    if (child == 0) {
        m_is_child = true;
        if (Status status = confine_run(); !status)
            return refused(status.error());
        touch_stacks();
        return Json{{"ok", true}};
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && (WEXITSTATUS(status) == exit_run_done || WEXITSTATUS(status) == exit_run_failed))
        return std::nullopt; // it has answered
    // However it ended otherwise, this process ends the same way: that is what its owner sees.
    if (WIFEXITED(status))
        end_process(WEXITSTATUS(status));
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    end_process(exit_crash);
}

std::optional<Json> Runner::handle(const std::string& op, const Json& request) {
    if (op == "load")
        return load(request);
    if (op == "arena")
        return map_arena(request);
    if (op == "poison")
        return poison(request);
    if (op == "plan")
        return set_plan(request);
    if (op == "arm")
        return arm();
    if (op == "run")
        return variant() == Variant::Plain && !m_is_child ? refused("protocol", "run comes after arm") : run(request);
    return refused("protocol", "unknown operation \"" + op + "\"");
}

Json Runner::load(const Json& request) {
    if (m_load_tried)
        return refused("protocol", "a process loads one candidate; start another one");
    m_load_tried = true;
    Result<Module> module = Module::load(get_string(request, "path"), variant() == Variant::Asan);
    if (!module)
        return refused(module.error());
    m_module = std::move(module).value();
    set_sealed_module(&m_module);
    Scheduler::instance().set_module(&m_module);
    if (Status status = confine_waiting(); !status)
        return refused(status.error());
    Json kernels = Json::array();
    for (const KfKernel& kernel : m_module.kernels())
        kernels.push_back(
            {{"expression", kernel.expression}, {"signature", kernel.signature}, {"args", kernel.arg_count}});
    return Json{{"ok", true}, {"kernels", std::move(kernels)}};
}

Json Runner::map_arena(const Json& request) {
    const std::optional<std::uint64_t> bytes = to_u64(get_member(request, "bytes"));
    constexpr std::uint64_t limit = std::uint64_t{1} << 38;
    if (!bytes || *bytes == 0 || *bytes > limit)
        return refused("protocol", "arena needs bytes, from 1 to 2^38");
    // Touching a page beyond the end of the file would be a crash that looks like the candidate's.
    struct stat info {};
    if (fstat(arena_fd, &info) != 0 || static_cast<std::uint64_t>(info.st_size) < *bytes)
        return refused("arena", "descriptor 4 holds fewer than " + std::to_string(*bytes) + " bytes");
    if (m_arena != nullptr) {
        unpoison_arena(m_arena, m_arena_bytes);
        munmap(m_arena, m_arena_bytes);
        m_arena = nullptr;
    }
    void* memory = mmap(arena_address, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, arena_fd, 0);
    if (memory == MAP_FAILED)
        memory = mmap(nullptr, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena_fd, 0);
    if (memory == MAP_FAILED)
        return refused("arena",
                       "the arena of " + std::to_string(*bytes) + " bytes cannot be mapped: " + std::strerror(errno));
    m_arena = static_cast<char*>(memory);
    m_arena_bytes = *bytes;
    return Json{{"ok", true}};
}

Json Runner::poison(const Json& request) {
    if (m_arena == nullptr)
        return refused("protocol", "poison needs an arena");
    const Json& ranges = get_member(request, "ranges");
    std::vector<std::pair<std::uint64_t, std::uint64_t>> checked;
    for (const Json& range : ranges) {
        const auto offset = range.is_array() && range.size() == 2 ? to_u64(range[0]) : std::nullopt;
        const auto bytes = range.is_array() && range.size() == 2 ? to_u64(range[1]) : std::nullopt;
        if (!offset || !bytes || *offset > m_arena_bytes || *bytes > m_arena_bytes - *offset)
            return refused("protocol", "ranges are pairs of offset and bytes inside the arena");
        checked.emplace_back(*offset, *bytes);
    }
    unpoison_arena(m_arena, m_arena_bytes);
    for (const auto& [offset, bytes] : checked) {
        if (!poison_arena(m_arena + offset, bytes))
            return refused("protocol", std::string("the ") + variant_name() + " program cannot poison memory");
    }
    return Json{{"ok", true}};
}

Json Runner::set_plan(const Json& request) {
    Result<std::vector<Step>> plan = parse_plan(get_member(request, "steps"));
    if (!plan)
        return refused(plan.error());
    m_plan = std::move(plan).value();
    return Json{{"ok", true}};
}

std::optional<Json> Runner::run_launch(const LaunchStep& step, std::uint64_t seed) {
    std::vector<std::uint64_t> values;
    values.reserve(step.arguments.size());
    for (const Argument& argument : step.arguments)
        values.push_back(argument.pointer ? reinterpret_cast<std::uint64_t>(m_arena) + argument.bits : argument.bits);
    std::vector<void*> pointers;
    pointers.reserve(values.size());
    for (std::uint64_t& value : values)
        pointers.push_back(&value);
    Launch launch;
    launch.kernel = m_module.kernels()[step.kernel];
    launch.grid = step.grid;
    launch.block = step.block;
    launch.shared_bytes = step.shared_bytes;
    launch.cooperative = step.cooperative;
    launch.args = pointers.data();
    launch.seed = seed;
    set_running_kernel(static_cast<int>(step.kernel));
    const std::optional<Failure> failure = Scheduler::instance().launch(launch);
    set_running_kernel(-1);
    if (!failure)
        return std::nullopt;
    Json reply = refused(failure->status, failure->message);
    reply["kernel"] = step.kernel;
    if (failure->block)
        reply["block"] = array_of(*failure->block);
    if (failure->thread)
        reply["thread"] = array_of(*failure->thread);
    if (failure->line > 0)
        reply["line"] = failure->line;
    return reply;
}

Json Runner::run(const Json& request) {
    const std::optional<std::uint64_t> seed = to_u64(get_member(request, "seed"));
    const std::uint64_t repeat = to_u64(get_member(request, "repeat")).value_or(1);
    if (!seed)
        return refused("protocol", "run needs a seed");
    if (const auto idle = to_u64(get_member(request, "idle_yields")))
        Scheduler::instance().limits().idle_yields = *idle;
    if (Status status = check_plan(m_plan, m_module.kernels(), m_arena_bytes); !status)
        return refused(status.error());
    SplitMix64 seeds(*seed);
    const unsigned int reports = sanitizer_reports();
    for (std::uint64_t i = 0; i < repeat; ++i) {
        for (std::size_t number = 0; number < m_plan.size(); ++number) {
            const Step& step = m_plan[number];
            if (const auto* launch = std::get_if<LaunchStep>(&step)) {
                if (std::optional<Json> failure = run_launch(*launch, seeds.next())) {
                    (*failure)["step"] = number;
                    return *failure;
                }
            } else if (const auto* range = std::get_if<FillStep>(&step)) {
                fill(m_arena + range->offset, range->bytes, range->pattern, range->element_bytes);
            } else {
                run_gemm(std::get<Gemm>(step), m_arena);
            }
        }
    }
    Json reply{{"ok", true}};
    if (variant() == Variant::Tsan)
        reply["reports"] = sanitizer_reports() - reports;
    return reply;
}

} // namespace kf::cpu
