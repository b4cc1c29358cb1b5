// SPDX-License-Identifier: GPL-3.0-or-later
// The start page, and Watch in every state of a run.
#include "tests/scenes/scenes/scene.h"
#include "ui/control/replay_source.h"

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

std::vector<Scene> start_scenes() {
    return {
        {.name = "start-fresh", .what = "a machine without a GPU and without runs"},
        {.name = "start-bare", .what = "nothing that is needed is installed", .machine = Machine::bare},
        {.name = "start-no-program", .what = "kernelforge itself is not there", .machine = Machine::no_program},
        {.name = "start-recent", .what = "runs of the last days", .fixture = "used_home", .machine = Machine::complete},
        {.name = "start-narrow",
         .what = "the start page in a small window",
         .fixture = "used_home",
         .size = {1024, 700}},
    };
}

std::vector<Scene> watch_scenes() {
    return {
        {.name = "watch-live",
         .what = "the mock: turn 10 is measured, turn 8 against turn 6",
         .fixture = "swiglu_live!",
         .play =
             [](Player& player) {
                 player.select(8);
                 player.pin(6);
             }},
        {.name = "watch-finished",
         .what = "an ended run, the champion selected",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.select(8);
                 player.pin(6);
             }},
        {.name = "watch-detached", .what = "a living run that cannot be steered", .fixture = "swiglu_live"},
        {.name = "watch-just-started", .what = "nothing but its start", .fixture = "just_started!"},
        {.name = "watch-start-kernel", .what = "only the start kernel", .fixture = "start_only!"},
        {.name = "watch-start-rejected", .what = "the start kernel was rejected", .fixture = "failed_start"},
        {.name = "watch-paused", .what = "paused after turn 9", .fixture = "paused!"},
        {.name = "watch-interrupted", .what = "the writer was lost in turn 8", .fixture = "interrupted"},
        {.name = "watch-sweep-live",
         .what = "a sweep on the CPU device, six of twelve points",
         .fixture = "tuner_live!"},
        {.name = "watch-sweep-ended", .what = "a sweep that ended", .fixture = "tuner_ended"},
        {.name = "watch-stop-failures", .what = "ended by failed turns", .fixture = "stop_failures"},
        {.name = "watch-stop-reachable", .what = "ended near the reachable speed", .fixture = "stop_reachable"},
        {.name = "watch-stop-infrastructure",
         .what = "ended because the evaluator was lost",
         .fixture = "stop_infrastructure"},
        {.name = "watch-small",
         .what = "a window of 1100 × 700",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { player.select(8); },
         .size = {1100, 700}},
        {.name = "replay",
         .what = "a recorded run is played, half way",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 auto source = [&] { return player.window().controller().replay_source(); };
                 if (!player.until([&] { return source() != nullptr; }, 3)) {
                     player.troubles.emplace_back("no replay began");
                     return;
                 }
                 for (int turn = 0; turn < 5; ++turn)
                     source()->step(true);
                 source()->pause();
             },
         .replay = true},
    };
}

} // namespace kf::scenes
