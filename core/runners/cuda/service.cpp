// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/service.h"

#include "core/process/memory_file.h"
#include "core/protocol/handshake.h"
#include "core/protocol/server.h"
#include "core/runners/cuda/case_runner.h"
#include "core/runners/cuda/confine.h"

#include <charconv>
#include <cstring>
#include <unistd.h>

namespace kf::cuda {
namespace {

constexpr double transfer_seconds = 60;
constexpr std::size_t most_received = std::size_t{96} << 30;

Json reply_of(const std::optional<RunFailure>& failure) {
    if (!failure)
        return Json{{"ok", true}};
    return Json{{"ok", false},
                {"failure",
                 {{"class", failure->failure},
                  {"place", failure->place},
                  {"message", failure->message},
                  {"line", failure->line}}}};
}

Result<Json> reply_of(const RunOutcome& outcome) {
    if (!outcome)
        return outcome.error();
    return reply_of(*outcome);
}

// A file that the owner sent before its request, mapped read-only.
Result<MemoryFile> receive_file() {
    auto message = receive_fds(data_socket, 256, 1, deadline_after(transfer_seconds));
    if (!message)
        return message.error();
    if (message->fds.size() != 1)
        return make_error("bad-params", "a memory file was expected on descriptor 3");
    return MemoryFile::adopt(std::move(message->fds.front()), most_received, true);
}

Result<std::string> receive_text() {
    auto file = receive_file();
    if (!file)
        return file.error();
    auto bytes = file->map_read_only();
    if (!bytes)
        return bytes.error();
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

Result<std::uint64_t> seed_of(const Json& params, const char* name) {
    const std::string text = get_string(params, name);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return make_error("bad-params", std::string("`") + name + "` is no 64-bit number (a decimal string)");
    return value;
}

class Service {
public:
    explicit Service(const DeviceContext& device) : m_device(device) {}

    Result<Json> judge(const Json&) {
        auto cubin = receive_text();
        if (!cubin)
            return cubin.error();
        auto judge = Judge::load(m_device, *cubin);
        if (!judge)
            return judge.error();
        m_runner.reset();
        m_judge = std::move(*judge);
        m_runner = std::make_unique<CaseRunner>(m_device, *m_judge);
        return Json::object();
    }

    Result<Json> load(const Json& params) {
        auto cubin = receive_text();
        if (!cubin)
            return cubin.error();
        auto task = task_from_wire(get_member(params, "task"));
        if (!task)
            return task.error();
        auto candidate = parse_candidate(get_string(params, "source"), get_string(params, "file_name", "candidate.cu"));
        if (!candidate)
            return candidate.error();
        CandidateText text;
        text.candidate = std::move(*candidate);
        for (const auto& [name, value] : get_member(params, "tunables").items())
            text.tunables[name] = value.get<std::int64_t>();
        for (const auto& [expression, name] : get_member(params, "lowered").items())
            text.lowered[expression] = name.get<std::string>();
        text.cubin = std::move(*cubin);
        auto reply = reply_of(m_runner->load(std::move(*task), std::move(text)));
        if (reply)
            (*reply)["figures"] = m_runner->figures();
        return reply;
    }

    Result<Json> open(const Json& params) {
        CaseSpec spec;
        auto symbols = symbols_from_json(get_member(params, "symbols"), "symbols");
        if (!symbols)
            return symbols.error();
        spec.task_case.symbols = std::move(*symbols);
        spec.task_case.size = get_string(params, "size");
        const auto regime = parse_regime(get_string(params, "regime", "normal"));
        if (!regime)
            return make_error("bad-params", "there is no such regime");
        spec.task_case.regime = *regime;
        auto input_seed = seed_of(params, "input_seed"), layout_seed = seed_of(params, "layout_seed");
        if (!input_seed)
            return input_seed.error();
        if (!layout_seed)
            return layout_seed.error();
        spec.input_seed = *input_seed;
        spec.layout_seed = *layout_seed;
        auto reply = reply_of(m_runner->open(spec));
        if (!reply)
            return reply;
        Json sums = Json::array();
        for (const std::uint64_t sum : m_runner->input_checksums())
            sums.push_back(std::to_string(sum));
        (*reply)["checksums"] = std::move(sums);
        (*reply)["prepare_s"] = m_runner->prepare_seconds();
        return reply;
    }

    Result<Json> run(const Json& params) { return reply_of(m_runner->run(poison(params))); }
    Result<Json> check(const Json&) { return reply_of(m_runner->check()); }
    Result<Json> keep(const Json& params) {
        if (auto status = m_runner->keep(slot(params)); !status)
            return status.error();
        return Json::object();
    }

    Result<Json> examine(const Json& params) {
        std::vector<std::string> unordered;
        for (const Json& name : get_member(params, "unordered"))
            if (name.is_string())
                unordered.push_back(name.get<std::string>());
        auto difference = m_runner->first_difference(unordered);
        if (!difference)
            return difference.error();
        auto unwritten = m_runner->unwritten();
        if (!unwritten)
            return unwritten.error();
        const auto json = [](const CaseRunner::Difference& one) {
            return Json{{"output", one.output}, {"count", one.found.count}, {"first", one.found.first}};
        };
        return Json{{"difference", json(*difference)}, {"unwritten", json(*unwritten)}};
    }

    Result<Json> compare(const Json& params) {
        auto file = receive_file();
        if (!file)
            return file.error();
        auto bytes = file->map_read_only();
        if (!bytes)
            return bytes.error();
        std::vector<CaseRunner::GoldenBytes> goldens;
        for (const Json& output : get_member(params, "outputs")) {
            CaseRunner::GoldenBytes golden;
            for (const auto& [name, span] :
                 {std::pair{"golden", &golden.golden}, std::pair{"trusted", &golden.trusted}}) {
                const Json& where = get_member(output, name);
                const auto offset = static_cast<std::uint64_t>(get_int(where, "offset"));
                const auto size = static_cast<std::uint64_t>(get_int(where, "bytes"));
                if (offset > bytes->size() || size > bytes->size() - offset)
                    return make_error("bad-params", "the golden lies outside the memory that was sent");
                *span = bytes->subspan(offset, size);
            }
            golden.integers = get_bool(output, "integers");
            goldens.push_back(golden);
        }
        auto comparisons = m_runner->compare(slot(params), goldens);
        if (!comparisons)
            return comparisons.error();
        Json list = Json::array();
        for (const Comparison& comparison : *comparisons)
            list.push_back(to_json(comparison));
        return Json{{"comparisons", std::move(list)}};
    }

    Result<Json> fetch(const Json& params) {
        auto bytes = m_runner->fetch(slot(params));
        if (!bytes)
            return bytes.error();
        auto file = MemoryFile::from_bytes("kf-output", *bytes);
        if (!file)
            return file.error();
        const int fds[] = {file->fd()};
        if (auto sent = send_fds(data_socket, "output\n", fds, deadline_after(transfer_seconds)); !sent)
            return sent.error();
        return Json{{"bytes", bytes->size()}};
    }

    Result<Json> time(const Json& params) {
        auto timed = m_runner->time(poison(params));
        if (!timed)
            return timed.error();
        if (const auto* failure = std::get_if<RunFailure>(&*timed))
            return reply_of(std::optional<RunFailure>(*failure));
        return Json{{"ok", true}, {"seconds", std::get<double>(*timed)}};
    }

    Result<Json> floor(const Json&) {
        auto seconds = m_runner->floor();
        if (!seconds)
            return seconds.error();
        return Json{{"seconds", *seconds}};
    }

    bool ready() const { return m_runner != nullptr; }

private:
    static Poison poison(const Json& params) { return get_int(params, "poison") == 0 ? Poison::first : Poison::second; }
    static int slot(const Json& params) { return get_int(params, "slot") == 0 ? 0 : 1; }

    const DeviceContext& m_device;
    std::unique_ptr<Judge> m_judge;
    std::unique_ptr<CaseRunner> m_runner;
};

// Error "cuda-device": this process does not see that GPU.
Result<int> ordinal_of(const Driver& driver, const std::string& uuid) {
    int count = 0;
    if (auto status = driver.check(driver.device_count(&count), "cuDeviceGetCount"); !status)
        return status.error();
    for (int ordinal = 0; ordinal < count; ++ordinal)
        if (const auto facts = device_facts(driver, ordinal); facts && facts->uuid == uuid)
            return ordinal;
    return make_error("cuda-device",
                      "the GPU " + uuid + " is not among the " + std::to_string(count) + " that this process sees");
}

} // namespace

int serve(const ServiceSettings& settings, int protocol_in, int protocol_out) {
    auto channel = std::make_unique<FdChannel>(UniqueFd(protocol_in), UniqueFd(protocol_out));
    auto driver = Driver::open();
    if (!driver) {
        std::fprintf(stderr, "kf-cuda: %s\n", to_string(driver.error()).c_str());
        return 3;
    }
    auto ordinal = settings.uuid.empty() ? Result<int>(settings.ordinal) : ordinal_of(**driver, settings.uuid);
    auto device = ordinal ? DeviceContext::open(std::move(*driver), *ordinal)
                          : Result<std::unique_ptr<DeviceContext>>(ordinal.error());
    if (!device) {
        std::fprintf(stderr, "kf-cuda: %s\n", to_string(device.error()).c_str());
        return 3;
    }
    if (settings.confined)
        if (auto dropped = drop_privileges(); !dropped) {
            std::fprintf(stderr, "kf-cuda: %s\n", to_string(dropped.error()).c_str());
            return confine_exit_code;
        }
    RpcServerOptions options;
    options.heartbeat_interval_s = 0;
    options.silence_timeout_s = 0; // its owner kills it at a deadline
    options.workers = 1;           // one candidate, one thread
    options.drain_s = 0;
    RpcServer server(std::move(channel), options);
    Service service(**device);
    using Method = Result<Json> (Service::*)(const Json&);
    const std::pair<const char*, Method> methods[] = {
        {"judge", &Service::judge},     {"load", &Service::load},   {"open", &Service::open},
        {"run", &Service::run},         {"keep", &Service::keep},   {"examine", &Service::examine},
        {"compare", &Service::compare}, {"fetch", &Service::fetch}, {"time", &Service::time},
        {"check", &Service::check},     {"floor", &Service::floor},
    };
    for (const auto& [name, method] : methods)
        server.on_worker(name, [&service, &device, name = std::string(name), method](RpcCall& call) -> Result<Json> {
            if (auto current = (*device)->make_current(); !current)
                return current.error();
            if (name != "judge" && !service.ready())
                return make_error("bad-order", "`judge` comes before `" + name + "`");
            return (service.*method)(call.params());
        });
    if (auto sent = server.notify("ready", {{"helper", "kf-cuda"},
                                            {"version", KF_VERSION},
                                            {"protocol", supported_protocol.max},
                                            {"device", to_json((*device)->facts())},
                                            {"confinement", confinement()},
                                            {"pid", static_cast<std::int64_t>(getpid())}});
        !sent)
        return 4;
    const ServerEnd end = server.run();
    // Nothing waits for a kernel that may never end.
    _exit(end.reason == ServerEndReason::closed || end.reason == ServerEndReason::stopped ? 0 : 5);
}

} // namespace kf::cuda
