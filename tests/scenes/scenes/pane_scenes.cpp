// SPDX-License-Identifier: GPL-3.0-or-later
// The panes one by one: distribution in its kinds and states, autopsies of all sorts, issues, log.
#include "tests/scenes/scenes/scene.h"
#include "ui/widgets/segmented.h"

#include <QAbstractButton>
#include <QProgressBar>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

namespace {

// The kind of plot by its place in the row of buttons.
void choose_kind(Player& player, int index) {
    player.pane(u"distribution"_s);
    auto* kinds = player.pane_widget(u"distribution"_s)->findChild<ui::Segmented*>();
    if (!kinds || index >= kinds->count()) {
        player.troubles.emplace_back("the distribution offers no such kind");
        return;
    }
    player.click_button(kinds, kinds->text(index));
}

Scene distribution(const char* name, const char* what, int kind) {
    return {.name = name, .what = what, .fixture = "swiglu", .play = [kind](Player& player) {
                player.select(8);
                player.pin(6);
                choose_kind(player, kind);
            }};
}

Scene autopsy(const char* name, const char* what, FailureClass failure) {
    return {.name = name, .what = what, .fixture = "failures", .play = [failure](Player& player) {
                player.select(static_cast<int>(failure) + 1);
                player.pane(u"autopsy"_s);
            }};
}

Scene simple(const char* name, const char* what, const char* fixture, int turn, const char* pane) {
    return {.name = name, .what = what, .fixture = fixture, .play = [turn, pane](Player& player) {
                player.select(turn);
                player.pane(QString::fromLatin1(pane));
            }};
}

} // namespace

std::vector<Scene> pane_scenes() {
    return {
        distribution("distribution-histogram", "turn 8 against turn 6", 0),
        distribution("distribution-ecdf", "the same as ECDF", 1),
        distribution("distribution-box", "the same as boxes", 2),
        distribution("distribution-raw", "the same, each sample", 3),
        simple("distribution-unpinned", "nothing is pinned", "swiglu", 8, "distribution"),
        simple("distribution-conditions", "clocks moved in turn 7", "swiglu", 7, "distribution"),
        simple("distribution-failed", "a turn that was never timed", "swiglu", 1, "distribution"),
        {.name = "distribution-million",
         .what = "a million samples",
         .fixture = "million_samples",
         .play =
             [](Player& player) {
                 player.select(1);
                 player.pane(u"distribution"_s);
                 // Reading them takes longer than a picture that stands still.
                 const QWidget* pane = player.pane_widget(u"distribution"_s);
                 const auto reading = [&] {
                     for (const auto* bar : pane->findChildren<QProgressBar*>())
                         if (bar->isVisible())
                             return true;
                     return false;
                 };
                 if (!player.until([&] { return !reading(); }, 30))
                     player.troubles.emplace_back("the samples are still being read after 30 s");
             }},
        simple("distribution-equal", "all samples equal", "equal_samples", 1, "distribution"),
        simple("distribution-one", "one sample", "one_sample", 1, "distribution"),
        simple("distribution-lost", "the samples' file is gone", "lost_samples", 1, "distribution"),
        simple("distribution-nonfinite", "NaN and Inf among the samples", "nonfinite", 2, "distribution"),
        simple("autopsy-wrong", "turn 2 of the mock: wrong, with its error map", "swiglu", 2, "autopsy"),
        simple("autopsy-slower", "turn 9: slower, and why", "swiglu", 9, "autopsy"),
        simple("autopsy-champion", "turn 8: faster", "swiglu", 8, "autopsy"),
        simple("autopsy-sweep", "the points of a sweep", "tuner_ended", 1, "autopsy"),
        autopsy("autopsy-parse", "a plan line does not parse", FailureClass::parse),
        autopsy("autopsy-compile", "the compiler refused it", FailureClass::compile),
        autopsy("autopsy-crash", "illegal access", FailureClass::crash),
        autopsy("autopsy-timeout", "over its deadline", FailureClass::timeout),
        autopsy("autopsy-out-of-bounds", "out of bounds, named by a sanitizer", FailureClass::out_of_bounds),
        autopsy("autopsy-mismatch", "one tile is wrong", FailureClass::mismatch),
        autopsy("autopsy-nonfinite", "NaN in a row", FailureClass::nonfinite),
        autopsy("autopsy-race", "a data race", FailureClass::race),
        autopsy("autopsy-unstable", "two runs differ", FailureClass::unstable),
        autopsy("autopsy-sandbox", "stopped by the sandbox", FailureClass::sandbox),
        autopsy("autopsy-suspect", "faster than it can be", FailureClass::suspect),
        simple("autopsy-infrastructure", "nobody's fault", "infrastructure", 4, "autopsy"),
        simple("issues", "the diagnostics of turn 1", "swiglu", 1, "issues"),
        simple("issues-empty", "no issues", "swiglu", 8, "issues"),
        simple("log", "the log of the mock run", "swiglu", 8, "log"),
        simple("log-hostile", "the log of a hostile journal", "hostile", 1, "log"),
        simple("log-notes", "a thousand notes", "notes_1000", 8, "log"),
        {.name = "log-event",
         .what = "one event in full",
         .fixture = "swiglu",
         .play =
             [](Player& player) {
                 player.pane(u"log"_s);
                 player.key("End");
                 player.key("Return");
             }},
    };
}

} // namespace kf::scenes
