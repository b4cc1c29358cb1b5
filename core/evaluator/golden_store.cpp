// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/golden_store.h"

#include "core/base/random.h"

namespace kf {
namespace {

// What is made ahead must not crowd out the candidates' own buffers.
constexpr std::size_t most_ready_bytes = std::size_t{1} << 30;
constexpr double golden_seconds = 60;

std::size_t bytes_of(const CaseGolden& golden) {
    std::size_t bytes = 0;
    for (const auto& output : golden.outputs)
        bytes += output.golden.size() + output.trusted.size();
    return bytes;
}

} // namespace

GoldenStore::GoldenStore(GoldenMaker maker) : m_maker(std::move(maker)), m_thread([this] { work(); }) {}

GoldenStore::~GoldenStore() {
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
        m_changed.notify_all();
    }
    m_thread.join();
}

std::string GoldenStore::key_of(const Task& task, const TaskCase& task_case) {
    return task.hash + "|" + to_string(task_case.symbols) + "|" + std::string(to_string(task_case.regime));
}

Attempt<CaseGolden> GoldenStore::take(const Task& task, const TaskCase& task_case, StopSignal& stop) {
    {
        const std::lock_guard lock(m_mutex);
        const auto ready = m_ready.find(key_of(task, task_case));
        if (ready != m_ready.end() && !ready->second.empty()) {
            CaseGolden golden = std::move(ready->second.front());
            ready->second.pop_front();
            m_ready_bytes -= bytes_of(golden);
            return golden;
        }
    }
    return make(task, task_case, system_seed(), stop);
}

Attempt<CaseGolden> GoldenStore::make(const Task& task, const TaskCase& task_case, std::uint64_t seed,
                                      StopSignal& stop) {
    return m_maker(task, task_case, seed, stop);
}

void GoldenStore::expect(const Task& task, const std::vector<std::pair<TaskCase, int>>& cases) {
    const std::lock_guard lock(m_mutex);
    if (!m_task || m_task->hash != task.hash) {
        m_ready.clear(); // another task: what was made for the old one only takes memory
        m_ready_bytes = 0;
        m_task = std::make_shared<const Task>(task);
    }
    m_wanted.clear();
    for (const auto& [task_case, copies] : cases)
        m_wanted.push_back(Wanted{key_of(task, task_case), task_case, copies});
    m_changed.notify_all();
}

void GoldenStore::allow(bool idle) {
    const std::lock_guard lock(m_mutex);
    m_idle = idle;
    m_changed.notify_all();
}

void GoldenStore::work() {
    std::unique_lock lock(m_mutex);
    while (!m_ending) {
        const Wanted* next = nullptr;
        if (m_idle && m_ready_bytes < most_ready_bytes)
            for (const Wanted& wanted : m_wanted)
                if (m_ready[wanted.key].size() < static_cast<std::size_t>(wanted.copies)) {
                    next = &wanted;
                    break;
                }
        if (!next) {
            m_changed.wait(lock);
            continue;
        }
        const std::string key = next->key;
        const TaskCase task_case = next->task_case;
        const std::shared_ptr<const Task> task = m_task;
        lock.unlock();
        StopSignal stop({}, deadline_after(golden_seconds));
        auto golden = m_maker(*task, task_case, system_seed(), stop);
        lock.lock();
        if (!golden) {
            m_wanted.clear(); // take() will meet the same fault and tell it with its reason
            continue;
        }
        if (m_task == task) {
            m_ready_bytes += bytes_of(*golden);
            m_ready[key].push_back(std::move(*golden));
        }
    }
}

} // namespace kf
