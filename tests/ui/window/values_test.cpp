// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the window that are values: layouts, settings, session, notes, matching, words of the strip.
#include "core/base/files.h"
#include "ui/models/run_notes.h"
#include "ui/window/arrangement.h"
#include "ui/window/fuzzy.h"
#include "ui/window/run_progress.h"
#include "ui/window/selection_history.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace kf::ui {
namespace {

const QStringList& known() {
    static const QStringList ids = {QStringLiteral("timeline"),     QStringLiteral("editor"),
                                    QStringLiteral("distribution"), QStringLiteral("autopsy"),
                                    QStringLiteral("issues"),       QStringLiteral("log"),
                                    QStringLiteral("runs"),         QStringLiteral("tree"),
                                    QStringLiteral("prompt"),       QStringLiteral("transcript")};
    return ids;
}

TEST(Arrangement, BuiltInLayoutsHoldEveryPaneOnce) {
    for (const QString& layout : {QStringLiteral("watch"), QStringLiteral("edit")}) {
        for (const bool model : {false, true}) {
            const Arrangement made = built_in(layout, model);
            QStringList all;
            for (const Area area : areas) {
                all << made.at(area).panes;
                EXPECT_TRUE(made.at(area).panes.contains(made.at(area).current));
            }
            all.sort();
            QStringList wanted = known();
            wanted.sort();
            EXPECT_EQ(all, wanted) << qPrintable(layout) << model;
        }
    }
}

TEST(Arrangement, WatchOfAModelAlwaysShowsTheTranscript) {
    const Arrangement tuner = built_in(QStringLiteral("watch")), model = built_in(QStringLiteral("watch"), true);
    EXPECT_EQ(model.at(Area::right).current, QStringLiteral("transcript"));
    EXPECT_EQ(model.area_of(QStringLiteral("autopsy")), Area::bottom);
    EXPECT_EQ(tuner.at(Area::right).current, QStringLiteral("autopsy"));
    EXPECT_FALSE(model.has_places_of(tuner));
    Arrangement other = model;
    other.at(Area::bottom).current = QStringLiteral("log");
    other.right_width += 20;
    EXPECT_TRUE(model.has_places_of(other));
    other.at(Area::left).shown = false;
    EXPECT_FALSE(model.has_places_of(other));
}

TEST(Arrangement, GoesThroughTextAndBack) {
    Arrangement changed = built_in(QStringLiteral("edit"));
    changed.move(QStringLiteral("log"), Area::right);
    changed.close(QStringLiteral("issues"));
    changed.at(Area::left).shown = false;
    changed.bottom_height = 411;
    const auto read = arrangement_from_text(to_text(changed), known());
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, changed);
}

TEST(Arrangement, RefusesWhatDoesNotAddUp) {
    const QByteArray good = to_text(built_in(QStringLiteral("watch")));
    EXPECT_FALSE(arrangement_from_text({}, known()));
    EXPECT_FALSE(arrangement_from_text("{]", known()));
    EXPECT_FALSE(arrangement_from_text(good.left(good.size() / 2), known()));
    QByteArray newer = good;
    newer.replace(QStringLiteral("\"version\":%1").arg(arrangement_version).toUtf8(), "\"version\":99");
    ASSERT_NE(newer, good);
    EXPECT_EQ(arrangement_from_text(newer, known()).error().code, "layout-version");
    // Nothing known in the centre.
    EXPECT_FALSE(arrangement_from_text(good, {QStringLiteral("log")}));
    // A pane of two places stands in the first; absurd sizes are not taken.
    QByteArray twice = good;
    twice.replace("[\"distribution\"", "[\"timeline\",\"distribution\"");
    twice.replace("\"left_width\":236", "\"left_width\":999999");
    const auto read = arrangement_from_text(twice, known());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->area_of(QStringLiteral("timeline")), Area::centre);
    EXPECT_EQ(read->at(Area::bottom).panes.count(QStringLiteral("timeline")), 0);
    EXPECT_EQ(read->left_width, 236);
}

TEST(Arrangement, CompactPutsTheRightColumnBelow) {
    const Arrangement narrow = compact(built_in(QStringLiteral("watch")));
    EXPECT_TRUE(narrow.at(Area::right).panes.isEmpty());
    EXPECT_EQ(narrow.area_of(QStringLiteral("autopsy")), Area::bottom);
    EXPECT_EQ(narrow.at(Area::bottom).current, QStringLiteral("distribution"));
}

TEST(Settings, RoundTripAndLimits) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("deep/er/workbench.ini"));
    {
        Settings settings(file);
        EXPECT_FALSE(settings.damage());
        QSignalSpy changed(&settings, &Settings::changed);
        EXPECT_TRUE(settings.set(QStringLiteral("look/theme"), QStringLiteral("light")));
        EXPECT_TRUE(settings.set(QStringLiteral("look/text_scale"), 130));
        EXPECT_FALSE(settings.set(QStringLiteral("look/text_scale"), 5000));
        EXPECT_FALSE(settings.set(QStringLiteral("look/theme"), QStringLiteral("mauve")));
        EXPECT_TRUE(settings.set(QStringLiteral("look/reduced_motion"), true));
        EXPECT_EQ(changed.count(), 3);
        settings.set_shortcuts({{QStringLiteral("run.pause"), QStringList{QStringLiteral("Ctrl+F12")}}});
        EXPECT_TRUE(settings.save());
    }
    const Settings again(file);
    EXPECT_EQ(again.text(QStringLiteral("look/theme")), QStringLiteral("light"));
    EXPECT_EQ(again.number(QStringLiteral("look/text_scale")), 130);
    EXPECT_TRUE(again.flag(QStringLiteral("look/reduced_motion")));
    EXPECT_EQ(again.shortcuts().value(QStringLiteral("run.pause")).toStringList(),
              QStringList{QStringLiteral("Ctrl+F12")});
    for (const SettingSpec& spec : Settings::table())
        EXPECT_TRUE(spec.fallback.isValid() && !spec.label.isEmpty() && !spec.help.isEmpty()) << qPrintable(spec.key);
}

TEST(Settings, DamagedFileGivesDefaultsAndIsKept) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("workbench.ini"));
    ASSERT_TRUE(write_file_atomic(file.toStdString(), std::string("[look\ntheme\0\1\2 light\n", 22)));
    Settings settings(file);
    ASSERT_TRUE(settings.damage());
    EXPECT_EQ(settings.damage()->code, "settings-damaged");
    EXPECT_EQ(settings.text(QStringLiteral("look/theme")), QStringLiteral("system"));
    EXPECT_TRUE(QFile::exists(file + QStringLiteral(".damaged")));
    EXPECT_TRUE(settings.set(QStringLiteral("look/theme"), QStringLiteral("dark")));
    EXPECT_TRUE(settings.save());
}

TEST(Settings, OneBadValueCountsAsNotThere) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("workbench.ini"));
    ASSERT_TRUE(write_file_atomic(file.toStdString(), "[look]\ntheme=mauve\ntext_scale=lots\neditor_font=16\n"));
    const Settings settings(file);
    EXPECT_FALSE(settings.damage());
    EXPECT_EQ(settings.text(QStringLiteral("look/theme")), QStringLiteral("system"));
    EXPECT_EQ(settings.number(QStringLiteral("look/text_scale")), 100);
    EXPECT_EQ(settings.number(QStringLiteral("look/editor_font")), 16);
}

TEST(Session, RoundTripAndDamage) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("session.json"));
    Session kept;
    kept.run = QStringLiteral("/runs/a b");
    kept.layout = QStringLiteral("edit");
    kept.arrangements[QStringLiteral("edit")] = to_text(built_in(QStringLiteral("edit")));
    kept.geometry = QByteArray("\0\1\2geometry", 11);
    kept.panes[QStringLiteral("editor")] = "tabs";
    kept.selected = {8, "abc"};
    kept.pinned = {6, ""};
    kept.follow = false;
    kept.recent_actions = {QStringLiteral("run.pause")};
    ASSERT_TRUE(save_session(kept, file));
    const Session read = load_session(file);
    EXPECT_EQ(read.run, kept.run);
    EXPECT_EQ(read.layout, kept.layout);
    EXPECT_EQ(read.arrangements, kept.arrangements);
    EXPECT_EQ(read.geometry, kept.geometry);
    EXPECT_EQ(read.panes, kept.panes);
    EXPECT_EQ(read.selected, kept.selected);
    EXPECT_EQ(read.pinned, kept.pinned);
    EXPECT_FALSE(read.follow);
    EXPECT_EQ(read.recent_actions, kept.recent_actions);
    ASSERT_TRUE(write_file_atomic(file.toStdString(), "{\"version\": 1, \"run\""));
    EXPECT_TRUE(load_session(file).run.isEmpty());
    EXPECT_EQ(load_session(folder.filePath(QStringLiteral("none"))).layout, QStringLiteral("watch"));
}

TEST(RunNotes, KeptBesideTheRun) {
    const QTemporaryDir run;
    RunNotes notes;
    notes.open(run.path());
    notes.set_note(3, QStringLiteral("  the wide load spills  "));
    notes.set_starred(8, true);
    notes.set_note(-1, QStringLiteral("nowhere"));
    RunNotes again;
    again.open(run.path());
    EXPECT_EQ(again.note(3), QStringLiteral("the wide load spills"));
    EXPECT_TRUE(again.starred(8));
    EXPECT_FALSE(again.starred(3));
    again.set_note(3, {});
    notes.open(run.path());
    EXPECT_TRUE(notes.note(3).isEmpty());

    ASSERT_TRUE(write_file_atomic(again.file(), "not json"));
    QSignalSpy failed(&again, &RunNotes::failed);
    again.open(run.path());
    EXPECT_EQ(failed.count(), 1);
    EXPECT_FALSE(again.starred(8));
    EXPECT_TRUE(QFile::exists(run.filePath(QStringLiteral("notes.json.damaged"))));
    again.open({});
    again.set_note(1, QStringLiteral("no run, no file")); // and no crash
    EXPECT_TRUE(again.note(1).isEmpty());
}

TEST(Fuzzy, BeginningsAndRowsComeFirst) {
    EXPECT_FALSE(fuzzy_match(u"xyz", u"Pause after turn"));
    EXPECT_TRUE(fuzzy_match(u"", u"anything"));
    const auto words = fuzzy_match(u"pat", u"Pause after turn"), middle = fuzzy_match(u"pat", u"comparative text");
    ASSERT_TRUE(words && middle);
    EXPECT_GT(words->score, middle->score);
    EXPECT_EQ(words->characters, (std::vector<int>{0, 1, 12}));
    const auto row = fuzzy_match(u"stop", u"Stop"), spread = fuzzy_match(u"stop", u"select the other pane");
    ASSERT_TRUE(row && spread);
    EXPECT_GT(row->score, spread->score);
    EXPECT_TRUE(fuzzy_match(u"PAUSE  turn", u"Pause after turn"));
    EXPECT_FALSE(fuzzy_match(QString(500, QLatin1Char('a')), u"aaa"));
}

TEST(RunProgress, SaysWhatIsDoneNow) {
    RunState state;
    EXPECT_EQ(progress_of(state, RunStatus::empty, 0).state, QStringLiteral("starting"));
    state.started_at = 1000;
    state.start.budgets = Json{{"turns", 20}};
    state.start.device = Json{{"name", "Some CPU"}, {"labels", {"CPU timings"}}};
    TurnState& turn = state.turns[3];
    turn.number = 3;
    turn.started = true;
    turn.author = "tuner";
    EvaluationState done, open;
    done.done = true;
    open.stages = {{"parse", "ended", "passed", 0, 0}, {"measure", "started", "", 0, 4}};
    turn.evaluations = {done, open};
    const RunProgress shown = progress_of(state, RunStatus::running, 1372);
    EXPECT_EQ(shown.state, QStringLiteral("turn 3 · point 2 · measure, round 4"));
    EXPECT_TRUE(shown.active);
    EXPECT_EQ(shown.turns, QStringLiteral("turn 3 of 20"));
    RunState beyond = state;
    beyond.start.budgets = Json{{"turns", 2}};
    EXPECT_EQ(progress_of(beyond, RunStatus::running, 1100).turns, QStringLiteral("turn 3"));
    EXPECT_EQ(shown.elapsed, QStringLiteral("06:12"));
    EXPECT_EQ(shown.device, QStringLiteral("Some CPU"));
    EXPECT_EQ(shown.labels, QStringList{QStringLiteral("CPU timings")});
    turn.finished = true;
    state.paused = true;
    EXPECT_EQ(progress_of(state, RunStatus::running, 1372).state, QStringLiteral("paused before turn 4"));
    EXPECT_FALSE(progress_of(state, RunStatus::running, 1372).active);
    state.end = RunFinished{};
    state.end->summary = "no\nprogress";
    state.finished_at = 5000;
    const RunProgress ended = progress_of(state, RunStatus::finished, 9e9);
    EXPECT_EQ(ended.state, QStringLiteral("ended: no progress"));
    EXPECT_EQ(ended.elapsed, QStringLiteral("1:06:40"));
    EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), QString());
    EXPECT_EQ(duration_text(-1), QString());
}

TEST(RunProgress, SaysWhatTheModelDoesAndWhatItTook) {
    LiveReply live;
    live.turn = 10;
    live.phase = QStringLiteral("waiting");
    EXPECT_EQ(streaming_text(live), QStringLiteral("turn 10 · waiting for the model"));
    live.phase = QStringLiteral("content");
    EXPECT_EQ(streaming_text(live), QStringLiteral("streaming turn 10"));
    live.tokens_per_s = 84.3;
    EXPECT_EQ(streaming_text(live), QStringLiteral("streaming turn 10 · 84 tok/s"));
    live.phase = QStringLiteral("reasoning");
    EXPECT_EQ(streaming_text(live), QStringLiteral("turn 10 · the model thinks · 84 tok/s"));
    live.phase = QStringLiteral("retrying");
    EXPECT_EQ(streaming_text(live), QStringLiteral("turn 10 · the model is asked again"));
    live.phase = QStringLiteral("ended");
    EXPECT_EQ(streaming_text(live), QString());
    EXPECT_EQ(spent_text({}), QString());
    EXPECT_EQ(spent_text({41208, 0.021, false}), QStringLiteral("41,208 tokens · $0.021"));
    EXPECT_EQ(spent_text({7, 0, true}), QStringLiteral("about 7 tokens"));
}

TEST(SelectionHistory, BackAndForwardThroughWhatWasChosen) {
    Selection selection;
    SelectionHistory history(selection);
    for (const int turn : {1, 5, 9})
        selection.select({turn, {}});
    EXPECT_FALSE(history.can_go(1));
    history.go(-1);
    EXPECT_EQ(selection.current().turn, 5);
    history.go(-1);
    history.go(-1);
    EXPECT_EQ(selection.current().turn, 1);
    history.go(1);
    EXPECT_EQ(selection.current().turn, 5);
    selection.select({7, {}});
    EXPECT_FALSE(history.can_go(1)); // what was ahead is gone
    history.go(-1);
    EXPECT_EQ(selection.current().turn, 5);
}

} // namespace
} // namespace kf::ui
