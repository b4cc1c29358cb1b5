// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/gpu/soak/lane.h"

#include "core/base/files.h"
#include "core/process/process_tree.h"
#include "core/protocol/handshake.h"

#include <filesystem>

namespace kf::soak {

Status Lane::start() {
    m_client.reset();
    m_child = Child();
    ChildSpec spec;
    spec.argv = {program_path("kf-evaluator").string(), "--device", m_device, "--cache", m_cache.string()};
    spec.input = ChildInput::pipe;
    spec.error_output = ChildOutput::inherit;
    spec.pass_home = true;
    spec.pass_env = {"KERNELFORGE_HOME",     "KERNELFORGE_RESOURCES",
                     "KERNELFORGE_LIBCUDA",  "CUDA_HOME",
                     "CUDA_VISIBLE_DEVICES", "KERNELFORGE_CUDA_CONFINEMENT",
                     "LD_LIBRARY_PATH",      "TMPDIR",
                     "OPENBLAS_CORETYPE",    "OPENBLAS_L2_SIZE"};
    auto child = Child::start(spec);
    if (!child)
        return child.error();
    m_child = std::move(*child);
    auto channel = std::make_unique<FdChannel>(m_child.take_output(), m_child.take_input());
    auto greeting = read_handshake(*channel, deadline_after(120));
    if (!greeting)
        return greeting.error();
    m_facts = greeting->handshake.devices.empty() ? Json() : greeting->handshake.devices.at(0);
    HelperClientOptions options;
    options.silence_timeout_s = 60;
    m_client = std::make_unique<HelperClient>(std::move(channel), "kf-evaluator", options);
    return {};
}

Result<Json> Lane::request(const std::string& method, Json params, double seconds) {
    RequestOptions options;
    options.progress = [](const Json&) {};
    return m_client->request(method, std::move(params), deadline_after(seconds), options);
}

Footprint Lane::footprint() const {
    Footprint found;
    std::error_code ignored;
    found.evaluator_kib = static_cast<std::int64_t>(resident_bytes(m_child.pid()) / 1024);
    for (const pid_t pid : children_of(m_child.pid())) {
        std::string name;
        if (const auto text = read_file("/proc/" + std::to_string(pid) + "/comm", 64))
            name = text->substr(0, text->find('\n'));
        const auto kib = static_cast<std::int64_t>(resident_bytes(pid) / 1024);
        if (name == "kf-oracle")
            found.oracle_kib += kib;
        else if (name == "kf-nvrtc")
            found.compiler_kib += kib;
    }
    for (auto entry = std::filesystem::directory_iterator("/proc/" + std::to_string(m_child.pid()) + "/fd", ignored);
         !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored))
        ++found.descriptors;
    return found;
}

bool Lane::stop() {
    m_client.reset(); // the end of its input
    if (!m_child.running())
        return true;
    const bool ended = m_child.wait(deadline_after(15)).has_value();
    m_child = Child();
    return ended;
}

} // namespace kf::soak
