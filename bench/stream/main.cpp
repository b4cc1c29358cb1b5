// SPDX-License-Identifier: GPL-3.0-or-later
// What streaming costs: processor time of this process while a reply arrives at about 200 pieces a second from a server
// in another process (kf_loopback_model).
//
//   kf_loopback_model --script bench/stream/script.json &   prints URL
//   bench_stream URL
#include "core/net/model_client.h"

#include <chrono>
#include <cstdio>
#include <sys/resource.h>

namespace {

double cpu_seconds() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(use.ru_utime) + seconds(use.ru_stime);
}

} // namespace

int main(int argc, char** argv) {
    using namespace kf;
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_stream URL\n");
        return 2;
    }
    const Result<Provider> provider = choose_provider({}, argv[1]);
    if (!provider) {
        std::fprintf(stderr, "%s\n", to_string(provider.error()).c_str());
        return 2;
    }
    net::ModelClient client(*provider, {});
    ChatRequest request;
    request.model = "loopback";
    request.messages = {{"user", "go"}};
    const double cpu = cpu_seconds();
    const auto start = std::chrono::steady_clock::now();
    std::size_t pieces = 0;
    const ChatOutcome outcome = client.ask(request, {}, [&](const ReplyPiece&) { ++pieces; });
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double used = cpu_seconds() - cpu;
    if (const auto* error = std::get_if<ModelError>(&outcome)) {
        std::fprintf(stderr, "%s\n", error->message.c_str());
        return 1;
    }
    std::printf("%zu pieces in %.1f s: %.0f a second, %.2f %% of a core (%.0f us a piece)\n", pieces, wall,
                static_cast<double>(pieces) / wall, 100 * used / wall, 1e6 * used / static_cast<double>(pieces));
    return 0;
}
