// SPDX-License-Identifier: GPL-3.0-or-later
// The editor in its states, with an engine that answers when the scene says so.
#include "tests/scenes/scenes/scene.h"
#include "ui/editor/code_editor.h"
#include "ui/editor/editor_pane.h"

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

namespace {

// The draft in front, with its source.
void show_draft(Player& player) {
    ui::EditorPane* editor = player.window().editor();
    player.pane(u"editor"_s);
    player.until([&] { return !editor->draft()->source().isEmpty(); }, 5);
    editor->show_document(u"draft"_s);
}

// The keyboard in the draft, with a line typed at its end.
void type_a_line(Player& player, const QString& line = u"// one more read less"_s) {
    ui::EditorPane* editor = player.window().editor();
    show_draft(player);
    editor->draft()->setFocus();
    player.key("Ctrl+End");
    player.type(line);
}

void order_bench(Player& player) {
    type_a_line(player);
    player.key("F5");
    if (!player.until([&] { return player.host().has_bench(); }, 5))
        player.troubles.emplace_back("F5 gave no bench");
}

void answer(Player& player, const char* kind) {
    order_bench(player);
    player.host().answer_bench(outcome_of(kind, player.host().bench_source()), 11);
    player.until([&] { return !player.window().editor()->state_text().isEmpty(); }, 2);
}

} // namespace

std::vector<Scene> edit_scenes() {
    const char* edit = "edit";
    return {
        {.name = "edit-draft",
         .what = "the draft as it begins",
         .fixture = "swiglu_live!",
         .play =
             [](Player& player) {
                 player.select(8);
                 show_draft(player);
             },
         .layout = edit},
        {.name = "edit-champion",
         .what = "the champion's source, read only",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.select(8);
                 player.window().editor()->show_document(u"champion"_s);
             },
         .layout = edit},
        {.name = "edit-stale",
         .what = "typed: the plots show something else",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { type_a_line(player); },
         .layout = edit},
        {.name = "edit-waiting",
         .what = "F5: the bench waits for the turn",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { order_bench(player); },
         .layout = edit},
        {.name = "edit-faster",
         .what = "the bench's number",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { answer(player, "faster"); },
         .layout = edit},
        {.name = "edit-slower",
         .what = "the bench says slower",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { answer(player, "slower"); },
         .layout = edit},
        {.name = "edit-error",
         .what = "the compiler refused it: marked lines",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { answer(player, "compile"); },
         .layout = edit},
        {.name = "edit-wrong",
         .what = "the bench says wrong",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { answer(player, "mismatch"); },
         .layout = edit},
        {.name = "edit-plan-error",
         .what = "a plan line that does not parse, marked while typing",
         .fixture = "swiglu_live!",
         .play =
             [](Player& player) {
                 type_a_line(player, u"// see the top"_s);
                 player.key("Ctrl+Home");
                 player.type(u"#pragma kf tunes X in {1}\n"_s);
             },
         .layout = edit},
        {.name = "edit-lost",
         .what = "the evaluator was lost under the bench",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { answer(player, "infrastructure"); },
         .layout = edit},
        {.name = "edit-find",
         .what = "find in the source",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 type_a_line(player);
                 player.key("Ctrl+F");
                 player.type(u"float"_s);
             },
         .layout = edit},
        {.name = "edit-completion",
         .what = "completion of a plan statement",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 type_a_line(player, {});
                 player.key("Ctrl+Home");
                 player.type(u"#pragma kf "_s);
             },
         .layout = edit},
        {.name = "edit-long-source",
         .what = "5,000 lines",
         .fixture = "long_source",
         .play =
             [](Player& player) {
                 player.select(1);
                 player.window().editor()->show_turn(1);
             },
         .layout = edit},
        {.name = "edit-non-ascii",
         .what = "text that is not ASCII",
         .fixture = "non_ascii",
         .play =
             [](Player& player) {
                 player.select(1);
                 player.window().editor()->show_turn(1);
             },
         .layout = edit},
        {.name = "edit-narrow",
         .what = "the editor in a small window",
         .fixture = "swiglu_live!",
         .play = [](Player& player) { answer(player, "compile"); },
         .layout = edit,
         .size = {1100, 700}},
    };
}

} // namespace kf::scenes
