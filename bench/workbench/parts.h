// SPDX-License-Identifier: GPL-3.0-or-later
// What both benchmark programs of the window need: a journal like a real one, and a watch for stalls.
#pragma once

#include "core/journal/writer.h"

#include <QEventLoop>
#include <QMetaObject>
#include <QObject>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kf::ui::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The event loop, for so long.
inline void run_for(double seconds) {
    QEventLoop loop;
    QTimer::singleShot(static_cast<int>(seconds * 1e3), &loop, &QEventLoop::quit);
    loop.exec();
}

// Of the calling thread alone: what it would take on a machine that does nothing else.
inline double thread_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// As long as a real one: five stages, eight cases, a failure's text now and then.
inline EvaluationEvent evaluation(int turn, const std::string& id, const std::string& level) {
    EvaluationEvent event;
    event.turn = turn;
    event.evaluation = id;
    event.candidate = std::string(64, 'c');
    event.level = level;
    event.verdict = turn % 7 == 3 ? "mismatch" : turn % 3 ? "slower" : "faster";
    event.failed = turn % 7 == 3;
    event.seconds_per_call = 2e-3 * (0.4 + 0.6 * std::exp(-turn / 900.0));
    event.vs_champion = {{"estimate", 1.01}, {"low", 0.99}, {"high", 1.03}};
    event.vs_baselines = {{"eager", {{"estimate", 1.16}, {"low", 1.15}, {"high", 1.17}}}};
    event.stages = Json::array();
    for (const char* stage : {"parse", "compile", "inspect", "verify", "measure"})
        event.stages.push_back(
            {{"stage", stage},
             {"outcome", "passed"},
             {"seconds", 0.125},
             {"evidence", {{"kernels", {{{"name", "k"}, {"registers", 52}, {"spill_stores", 0}}}}}}});
    Json cases = Json::array();
    for (int i = 0; i < 8; ++i)
        cases.push_back({{"seed", 123456789 + i},
                         {"passed", !event.failed || i < 7},
                         {"symbols", {{"M", 257}, {"N", 343}}},
                         {"comparisons", {{{"output", "out"}, {"max_abs_error", 1e-3}, {"accepted", true}}}}});
    event.result = {
        {"cases_total", 8}, {"cases", cases}, {"duel", {{"decision", {{"rounds", 12}, {"reason", "budget"}}}}}};
    event.samples = std::string(64, 'd');
    return event;
}

inline std::size_t write_turn(JournalWriter& writer, int turn) {
    const std::string number = std::to_string(turn);
    std::size_t failures = 0;
    const auto put = [&](const auto& event) { failures += !writer.append(event); };
    put(TurnStarted{turn, turn - 1, turn % 11 == 0 ? "human" : "model", "fuse the epilogue", ""});
    CandidateEvent candidate;
    candidate.turn = turn;
    candidate.source = std::string(64, 'a');
    put(candidate);
    for (const char* stage : {"compile", "verify", "measure"})
        put(StageProgress{turn, "p" + number, stage, "ended", "passed", 0.1, {}});
    put(evaluation(turn, "e" + number, "certify"));
    if (turn % 50 == 0)
        put(ChampionEvent{turn, "e" + number, "c", {}, "certify", "faster", 2e-3});
    put(TurnFinished{turn, turn % 7 == 3 ? "failed" : "verdict", "", to_json(Cost{})});
    return failures;
}

// Asks the user-interface thread for a sign of life every millisecond; the longest wait is the longest stall. On a busy
// machine that is mostly the scheduler's doing, so the thread's own time between two signs is told as well.
class StallWatch {
public:
    StallWatch() {
        m_context.setObjectName(QStringLiteral("stall watch"));
        m_thread = std::jthread([this](std::stop_token stop) { ask(stop); });
    }
    ~StallWatch() { stop(); }
    void stop() {
        m_thread.request_stop();
        if (m_thread.joinable())
            m_thread.join();
    }
    double longest_ms() const { return *std::max_element(m_waits.begin(), m_waits.end()); }
    double longest_work_ms() const { return m_longest_work * 1e3; }
    double share_ms(double share) {
        std::sort(m_waits.begin(), m_waits.end());
        return m_waits[static_cast<std::size_t>(share * static_cast<double>(m_waits.size() - 1))];
    }
    std::size_t count() const { return m_waits.size(); }

private:
    void ask(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto asked = Clock::now();
            // Told by the one that answers: this thread may itself wait for a core.
            const auto wait = std::make_shared<std::atomic<double>>(-1);
            QMetaObject::invokeMethod(
                &m_context,
                [this, wait, asked] {
                    const double now = thread_seconds();
                    m_longest_work = std::max(m_longest_work, now - std::exchange(m_last_work, now));
                    *wait = seconds_since(asked);
                },
                Qt::QueuedConnection);
            while (*wait < 0 && !stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            if (*wait >= 0)
                m_waits.push_back(*wait * 1e3);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    QObject m_context;
    double m_last_work = thread_seconds(), m_longest_work = 0; // of the user-interface thread
    std::vector<double> m_waits{0};
    std::jthread m_thread;
};

// Appends about `rate` events a second to a run, from turn `first` on, until `seconds` are over; gives the failures.
inline std::size_t write_live(JournalWriter& writer, int first, double rate, double seconds, std::atomic<int>& written,
                              const std::stop_token& stop) {
    std::size_t failures = 0;
    const auto begin = Clock::now();
    for (int i = 0; !stop.stop_requested() && seconds_since(begin) < seconds; ++i) {
        if (i % 8 == 0)
            failures += write_turn(writer, first + i / 8); // seven events
        else
            failures += !writer.append(
                StageProgress{first + i / 8, "p", "measure", "round", "", 0, Json{{"round", i}, {"of", 20}}});
        written += i % 8 == 0 ? 7 : 1;
        while (seconds_since(begin) < written / rate)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return failures;
}

} // namespace kf::ui::bench
