// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/gpu/soak/plan.h"

#include "core/base/files.h"
#include "core/candidate/candidate.h"
#include "tests/gpu/hostile_kinds.h"

namespace kf::soak {
namespace {

constexpr std::int64_t hostile_every = 10;
constexpr std::int64_t run_length = 20; // of one task: its goldens are made ahead for the next
constexpr std::size_t most_points = 64;

} // namespace

Result<WorkList> WorkList::make(const std::filesystem::path& tasks, bool hostile, double deadline_s) {
    WorkList list;
    list.m_hostile = hostile;
    list.m_deadline_s = deadline_s;
    for (const auto& folder : list_task_folders(tasks)) {
        auto task = load_task(folder);
        if (!task)
            return task.error();
        auto start = read_file(folder / "start.cu", std::size_t{1} << 20);
        if (!start)
            return start.error();
        auto candidate = parse_candidate(*start, "start.cu");
        if (!candidate)
            return candidate.error();
        TaskText text;
        text.name = task->name;
        text.start = *start;
        text.wire = task_to_wire(*task);
        auto json = parse_json(task->json_text, "task.json");
        if (!json)
            return json.error();
        (*json)["timed"] = Json::array({{{"size", "cpu"}, {"weight", 1}}});
        text.wire["json"] = json->dump(1);
        SymbolTable scope;
        for (const auto& [name, value] : task->sizes.at("cpu"))
            scope.set(name, value);
        if (const auto points = tune_space(candidate->plan, scope))
            for (const TunableValues& point : *points) {
                if (text.points.size() == most_points)
                    break;
                text.points.emplace_back(Json::object());
                for (const auto& [name, value] : point)
                    text.points.back()[name] = value;
            }
        if (text.points.empty())
            text.points.emplace_back(Json::object()); // the space depends on more than this size: its default
        if (text.name == "silu_mul")
            list.m_hostile_task = list.m_tasks.size();
        list.m_tasks.push_back(std::move(text));
    }
    if (list.m_tasks.empty())
        return make_error("soak", "there are no tasks in " + tasks.string());
    return list;
}

Order WorkList::at(std::int64_t index) const {
    Order work;
    work.index = index;
    const std::string mark = "\n// candidate " + std::to_string(index) + "\n"; // never compiled before
    const TaskText* task = &m_tasks[static_cast<std::size_t>(index / run_length) % m_tasks.size()];
    std::string source;
    Json tunables = Json::object();
    if (m_hostile && index % hostile_every == hostile_every / 2) {
        const auto kinds = hostile_kinds();
        const auto which = static_cast<std::size_t>(index / hostile_every) % (kinds.size() + 1);
        task = &m_tasks[m_hostile_task];
        if (which < kinds.size()) {
            work.kind = kinds[which].name;
            work.expected = kinds[which].verdicts;
            source = kinds[which].source;
        } else {
            work.kind = "kills the compiler";
            work.expected = {"out-of-bounds", "compiler-crash", "unwritten", "mismatch", "crash"};
            source = compiler_killer();
        }
    } else {
        work.kind = "right";
        work.expected = {"verified"};
        source = task->start;
        tunables = task->points[static_cast<std::size_t>(index) % task->points.size()];
    }
    work.task = task->name;
    work.request = {{"task", task->wire},
                    {"source", source + mark},
                    {"file_name", "candidate.cu"},
                    {"tunables", tunables},
                    {"author", m_author},
                    {"measure", false},
                    {"budget_s", 60},
                    {"case_deadline_s", m_deadline_s},
                    {"shrink", false}};
    return work;
}

} // namespace kf::soak
