// SPDX-License-Identifier: GPL-3.0-or-later
// Orders of numbers for a text, and what has come of the newest: a newer order replaces an older, late answers to an
// older one change nothing. Knows no widget. What judges is behind an interface, so that tests decide what it answers.
#pragma once

#include "core/render/marks.h"
#include "ui/control/run_controller.h"

#include <QElapsedTimer>
#include <QObject>

#include <functional>

namespace kf::ui {

// RunController as the desk sees it.
class Judge {
public:
    virtual ~Judge() = default;
    virtual std::uint64_t bench(const BenchOrder& order) = 0;
    virtual std::uint64_t compile(const QString& task, const BenchOrder& order) = 0;
};

class ControllerJudge final : public Judge {
public:
    explicit ControllerJudge(RunController& controller) : m_controller(controller) {}
    std::uint64_t bench(const BenchOrder& order) override { return m_controller.bench(order); }
    std::uint64_t compile(const QString& task, const BenchOrder& order) override {
        return m_controller.compile(task, order);
    }

private:
    RunController& m_controller;
};

// What an answer says, as shown beside the tabs.
struct BenchResult {
    VerdictKind kind = VerdictKind::none;
    QString text;         // "−6.5 % · screen · 2 of 18 cases"
    double progress = -1; // cases done, 0 … 1; negative: not known
    bool leads_to_issues = false;
    QString detail; // one sentence more, for the tool tip
};
BenchResult bench_result(const Evaluation& evaluation);
// Of the projection, while the rest of the cases comes in.
BenchResult compile_result(const Evaluation& evaluation);

class BenchDesk : public QObject {
    Q_OBJECT
public:
    enum class Phase { idle, waiting, answered, failed };
    enum class What { bench, compile };

    explicit BenchDesk(Judge& judge, QObject* parent = nullptr);

    // A bench whose source parses or not is the judge's to say; an empty text is refused here.
    void order(What what, const BenchOrder& order);
    void on_answer(What what, const BenchAnswer& answer);
    void on_progress(std::uint64_t order, const Json& progress);
    // The order could not be given at all.
    void on_failed(const Error& error);
    // A newer evaluation of the same turn and text.
    void update(const Evaluation& evaluation);
    void forget();

    Phase phase() const { return m_phase; }
    What what() const { return m_what; }
    // "queued: served after the running evaluation · 0.8 s"; "" when nothing waits.
    QString waiting_text() const;
    const BenchResult& result() const { return m_result; }
    const std::optional<Error>& error() const { return m_error; }
    // Text and turn that the result belongs to.
    const QByteArray& source() const { return m_source; }
    int turn() const { return m_turn; }

Q_SIGNALS:
    void changed();
    // The newest order's answer; diagnostics belong to `source()`.
    void answered(kf::ui::BenchDesk::What what, const kf::ui::BenchAnswer& answer);

private:
    void finish(Phase phase);

    Judge& m_judge;
    Phase m_phase = Phase::idle;
    What m_what = What::bench;
    std::uint64_t m_order = 0;
    bool m_ordering = false; // the judge may answer before it returns
    std::optional<std::pair<What, BenchAnswer>> m_early;
    Level m_level = Level::screen;
    QString m_stage;
    QByteArray m_source;
    int m_turn = -1;
    QElapsedTimer m_clock;
    BenchResult m_result;
    std::optional<Error> m_error;
};

} // namespace kf::ui
