// SPDX-License-Identifier: GPL-3.0-or-later
// A model in the loop: transcript, prompt, tree, and the settings of its provider.
#include "tests/scenes/fixtures/exchanges.h"
#include "tests/scenes/scenes/scene.h"
#include "ui/docks/hint_line.h"
#include "ui/window/steer_sheet.h"

#include <QScrollArea>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

namespace {

Scene pane(const char* name, const char* what, const char* fixture, int turn, const char* pane_id) {
    return {.name = name, .what = what, .fixture = fixture, .play = [turn, pane_id](Player& player) {
                player.select(turn);
                player.pane(QString::fromLatin1(pane_id));
                player.settle();
            }};
}

// What a run's control socket tells while a model writes, up to `share` of the reply.
void write_live(Player& player, double share) {
    const Setting setting = Setting::h200();
    Talk talk;
    talk.turn = 10;
    talk.source = edited_source(setting, 5);
    const ChatReply reply = reply_of(setting, talk);
    const auto notify = [&](const char* kind, const std::string& text) {
        player.window().models().exchanges.apply_live(Json{{"event", "model"},
                                                           {"turn", 10},
                                                           {"exchange", 1},
                                                           {"attempt", 1},
                                                           {"phase", kind},
                                                           {"kind", kind},
                                                           {"from", 0},
                                                           {"text", text}});
    };
    notify("reasoning", reply.reasoning);
    if (share > 0)
        notify("content",
               reply.content.substr(0, static_cast<std::size_t>(share * static_cast<double>(reply.content.size()))));
}

void show_provider(Player& player) {
    player.act("view.settings");
    player.settle();
    auto* page = player.window().findChild<QWidget*>(u"provider"_s);
    if (!page) {
        player.troubles.emplace_back("the settings have no page of the provider");
        return;
    }
    for (QWidget* parent = page->parentWidget(); parent; parent = parent->parentWidget())
        if (auto* scroll = qobject_cast<QScrollArea*>(parent))
            scroll->ensureWidgetVisible(page, 0, 200);
    player.settle();
}

} // namespace

std::vector<Scene> model_scenes() {
    return {
        {.name = "transcript-live",
         .what = "turn 10 is being written",
         .fixture = "model_writing!",
         .play =
             [](Player& player) {
                 player.pane(u"transcript"_s);
                 write_live(player, 0.35);
                 player.settle(1);
             }},
        {.name = "transcript-thinking",
         .what = "turn 10 is being thought about",
         .fixture = "model_writing!",
         .play =
             [](Player& player) {
                 player.pane(u"transcript"_s);
                 write_live(player, 0);
                 player.settle(1);
             }},
        {.name = "transcript-waiting",
         .what = "the model was asked and has not answered",
         .fixture = "model_writing!",
         .play = [](Player& player) { player.pane(u"transcript"_s); }},
        pane("transcript-repair", "a reply without code, asked again", "model_story", 10, "transcript"),
        pane("transcript-truncated", "a reply that broke off, and the next attempt", "model_story", 11, "transcript"),
        pane("transcript-error", "the key was refused", "model_story", 13, "transcript"),
        pane("transcript-tuner", "no model was asked", "tuner_ended", 1, "transcript"),
        {.name = "transcript-long-reasoning",
         .what = "sixty paragraphs of thinking, unfolded",
         .fixture = "model_story",
         .play =
             [](Player& player) {
                 player.select(12);
                 player.pane(u"transcript"_s);
                 player.settle();
                 player.key("Down");
                 player.key("Down");
                 player.key("Down");
                 player.key("Return");
             }},
        {.name = "transcript-hint-pending",
         .what = "two hints wait for turn 11",
         .fixture = "hint_pending!",
         .play =
             [](Player& player) {
                 player.act("run.hint");
                 player.type(u"read h once for both halves"_s);
             }},
        {.name = "transcript-edit-layout",
         .what = "the transcript among the tabs at the bottom",
         .fixture = "model_story",
         .play =
             [](Player& player) {
                 player.select(10);
                 player.pane(u"transcript"_s);
             },
         .layout = "edit"},
        pane("prompt", "what the model was sent in turn 8", "swiglu", 8, "prompt"),
        pane("prompt-repair", "the prompt of a repair", "model_story", 10, "prompt"),
        pane("prompt-none", "the tuner's turn has none", "tuner_ended", 1, "prompt"),
        pane("tree", "the mock's run as a tree", "swiglu", 8, "tree"),
        pane("tree-beam", "a beam of 4 × 4 × 20", "beam", 40, "tree"),
        pane("tree-missing-parent", "parents that are not there", "missing_parent", 5, "tree"),
        {.name = "tree-10000",
         .what = "ten thousand turns",
         .fixture = "turns_10000",
         .play =
             [](Player& player) {
                 player.until([&] { return player.window().store().state().turns.size() > 10000; }, 30);
                 player.pane(u"tree"_s);
             },
         .heavy = true},
        {.name = "provider-no-key",
         .what = "the model's settings without a key",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 qunsetenv("NEBIUS_API_KEY");
                 show_provider(player);
             }},
        {.name = "provider-key-found",
         .what = "a key in the environment that nobody agreed to yet",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 qputenv("NEBIUS_API_KEY", "not-a-real-key-of-the-scenes");
                 show_provider(player);
                 qunsetenv("NEBIUS_API_KEY");
             }},
        {.name = "steer-model",
         .what = "another model is asked for",
         .fixture = "model_writing!",
         .play =
             [](Player& player) {
                 player.until(
                     [&] { return player.window().controller().state() == ui::RunController::State::running; });
                 player.act("run.model");
             }},
        {.name = "steer-fork",
         .what = "a fork from turn 6",
         .fixture = "model_writing!",
         .play =
             [](Player& player) {
                 player.select(6);
                 player.until(
                     [&] { return player.window().controller().state() == ui::RunController::State::running; });
                 player.act("run.fork");
             }},
        {.name = "steer-budgets",
         .what = "new budgets",
         .fixture = "model_writing!",
         .play =
             [](Player& player) {
                 player.until(
                     [&] { return player.window().controller().state() == ui::RunController::State::running; });
                 player.act("run.budgets");
             }},
    };
}

} // namespace kf::scenes
