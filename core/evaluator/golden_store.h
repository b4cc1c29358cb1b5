// SPDX-License-Identifier: GPL-3.0-or-later
// Goldens from kf-oracle, made ahead while the device is idle. A golden is used for one evaluation only, then its seed
// is spent: seeds come from the operating system, so no candidate can know its inputs before they are there.
#pragma once

#include "core/evaluator/device.h"
#include "core/evaluator/halt.h"
#include "core/task/task.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace kf {

// Makes the golden of a case for a seed: kf-oracle in production. Called from two threads, one at a time each.
using GoldenMaker = std::function<Attempt<CaseGolden>(const Task&, const TaskCase&, std::uint64_t seed, StopSignal&)>;

class GoldenStore {
public:
    explicit GoldenStore(GoldenMaker maker);
    ~GoldenStore();
    GoldenStore(const GoldenStore&) = delete;
    GoldenStore& operator=(const GoldenStore&) = delete;

    // A golden with a fresh seed for this case: one made ahead, or made now.
    Attempt<CaseGolden> take(const Task& task, const TaskCase& task_case, StopSignal& stop);
    // A golden for a seed that is given (shrinking, repeating a recorded case).
    Attempt<CaseGolden> make(const Task& task, const TaskCase& task_case, std::uint64_t seed, StopSignal& stop);

    // Cases that the next evaluation of this task will probably want, the most urgent first, each with how many there
    // should be by then (a case may come again with more); replaces the earlier list. Made only between
    // allow(true) and allow(false): the device is idle then, and nothing of ours runs while a slice is timed.
    void expect(const Task& task, const std::vector<std::pair<TaskCase, int>>& cases);
    void allow(bool idle);

private:
    struct Wanted {
        std::string key;
        TaskCase task_case;
        int copies = 1;
    };
    void work();
    static std::string key_of(const Task& task, const TaskCase& task_case);

    GoldenMaker m_maker;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::shared_ptr<const Task> m_task;
    std::vector<Wanted> m_wanted;
    std::map<std::string, std::deque<CaseGolden>> m_ready;
    std::size_t m_ready_bytes = 0;
    bool m_idle = false;
    bool m_ending = false;
    std::thread m_thread;
};

} // namespace kf
