// SPDX-License-Identifier: GPL-3.0-or-later
// A private folder for one test, and shorthand for whole files.
#pragma once

#include "core/base/files.h"
#include "core/journal/event_types.h"
#include "core/journal/reader.h"
#include "core/journal/writer.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace kf {

class JournalTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto made = make_private_folder("kf-journal-");
        ASSERT_TRUE(made);
        root = *made;
        run = root / "run";
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::permissions(root, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(root, ignored);
    }

    static void write(const std::filesystem::path& path, std::string_view text) {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    static void add(const std::filesystem::path& path, std::string_view text) {
        std::ofstream(path, std::ios::binary | std::ios::app)
            .write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    static std::string read(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::filesystem::path journal() const { return run / "journal.jsonl"; }

    // Tests that are not about durability need not wait for a disk.
    static JournalOptions quick() { return {.control_socket = {}, .flush_to_disk = false}; }
    std::vector<Event> all() const {
        auto reader = JournalReader::open(run);
        EXPECT_TRUE(reader);
        auto events = reader->poll();
        EXPECT_TRUE(events);
        return *events;
    }

    std::filesystem::path root;
    std::filesystem::path run;
};

// A small but complete run: start kernel, a wrong turn, a faster one that becomes champion.
inline void write_sample_run(JournalWriter& writer) {
    const auto put = [&](const auto& event) { ASSERT_TRUE(writer.append(event)); };
    RunStarted start;
    start.run = "20261130T171500Z-softmax-k3x9q2";
    start.task = "softmax";
    start.task_hash = "abc";
    start.device = {{"name", "cpu"}};
    start.budgets = {{"turns", 12}};
    put(start);
    put(TurnStarted{0, -1, "file", "start", ""});
    EvaluationEvent evaluation;
    evaluation.evaluation = "e0";
    evaluation.level = "certify";
    evaluation.verdict = "verified";
    evaluation.seconds_per_call = 2e-3;
    evaluation.device_s = 1.5;
    evaluation.queue_s = 0.5;
    put(evaluation);
    put(ChampionEvent{0, "e0", "h0", {}, "certify", "start kernel", 2e-3});
    put(TurnFinished{0, "verdict", "", {}});
    put(TurnStarted{1, 0, "model", "fuse", "use shared memory"});
    ModelExchange exchange;
    exchange.turn = 1;
    exchange.model = "m";
    exchange.tokens_in = 1000;
    exchange.tokens_out = 200;
    exchange.money = 0.25;
    exchange.seconds = 3;
    put(exchange);
    put(StageProgress{1, "e1", "compile", "started", "", 0, {}});
    put(StageProgress{1, "e1", "compile", "ended", "passed", 0.25, {{"registers", 32}}});
    evaluation = {};
    evaluation.turn = 1;
    evaluation.evaluation = "e1";
    evaluation.level = "screen";
    evaluation.verdict = "mismatch";
    evaluation.failed = true;
    evaluation.stages = Json::array({{{"stage", "compile"}, {"outcome", "passed"}, {"seconds", 0.25}},
                                     {{"stage", "verify"}, {"outcome", "failed"}, {"seconds", 0.1}}});
    put(evaluation);
    put(TurnFinished{1, "failed", "", to_json(Cost{1000, 200, 0.25, 0.4, 0, 3})});
    put(TurnStarted{2, 0, "human", "", ""});
    evaluation = {};
    evaluation.turn = 2;
    evaluation.evaluation = "e2";
    evaluation.level = "certify";
    evaluation.verdict = "faster";
    evaluation.seconds_per_call = 1.42e-3;
    evaluation.vs_champion = {{"estimate", 1.408}, {"low", 1.39}, {"high", 1.43}};
    evaluation.vs_baselines = {{"eager", {{"estimate", 0.97}, {"low", 0.96}, {"high", 0.98}}}};
    evaluation.flags = {"unordered out"};
    put(evaluation);
    put(ChampionEvent{2, "e2", "h2", {{"BLOCK", 256}}, "certify", "faster", 1.42e-3});
    put(ChampionEvent{2, "e2", "h2", {{"BLOCK", 256}}, "promote", "promoted", 1.42e-3});
    put(TurnFinished{2, "verdict", "", {}});
    put(TurnStarted{3, 2, "model", "", ""});
    put(StageProgress{3, "e3", "verify", "started", "", 0, {}});
}

} // namespace kf
