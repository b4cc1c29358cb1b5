// SPDX-License-Identifier: GPL-3.0-or-later
// How long the prompt of a run with a long history takes (aim: under 50 ms for 10,000 turns), and the choice of the
// next child. Usage: bench_prompt [turns] [repeats]
#include "core/llm/prompt.h"
#include "core/search/model_search.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

double seconds_of(const auto& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void report(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    double sum = 0;
    for (const double time : times)
        sum += time;
    std::printf("%-28s mean %8.2f ms  median %8.2f  min %8.2f  max %8.2f  n %zu\n", what,
                sum / static_cast<double>(times.size()) * 1e3, times[times.size() / 2] * 1e3, times.front() * 1e3,
                times.back() * 1e3, times.size());
}

template<class T> void add(kf::RunState& state, std::int64_t& sequence, const T& value) {
    kf::Event event;
    event.type = T::type;
    event.sequence = ++sequence;
    event.fields = kf::to_fields(value);
    state.apply(event);
}

kf::Evaluation evaluation_of(int turn) {
    kf::Evaluation evaluation;
    evaluation.id = "e";
    if (turn % 3 == 0) {
        kf::Failure failure;
        failure.stage = kf::Stage::verify;
        failure.failure = kf::FailureClass::mismatch;
        failure.place = "out";
        failure.message = "out is wrong in the last columns";
        evaluation.failure = failure;
    }
    return evaluation;
}

} // namespace

int main(int argc, char** argv) {
    const int turns = argc > 1 ? std::atoi(argv[1]) : 10'000;
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 21;
    if (turns < 2 || repeats < 1) {
        std::fprintf(stderr, "usage: bench_prompt [turns >= 2] [repeats >= 1]\n");
        return 2;
    }
    const auto task = kf::parse_task(
        R"json({"name": "t", "title": "T", "stage": 1, "sizes": {"cpu": {"M": 64, "N": 96}, "primary": {"M": 64, "N": 96}}, "timed": [{"size": "primary", "weight": 1}],
            "inputs": [{"name": "x", "dtype": "f32", "shape": ["M", "N"], "fill": {"normal": [0, 1]}}],
            "outputs": [{"name": "out", "dtype": "f32", "shape": ["M", "N"], "compare": "close"}],
            "cases": [{"M": 1, "N": 9}], "tolerance": {"atol": 0.001, "rtol": 0.01},
            "work": {"flops": "M*N", "read": "4*M*N", "written": "4*M*N"}})json",
        "def t(x: Tensor, acc: int) -> Tensor:\n    return x.to(acc)\n", "task.json");
    if (!task) {
        std::fprintf(stderr, "%s\n", kf::to_string(task.error()).c_str());
        return 1;
    }
    const std::string source = std::string("#pragma kf launch k<<<M, 64>>>(x, out, N)\n") + std::string(8000, '/') +
                               "\n__global__ void k(const float* x, float* out, int n) {}\n";
    kf::RunState state;
    std::int64_t sequence = 0;
    for (int turn = 0; turn < turns; ++turn) {
        kf::TurnStarted started;
        started.turn = turn;
        started.parent = turn == 0 ? -1 : turn - 1 - turn % 7 % std::max(1, turn);
        started.parent = std::max(turn == 0 ? -1 : 0, started.parent);
        started.author = turn == 0 ? "file" : "model";
        started.strategy = "refine: several elements a thread, variant " + std::to_string(turn);
        add(state, sequence, started);
        kf::CandidateEvent candidate;
        candidate.turn = turn;
        candidate.source = "h" + std::to_string(turn);
        candidate.file_name = "a.cu";
        add(state, sequence, candidate);
        kf::EvaluationEvent event;
        event.turn = turn;
        event.evaluation = "e" + std::to_string(turn);
        event.level = "certify";
        event.failed = turn % 3 == 0 && turn > 0;
        event.verdict = event.failed ? (turn % 2 ? "mismatch" : "race") : "slower";
        event.seconds_per_call = event.failed ? 0 : 1e-3 + 1e-9 * turn;
        event.vs_champion = {{"estimate", 0.98}, {"low", 0.97}, {"high", 0.99}};
        add(state, sequence, event);
        if (turn == 0)
            add(state, sequence, kf::ChampionEvent{0, "e0", "h0", {}, "certify", "start", 1e-3});
        kf::TurnFinished finished;
        finished.turn = turn;
        finished.outcome = event.failed ? "failed" : "verdict";
        add(state, sequence, finished);
    }
    kf::PromptInputs inputs;
    inputs.state = &state;
    inputs.task = &*task;
    inputs.device = {{"id", "cpu"}};
    inputs.parent_source = source;
    inputs.strategy = "refine: wider loads";
    inputs.blob = [&](const std::string&) { return source; };
    inputs.decisive_of_turn = [](int turn) -> std::optional<kf::Evaluation> { return evaluation_of(turn); };

    std::vector<double> wide, narrow, child;
    std::size_t tokens = 0;
    int failures = 0;
    for (int i = 0; i < repeats; ++i) {
        for (const int context : {131072, 12000}) {
            kf::PromptOptions options;
            options.context_tokens = context;
            options.reply_tokens = 4096;
            (context == 131072 ? wide : narrow).push_back(seconds_of([&] {
                const auto prompt = kf::build_prompt(inputs, options);
                failures += !prompt;
                if (prompt && context == 131072)
                    tokens = prompt->estimated_tokens;
            }));
        }
        child.push_back(seconds_of([&] {
            kf::ModelSearchSettings settings;
            settings.kind = kf::SearchKind::beam;
            failures += std::holds_alternative<kf::SearchDone>(kf::next_child(state, settings));
        }));
    }
    std::printf("history of %d turns, prompt of about %zu tokens\n", turns, tokens);
    report("prompt, context of 128 Ki", wide);
    report("prompt, context of 12,000", narrow);
    report("next child of a beam", child);
    return failures ? 1 : 0;
}
