// SPDX-License-Identifier: GPL-3.0-or-later
// What lies over the window: palette, sheets, banners, toasts, settings.
#include "tests/scenes/scenes/scene.h"
#include "ui/window/close_sheet.h"

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

std::vector<Scene> sheet_scenes() {
    return {
        {.name = "palette",
         .what = "all commands",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { player.key("Ctrl+Shift+P"); }},
        {.name = "palette-typed",
         .what = "commands that fit \"lay\"",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.key("Ctrl+Shift+P");
                 player.type(u"lay"_s);
             }},
        {.name = "palette-turns",
         .what = "turns by number",
         .fixture = "swiglu",
         .play = [](Player& player) { player.act("go.turn"); }},
        {.name = "palette-nothing",
         .what = "nothing fits",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.key("Ctrl+Shift+P");
                 player.type(u"zzqqxx"_s);
             }},
        {.name = "settings",
         .what = "the settings page",
         .fixture = "swiglu",
         .play = [](Player& player) { player.act("view.settings"); }},
        {.name = "settings-small",
         .what = "the settings page in a small window",
         .fixture = "swiglu",
         .play = [](Player& player) { player.act("view.settings"); },
         .size = {1024, 700}},
        {.name = "shortcuts",
         .what = "all keys on one sheet",
         .fixture = "swiglu",
         .play = [](Player& player) { player.key("F1"); }},
        {.name = "close",
         .what = "asked before the window closes on its run",
         .fixture = "swiglu_live!",
         .play =
             [](Player& player) {
                 // It is asked for a run that this window started; the fixture's was not.
                 player.window().findChild<ui::CloseSheet*>()->ask(u"swiglu_bias · turn 10 of 20"_s);
             }},
        {.name = "note",
         .what = "a note on a turn",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.select(8);
                 player.key("Ctrl+M");
                 player.type(u"keep this layout of the weights"_s);
             }},
        {.name = "banners",
         .what = "two banners with remedies",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.window().notices().banner(
                     u"evaluator"_s, make_error("evaluator-lost", "the evaluator was lost and is started again",
                                                "see the log; if it stays so, run kernelforge doctor"));
                 player.window().notices().banner(
                     u"journal"_s, make_error("journal-newer", "the journal was written by a newer release",
                                              "open it with a newer release", {"journal.jsonl", 17, 0}));
             }},
        {.name = "banner-long",
         .what = "a banner with a long path",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.window().notices().banner(
                     u"long"_s, make_error("file-missing",
                                           "cannot read /home/somebody/with/a/very/long/path/" + std::string(160, 'x') +
                                               "/journal.jsonl: No such file or directory",
                                           "open another run, or look whether the folder was moved"));
             }},
        {.name = "toasts",
         .what = "two toasts",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.window().notices().toast(u"New champion: turn 8, 1.16× eager's speed"_s);
                 player.window().notices().toast(u"Copied"_s);
             }},
    };
}

} // namespace kf::scenes
