// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of strange shape and damaged files.
#include "tests/scenes/scenes/scene.h"

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

std::vector<Scene> odd_scenes() {
    return {
        {.name = "turns-1", .what = "one turn", .fixture = "turns_1"},
        {.name = "turns-20", .what = "20 turns", .fixture = "turns_20"},
        {.name = "turns-10000",
         .what = "10,000 turns",
         .fixture = "turns_10000",
         .play =
             [](Player& player) {
                 player.until([&] { return player.window().store().state().turns.size() > 10000; }, 30);
                 player.settle(10);
             },
         .heavy = true},
        {.name = "beam", .what = "a beam of 4 × 4 × 20", .fixture = "beam"},
        {.name = "missing-parent", .what = "parents that are not there", .fixture = "missing_parent"},
        {.name = "nonfinite", .what = "strange figures", .fixture = "nonfinite"},
        {.name = "failures", .what = "one turn of each class", .fixture = "failures"},
        {.name = "long-names",
         .what = "80 characters of task, 60 of model",
         .fixture = "long_names",
         .play = [](Player& player) { player.select(8); }},
        {.name = "long-names-small",
         .what = "the same in a small window",
         .fixture = "long_names",
         .play = [](Player& player) { player.select(8); },
         .size = {1024, 700}},
        {.name = "bad-empty", .what = "a journal without an event", .fixture = "empty"},
        {.name = "bad-torn", .what = "half a last line", .fixture = "torn"},
        {.name = "bad-newer", .what = "an event of a newer format", .fixture = "newer"},
        {.name = "bad-newer-only", .what = "a journal of a newer format", .fixture = "newer_only"},
        {.name = "bad-hostile", .what = "a hostile journal", .fixture = "hostile"},
        {.name = "bad-hostile-turn",
         .what = "a turn of it",
         .fixture = "hostile",
         .play = [](Player& player) { player.select(5); }},
        {.name = "bad-not-json", .what = "random bytes", .fixture = "not_json"},
        {.name = "bad-no-journal", .what = "a folder without a journal", .fixture = "no_journal"},
    };
}

} // namespace kf::scenes
