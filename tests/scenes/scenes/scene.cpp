// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/scenes/scenes/scene.h"

#include <QApplication>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

std::vector<Scene> all_scenes() {
    std::vector<Scene> all;
    for (auto* more : {start_scenes, watch_scenes, edit_scenes, pane_scenes, model_scenes, sheet_scenes, odd_scenes})
        for (Scene& scene : more())
            all.push_back(std::move(scene));
    return all;
}

void play(const Scene& scene, Player& player, const QString& theme, QSize size) {
    PlayerSettings settings;
    settings.theme = theme;
    settings.layout = QString::fromLatin1(scene.layout);
    settings.size = size;
    settings.machine = scene.machine;
    std::string fixture = scene.fixture;
    const bool hosted = fixture.ends_with('!');
    if (hosted)
        fixture.pop_back();
    if (fixture == "used_home")
        player.make_used_home();
    else if (!fixture.empty())
        player.make(fixture, hosted);
    const bool start_page = fixture.empty() || fixture == "used_home";
    player.open(settings, start_page, scene.replay ? QString::fromStdString(player.run().string()) : QString(), 1);
    if (!start_page && !scene.replay)
        player.until([&] { return player.window().store().mode() != ui::RunMode::none; }, 3);
    if (hosted)
        player.until([&] { return player.window().controller().state() == ui::RunController::State::running; }, 5);
    player.settle();
    if (scene.play) {
        scene.play(player);
        player.settle();
    }
}

} // namespace kf::scenes
