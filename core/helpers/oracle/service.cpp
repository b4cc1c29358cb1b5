// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/oracle/service.h"

#include "core/base/deadline.h"
#include "core/process/memory_file.h"
#include "core/protocol/server.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kf::oracle {
namespace {

constexpr double send_seconds = 30;

Json to_json(const Error& error) {
    Json json = {{"code", error.code}, {"message", error.message}};
    if (!error.remedy.empty())
        json["remedy"] = error.remedy;
    if (error.place.line > 0)
        json["line"] = error.place.line;
    if (error.place.column > 0)
        json["column"] = error.place.column;
    if (!error.place.file.empty())
        json["file"] = error.place.file;
    return json;
}

bool has_data_socket() {
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(data_socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

std::size_t aligned(std::size_t offset) {
    return (offset + golden_alignment - 1) / golden_alignment * golden_alignment;
}

// Lays the outputs out, seals the file and sends it; returns the answer.
Result<Json> send_golden(const Golden& golden, const RpcId& id) {
    if (!has_data_socket())
        return make_error("no-data-socket", "there is no Unix socket on descriptor 3 to send the golden over",
                          "start kf-oracle with one end of a socket pair as descriptor 3");
    Json outputs = Json::array();
    std::size_t bytes = 0;
    for (const GoldenOutput& output : golden.outputs) {
        const std::size_t count = static_cast<std::size_t>(element_count(output.shape));
        Json item = {{"name", output.name}, {"dtype", to_string(output.dtype)}, {"shape", output.shape}};
        item["golden"] = {{"offset", bytes}, {"bytes", count * 8}, {"dtype", output.is_float ? "f64" : "i64"}};
        bytes = aligned(bytes + count * 8);
        if (!golden.trusted_note.empty()) {
            item["trusted"] = {{"offset", bytes}, {"bytes", output.trusted.size()}, {"dtype", to_string(output.dtype)}};
            item["trusted_note"] = golden.trusted_note;
            bytes = aligned(bytes + output.trusted.size());
        }
        outputs.push_back(std::move(item));
    }
    auto file = MemoryFile::create("kf-golden", bytes);
    if (!file)
        return file.error();
    auto memory = file->map();
    if (!memory)
        return memory.error();
    for (std::size_t i = 0; i < golden.outputs.size(); ++i) {
        const GoldenOutput& output = golden.outputs[i];
        const auto put = [&](const Json& where, const void* data) {
            if (const std::size_t size = where["bytes"].get<std::size_t>(); size > 0)
                std::memcpy(memory->data() + where["offset"].get<std::size_t>(), data, size);
        };
        put(outputs[i]["golden"], output.is_float ? static_cast<const void*>(output.floats.data())
                                                  : static_cast<const void*>(output.integers.data()));
        if (!golden.trusted_note.empty())
            put(outputs[i]["trusted"], output.trusted.data());
    }
    if (auto sealed = file->seal(); !sealed)
        return sealed.error();
    const int fds[] = {file->fd()};
    const std::string line = dump_line({{"golden", kf::to_json(id)}, {"bytes", bytes}}) + "\n";
    if (auto sent = send_fds(data_socket, line, fds, deadline_after(send_seconds)); !sent)
        return sent.error();
    Json checksums = Json::array();
    for (std::uint64_t sum : golden.input_checksums)
        checksums.push_back(std::to_string(sum));
    return Json{{"input_checksums", std::move(checksums)},
                {"outputs", std::move(outputs)},
                {"trusted_note", golden.trusted_note},
                {"slices", golden.slices},
                {"seconds", golden.seconds},
                {"bytes", bytes}};
}

Result<Json> load_task(Oracle& oracle, const Json& params) {
    auto task = task_from_wire(get_member(params, "task"));
    if (!task)
        return task.error();
    const std::string name = task->name, hash = task->hash;
    const auto errors = oracle.load(std::move(task).value());
    Json lint = Json::array();
    for (const Error& error : errors)
        lint.push_back(to_json(error));
    return Json{{"ok", errors.empty()}, {"lint", std::move(lint)}, {"name", name}, {"hash", hash}};
}

} // namespace

Result<GoldenRequest> golden_request_from_json(const Json& params) {
    const auto bad = [](const std::string& what) { return make_error("bad-params", what); };
    GoldenRequest request;
    const Json& symbols = get_member(params, "symbols");
    if (!symbols.is_object())
        return bad("`symbols` is not an object NAME → integer");
    for (const auto& [name, value] : symbols.items()) {
        if (!value.is_number_integer())
            return bad("symbol " + name + " is no integer");
        request.symbols[name] = value.get<std::int64_t>();
    }
    const std::string regime = get_string(params, "regime", "normal");
    const auto parsed = parse_regime(regime);
    if (!parsed)
        return bad("there is no regime \"" + regime + "\"");
    request.regime = *parsed;
    const Json& seed = get_member(params, "seed");
    if (seed.is_string()) { // JSON numbers lose bits above 2^53 in some readers
        const auto& text = seed.get_ref<const std::string&>();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), request.seed);
        if (error != std::errc() || end != text.data() + text.size() || text.empty())
            return bad("`seed` is no 64-bit number");
    } else if (seed.is_number_unsigned()) {
        request.seed = seed.get<std::uint64_t>();
    } else {
        return bad("`seed` is missing (a decimal string)");
    }
    request.want_trusted = get_bool(params, "want_trusted", true);
    const std::int64_t slices = get_int(params, "slices");
    if (slices < 0 || slices > 4096)
        return bad("`slices` is not between 0 and 4096");
    request.slices = static_cast<int>(slices);
    return request;
}

int serve(const ServiceSettings& settings, int protocol_in, int protocol_out) {
    RpcServerOptions options;
    options.heartbeat_interval_s = 0;
    options.silence_timeout_s = 0;
    options.workers = 1; // one reference at a time: libtorch's settings belong to the process
    options.drain_s = 0;
    RpcServer server(std::make_unique<FdChannel>(UniqueFd(protocol_in), UniqueFd(protocol_out)), options);

    const TorchFacts facts = TorchReference::set_up(settings.threads);
    rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (settings.memory_bytes > 0) {
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = std::min<rlim_t>(settings.memory_bytes, limit.rlim_max);
        setrlimit(RLIMIT_AS, &limit);
    }
    Oracle oracle(settings.memory_bytes);
    std::string eager_note;
    int threads = settings.threads;

    const auto on = [&](const char* name, auto handler) {
        server.on_worker(name, [handler, threads_default = settings.threads](RpcCall& call) -> Result<Json> {
            TorchReference::set_threads(threads_default); // goldens never run with a baseline's thread count
            return handler(call);
        });
    };
    on("load_task", [&](RpcCall& call) { return load_task(oracle, call.params()); });
    on("golden", [&](RpcCall& call) -> Result<Json> {
        auto request = golden_request_from_json(call.params());
        if (!request)
            return request.error();
        auto golden = oracle.golden(*request);
        if (!golden)
            return golden.error();
        return send_golden(*golden, call.id());
    });
    on("eager_prepare", [&](RpcCall& call) -> Result<Json> {
        auto request = golden_request_from_json(call.params());
        if (!request)
            return request.error();
        const std::int64_t wanted = get_int(call.params(), "threads", settings.threads);
        if (wanted < 1 || wanted > 1024)
            return make_error("bad-params", "`threads` is not between 1 and 1024");
        threads = static_cast<int>(wanted);
        TorchReference::set_threads(threads);
        auto note = oracle.eager_prepare(*request);
        if (!note)
            return note.error();
        eager_note = *note;
        return Json{{"note", eager_note}, {"threads", threads}, {"timer", "steady clock around the call, CPU"}};
    });
    on("eager_run", [&](RpcCall& call) -> Result<Json> {
        const std::int64_t repeat = get_int(call.params(), "repeat", 1);
        if (repeat < 1 || repeat > 100'000)
            return make_error("bad-params", "`repeat` is not between 1 and 100000");
        TorchReference::set_threads(threads);
        auto seconds = oracle.eager_run(static_cast<int>(repeat));
        if (!seconds)
            return seconds.error();
        return Json{{"seconds_inside", *seconds}, {"note", eager_note}, {"threads", threads}};
    });
    if (auto sent = server.notify("ready", {{"helper", "kf-oracle"},
                                            {"version", KF_VERSION},
                                            {"protocol", supported_protocol.max},
                                            {"torch", facts.version},
                                            {"threads", facts.threads},
                                            {"memory_bytes", settings.memory_bytes},
                                            {"data_socket", has_data_socket()},
                                            {"pid", static_cast<std::int64_t>(getpid())}});
        !sent)
        return 4;
    const ServerEnd end = server.run();
    // libtorch's destructors and a reference that still runs are not waited for.
    _exit(end.reason == ServerEndReason::closed || end.reason == ServerEndReason::stopped ? 0 : 5);
}

} // namespace kf::oracle
