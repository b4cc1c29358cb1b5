// SPDX-License-Identifier: GPL-3.0-or-later
// The results file, one line a candidate, appended at once: a soak that was cut goes on behind the last whole line. And
// what all lines say together.
#pragma once

#include "core/base/json.h"

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kf::soak {

class Results {
public:
    // Reads what is there; half a line at the end is cut off.
    explicit Results(std::filesystem::path file);
    bool has(std::int64_t index) const { return m_done.count(index) != 0; }
    std::size_t size() const { return m_lines.size(); }
    void add(Json line);
    const std::vector<Json>& lines() const { return m_lines; }

private:
    std::filesystem::path m_file;
    std::mutex m_mutex;
    std::vector<Json> m_lines;
    std::set<std::int64_t> m_done;
};

// Growth in KiB a candidate of `field`, by least squares over the later three quarters of each (part, lane) series of
// at least 20 lines, weighted by their lengths; the most that one of them grew in `grown`. Nothing without such a
// series.
struct Slope {
    double kib_a_candidate = 0;
    double grown_kib = 0;
    std::size_t lines = 0;
};
Slope slope_of(const std::vector<Json>& lines, const char* field);

// {"candidates", "hostile", "wrong", "infrastructure", "restarts"?, "seconds" of all parts, "per_hour", "slopes", …}.
Json summary(const std::vector<Json>& lines);
std::string markdown(const Json& summary, const std::string& device);

} // namespace kf::soak
