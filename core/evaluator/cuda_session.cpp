// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cuda_session.h"

#include "core/base/files.h"
#include "core/task/inputs.h"
#include "core/verify/compare.h"

#include <algorithm>
#include <charconv>

namespace kf {
namespace {

constexpr double reply_seconds = 60; // of what is not the candidate's: transfers, comparisons

std::uint64_t number_of(const Json& text) {
    std::uint64_t value = 0;
    if (text.is_string()) {
        const auto& digits = text.get_ref<const std::string&>();
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    }
    return value;
}

} // namespace

Json CudaBinary::figures() const {
    Json kernels = Json::array();
    for (const nvrtc::KernelFigures& one : m_output.kernels)
        if (one.entry)
            kernels.push_back({{"kernel", one.expression.empty() ? one.name : one.expression},
                               {"registers", one.registers},
                               {"spill_bytes", std::max<std::int64_t>(one.spill_stores, 0) +
                                                   std::max<std::int64_t>(one.spill_loads, 0)},
                               {"stack", one.stack},
                               {"shared", one.shared}});
    return Json{{"compiler", "NVRTC " + m_output.nvrtc_version},
                {"seconds", m_output.seconds},
                {"bytes", m_output.size},
                {"kernels", kernels},
                {"options", m_output.options},
                {"cached", m_cached},
                {"second_try", m_output.assembler == nvrtc::Assembler::ptxas}};
}

Attempt<Json> CudaDeviceSession::ask(const std::string& method, Json params, Deadline deadline, int file) {
    if (auto halted = m_stop.check())
        return std::move(*halted);
    auto answer = m_process->request(method, std::move(params), deadline, m_stop.token(), file);
    if (answer)
        return std::move(*answer);
    const std::string tail = m_process->error_tail();
    const std::optional<std::uint64_t> beyond = m_process->memory_exceeded();
    m_process->kill();
    if (m_stop.cancelled())
        return Cancelled{"cancelled on request"};
    if (beyond) {
        Failure failure =
            make_failure(Stage::verify, FailureClass::memory, "",
                         "the process that ran it grew beyond " + std::to_string(*beyond >> 20) +
                             " MiB of the host's memory and was ended",
                         "print less, and ask for less local memory and stack; KERNELFORGE_RUNNER_MEMORY_MIB "
                         "raises the limit");
        failure.evidence = tail;
        return failure;
    }
    if (answer.error().code == "deadline-exceeded") {
        Failure failure = make_failure(Stage::verify, FailureClass::timeout, "", "no end within the time limit",
                                       "look for an endless loop, or for blocks that wait for each other");
        failure.evidence = tail;
        return failure;
    }
    return InfrastructureFault{"kf-cuda, " + method + ": " + to_string(answer.error()) + (tail.empty() ? "" : ": ") +
                                   tail.substr(0, 300),
                               true};
}

std::optional<Halt> CudaDeviceSession::failure_in(const Json& answer) {
    if (get_bool(answer, "ok", true))
        return std::nullopt;
    const Json& told = get_member(answer, "failure");
    const auto known = parse_failure_class(get_string(told, "class"));
    Failure failure = make_failure(Stage::verify, known.value_or(FailureClass::launch), get_string(told, "place"),
                                   get_string(told, "message"));
    if (const std::int64_t line = get_int(told, "line"); line > 0) {
        failure.source = Place{m_job.candidate ? m_job.candidate->file_name : "", static_cast<int>(line), 0};
        failure.place = "line:" + std::to_string(line);
    }
    failure.evidence = m_process->error_tail();
    m_process->kill(); // its context may be gone, and nothing else runs beside it
    return failure;
}

bool CudaDeviceSession::load(const Task& task, std::optional<Halt>& halted) {
    const nvrtc::CompileOutput& output = m_binary->output();
    const auto cubin =
        MemoryFile::from_bytes("kf-cubin", std::as_bytes(std::span(output.cubin.data(), output.cubin.size())));
    if (!cubin) {
        halted = InfrastructureFault{to_string(cubin.error()), true};
        return false;
    }
    Json tunables = Json::object(), lowered = Json::object();
    const auto chosen = complete_tunables(m_job.candidate->plan, {});
    for (const auto& [name, value] : m_job.plan->defines)
        if (chosen && chosen->count(name))
            tunables[name] = value;
    for (const auto& [expression, name] : output.lowered_names)
        lowered[expression] = name;
    auto answer = ask("load",
                      Json{{"task", task_to_wire(task)},
                           {"source", m_job.candidate->source},
                           {"file_name", m_job.candidate->file_name},
                           {"tunables", tunables},
                           {"lowered", lowered}},
                      m_stop.within(reply_seconds), cubin->fd());
    if (!answer) {
        halted = std::move(answer.halt());
        return false;
    }
    halted = failure_in(*answer);
    if (!halted)
        m_loaded_task = task.hash;
    return !halted;
}

std::optional<Halt> CudaDeviceSession::open_case(const CaseJob& job) {
    m_job = job;
    m_checksums.clear();
    std::optional<Halt> halted;
    if (m_loaded_task != job.task->hash && !load(*job.task, halted))
        return halted;
    auto answer = ask("open",
                      Json{{"symbols", symbols_to_json(job.task_case->symbols)},
                           {"size", job.task_case->size},
                           {"regime", to_string(job.task_case->regime)},
                           {"input_seed", std::to_string(job.input_seed)},
                           {"layout_seed", std::to_string(job.layout_seed)}},
                      m_stop.within(reply_seconds));
    if (!answer)
        return std::move(answer.halt());
    if (auto failed = failure_in(*answer))
        return failed;
    for (const Json& sum : get_member(*answer, "checksums"))
        m_checksums.push_back(number_of(sum));
    m_prepare_seconds = get_double(*answer, "prepare_s");
    return std::nullopt;
}

std::optional<Halt> CudaDeviceSession::run(int poison, std::uint64_t, Deadline deadline) {
    auto answer = ask("run", Json{{"poison", poison}}, deadline);
    if (!answer)
        return std::move(answer.halt());
    return failure_in(*answer);
}

std::optional<Halt> CudaDeviceSession::keep(int slot) {
    auto answer = ask("keep", Json{{"slot", slot}}, m_stop.within(reply_seconds));
    return answer ? std::nullopt : std::optional<Halt>(std::move(answer.halt()));
}

Attempt<Json> CudaDeviceSession::examine(const std::vector<std::string>& unordered) {
    return ask("examine", Json{{"unordered", unordered}}, m_stop.within(reply_seconds));
}

Attempt<int> CudaDeviceSession::first_difference(const std::vector<std::string>& unordered) {
    auto answer = examine(unordered);
    if (!answer)
        return std::move(answer.halt());
    return static_cast<int>(get_int(get_member(*answer, "difference"), "output", -1));
}

Attempt<std::optional<UnwrittenElements>> CudaDeviceSession::unwritten() {
    auto answer = examine({});
    if (!answer)
        return std::move(answer.halt());
    const Json& found = get_member(*answer, "unwritten");
    const auto output = static_cast<int>(get_int(found, "output", -1));
    if (output < 0)
        return std::optional<UnwrittenElements>();
    return std::optional(UnwrittenElements{output, get_int(found, "count"), get_int(found, "first")});
}

Attempt<Comparison> CudaDeviceSession::compare_here(int slot, std::size_t output, const CaseGolden& golden) {
    auto answer = ask("fetch", Json{{"slot", slot}}, m_stop.within(reply_seconds));
    if (!answer)
        return std::move(answer.halt());
    auto file = m_process->receive_file(m_stop.within(reply_seconds));
    if (!file)
        return InfrastructureFault{"kf-cuda: " + to_string(file.error()), true};
    auto bytes = file->map_read_only();
    if (!bytes)
        return InfrastructureFault{"kf-cuda: " + to_string(bytes.error()), true};
    std::size_t at = 0;
    const auto buffer_of = [&](std::size_t i) -> const ResolvedBuffer& {
        return m_job.plan->buffers[static_cast<std::size_t>(m_job.plan->find_buffer(m_job.task->outputs[i].name))];
    };
    for (std::size_t i = 0; i < output; ++i)
        at += (static_cast<std::size_t>(buffer_of(i).bytes) + 255) / 256 * 256;
    const auto size = static_cast<std::size_t>(buffer_of(output).bytes);
    if (at + size > bytes->size())
        return InfrastructureFault{"kf-cuda sent " + std::to_string(bytes->size()) + " bytes of outputs", true};
    const OutputSpec& spec = m_job.task->outputs[output];
    std::vector<double> values;
    if (spec.compare == CompareKind::index_of)
        for (std::size_t i = 0; i < m_job.task->inputs.size(); ++i)
            if (const InputSpec& input = m_job.task->inputs[i]; input.name == spec.values) {
                std::vector<std::byte> made(static_cast<std::size_t>(*bytes_of(input, m_job.task_case->symbols)));
                if (auto status = generate_input(*m_job.task, i, m_job.task_case->symbols, m_job.task_case->regime,
                                                 m_job.input_seed, made);
                    !status)
                    return InfrastructureFault{to_string(status.error()), false};
                values.resize(made.size() / size_of(input.dtype));
                load_elements(made, input.dtype, 0, values);
            }
    const CaseGolden::Output& expected = golden.outputs[output];
    return compare_output(spec, buffer_of(output).shape, m_job.task->tolerance, bytes->subspan(at, size),
                          Golden{expected.golden, expected.integers, expected.trusted}, values);
}

Attempt<std::vector<Comparison>> CudaDeviceSession::compare(int slot, const CaseGolden& golden) {
    if (golden.file < 0)
        return InfrastructureFault{"the golden has no memory file that could be passed on", false};
    Json outputs = Json::array();
    for (const CaseGolden::Output& output : golden.outputs) {
        const auto where = [&](std::span<const std::byte> piece) {
            return Json{{"offset", piece.empty() ? 0 : piece.data() - golden.whole.data()}, {"bytes", piece.size()}};
        };
        outputs.push_back(
            {{"golden", where(output.golden)}, {"trusted", where(output.trusted)}, {"integers", output.integers}});
    }
    auto answer = ask("compare", Json{{"slot", slot}, {"outputs", std::move(outputs)}}, m_stop.within(reply_seconds),
                      golden.file);
    if (!answer)
        return std::move(answer.halt());
    std::vector<Comparison> comparisons;
    for (const Json& item : get_member(*answer, "comparisons")) {
        auto comparison = comparison_from_json(item);
        if (!comparison)
            return InfrastructureFault{"kf-cuda: " + to_string(comparison.error()), true};
        comparisons.push_back(std::move(*comparison));
    }
    if (comparisons.size() != m_job.task->outputs.size())
        return InfrastructureFault{"kf-cuda compared " + std::to_string(comparisons.size()) + " outputs", true};
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        if (comparisons[i].accepted && m_job.task->outputs[i].compare != CompareKind::index_of)
            continue;
        auto here = compare_here(slot, i, golden);
        if (!here)
            return std::move(here.halt());
        comparisons[i] = std::move(*here);
    }
    return comparisons;
}

CudaDeviceSession::~CudaDeviceSession() {
    m_process.reset(); // its context is gone before another evaluator times
    m_lock.leave();
}

Attempt<double> CudaDeviceSession::time(std::uint64_t order_seed, Deadline deadline) {
    const Deadline before = std::chrono::steady_clock::now();
    if (auto halted = m_lock.alone(m_stop))
        return std::move(*halted);
    deadline += std::chrono::steady_clock::now() - before; // waiting for others is not the candidate's time
    auto answer = ask("time", Json{{"poison", static_cast<int>(order_seed & 1)}}, deadline);
    if (!answer)
        return std::move(answer.halt());
    if (auto failed = failure_in(*answer))
        return std::move(*failed);
    return get_double(*answer, "seconds");
}

std::optional<Halt> CudaDeviceSession::check_after() {
    auto answer = ask("check", Json::object(), m_stop.within(reply_seconds));
    if (!answer)
        return std::move(answer.halt());
    return failure_in(*answer);
}

Attempt<double> CudaDeviceSession::floor() {
    auto answer = ask("floor", Json::object(), m_stop.within(reply_seconds));
    if (!answer)
        return std::move(answer.halt());
    return get_double(*answer, "seconds");
}

} // namespace kf
