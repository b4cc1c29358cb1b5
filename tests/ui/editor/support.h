// SPDX-License-Identifier: GPL-3.0-or-later
// A run in memory, a judge that answers when the test says so, and an editor pane over both.
#pragma once

#include "core/base/sha256.h"
#include "core/journal/event_types.h"
#include "ui/editor/code_editor.h"
#include "ui/editor/editor_pane.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kf::ui {

inline bool wait_for(const std::function<bool()>& what) {
    QElapsedTimer timer;
    timer.start();
    while (!what()) {
        if (timer.elapsed() > 20'000)
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    return true;
}

class MapBlobs final : public RunBlobs {
public:
    Result<std::string> blob(const std::string& hash) const override {
        const auto found = texts.find(hash);
        if (found == texts.end())
            return make_error("blob-missing", "no such text");
        return found->second;
    }
    Result<Event> event_at(const EventPlace& place) const override {
        const auto found = events.find(place.sequence);
        if (found == events.end())
            return make_error("event-missing", "no such event");
        return found->second;
    }
    std::string put(const std::string& text) {
        const std::string hash = sha256(text);
        texts[hash] = text;
        return hash;
    }
    std::map<std::string, std::string> texts;
    std::map<std::int64_t, Event> events;
};

// Writes the events of a run as its journal would give them.
class MemoryRun {
public:
    explicit MemoryRun(RunStore& store) : m_store(store), m_blobs(std::make_shared<MapBlobs>()) {
        store.reset(RunMode::live, QStringLiteral("memory"), m_blobs);
        store.set_lock(LockState::held);
    }
    void begin(const std::string& task) {
        RunStarted start;
        start.run = "20261130T140200Z-" + task + "-abc123";
        start.task = task;
        start.device = Json{{"id", "cpu"}};
        add(start);
    }
    void turn(int number, const std::string& author, const std::string& source,
              const std::string& file_name = "candidate.cu") {
        TurnStarted started;
        started.turn = number;
        started.parent = number - 1;
        started.author = author;
        add(started);
        CandidateEvent candidate;
        candidate.turn = number;
        candidate.source = m_blobs->put(source);
        candidate.file_name = file_name;
        add(candidate);
    }
    void evaluated(int number, const Evaluation& evaluation) {
        EvaluationEvent event;
        event.turn = number;
        event.evaluation = evaluation.id;
        event.candidate = evaluation.candidate_hash;
        event.level = std::string(to_string(evaluation.level));
        event.verdict = evaluation.verdict();
        event.failed = evaluation.failure.has_value();
        event.result = to_json(evaluation);
        add(event);
    }
    void champion(int number, const std::string& level = "certify") {
        ChampionEvent event;
        event.turn = number;
        event.level = level;
        add(event);
    }
    template<class T> void add(const T& value) {
        Event event;
        event.sequence = ++m_sequence;
        event.time = m_time += 0.5;
        event.type = T::type;
        event.type_name = std::string(to_string(T::type));
        event.fields = to_fields(value);
        m_blobs->events[event.sequence] = event;
        m_store.apply({event});
        m_store.flush();
    }

private:
    RunStore& m_store;
    std::shared_ptr<MapBlobs> m_blobs;
    std::int64_t m_sequence = 0;
    double m_time = 1.796e9;
};

// Keeps the orders; the test answers them through the desk's own entry, the controller's signals.
class FakeJudge final : public Judge {
public:
    std::uint64_t bench(const BenchOrder& order) override {
        benches.push_back(order);
        return ++number;
    }
    std::uint64_t compile(const QString& task, const BenchOrder& order) override {
        compile_tasks.append(task);
        compiles.push_back(order);
        return ++number;
    }
    std::vector<BenchOrder> benches, compiles;
    QStringList compile_tasks;
    std::uint64_t number = 0;
};

class PaneFixture {
public:
    PaneFixture() : controller(store), context{store, selection, controller, notices} {
        QObject::connect(&notices, &Notices::toasted, &notices, [this](const QString& text) { toasts << text; });
        QObject::connect(&notices, &Notices::bannered, &notices,
                         [this](const QString&, const Error& error) { errors.push_back(error); });
    }
    EditorPane& make() {
        auto fake = std::make_unique<FakeJudge>();
        judge = fake.get();
        pane = std::make_unique<EditorPane>(context, issues, nullptr, std::move(fake),
                                            home.filePath(QStringLiteral("drafts")));
        pane->resize(1000, 640);
        return *pane;
    }
    // Types at the caret, as keys would.
    static void type(CodeEditor& editor, const QString& text) { editor.insert(text); }

    QTemporaryDir home;
    RunStore store;
    Selection selection;
    RunController controller;
    Notices notices;
    PaneContext context;
    IssueModel issues;
    QStringList toasts;
    std::vector<Error> errors;
    FakeJudge* judge = nullptr;
    std::unique_ptr<EditorPane> pane;
};

inline BenchAnswer answer(std::uint64_t order, Evaluation evaluation, int turn) {
    BenchAnswer result;
    result.order = order;
    result.turn = turn;
    result.outcome.outcome = evaluation.failure ? Outcome::failed : Outcome::verdict;
    result.outcome.evaluation = std::move(evaluation);
    return result;
}

inline Evaluation failed_compile(int line, int column, const std::string& message) {
    Evaluation evaluation;
    evaluation.id = "failed";
    evaluation.device = "cpu";
    evaluation.conditions = Json{{"device", {{"kind", "cpu"}}}};
    Failure failure;
    failure.stage = Stage::compile;
    failure.failure = FailureClass::compile;
    failure.message = message;
    failure.source = Place{"draft.cu", line, column};
    failure.diagnostics = {{"error", failure.source, message}};
    evaluation.failure = failure;
    StageReport report;
    report.stage = Stage::compile;
    report.outcome = StageReport::Outcome::failed;
    report.seconds = 0.041;
    evaluation.stages = {report};
    return evaluation;
}

inline Evaluation faster_screen(double speedup, int done, int total) {
    Evaluation evaluation;
    evaluation.id = "screened";
    evaluation.level = Level::screen;
    evaluation.device = "cpu";
    evaluation.cases.resize(static_cast<std::size_t>(done));
    for (CaseReport& one : evaluation.cases)
        one.passed = true;
    evaluation.cases_total = total;
    StageReport report;
    report.stage = Stage::verify;
    evaluation.stages = {report};
    Duel duel;
    duel.against = "champion";
    duel.decision.verdict = Ratio::faster;
    duel.decision.reason = Reason::beyond_limit;
    duel.decision.interval.estimate = speedup;
    duel.decision.interval.low = speedup - 0.01;
    duel.decision.interval.high = speedup + 0.01;
    evaluation.duel = duel;
    return evaluation;
}

inline const char* const valid_kernel = "#pragma kf tune    BLOCK in {256, 128}\n"
                                        "#pragma kf launch  scale<<<cdiv(N, BLOCK), BLOCK>>>(x, out, N)\n"
                                        "__global__ void scale(const float* x, float* out, int n) {\n"
                                        "    const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                                        "    if (i < n)\n"
                                        "        out[i] = 2.0f * __ldg(x + i); // twice\n"
                                        "}\n";

} // namespace kf::ui
