// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/bench_desk.h"

#include "ui/models/texts.h"

#include <cmath>

namespace kf::ui {
namespace {

QString view(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString level_word(Level level) {
    return kf::ui::evidence_word(to_string(level));
}

QString cases_text(const Evaluation& evaluation) {
    const auto done = static_cast<int>(evaluation.cases.size());
    if (evaluation.cases_total <= 0)
        return {};
    return done < evaluation.cases_total ? QStringLiteral("%1 of %2 cases").arg(done).arg(evaluation.cases_total)
                                         : QStringLiteral("%1 cases").arg(done);
}

QString change(const Decision& decision) {
    const Speedup speedup{decision.interval.estimate, decision.interval.low, decision.interval.high};
    const Change value = change_of(speedup);
    if (!value.known)
        return {};
    const QString sign = value.percent < 0 ? QStringLiteral("−") : QStringLiteral("+");
    return QStringLiteral("%1%2 %").arg(sign, QString::number(std::abs(value.percent), 'f', 1));
}

} // namespace

BenchResult bench_result(const Evaluation& evaluation) {
    BenchResult result;
    result.kind = verdict_kind(evaluation.verdict());
    const QString cases = cases_text(evaluation);
    QStringList parts;
    if (evaluation.failure) {
        const Failure& failure = *evaluation.failure;
        const bool text = failure.stage == Stage::parse || failure.stage == Stage::compile;
        parts.append(failure.stage == Stage::compile ? QStringLiteral("compile error")
                     : failure.stage == Stage::parse ? QStringLiteral("plan error")
                                                     : view(mark_of(result.kind).word));
        if (!text && !cases.isEmpty())
            parts.append(cases);
        result.leads_to_issues = true;
        result.detail = QString::fromStdString(failure.message);
    } else {
        const QString figure = evaluation.duel ? change(evaluation.duel->decision) : QString();
        parts.append(figure.isEmpty() ? view(mark_of(result.kind).word) : figure);
        parts.append(level_word(evaluation.level));
        if (!cases.isEmpty())
            parts.append(cases);
        if (evaluation.duel)
            result.detail = QString::fromStdString(describe(evaluation.duel->decision));
    }
    result.text = parts.join(QStringLiteral(" · "));
    if (evaluation.cases_total > 0)
        result.progress = static_cast<double>(evaluation.cases.size()) / evaluation.cases_total;
    return result;
}

BenchResult compile_result(const Evaluation& evaluation) {
    if (evaluation.failure)
        return bench_result(evaluation);
    BenchResult result;
    result.kind = VerdictKind::correct;
    result.text = QStringLiteral("compiles");
    for (const StageReport& stage : evaluation.stages)
        if (stage.stage == Stage::compile && stage.seconds > 0)
            result.text += QStringLiteral(" · %1 ms").arg(qRound(stage.seconds * 1000));
    result.detail = QStringLiteral("The compiler took it; nothing was run. F5 measures it.");
    return result;
}

BenchDesk::BenchDesk(Judge& judge, QObject* parent) : QObject(parent), m_judge(judge) {}

void BenchDesk::order(What what, const BenchOrder& order) {
    m_error.reset();
    m_what = what;
    m_level = order.level;
    m_stage.clear();
    m_source = order.source;
    m_early.reset();
    if (order.source.trimmed().isEmpty()) {
        m_order = 0;
        m_error = make_error("bench-empty", "there is no source", "write a kernel, or reset the draft");
        finish(Phase::failed);
        return;
    }
    m_phase = Phase::waiting;
    m_clock.start();
    m_ordering = true;
    m_order = what == What::bench ? m_judge.bench(order) : m_judge.compile(order.task, order);
    m_ordering = false;
    Q_EMIT changed();
    if (m_early) {
        const auto [kind, answer] = *std::exchange(m_early, std::nullopt);
        on_answer(kind, answer);
    }
}

void BenchDesk::on_answer(What what, const BenchAnswer& answer) {
    if (m_ordering) {
        m_early = {what, answer};
        return;
    }
    // Only the newest order counts, whatever came of the others.
    if (m_phase != Phase::waiting || what != m_what || answer.order != m_order || answer.replaced)
        return;
    if (answer.error) {
        m_error = answer.error;
        finish(Phase::failed);
        Q_EMIT answered(what, answer);
        return;
    }
    if (!answer.outcome.evaluation) {
        const bool cancelled = answer.outcome.outcome == Outcome::cancelled;
        m_error = make_error(cancelled ? "bench-cancelled" : "bench-infrastructure",
                             cancelled ? "it was cancelled" : "it could not be judged: " + answer.outcome.what,
                             answer.outcome.retry_sensible ? "press F5 again" : "");
        finish(Phase::failed);
        Q_EMIT answered(what, answer);
        return;
    }
    m_turn = what == What::bench ? answer.turn : m_turn;
    m_result =
        what == What::bench ? bench_result(*answer.outcome.evaluation) : compile_result(*answer.outcome.evaluation);
    finish(Phase::answered);
    Q_EMIT answered(what, answer);
}

void BenchDesk::on_progress(std::uint64_t order, const Json& progress) {
    if (m_phase != Phase::waiting || m_what != What::bench || order != m_order)
        return;
    const std::string event = get_string(progress, "event");
    if (event == "stage_started")
        m_stage = QString::fromStdString(get_string(progress, "stage"));
    else if (event == "taken")
        m_stage = QStringLiteral("taken");
    else
        return;
    Q_EMIT changed();
}

void BenchDesk::on_failed(const Error& error) {
    if (m_phase != Phase::waiting)
        return;
    m_error = error;
    finish(Phase::failed);
}

void BenchDesk::update(const Evaluation& evaluation) {
    if (m_phase != Phase::answered || m_what != What::bench)
        return;
    m_result = bench_result(evaluation);
    Q_EMIT changed();
}

void BenchDesk::forget() {
    m_phase = Phase::idle;
    m_order = 0;
    m_turn = -1;
    m_source.clear();
    m_result = {};
    m_error.reset();
    m_early.reset();
    Q_EMIT changed();
}

void BenchDesk::finish(Phase phase) {
    m_phase = phase;
    Q_EMIT changed();
}

QString BenchDesk::waiting_text() const {
    if (m_phase != Phase::waiting)
        return {};
    const QString seconds = QStringLiteral("%1 s").arg(static_cast<double>(m_clock.elapsed()) / 1000, 0, 'f', 1);
    if (m_what == What::compile)
        return QStringLiteral("compiling · ") + seconds;
    if (m_stage.isEmpty())
        return QStringLiteral("queued: served after the running evaluation · ") + seconds;
    const QString doing = m_stage == QLatin1String("compile")   ? QStringLiteral("compiling")
                          : m_stage == QLatin1String("verify")  ? QStringLiteral("checking cases")
                          : m_stage == QLatin1String("measure") ? QStringLiteral("measuring")
                                                                : level_word(m_level);
    return doing + QStringLiteral(" · ") + seconds;
}

} // namespace kf::ui
