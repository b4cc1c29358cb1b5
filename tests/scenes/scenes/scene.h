// SPDX-License-Identifier: GPL-3.0-or-later
// The named scenes: which run, which window, which keys. Everything that a person may come to see should be one.
#pragma once

#include "tests/scenes/player/player.h"

#include <vector>

namespace kf::scenes {

struct Scene {
    const char* name;
    const char* what;
    const char* fixture = ""; // "": the start page; "…!": hosted
    std::function<void(Player&)> play = {};
    const char* layout = "watch";
    Machine machine = Machine::no_gpu;
    QSize size{1680, 1050};
    bool replay = false;
    bool heavy = false; // takes seconds to make: not in the quick run
};

std::vector<Scene> all_scenes();

// By kind; all_scenes() joins them.
std::vector<Scene> start_scenes();
std::vector<Scene> watch_scenes();
std::vector<Scene> edit_scenes();
std::vector<Scene> pane_scenes();
std::vector<Scene> sheet_scenes();
std::vector<Scene> model_scenes();
std::vector<Scene> odd_scenes();

// Plays it until it is quiet; the window stays open.
void play(const Scene& scene, Player& player, const QString& theme, QSize size);

} // namespace kf::scenes
