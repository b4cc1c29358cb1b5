// SPDX-License-Identifier: GPL-3.0-or-later
// What a model was asked and answered, as the window shows it: pieces of a reply, the transcript's rows, the prompt,
// the tree of turns, and how their panes look.
#include "tests/scenes/checks/checks.h"
#include "tests/scenes/fixtures/exchanges.h"
#include "tests/ui/docks/support.h"
#include "ui/docks/hint_line.h"
#include "ui/docks/prompt_pane.h"
#include "ui/docks/reading_view.h"
#include "ui/docks/transcript_finder.h"
#include "ui/docks/transcript_pane.h"
#include "ui/docks/tree_pane.h"
#include "ui/docks/tree_plot.h"
#include "ui/models/code_spans.h"
#include "ui/models/reply_blocks.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDir>
#include <QTest>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

std::string shape(const ReplyBlocks& blocks) {
    std::string made;
    for (std::size_t i = 0; i < blocks.blocks().size(); ++i) {
        const ReplyBlock& one = blocks.blocks()[i];
        made += one.code ? (one.first ? "[code " : "[more ") + one.language.toStdString() + " " +
                               std::to_string(one.first_line) + "]"
                         : "[prose]";
    }
    return made;
}

TEST(ReplyBlocks, CutsProseAndFences) {
    ReplyBlocks blocks;
    blocks.set(u"Why.\n\nMore\nof it.\n```CUDA x\nint a;\n\nint b;\n```\nEnd ``` inline ``` here."_s);
    ASSERT_EQ(shape(blocks), "[prose][prose][code cuda 1][prose]");
    EXPECT_EQ(blocks.text_of(1), u"More\nof it."_s);
    EXPECT_EQ(blocks.text_of(2), u"int a;\n\nint b;"_s);
    EXPECT_TRUE(blocks.blocks()[2].last);
    // A longer fence is not closed by a shorter one, nor by another mark.
    blocks.set(u"~~~~\n```\n~~~\nx\n~~~~"_s);
    ASSERT_EQ(blocks.blocks().size(), 1u);
    EXPECT_EQ(blocks.text_of(0), u"```\n~~~\nx"_s);
    blocks.set(QString());
    EXPECT_TRUE(blocks.blocks().empty());
}

TEST(ReplyBlocks, TextThatComesByTheLetterIsCutAsTheWhole) {
    QString text = u"First **bold**.\n\n```cuda\n/* a\n"_s;
    for (int line = 0; line < 95; ++line)
        text += u"line %1\n"_s.arg(line);
    text += u"*/ int x;\n```\n\nand\n~~~\npy\n~~~\n```\n```\nlast"_s;
    ReplyBlocks whole;
    whole.set(text);
    ReplyBlocks parts;
    for (const QChar c : text)
        parts.append(QString(c));
    EXPECT_EQ(parts.blocks(), whole.blocks()) << shape(parts) << "\n" << shape(whole);
    EXPECT_EQ(parts.text(), text);
    // Long code is several pieces, numbered on, that know of the comment that they stand in.
    ASSERT_GE(whole.blocks().size(), 4u);
    EXPECT_EQ(whole.blocks()[2].first_line, ReplyBlocks::most_lines + 1);
    EXPECT_FALSE(whole.blocks()[2].first);
    EXPECT_TRUE(whole.blocks()[2].in_comment);
    EXPECT_TRUE(whole.code_of(2).startsWith(u"/* a\nline 0"_s));
    EXPECT_TRUE(whole.code_of(2).endsWith(u"int x;"_s));
}

TEST(ReplyBlocks, NothingIsLostOfLongLines) {
    for (const bool code : {false, true}) {
        QString body;
        for (int i = 0; i < 30000; ++i)
            body += QChar(u'a' + i % 26);
        ReplyBlocks blocks;
        blocks.set(code ? u"```\n"_s + body + u"\n```"_s : body);
        QString together;
        for (std::size_t i = 0; i < blocks.blocks().size(); ++i) {
            EXPECT_LE(blocks.text_of(i).size(), ReplyBlocks::most_characters);
            together += blocks.text_of(i);
        }
        EXPECT_EQ(together, body);
    }
}

TEST(CodeSpans, NameWhatStandsThere) {
    bool in_comment = false;
    const QString code = u"#pragma kf tune X in {1}\nfloat x = 1.5f; // no\n\"s\\\"t\" /* open"_s;
    std::vector<std::pair<CodeRole, QString>> seen;
    for (const CodeSpan& span : code_spans(code, u"cuda", in_comment))
        seen.emplace_back(span.role, code.mid(span.begin, span.length));
    const std::vector<std::pair<CodeRole, QString>> wanted = {{CodeRole::plan, u"#pragma kf tune X in {1}"_s},
                                                              {CodeRole::keyword, u"float"_s},
                                                              {CodeRole::number, u"1.5f"_s},
                                                              {CodeRole::comment, u"// no"_s},
                                                              {CodeRole::string, u"\"s\\\"t\""_s},
                                                              {CodeRole::comment, u"/* open"_s}};
    EXPECT_EQ(seen, wanted);
    EXPECT_TRUE(in_comment);
    // Whatever the text: spans are in order, within it, and do not overlap.
    for (const QString& hostile : {u"\"\\"_s, u"'"_s, u"/*"_s, u"\"\"\"x"_s, QString(5, QChar(0)), u"1e+"_s, u"#"_s}) {
        for (const QString& language : {u"cuda"_s, u"python"_s, u"diff"_s}) {
            bool open = true;
            int end = 0;
            for (const CodeSpan& span : code_spans(hostile, language, open)) {
                EXPECT_GE(span.begin, end);
                end = span.begin + span.length;
            }
            EXPECT_LE(end, hostile.size());
        }
    }
}

class Talk : public ::testing::Test {
protected:
    Talk() : turns(bench.store), exchanges(bench.store) {}
    void open(const char* fixture) {
        bench.open(fixture);
        bench.store.flush();
    }
    Bench bench;
    TurnModel turns;
    ExchangeStore exchanges;
};

Json piece(const char* kind, std::size_t from, const std::string& text, int turn = 10) {
    return Json{{"event", "model"}, {"turn", turn}, {"exchange", 1}, {"attempt", 1},
                {"phase", kind},    {"kind", kind}, {"from", from},  {"text", text}};
}

std::string kinds(const TranscriptModel& model, int turn) {
    std::string made;
    for (int row = model.heading_of(turn); row >= 0 && row <= model.last_row_of(turn); ++row)
        made += " " + std::to_string(static_cast<int>(model.row(row).kind));
    return made;
}

bool says(const TranscriptModel& model, int turn, const QString& words) {
    return model.text_of(turn).contains(words);
}

TEST_F(Talk, TheTranscriptTellsRepairsErrorsAndCosts) {
    TranscriptModel model(bench.store, exchanges, turns);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    open("model_story");
    ASSERT_EQ(model.rowCount(), 14) << "a heading a turn";
    model.set_current(10);
    ASSERT_TRUE(Bench::wait_for([&] { return says(model, 10, u"Asked again"_s) && says(model, 10, u"#pragma kf"_s); }));
    EXPECT_TRUE(says(model, 10, u"Hint from a person\ntry one read of h for both halves"_s));
    EXPECT_TRUE(says(model, 10, u"left out: turns 1 to 3, the example with prepare"_s));
    EXPECT_TRUE(says(model, 10, u"there is no fenced block of code in the reply"_s));
    EXPECT_TRUE(says(model, 10, u"4,000 tokens in"_s)) << model.text_of(10).toStdString();
    EXPECT_TRUE(says(model, 10, u"slower"_s));
    // The turn before is closed when another one is selected.
    model.set_current(11);
    EXPECT_FALSE(model.is_open(10));
    ASSERT_TRUE(Bench::wait_for([&] { return says(model, 11, u"#pragma kf"_s); }));
    EXPECT_TRUE(says(model, 11, u"The reply broke off"_s));
    EXPECT_TRUE(says(model, 11, u"It is tried again"_s));
    EXPECT_TRUE(says(model, 11, u"Wider tiles halve the loads"_s)) << "what came is kept";
    EXPECT_TRUE(says(model, 11, u"attempt 2"_s));
    model.set_current(12);
    ASSERT_TRUE(Bench::wait_for([&] { return says(model, 12, u"#pragma kf"_s); }));
    EXPECT_TRUE(says(model, 12, u"cut off"_s));
    const int before = model.rowCount();
    for (int row = model.heading_of(12); row <= model.last_row_of(12); ++row)
        if (model.row(row).kind == ReadingKind::fold) {
            model.toggle(row);
            break;
        }
    EXPECT_EQ(model.rowCount(), before + 60) << "sixty paragraphs were thought";
    model.set_current(13);
    ASSERT_TRUE(Bench::wait_for([&] { return says(model, 13, u"does not accept the key"_s); }));
    EXPECT_TRUE(says(model, 13, u"Set a valid key"_s));
    // A turn that was opened by hand stays open.
    model.set_open(3, true);
    model.set_current(8);
    model.set_current(9);
    EXPECT_TRUE(model.is_open(3));
    EXPECT_FALSE(model.is_open(8));
}

TEST_F(Talk, AReplyGrowsAsItIsWritten) {
    TranscriptModel model(bench.store, exchanges, turns);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    open("model_writing");
    model.set_current(10);
    EXPECT_TRUE(says(model, 10, u"Asking the model"_s));
    exchanges.apply_live(piece("reasoning", 0, "First think."));
    EXPECT_TRUE(says(model, 10, u"First think."_s)) << "thinking is seen while there is nothing else";
    exchanges.apply_live(piece("content", 0, "Then write.\n\n```cuda\nint a;"));
    EXPECT_FALSE(says(model, 10, u"First think."_s)) << "and folds when the answer comes";
    EXPECT_TRUE(says(model, 10, u"int a;"_s));
    // The same piece again, as after a reconnection, changes nothing; one that goes on is added.
    exchanges.apply_live(piece("content", 0, "Then write.\n\n```cuda\nint a;"));
    exchanges.apply_live(piece("content", 27, "\nint b;\n```\n"));
    EXPECT_EQ(exchanges.live()->content, u"Then write.\n\n```cuda\nint a;\nint b;\n```\n"_s);
    EXPECT_EQ(model.text_of(10).count(u"int a;"_s), 1);
    // What was missed is said, and a new attempt begins anew.
    exchanges.apply_live(piece("content", 100, "later"));
    EXPECT_TRUE(exchanges.live()->content.contains(u"[…]"_s));
    Json again = piece("content", 0, "Second attempt.");
    again["attempt"] = 2;
    exchanges.apply_live(again);
    EXPECT_EQ(exchanges.live()->content, u"Second attempt."_s);
    EXPECT_FALSE(says(model, 10, u"int a;"_s));
    // Rubbish is passed over.
    for (const Json& bad : {Json(), Json("x"), Json{{"event", "model"}}, Json{{"event", "model"}, {"turn", "ten"}},
                            Json{{"event", "other"}, {"turn", 10}}})
        exchanges.apply_live(bad);
    EXPECT_EQ(exchanges.live()->content, u"Second attempt."_s);
    // The journal's own event takes its place.
    Event event;
    event.type = EventType::model_exchange;
    event.type_name = "model_exchange";
    event.sequence = bench.store.state().last_sequence + 1;
    event.time = 1.8e9;
    event.fields =
        Json{{"turn", 10}, {"exchange", 1}, {"attempt", 2}, {"model", "m"}, {"tokens_in", 12}, {"seconds", 2.0}};
    bench.store.apply({event});
    bench.store.flush();
    EXPECT_EQ(exchanges.live(), nullptr);
    EXPECT_TRUE(says(model, 10, u"12 tokens in"_s)) << kinds(model, 10);
}

TEST_F(Talk, ADuplicateSaysOfWhichTurn) {
    TranscriptModel model(bench.store, exchanges, turns);
    open("model_writing");
    Event event;
    event.type = EventType::turn_finished;
    event.type_name = "turn_finished";
    event.sequence = bench.store.state().last_sequence + 1;
    event.fields = Json{{"turn", 10}, {"outcome", "duplicate"}, {"text", "same as turn 4"}};
    bench.store.apply({event});
    bench.store.flush();
    model.set_current(10);
    const QModelIndex turn = turns.index_of({10, {}});
    EXPECT_EQ(turn.data(TurnRole::kind).toInt(), static_cast<int>(VerdictKind::duplicate));
    EXPECT_EQ(turn.siblingAtColumn(static_cast<int>(TurnColumn::verdict)).data().toString(),
              u"duplicate · same as turn 4"_s);
    EXPECT_TRUE(says(model, 10, u"duplicate · same as turn 4"_s)) << model.text_of(10).toStdString();
    EXPECT_EQ(model.text_of(10).count(u"same as turn 4"_s), 2) << "in its heading and its verdict";
}

TEST_F(Talk, HintsThatWaitStandAtTheEnd) {
    TranscriptModel model(bench.store, exchanges, turns);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    open("hint_pending");
    ASSERT_EQ(model.pending_hints().size(), 2u);
    EXPECT_EQ(model.pending_hints()[0].turn, 11);
    EXPECT_TRUE(model.line(model.rowCount() - 1).contains(u"keep the stacked GEMM"_s));
    Event event;
    event.type = EventType::turn_started;
    event.type_name = "turn_started";
    event.sequence = bench.store.state().last_sequence + 1;
    event.fields = to_fields(
        TurnStarted{11, 8, "model", "", "try 128 threads a block\nkeep the stacked GEMM; it is what made turn 6 fast"});
    bench.store.apply({event});
    bench.store.flush();
    EXPECT_TRUE(model.pending_hints().empty()) << "turn 11 has taken them";
    model.set_current(11);
    EXPECT_TRUE(says(model, 11, u"try 128 threads a block"_s));
}

// Words that stand in closed turns, in folded thoughts and in the rows that are made here are all found, in order.
TEST_F(Talk, TheSearchGoesThroughAllTurns) {
    TranscriptModel model(bench.store, exchanges, turns);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    open("model_story");
    model.set_current(13);
    TranscriptFinder finder(bench.store, exchanges, model);
    QString result;
    int row = -1;
    QObject::connect(&finder, &TranscriptFinder::told, &model, [&](const QString& told) { result = told; });
    QObject::connect(&finder, &TranscriptFinder::found, &model, [&](int found) { row = found; });
    const auto arrives = [&](const QString& words) {
        return Bench::wait_for([&] { return row >= 0; }) && model.line(row).contains(words, Qt::CaseInsensitive);
    };
    const auto go = [&](bool forward) {
        row = -1;
        finder.go(forward);
    };
    // In the reply of turn 10 alone, which is closed.
    ASSERT_FALSE(model.is_open(10));
    finder.start(u"INTERLEAVE the weights"_s, 0);
    ASSERT_TRUE(arrives(u"interleave the weights"_s)) << result.toStdString();
    EXPECT_EQ(model.row(row).turn, 10);
    EXPECT_TRUE(model.is_open(10));
    EXPECT_EQ(result, u"turn 10"_s);
    const int only = row;
    go(true);
    ASSERT_TRUE(arrives(u"interleave the weights"_s));
    EXPECT_EQ(row, only) << "round, and there again";
    // In a hint, which is no part of a reply.
    row = -1;
    finder.start(u"one read of h for both"_s, 0);
    ASSERT_TRUE(arrives(u"one read of h"_s));
    EXPECT_EQ(model.row(row).turn, 10);
    // In thoughts, which are folded; forwards from turn to turn and back the same way.
    row = -1;
    finder.start(u"register pressure"_s, 0);
    std::vector<std::pair<int, int>> forwards, backwards;
    const auto note = [&](auto& list) {
        ASSERT_TRUE(arrives(u"register pressure"_s));
        EXPECT_EQ(model.row(row).kind, ReadingKind::thought);
        list.emplace_back(model.row(row).turn, model.row(row).section * 1000 + model.row(row).block);
    };
    note(forwards);
    for (int i = 0; i < 400; ++i) {
        go(true);
        note(forwards);
        if (forwards.back() == forwards.front())
            break;
    }
    ASSERT_EQ(forwards.back(), forwards.front()) << "it never came round";
    std::set<int> seen;
    for (const auto& [turn, block] : forwards)
        seen.insert(turn);
    EXPECT_GE(seen.size(), 4u);
    EXPECT_TRUE(std::is_sorted(forwards.begin(), std::prev(forwards.end())));
    EXPECT_GE(std::count_if(forwards.begin(), forwards.end(), [](const auto& one) { return one.first == 12; }), 60)
        << "sixty thoughts of turn 12";
    EXPECT_EQ(result, u"turn %1, in %2 turns"_s.arg(forwards.front().first).arg(seen.size()));
    backwards.push_back(forwards.back());
    while (backwards.size() < forwards.size()) {
        go(false);
        note(backwards);
    }
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(backwards, forwards);
    // What is not there is said, and nothing is opened for it.
    row = -1;
    finder.start(u"no such words anywhere"_s, 3);
    ASSERT_TRUE(Bench::wait_for([&] { return result == u"not found"_s; }));
    EXPECT_EQ(row, -1);
    finder.start({}, -1);
    EXPECT_TRUE(result.isEmpty());
    // Another run in between: nothing of the old one comes.
    finder.start(u"register pressure"_s, 0);
    open("model_writing");
    EXPECT_TRUE(result.isEmpty());
}

TEST_F(Talk, ThePromptIsShownWordForWord) {
    PromptModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    auto request = std::make_shared<ChatRequest>();
    request->messages = {{"system", "Rules."}, {"user", "Do it.\n\n```cuda\nint a;\n```"}, {"odd", ""}};
    model.show(request);
    EXPECT_EQ(model.rowCount(), 6); // the rules are folded
    model.toggle(0);
    EXPECT_EQ(model.line(1), u"Rules."_s);
    EXPECT_EQ(model.text(), u"[system]\nRules.\n\n[user]\nDo it.\n\n```cuda\nint a;\n```\n\n[odd]\n"_s);
    model.show(nullptr);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST_F(Talk, FilesThatAreGoneAreSaid) {
    TranscriptModel model(bench.store, exchanges, turns);
    bench.open("model_story");
    const Exchange one = exchanges.of_turn(10).front();
    std::filesystem::remove(bench.fixture.folder / "blobs" / one.event.request);
    model.set_current(10);
    ASSERT_TRUE(Bench::wait_for([&] { return says(model, 10, u"The prompt cannot be read"_s); }));
    EXPECT_TRUE(says(model, 10, u"The epilogue should read h once"_s)) << "the reply is there all the same";
}

TEST(Tree, ShowsLineageFoldsLosersAndMissingParents) {
    Bench bench;
    bench.open("swiglu");
    TreeData tree = tree_data(bench.store.state(), {});
    ASSERT_EQ(tree.turns, 10);
    EXPECT_EQ(tree.generations, 5); // start, 3, 6, 8, and what grew from 8
    for (const int turn : {0, 3, 6, 8}) {
        const TreeNode& node = tree.nodes[static_cast<std::size_t>(tree.node_of(turn))];
        EXPECT_TRUE(node.best) << turn;
        EXPECT_EQ(node.row, 0) << "the way to the champion is one line";
    }
    EXPECT_TRUE(tree.nodes[static_cast<std::size_t>(tree.node_of(8))].champion);
    // Every turn is somewhere, once.
    Bench beam;
    beam.open("beam");
    const auto shown = [](const TreeData& data) {
        int count = static_cast<int>(data.hidden.size());
        for (const TreeNode& node : data.nodes)
            count += !node.missing && node.folded == 0;
        return count;
    };
    for (const bool fold : {true, false}) {
        TreeOptions options;
        options.fold = fold;
        tree = tree_data(beam.store.state(), options);
        EXPECT_EQ(shown(tree), tree.turns);
        EXPECT_EQ(tree.hidden.empty(), !fold);
        for (const TreeNode& node : tree.nodes)
            if (node.parent >= 0) {
                EXPECT_EQ(node.generation, tree.nodes[static_cast<std::size_t>(node.parent)].generation + 1);
                EXPECT_GE(node.row, tree.nodes[static_cast<std::size_t>(node.parent)].row);
            }
    }
    // What is selected is not hidden.
    tree = tree_data(beam.store.state(), {});
    ASSERT_FALSE(tree.hidden.empty());
    TreeOptions options;
    options.selected = tree.hidden.front();
    tree = tree_data(beam.store.state(), options);
    EXPECT_EQ(tree.nodes[static_cast<std::size_t>(tree.node_of(options.selected))].folded, 0);

    Bench orphans;
    orphans.open("missing_parent");
    tree = tree_data(orphans.store.state(), {});
    EXPECT_EQ(tree.missing, 2); // 77, and turn 3 that names itself
    EXPECT_TRUE(tree.lines().contains(u"77 missing"_s));
    EXPECT_EQ(shown(tree), tree.turns);
}

void expect_flawless(QWidget& widget, QSize size, const std::string& what) {
    widget.resize(size);
    widget.show();
    for (int k = 0; k < 8; ++k)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    // Pictures for people, where they are wanted.
    if (const QString folder = qEnvironmentVariable("KF_PICTURES"); !folder.isEmpty()) {
        QDir().mkpath(folder);
        widget.grab().save(folder + u'/' + QString::fromStdString(what).replace(u' ', u'-') +
                           u"-%1x%2.png"_s.arg(size.width()).arg(size.height()));
    }
    for (const scenes::Flaw& flaw : scenes::check_all(scenes::look_at(widget)))
        ADD_FAILURE() << what << " at " << size.width() << "×" << size.height() << ": " << flaw.check.toStdString()
                      << ": " << flaw.where.toStdString() << ": " << flaw.what.toStdString();
}

TEST(TalkLook, PassesTheMachineChecks) {
    load_fonts();
    for (const ThemeName theme : {ThemeName::dark, ThemeName::light, ThemeName::contrast}) {
        apply_style(*qApp, theme);
        const std::string name = to_string(theme).toStdString() + " ";
        for (const auto& [fixture, turn] : std::vector<std::pair<const char*, int>>{{"swiglu", 8},
                                                                                    {"model_story", 10},
                                                                                    {"model_story", 11},
                                                                                    {"model_story", 13},
                                                                                    {"tuner_ended", 1},
                                                                                    {"beam", 40},
                                                                                    {"missing_parent", 5},
                                                                                    {"hint_pending", 10}}) {
            Bench bench;
            TurnModel turns(bench.store);
            ExchangeStore exchanges(bench.store);
            TranscriptPane transcript(bench.context, exchanges, turns);
            PromptPane prompt(bench.context, exchanges);
            TreePane tree(bench.context);
            bench.open(fixture);
            bench.selection.select({turn, {}});
            Bench::wait_for([&, turn = turn] {
                return exchanges.of_turn(turn).empty() ||
                       (exchanges.body(turn, exchanges.of_turn(turn).size() - 1) && exchanges.body(turn, 0));
            });
            if (std::string(fixture) == "hint_pending") {
                exchanges.apply_live(piece("reasoning", 0, "The wider vector raised register pressure."));
                exchanges.apply_live(
                    piece("content", 0, "I keep the GEMM.\n\n```cuda\n#pragma kf tune X in {1}\nint a"));
            }
            const std::string what = name + fixture + " " + std::to_string(turn);
            expect_flawless(transcript, {390, 900}, what + " transcript");
            expect_flawless(transcript, {760, 300}, what + " transcript");
            expect_flawless(prompt, {390, 700}, what + " prompt");
            expect_flawless(tree, {800, 480}, what + " tree");
            EXPECT_FALSE(transcript.text_twin().isEmpty());
            EXPECT_FALSE(prompt.text_twin().isEmpty());
            EXPECT_FALSE(tree.text_twin().isEmpty());
        }
    }
}

TEST(TalkLook, TenThousandTurnsAndALongReplyScroll) {
    Bench bench;
    TurnModel turns(bench.store);
    ExchangeStore exchanges(bench.store);
    TranscriptPane pane(bench.context, exchanges, turns);
    bench.open("turns_10000");
    pane.resize(390, 700);
    pane.show();
    QCoreApplication::processEvents();
    bench.selection.select({5000, {}});
    std::string reply = "Long.\n\n```cuda\n";
    for (int line = 0; line < 20000; ++line)
        reply += "  float value_" + std::to_string(line) + " = x[" + std::to_string(line) + "] * 2.0f;\n";
    exchanges.apply_live(piece("content", 0, reply, 5000));
    for (int k = 0; k < 5; ++k)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    EXPECT_GT(pane.model().rowCount(), 10'400);
    QTest::keyClick(&pane.view(), Qt::Key_End);
    QTest::keyClick(&pane.view(), Qt::Key_Home);
    QTest::keyClick(&pane.view(), Qt::Key_PageDown);
    EXPECT_GT(pane.view().cursor(), 0);
}

TEST(TalkLook, TheHintLineSaysWhyNothingCanBeSent) {
    Bench bench;
    TurnModel turns(bench.store);
    ExchangeStore exchanges(bench.store);
    TranscriptPane pane(bench.context, exchanges, turns);
    EXPECT_TRUE(pane.hint_line().refusal().contains(u"No run is open"_s));
    bench.open("swiglu");
    EXPECT_TRUE(pane.hint_line().refusal().contains(u"has ended"_s));
    HintLine line;
    QStringList sent;
    QObject::connect(&line, &HintLine::sent, &line, [&](const QString& text) { sent << text; });
    line.set_state(11, {});
    EXPECT_EQ(line.placeholderText(), u"Hint for turn 11 …"_s);
    QTest::keyClicks(&line, u"  read h once  "_s);
    QTest::keyClick(&line, Qt::Key_Return);
    EXPECT_EQ(sent, QStringList{u"read h once"_s});
    line.clear();
    QTest::keyClick(&line, Qt::Key_Return);
    EXPECT_EQ(sent.size(), 1) << "an empty hint is none";
}

} // namespace
} // namespace kf::ui
