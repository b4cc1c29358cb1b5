// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded runs for the renderer: written by JournalWriter, read back by JournalReader, rendered.
#pragma once

#include "core/base/files.h"
#include "core/journal/event_types.h"
#include "core/journal/reader.h"
#include "core/journal/writer.h"
#include "core/render/run_renderer.h"

#include <gtest/gtest.h>

namespace kf {

class RenderTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto made = make_private_folder("kf-render-");
        ASSERT_TRUE(made);
        root = *made;
        auto opened = JournalWriter::create(root / "run", {.control_socket = {}, .flush_to_disk = false});
        ASSERT_TRUE(opened);
        writer = std::move(*opened);
    }
    void TearDown() override {
        writer.reset();
        std::error_code ignored;
        std::filesystem::remove_all(root, ignored);
    }

    template<class T> void put(const T& event) { ASSERT_TRUE(writer->append(event)); }

    void begin(const std::string& task = "softmax", const std::string& synthesizer = "files") {
        RunStarted start;
        start.run = "20261130T171500Z-softmax-k3x9q2";
        start.task = task;
        start.title = "Softmax over rows";
        start.device = {{"id", "cpu"}, {"name", "Test processor"}};
        start.settings = {{"synthesizer", synthesizer}};
        start.budgets = {{"turns", 12}, {"seconds", 90}};
        put(start);
    }
    // The start kernel, accepted and first champion.
    void start_turn(double seconds = 2e-3) {
        put(TurnStarted{0, -1, "file", "start kernel", ""});
        candidate(0, "start.cu");
        EvaluationEvent event = evaluation(0, "e0", "certify", "verified", seconds);
        event.vs_baselines = {{"eager", {{"estimate", 0.5}, {"low", 0.49}, {"high", 0.51}}}};
        put(event);
        put(ChampionEvent{0, "e0", "h0", {}, "certify", "start kernel", seconds});
        put(TurnFinished{0, "verdict", "", {}});
    }
    void candidate(int turn, const std::string& file) {
        CandidateEvent event;
        event.turn = turn;
        event.source = "h" + std::to_string(turn);
        event.file_name = file;
        put(event);
    }
    static EvaluationEvent evaluation(int turn, const std::string& id, const std::string& level,
                                      const std::string& verdict, double seconds, double speedup = 0) {
        EvaluationEvent event;
        event.turn = turn;
        event.evaluation = id;
        event.candidate = "h" + std::to_string(turn);
        event.level = level;
        event.verdict = verdict;
        event.seconds_per_call = seconds;
        if (speedup > 0)
            event.vs_champion = {{"estimate", speedup}, {"low", speedup * 0.99}, {"high", speedup * 1.01}};
        return event;
    }
    // A turn of one evaluation.
    void turn(int number, const EvaluationEvent& event, const std::string& outcome = "verdict",
              const std::string& author = "file") {
        put(TurnStarted{number, 0, author, "", ""});
        candidate(number, "kernel" + std::to_string(number) + ".cu");
        put(event);
        put(TurnFinished{number, outcome, "", {}});
    }
    void finish(const std::string& reason = "nothing_left", const std::string& text = "all files were judged") {
        put(Stop{reason, text, 0});
        put(RunFinished{text, 0, 1, {}});
    }

    // All lines that the journal gives, with what follows its end.
    std::vector<std::string> render(TextStyle style = {}, LockState lock = LockState::free) {
        auto reader = JournalReader::open(root / "run");
        EXPECT_TRUE(reader);
        auto events = reader->poll();
        EXPECT_TRUE(events);
        RunRenderer renderer(style, "/runs/softmax", [&](const std::string& hash) { return reader->blob(hash); });
        std::vector<std::string> lines;
        for (const Event& event : *events)
            for (std::string& line : renderer.apply(event))
                lines.push_back(std::move(line));
        for (std::string& line : renderer.after_last(lock))
            lines.push_back(std::move(line));
        live = renderer.live_line(events->empty() ? 0 : events->back().time);
        return lines;
    }
    // The first line that contains the text; a failure when there is none.
    static std::string line_with(const std::vector<std::string>& lines, const std::string& text) {
        std::string all;
        for (const std::string& line : lines) {
            if (line.find(text) != std::string::npos)
                return line;
            all += line + "\n";
        }
        ADD_FAILURE() << "no line contains \"" << text << "\" in:\n" << all;
        return "";
    }

    std::filesystem::path root;
    std::unique_ptr<JournalWriter> writer;
    std::string live;
};

} // namespace kf
