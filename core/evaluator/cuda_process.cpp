// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cuda_process.h"

#include "core/base/files.h"
#include "core/process/sandbox.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace kf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_tail = 8192;
constexpr std::size_t most_output = std::size_t{64} << 30;
constexpr const char* inside_program = "/run/kernelforge/kf-cuda";

bool starts_with(const fs::path& path, std::string_view folder) {
    return path.string().rfind(folder, 0) == 0;
}

// Where libraries that kf-cuda opens lie outside the system's folders: the driver's, and those that the environment
// names. A folder that is or holds the home folder stays out; what it had is then found missing by name.
std::vector<SandboxBind> library_binds(const CudaRunner& runner) {
    std::vector<fs::path> folders;
    const auto add = [&](const fs::path& folder) {
        std::error_code error;
        const fs::path real = fs::canonical(folder, error);
        if (error || starts_with(real, "/usr/") || starts_with(real, "/lib") || real == "/")
            return;
        if (const char* home = std::getenv("HOME"); home && starts_with(fs::path(home) / "", (real / "").string()))
            return;
        if (std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(folder);
    };
    if (!runner.driver.empty())
        add(fs::path(runner.driver).parent_path());
    for (const char* variable : {"KERNELFORGE_CUBLASLT", "KERNELFORGE_LIBCUDA"})
        if (const char* file = std::getenv(variable); file && *file == '/')
            add(fs::path(file).parent_path());
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* folder = std::getenv(variable); folder && *folder == '/')
            add(folder);
    if (const char* list = std::getenv("LD_LIBRARY_PATH")) {
        std::istringstream parts(list);
        for (std::string part; std::getline(parts, part, ':');)
            if (!part.empty() && part[0] == '/')
                add(part);
    }
    std::vector<SandboxBind> binds;
    for (const fs::path& folder : folders)
        binds.push_back({folder, {}, false});
    return binds;
}

// The layers that the evaluator asks for and kf-cuda does not see.
Json judged(Json told) {
    Json missing = Json::array();
    std::error_code ignored;
    // An interface-less network is no proof of one's own: it must be another one than ours.
    const bool same_network =
        get_string(told, "network_namespace") == fs::read_symlink("/proc/self/ns/net", ignored).string();
    if (same_network)
        told["network"] = false;
    for (const char* layer : {"network", "files", "processes", "privileges", "calls"})
        if (!get_bool(told, layer, false))
            missing.push_back(layer);
    told["missing"] = std::move(missing);
    return told;
}

} // namespace

std::string_view to_string(Confinement confinement) {
    switch (confinement) {
    case Confinement::bubblewrap:
        return "bubblewrap";
    case Confinement::namespaces:
        return "namespaces";
    case Confinement::calls:
        return "calls";
    case Confinement::none:
        break;
    }
    return "none";
}

std::vector<fs::path> device_nodes(const std::string& bus_id) {
    std::vector<fs::path> nodes;
    std::error_code ignored;
    std::string bus = bus_id;
    std::transform(bus.begin(), bus.end(), bus.begin(), [](unsigned char c) { return std::tolower(c); });
    if (const auto text = read_file("/proc/driver/nvidia/gpus/" + bus + "/information", 65536)) {
        const auto at = text->find("Device Minor:");
        if (at != std::string::npos)
            nodes.push_back("/dev/nvidia" + std::to_string(std::atoi(text->c_str() + at + 13)));
    }
    if (nodes.empty() || !fs::exists(nodes.front(), ignored)) {
        nodes.clear();
        for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
            const std::string name = entry.path().filename().string();
            if (name.rfind("nvidia", 0) == 0 && name.size() > 6 &&
                std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c); }))
                nodes.push_back(entry.path());
        }
    }
    for (const char* node : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"})
        if (fs::exists(node, ignored))
            nodes.emplace_back(node);
    return nodes;
}

Result<std::unique_ptr<CudaProcess>> CudaProcess::start(const CudaRunner& runner, const MemoryFile& judge,
                                                        Deadline deadline) {
    std::unique_ptr<CudaProcess> process(new CudaProcess());
    auto sockets = make_socket_pair();
    if (!sockets)
        return sockets.error();
    const fs::path program = program_path("kf-cuda");
    ChildSpec spec;
    spec.argv = {program.string(), "--uuid", runner.uuid, "--confine"};
    spec.pass_env = {"CUDA_VISIBLE_DEVICES", "CUDA_HOME",          "CUDA_PATH", "LD_LIBRARY_PATH",
                     "KERNELFORGE_CUBLASLT", "KERNELFORGE_LIBCUDA"};
    if (runner.confinement == Confinement::bubblewrap) {
        spec.argv[0] = inside_program;
        spec.sandbox.emplace();
        spec.sandbox->binds = library_binds(runner);
        std::error_code error;
        spec.sandbox->binds.push_back({fs::canonical(program, error), inside_program, false});
        if (fs::is_directory("/sys", error))
            spec.sandbox->binds.push_back({"/sys", {}, false}); // the driver looks up where its device is
        spec.sandbox->devices = device_nodes(runner.bus_id);
        spec.argv.emplace_back(to_string(Confinement::calls));
    } else {
        spec.argv.emplace_back(to_string(runner.confinement));
    }
    spec.env["CUDA_MODULE_LOADING"] = "EAGER"; // nothing is loaded while a call is timed
    spec.env["CUDA_CACHE_DISABLE"] = "1";      // cubins need none, and there is no home to keep one in
    spec.fds = {sockets->second.get()};
    spec.input = ChildInput::pipe;
    spec.limits.open_files = 256;
    auto child = Child::start(spec);
    if (!child)
        return child.error();
    process->m_child = std::move(*child);
    process->m_socket = std::move(sockets->first);
    process->m_error = process->m_child.take_error();
    process->m_watch = std::make_unique<MemoryWatch>(process->m_child.pid(), runner.memory_limit);
    HelperClientOptions options;
    options.heartbeat_interval_s = 0;
    process->m_client = std::make_unique<HelperClient>(
        std::make_unique<FdChannel>(process->m_child.take_output(), process->m_child.take_input()), "kf-cuda", options);
    sockets->second.reset();
    auto ready = process->m_client->wait_notification("ready", deadline);
    if (!ready)
        return make_error("kf-cuda-start",
                          "kf-cuda did not start: " + ready.error().message + " " + process->error_tail(),
                          "run `kernelforge doctor`");
    process->m_facts = get_member(*ready, "device");
    process->m_confinement = judged(get_member(*ready, "confinement"));
    if (const std::string found = get_string(process->m_facts, "uuid"); found != runner.uuid)
        return make_error("kf-cuda-start", "kf-cuda opened the GPU " + found + " instead of " + runner.uuid);
    auto judged_kernels = process->request("judge", Json::object(), deadline, {}, judge.fd());
    if (!judged_kernels)
        return make_error("kf-cuda-start",
                          "kf-cuda does not take the judge's kernels: " + judged_kernels.error().message);
    return process;
}

std::optional<std::uint64_t> CudaProcess::memory_exceeded() const {
    if (m_watch && m_watch->exceeded())
        return m_watch->limit();
    return std::nullopt;
}

void CudaProcess::kill() {
    m_client.reset();
    m_watch.reset();
    m_child = Child();
}

Result<Json> CudaProcess::request(const std::string& method, Json params, Deadline deadline,
                                  const std::stop_token& stop, int file) {
    if (!alive())
        return make_error("helper-closed", "kf-cuda is gone");
    if (file >= 0) {
        const int fds[] = {file};
        if (auto sent = send_fds(m_socket.get(), "file\n", fds, deadline); !sent)
            return sent.error();
    }
    RequestOptions options;
    options.stop = stop;
    options.cancel_grace_s = 0; // a kernel does not hear it; the process is killed
    return m_client->request(method, std::move(params), deadline, options);
}

Result<MemoryFile> CudaProcess::receive_file(Deadline deadline) {
    auto message = receive_fds(m_socket.get(), 256, 1, deadline);
    if (!message)
        return message.error();
    if (message->fds.size() != 1)
        return make_error("fd-passing", "kf-cuda announced a file and sent none");
    return MemoryFile::adopt(std::move(message->fds.front()), most_output, true);
}

std::string CudaProcess::error_tail() {
    char chunk[4096];
    while (m_error && poll_until(m_error.get(), POLLIN, deadline_after(0.02))) {
        const ssize_t n = read(m_error.get(), chunk, sizeof chunk);
        if (n <= 0)
            break;
        m_tail.append(chunk, static_cast<std::size_t>(n));
        if (m_tail.size() > 2 * most_tail)
            m_tail.erase(0, m_tail.size() - most_tail);
    }
    return m_tail;
}

} // namespace kf
