// SPDX-License-Identifier: GPL-3.0-or-later
// A kf-cpu process under test, and candidates compiled for it as resources/simt/kf/simt.h prescribes.
#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kf::cpu::test {

enum class Mode { Plain, Volatile, Asan, Tsan };

// The shared object of data/<file> with these kernels; compiled once per content and kept in the build folder. Fails
// the test when the compiler does.
std::string compile(const std::string& file, const std::vector<std::string>& kernels, Mode mode = Mode::Plain);

Json pointer(std::uint64_t offset);
Json i32(std::int64_t value);
Json f32(float value);

struct Shape {
    unsigned int grid = 1, block = 32;
    std::uint64_t shared = 0;
    bool cooperative = false;
    unsigned int block_y = 1;
};
Json launch(int kernel, const Shape& shape, std::vector<Json> args);

class Device {
public:
    explicit Device(Mode mode = Mode::Plain, std::size_t arena_bytes = std::size_t{1} << 20);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    Json ready; // the first line
    Json request(const Json& message);
    Json load(const std::string& path) { return request({{"op", "load"}, {"path", path}}); }
    // Sets a plan of these steps and runs it.
    Json run(const Json& steps, std::uint64_t seed = 1, const Json& more = Json::object());
    template<class T> T* at(std::size_t offset) { return reinterpret_cast<T*>(m_arena + offset); }
    // Closes the channel, waits for the end; the exit code (-signal when killed by one).
    int finish();
    std::string errors(); // standard error, after finish()

private:
    std::string read_line();
    pid_t m_process = -1;
    int m_socket = -1, m_errors = -1;
    char* m_arena = nullptr;
    std::size_t m_arena_bytes = 0;
    std::string m_buffer;
};

} // namespace kf::cpu::test
