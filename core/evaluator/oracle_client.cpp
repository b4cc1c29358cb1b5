// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/oracle_client.h"

#include "core/process/memory_file.h"

#include <charconv>

namespace kf {
namespace {

constexpr double start_seconds = 60; // libtorch's libraries are large; the first start reads them from disk
constexpr double golden_seconds = 120;
constexpr std::size_t golden_limit = std::size_t{64} << 30;

std::string key_of(const Task& task, const TaskCase& task_case, std::uint64_t seed) {
    return task.hash + to_string(task_case.symbols) + std::string(to_string(task_case.regime)) + std::to_string(seed);
}

// A piece [offset, offset + bytes) of the golden's memory, or nothing when it does not lie inside.
std::optional<std::span<const std::byte>> piece(std::span<const std::byte> memory, const Json& where) {
    const std::int64_t offset = get_int(where, "offset", -1);
    const std::int64_t bytes = get_int(where, "bytes", -1);
    const auto size = static_cast<std::int64_t>(memory.size());
    if (offset < 0 || bytes < 0 || offset > size || bytes > size - offset)
        return std::nullopt;
    return memory.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
}

Halt fault_of(const Error& error, const StopSignal& stop) {
    if (stop.cancelled())
        return Cancelled{"cancelled on request"};
    // What the reference itself does wrong will not get better by asking again.
    return InfrastructureFault{"kf-oracle: " + to_string(error),
                               is_infrastructure(error) || error.code == "oracle-start"};
}

} // namespace

OracleClient::OracleClient(std::filesystem::path program) : m_program(std::move(program)) {}

OracleClient::~OracleClient() {
    drop();
}

void OracleClient::drop() {
    m_client.reset();
    m_socket.reset();
    m_child = Child();
    m_loaded_task.clear();
    m_prepared_eager.clear();
}

Status OracleClient::ensure(Deadline deadline) {
    if (m_client && m_client->health() && m_child.running())
        return {};
    drop();
    auto sockets = make_socket_pair();
    if (!sockets)
        return sockets.error();
    ChildSpec spec;
    spec.argv = {m_program.string()};
    spec.env = {{"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};
    spec.pass_env = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "LD_LIBRARY_PATH"};
    spec.fds = {sockets->second.get()};
    spec.input = ChildInput::pipe;
    spec.error_output = ChildOutput::null;
    auto child = Child::start(spec);
    if (!child)
        return child.error();
    m_child = std::move(*child);
    m_socket = std::move(sockets->first);
    HelperClientOptions options;
    options.heartbeat_interval_s = 0;
    m_client = std::make_unique<HelperClient>(std::make_unique<FdChannel>(m_child.take_output(), m_child.take_input()),
                                              "kf-oracle", options);
    auto ready = m_client->wait_notification("ready", std::min(deadline, deadline_after(start_seconds)));
    if (!ready) {
        const Error error = ready.error();
        drop();
        return make_error("oracle-start", "kf-oracle did not start: " + error.message, "run `kernelforge doctor`");
    }
    m_facts = std::move(*ready);
    return {};
}

Result<Json> OracleClient::request(const std::string& method, Json params, Deadline deadline,
                                   const std::stop_token& token) {
    RequestOptions options;
    options.stop = token;
    auto result = m_client->request(method, std::move(params), deadline, options);
    // A helper that missed its deadline is still busy with the old request and would be late for the next, too.
    if (!result && (is_infrastructure(result.error()) || result.error().code == "deadline-exceeded" ||
                    result.error().code == "cancelled"))
        drop();
    return result;
}

Status OracleClient::load(const Task& task, Deadline deadline) {
    if (auto started = ensure(deadline); !started)
        return started;
    if (m_loaded_task == task.hash)
        return {};
    m_prepared_eager.clear();
    auto loaded = request("load_task", Json{{"task", task_to_wire(task)}},
                          std::min(deadline, deadline_after(golden_seconds)), {});
    if (!loaded)
        return loaded.error();
    if (!get_bool(*loaded, "ok", false)) {
        const Json& lint = get_member(*loaded, "lint");
        const Json first = lint.is_array() && !lint.empty() ? lint.front() : Json();
        const Json& place = get_member(first, "place");
        return make_error(get_string(first, "code", "reference-refused"),
                          get_string(first, "message", "the reference is refused"), get_string(first, "remedy"),
                          Place{get_string(place, "file", "reference.py"), static_cast<int>(get_int(place, "line")),
                                static_cast<int>(get_int(place, "column"))});
    }
    m_loaded_task = task.hash;
    return {};
}

Result<Json> OracleClient::facts(Deadline deadline) {
    const std::lock_guard lock(m_mutex);
    if (auto started = ensure(deadline); !started)
        return started.error();
    return m_facts;
}

Status OracleClient::check_reference(const Task& task, Deadline deadline) {
    const std::lock_guard lock(m_mutex);
    return load(task, deadline);
}

Attempt<CaseGolden> OracleClient::golden(const Task& task, const TaskCase& task_case, std::uint64_t seed,
                                         StopSignal& stop) {
    const std::lock_guard lock(m_mutex);
    if (auto halted = stop.check())
        return std::move(*halted);
    if (auto loaded = load(task, stop.deadline()); !loaded)
        return fault_of(loaded.error(), stop);
    const Deadline deadline = stop.within(golden_seconds);
    auto answer = request("golden",
                          Json{{"symbols", symbols_to_json(task_case.symbols)},
                               {"regime", to_string(task_case.regime)},
                               {"seed", std::to_string(seed)},
                               {"want_trusted", true}},
                          deadline, stop.token());
    if (!answer)
        return fault_of(answer.error(), stop);
    auto message = receive_fds(m_socket.get(), 256, 1, deadline);
    if (!message || message->fds.size() != 1) {
        drop();
        return InfrastructureFault{"kf-oracle sent no memory with its golden", true};
    }
    auto file = MemoryFile::adopt(std::move(message->fds.front()), golden_limit, true);
    if (!file)
        return InfrastructureFault{"kf-oracle: " + to_string(file.error()), true};
    auto memory = std::make_shared<MemoryFile>(std::move(*file));
    auto bytes = memory->map_read_only();
    if (!bytes)
        return InfrastructureFault{"kf-oracle: " + to_string(bytes.error()), true};

    CaseGolden golden;
    golden.seed = seed;
    for (const Json& sum : get_member(*answer, "input_checksums")) {
        const std::string text = sum.is_string() ? sum.get<std::string>() : "";
        std::uint64_t value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        golden.input_checksums.push_back(value);
    }
    for (const Json& output : get_member(*answer, "outputs")) {
        const auto exact = piece(*bytes, get_member(output, "golden"));
        const Json& trusted_where = get_member(output, "trusted");
        const auto trusted = trusted_where.is_object() ? piece(*bytes, trusted_where) : std::span<const std::byte>();
        if (!exact || !trusted)
            return InfrastructureFault{"kf-oracle described memory that it did not send", true};
        golden.outputs.push_back({*exact, *trusted, get_string(get_member(output, "golden"), "dtype") == "i64"});
        golden.trusted_note = get_string(output, "trusted_note", golden.trusted_note);
    }
    if (golden.outputs.size() != task.outputs.size())
        return InfrastructureFault{"kf-oracle sent " + std::to_string(golden.outputs.size()) + " goldens for " +
                                       std::to_string(task.outputs.size()) + " outputs",
                                   false};
    if (golden.trusted_note.empty())
        golden.trusted_note = get_string(*answer, "trusted_note");
    golden.file = memory->fd();
    golden.whole = *bytes;
    golden.memory = std::move(memory);
    return golden;
}

Attempt<double> OracleClient::time_eager(const Task& task, const TaskCase& task_case, std::uint64_t seed, int repeat,
                                         StopSignal& stop) {
    const std::lock_guard lock(m_mutex);
    if (auto halted = stop.check())
        return std::move(*halted);
    if (auto loaded = load(task, stop.deadline()); !loaded)
        return fault_of(loaded.error(), stop);
    const std::string key = key_of(task, task_case, seed);
    if (m_prepared_eager != key) {
        auto prepared = request("eager_prepare",
                                Json{{"symbols", symbols_to_json(task_case.symbols)},
                                     {"regime", to_string(task_case.regime)},
                                     {"seed", std::to_string(seed)}},
                                stop.within(golden_seconds), stop.token());
        if (!prepared)
            return fault_of(prepared.error(), stop);
        m_prepared_eager = key;
    }
    // Taken here, around the request, as a candidate's time is taken around its run: both carry the same way in and
    // out.
    const Deadline start = std::chrono::steady_clock::now();
    auto answer = request("eager_run", Json{{"repeat", repeat}}, stop.within(golden_seconds), stop.token());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!answer)
        return fault_of(answer.error(), stop);
    return seconds;
}

} // namespace kf
