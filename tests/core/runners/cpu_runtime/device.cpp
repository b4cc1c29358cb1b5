// SPDX-License-Identifier: GPL-3.0-or-later
#include "device.h"

#include "core/base/files.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kf::cpu::test {

namespace {

std::string slurp(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

const char* flags_of(Mode mode) {
    switch (mode) {
    case Mode::Plain:
        return "";
    case Mode::Volatile:
        return " -fsanitize=thread --param tsan-distinguish-volatile=1 --param tsan-instrument-func-entry-exit=0";
    case Mode::Asan:
        return " -fsanitize=address -fno-omit-frame-pointer -g";
    case Mode::Tsan:
        return " -fsanitize=thread --param tsan-distinguish-volatile=1 -g";
    }
    return "";
}

std::string headers() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(KF_SOURCE_DIR "/resources/simt")) {
        if (entry.is_regular_file())
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::string all;
    for (const auto& file : files)
        all += slurp(file);
    return all;
}

} // namespace

std::string compile(const std::string& file, const std::vector<std::string>& kernels, Mode mode) {
    std::string text = "#include <kf/simt.h>\n#line 1 \"" + file + "\"\n" +
                       slurp(std::string(KF_SOURCE_DIR "/tests/core/runners/cpu_runtime/data/") + file) +
                       "\n#line 1 \"plan\"\nKF_SIMT_MODULE_BEGIN\n";
    for (const std::string& kernel : kernels)
        text += "KF_SIMT_KERNEL(" + kernel + ")\n";
    text += "KF_SIMT_MODULE_END\n";
    const std::string flags =
        std::string(
            " -std=c++20 -O2 -g1 -fPIC -fvisibility=hidden -fno-gnu-unique -fno-exceptions -fno-strict-aliasing "
            "-fwrapv -ffp-contract=fast -fsanitize=alignment -fno-sanitize-recover=alignment -I " KF_SOURCE_DIR
            "/resources/simt") +
        flags_of(mode);
    const std::filesystem::path folder = KF_BINARY_DIR "/tests/cpu_runtime_objects";
    std::filesystem::create_directories(folder);
    const std::string stem = (folder / sha256(text + flags + headers())).string();
    const std::string object = stem + ".so", mine = stem + "." + std::to_string(getpid());
    if (std::filesystem::exists(object))
        return object;
    std::ofstream(mine + ".cpp") << text;
    const std::string command = std::string(KF_CXX) + flags + " -c " + mine + ".cpp -o " + mine + ".o && " + KF_CXX +
                                " -shared -nostdlib -Wl,-z,relro,-z,now -Wl,--as-needed " + mine + ".o -o " + mine +
                                ".so -lm -lc -lgcc";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::filesystem::rename(mine + ".so", object);
    std::filesystem::remove(mine + ".cpp");
    std::filesystem::remove(mine + ".o");
    return object;
}

Json pointer(std::uint64_t offset) {
    return {{"pointer", offset}};
}
Json i32(std::int64_t value) {
    return {{"bits", std::to_string(static_cast<std::uint32_t>(value))}, {"size", 4}};
}
Json f32(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return {{"bits", std::to_string(bits)}, {"size", 4}};
}

Json launch(int kernel, const Shape& shape, std::vector<Json> args) {
    return {{"kind", "launch"},           {"kernel", kernel},
            {"grid", {shape.grid, 1, 1}}, {"block", {shape.block, shape.block_y, 1}},
            {"shared", shape.shared},     {"cooperative", shape.cooperative},
            {"args", std::move(args)}};
}

Device::Device(Mode mode, std::size_t arena_bytes) : m_arena_bytes(arena_bytes) {
    int sockets[2], errors[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(errors, O_CLOEXEC) != 0)
        std::abort();
    const int memory = memfd_create("arena", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, static_cast<off_t>(arena_bytes)) != 0)
        std::abort();
    m_arena = static_cast<char*>(mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
    const char* program = mode == Mode::Asan   ? KF_BIN_DIR "/kf-cpu-asan"
                          : mode == Mode::Tsan ? KF_BIN_DIR "/kf-cpu-tsan"
                                               : KF_BIN_DIR "/kf-cpu";
    m_process = fork();
    if (m_process == 0) {
        // Away from 3 and 4 first: dup2 onto itself would keep the close-on-exec flag.
        const int channel = fcntl(sockets[1], F_DUPFD, 20), arena = fcntl(memory, F_DUPFD, 20);
        dup2(channel, 3);
        dup2(arena, 4);
        dup2(errors[1], 2);
        ::close(channel);
        ::close(arena);
        execl(program, program, nullptr);
        _exit(127);
    }
    ::close(sockets[1]);
    ::close(errors[1]);
    ::close(memory);
    m_socket = sockets[0];
    m_errors = errors[0];
    const Result<Json> first = parse_json(read_line(), "ready");
    ready = first ? *first : Json();
    EXPECT_TRUE(get_bool(request({{"op", "arena"}, {"bytes", arena_bytes}}), "ok"));
}

Device::~Device() {
    if (m_process > 0) {
        kill(m_process, SIGKILL);
        finish();
    }
    if (m_errors >= 0)
        ::close(m_errors);
    munmap(m_arena, m_arena_bytes);
}

std::string Device::read_line() {
    for (;;) {
        const std::size_t end = m_buffer.find('\n');
        if (end != std::string::npos) {
            std::string line = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            return line;
        }
        pollfd wait{m_socket, POLLIN, 0};
        char chunk[4096];
        if (poll(&wait, 1, 60000) <= 0)
            return "{\"status\":\"test-timeout\"}";
        const ssize_t got = read(m_socket, chunk, sizeof chunk);
        if (got <= 0)
            return "{\"status\":\"closed\"}";
        m_buffer.append(chunk, static_cast<std::size_t>(got));
    }
}

Json Device::request(const Json& message) {
    const std::string line = dump_line(message) + "\n";
    if (send(m_socket, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
        return {{"status", "closed"}};
    Result<Json> reply = parse_json(read_line(), "reply");
    return reply ? *reply : Json{{"status", "no-json"}};
}

Json Device::run(const Json& steps, std::uint64_t seed, const Json& more) {
    const Json plan = request({{"op", "plan"}, {"steps", steps.is_array() ? steps : Json::array({steps})}});
    if (!get_bool(plan, "ok"))
        return plan;
    const Json armed = request({{"op", "arm"}});
    if (!get_bool(armed, "ok"))
        return armed;
    Json message = {{"op", "run"}, {"seed", std::to_string(seed)}, {"repeat", 1}};
    message.update(more);
    return request(message);
}

int Device::finish() {
    if (m_process <= 0)
        return -1;
    ::close(m_socket);
    m_socket = -1;
    m_buffer.clear();
    char chunk[4096];
    for (ssize_t got; (got = read(m_errors, chunk, sizeof chunk)) > 0;)
        m_buffer.append(chunk, static_cast<std::size_t>(got));
    int status = 0;
    waitpid(m_process, &status, 0);
    m_process = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string Device::errors() {
    return m_buffer;
}

} // namespace kf::cpu::test
