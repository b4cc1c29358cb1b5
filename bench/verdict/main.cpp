// SPDX-License-Identifier: GPL-3.0-or-later
// From source to screened verdict on the CPU device, compiler included: silu_mul at about 1 Mi elements against its
// start kernel, on a warm evaluator, each time with a text that no cache has seen. Prints every run and the median.
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/engine/evaluator_client.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char** argv) {
    const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
    auto task = kf::find_task("stage1/silu_mul", kf::resource_folder() / "tasks");
    if (!task) {
        std::fprintf(stderr, "%s\n", kf::to_string(task.error()).c_str());
        return 2;
    }
    auto source = kf::read_file(task->folder / "start.cu");
    auto json = kf::parse_json(task->json_text, "task.json");
    if (!source || !json)
        return 2;
    (*json)["sizes"]["cpu"] = kf::Json::parse(argc > 2 ? argv[2] : R"({"R": 512, "C": 2048})");
    const kf::Json wire = {{"json", json->dump()}, {"reference", task->reference}};
    kf::EvaluatorClient client(kf::EvaluatorSettings{});
    std::vector<double> all;
    for (int run = 0; run <= runs; ++run) {
        const std::string text = *source + "\n// " + kf::random_id(12) + "\n";
        kf::Json params = {{"task", wire},
                           {"source", text},
                           {"file_name", "start.cu"},
                           {"level", "screen"},
                           {"author", "model"},
                           {"cases", "first"},
                           {"against", {{"source", *source}, {"file_name", "start.cu"}, {"name", "champion"}}}};
        kf::EvaluationOutcome outcome;
        const double seconds = seconds_of([&] { outcome = client.evaluate("evaluate", std::move(params), 120, {}, {}); });
        if (outcome.outcome != kf::Outcome::verdict) {
            std::fprintf(
                stderr, "no verdict: %s %s\n", outcome.what.c_str(),
                outcome.evaluation && outcome.evaluation->failure ? outcome.evaluation->failure->message.c_str() : "");
            return 1;
        }
        std::string stages;
        for (const kf::StageReport& stage : outcome.evaluation->stages) {
            char piece[64];
            std::snprintf(piece, sizeof piece, " %s %.3f", std::string(kf::to_string(stage.stage)).c_str(),
                          stage.seconds);
            stages += piece;
        }
        std::printf("%s %.3f s  (%s) %s\n", run == 0 ? "warm-up" : "run    ", seconds, stages.c_str() + 1,
                    outcome.evaluation->verdict().c_str());
        std::fflush(stdout);
        if (run > 0)
            all.push_back(seconds);
    }
    std::sort(all.begin(), all.end());
    std::printf("source to screened verdict: median %.3f s, %.3f to %.3f, n = %d\n", all[all.size() / 2], all.front(),
                all.back(), runs);
    return 0;
}
