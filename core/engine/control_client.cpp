// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/control_server.h"
#include "core/protocol/client.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

namespace kf {

class ControlClient::Impl {
public:
    explicit Impl(std::unique_ptr<FdChannel> channel) : client(std::move(channel), "the run", quiet()) {}
    static HelperClientOptions quiet() {
        HelperClientOptions options;
        options.heartbeat_interval_s = 0;
        return options;
    }
    HelperClient client;
};

ControlClient::ControlClient() = default;
ControlClient::~ControlClient() = default;

Result<std::unique_ptr<ControlClient>> ControlClient::connect(const std::filesystem::path& path) {
    const auto gone = [&](const std::string& why) {
        return make_error("control-gone", "the run cannot be steered: " + why,
                          "see whether it still runs: kernelforge runs");
    };
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.string().size() >= sizeof address.sun_path)
        return gone("it names no control socket");
    std::strcpy(address.sun_path, path.c_str());
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return gone(std::strerror(errno));
    auto channel = FdChannel::over_socket(std::move(socket));
    if (!channel)
        return channel.error();
    auto client = std::unique_ptr<ControlClient>(new ControlClient());
    client->m_impl = std::make_unique<Impl>(std::move(*channel));
    return client;
}

Result<Json> ControlClient::request(const std::string& method, Json params, double deadline_s,
                                    const std::function<void(const Json&)>& progress, const std::stop_token& stop) {
    RequestOptions options;
    options.progress = progress;
    options.stop = stop;
    options.cancel_grace_s = 0.05; // who gives up does not wait for the answer
    auto answer = m_impl->client.request(method, std::move(params), deadline_after(deadline_s), options);
    if (!answer && is_infrastructure(answer.error()))
        return make_error("control-gone", "the run hung up: " + answer.error().message,
                          "see whether it still runs: kernelforge runs");
    return answer;
}

bool ControlClient::connected() const {
    return m_impl->client.health().ok();
}

} // namespace kf
