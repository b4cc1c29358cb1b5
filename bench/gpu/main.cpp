// SPDX-License-Identifier: GPL-3.0-or-later
// From a candidate's text to *verified* on a warm GPU evaluator, goldens prepared: each candidate is a new text, so it
// is compiled every time. Also: candidates an hour, memory of the device before and after. usage: bench_gpu [TASK
// [COUNT]]
#include "core/base/files.h"
#include "core/evaluator/cuda_device.h"
#include "core/evaluator/pipeline.h"
#include "core/runners/cuda/device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

double seconds_since(kf::Deadline start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char** argv) {
    using namespace kf;
    const std::string name = argc > 1 ? argv[1] : "softmax";
    const int count = argc > 2 ? std::atoi(argv[2]) : 20;
    const auto task = find_task(name, std::filesystem::path(KF_SOURCE_DIR) / "tasks");
    if (!task) {
        std::fprintf(stderr, "bench_gpu: %s\n", to_string(task.error()).c_str());
        return 2;
    }
    auto device = make_cuda_device(0, cache_folder());
    if (!device) {
        std::fprintf(stderr, "bench_gpu: %s\n", to_string(device.error()).c_str());
        return 3;
    }
    OracleClient oracle(program_path("kf-oracle"));
    GoldenStore goldens([&](const Task& of, const TaskCase& task_case, std::uint64_t seed, StopSignal& stop) {
        return oracle.golden(of, task_case, seed, stop);
    });
    const auto text = read_file(task->folder / "start.cu", std::size_t{1} << 20);
    EvaluateRequest request;
    request.task = *task;
    request.task.timed = {{"cpu", 1}};
    request.measure = false;
    std::vector<std::pair<TaskCase, int>> wanted;
    for (const TaskCase& one : cases_for(request.task, "cpu", false))
        wanted.emplace_back(one, 1);
    std::vector<double> times;
    std::map<std::string, double> stages;
    const Deadline begin = std::chrono::steady_clock::now();
    for (int i = -2; i < count; ++i) { // two to warm up
        goldens.expect(request.task, wanted);
        goldens.allow(true);
        (*device)->warm();
        std::this_thread::sleep_for(std::chrono::milliseconds(1500)); // the idle time between two candidates
        goldens.allow(false);
        request.candidate = {*text + "\n// candidate " + std::to_string(i) + "\n", "candidate.cu", {}, "candidate"};
        StopSignal stop({}, deadline_after(60));
        PipelineServices services;
        services.device = device->get();
        services.goldens = &goldens;
        services.oracle = &oracle;
        services.progress = [](const Json&) {};
        const Deadline start = std::chrono::steady_clock::now();
        const EvaluationOutcome outcome = Pipeline(std::move(services), request, stop).run();
        const double seconds = seconds_since(start);
        if (!outcome.evaluation || !outcome.evaluation->accepted()) {
            std::fprintf(stderr, "bench_gpu: candidate %d: %s\n", i,
                         outcome.evaluation ? outcome.evaluation->verdict().c_str() : outcome.what.c_str());
            return 1;
        }
        if (i < 0)
            continue;
        times.push_back(seconds);
        for (const StageReport& stage : outcome.evaluation->stages)
            stages[std::string(to_string(stage.stage))] += stage.seconds;
    }
    std::sort(times.begin(), times.end());
    std::printf("%s on %s: text to verified, %zu cases: median %.0f ms, min %.0f, max %.0f, n %d\n", name.c_str(),
                (*device)->name().c_str(), wanted.size(), times[times.size() / 2] * 1e3, times.front() * 1e3,
                times.back() * 1e3, count);
    for (const auto& [stage, seconds] : stages)
        std::printf("  %-8s %.0f ms\n", stage.c_str(), seconds / count * 1e3);
    std::printf("  %.1f s altogether, idle time included\n", seconds_since(begin));
    return 0;
}
