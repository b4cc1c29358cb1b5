// SPDX-License-Identifier: GPL-3.0-or-later
// How long it takes to open a journal of 10,000 events (aim: under 0.2 s in a release build), to project it, and to
// append. Usage: bench_journal [events] [repeats]
#include "core/base/files.h"
#include "core/journal/projection.h"
#include "core/journal/reader.h"
#include "core/journal/writer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

double seconds_of(const auto& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Of this thread alone: what it would take on a machine that does nothing else.
double cpu_seconds_of(const auto& body) {
    const auto now = [] {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
    };
    const double begin = now();
    body();
    return now() - begin;
}

void report(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    std::printf("%-28s median %8.2f ms  min %8.2f  max %8.2f  n %zu\n", what, times[times.size() / 2] * 1e3,
                times.front() * 1e3, times.back() * 1e3, times.size());
}

std::string evaluation_name(int turn) {
    return std::string("e").append(std::to_string(turn));
}

// An evaluation about as long as a real one: stages with evidence, two cases' worth of opaque result.
kf::EvaluationEvent evaluation(int turn) {
    kf::EvaluationEvent event;
    event.turn = turn;
    event.evaluation = evaluation_name(turn);
    event.candidate = std::string(64, 'c');
    event.level = "duel";
    event.verdict = turn % 3 ? "slower" : "faster";
    event.seconds_per_call = 1e-3 / (turn + 1);
    event.vs_champion = {{"estimate", 1.01}, {"low", 0.99}, {"high", 1.03}};
    event.stages = kf::Json::array();
    for (const char* stage : {"parse", "compile", "inspect", "verify", "measure"})
        event.stages.push_back({{"stage", stage}, {"outcome", "passed"}, {"seconds", 0.125}, {"note", "32 registers"}});
    event.result = {{"cases", {{{"seed", 123456789}, {"passed", true}}, {{"seed", 987654321}, {"passed", true}}}}};
    event.samples = std::string(64, 'd');
    return event;
}

} // namespace

int main(int argc, char** argv) {
    const int events = argc > 1 ? std::atoi(argv[1]) : 10'000;
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 9;
    if (events < 4 || repeats < 1) {
        std::fprintf(stderr, "usage: bench_journal [events >= 4] [repeats >= 1]\n");
        return 2;
    }
    const auto root = kf::make_private_folder("kf-bench-");
    if (!root) {
        std::fprintf(stderr, "%s\n", kf::to_string(root.error()).c_str());
        return 1;
    }
    int failures = 0;
    const auto check = [&](const auto& result) {
        if (!result && failures++ == 0)
            std::fprintf(stderr, "%s\n", kf::to_string(result.error()).c_str());
    };
    for (const bool flush : {false, true}) {
        const auto folder = *root / (flush ? "flushed" : "run");
        auto writer = kf::JournalWriter::create(folder, {.control_socket = {}, .flush_to_disk = flush});
        if (!writer) {
            std::fprintf(stderr, "%s\n", kf::to_string(writer.error()).c_str());
            return 1;
        }
        const int turns = flush ? 50 : events / 4;
        const double seconds = seconds_of([&] {
            for (int turn = 0; turn < turns; ++turn) {
                check((*writer)->append(kf::TurnStarted{turn, turn - 1, "model", "fuse", ""}));
                check((*writer)->append(
                    kf::StageProgress{turn, evaluation_name(turn), "compile", "ended", "passed", 0.1, {}}));
                check((*writer)->append(evaluation(turn)));
                check((*writer)->append(kf::TurnFinished{turn, "verdict", "", kf::to_json(kf::Cost{})}));
            }
        });
        std::printf("%-28s %8.3f ms an event (%d events)\n",
                    flush ? "append, flushed by policy" : "append, not flushed", seconds * 1e3 / (4 * turns),
                    4 * turns);
    }
    const auto journal = *root / "run" / "journal.jsonl";
    std::printf("journal: %zu events, %.2f MB\n", static_cast<std::size_t>(events / 4 * 4),
                static_cast<double>(std::filesystem::file_size(journal)) / 1e6);
    std::vector<double> open_times, open_cpu, fold_times, fold_cpu;
    for (int i = 0; i < repeats; ++i) {
        std::vector<kf::Event> list;
        open_times.push_back(seconds_of([&] {
            open_cpu.push_back(cpu_seconds_of([&] {
                auto reader = kf::JournalReader::open(*root / "run");
                auto polled = reader ? reader->poll() : kf::Result<std::vector<kf::Event>>(reader.error());
                check(polled);
                if (polled)
                    list = std::move(*polled);
            }));
        }));
        kf::RunState state;
        fold_times.push_back(seconds_of([&] { fold_cpu.push_back(cpu_seconds_of([&] { state.apply(list); })); }));
        failures += state.turns.size() != static_cast<std::size_t>(events / 4);
    }
    report("open (read and parse)", open_times);
    report("open, processor time", open_cpu);
    report("project", fold_times);
    report("project, processor time", fold_cpu);
    std::filesystem::remove_all(*root);
    return failures ? 1 : 0;
}
