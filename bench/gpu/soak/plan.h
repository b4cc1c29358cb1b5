// SPDX-License-Identifier: GPL-3.0-or-later
// What the soak sends: candidate number i is the same text in every part of a soak.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kf::soak {

struct Order {
    std::int64_t index = 0;
    std::string task, kind; // kind: "right" or the hostile kind's name
    Json request;           // parameters of `evaluate`
    std::vector<std::string> expected;
};

class WorkList {
public:
    // Every task's start kernel with every point of its tune space; every tenth candidate is hostile. Errors: those of
    // reading tasks and kernels.
    static Result<WorkList> make(const std::filesystem::path& tasks, bool hostile, double deadline_s);
    Order at(std::int64_t index) const;
    const std::string& author() const { return m_author; }
    void set_author(const std::string& author) { m_author = author; }

private:
    struct TaskText {
        std::string name, start;
        Json wire; // timed at the size "cpu" alone: no golden takes the processor seconds
        std::vector<Json> points;
    };
    std::vector<TaskText> m_tasks;
    std::size_t m_hostile_task = 0;
    bool m_hostile = true;
    double m_deadline_s = 2;
    std::string m_author = "model";
};

} // namespace kf::soak
