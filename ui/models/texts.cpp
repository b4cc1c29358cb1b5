// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/texts.h"

#include "core/verify/verdict.h"
#include "ui/models/words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

bool is_positive(double value) {
    return std::isfinite(value) && value > 0;
}

// With a real minus sign, as wide as the plus.
QString signed_number(double value, int decimals) {
    const QString digits = QString::number(std::abs(value), 'f', decimals);
    const bool zero = std::none_of(digits.begin(), digits.end(), [](QChar c) { return c >= u'1' && c <= u'9'; });
    return (zero ? u""_s : value < 0 ? u"−"_s : u"+"_s) + digits;
}

double first_measured(const RunState& state) {
    for (const auto& [number, turn] : state.turns)
        for (const EvaluationState& evaluation : turn.evaluations)
            if (evaluation.done && is_time(evaluation.seconds_per_call))
                return evaluation.seconds_per_call;
    return 0;
}

// The unit by the first time; the decimals by the least that has to be told in it.
TimeUnit unit_of(double first, double least) {
    if (!is_time(first))
        return {};
    TimeUnit unit;
    unit.known = true;
    // A kernel of 0.3 ms is better told in microseconds; one that gets there from 2 ms stays in milliseconds.
    if (first >= 1)
        unit = {u"s"_s, 1, 3, true};
    else if (first >= 0.5e-3)
        unit = {u"ms"_s, 1e-3, 3, true};
    else if (first >= 0.5e-6)
        unit = {u"µs"_s, 1e-6, 3, true};
    else
        unit = {u"ns"_s, 1e-9, 3, true};
    const double shown = least / unit.seconds;
    const int before = static_cast<int>(std::floor(std::log10(shown))) + 1; // digits before the point
    unit.decimals = std::clamp((before > 0 ? 4 : 3) - before, 0, 6);
    return unit;
}

struct Word {
    FailureClass failure;
    const char16_t* text;
};
constexpr std::array<Word, failure_class_count> failure_words{{
    {FailureClass::parse, u"syntax error"},
    {FailureClass::plan, u"plan refused"},
    {FailureClass::limits, u"over the limits"},
    {FailureClass::compile, u"compile error"},
    {FailureClass::compiler_crash, u"compiler crash"},
    {FailureClass::compile_timeout, u"compiler timeout"},
    {FailureClass::state, u"keeps state"},
    {FailureClass::host_code, u"host code"},
    {FailureClass::needs_gpu, u"needs a GPU"},
    {FailureClass::sandbox, u"stopped by the sandbox"},
    {FailureClass::launch, u"launch failed"},
    {FailureClass::crash, u"crash"},
    {FailureClass::exit, u"ended the process"},
    {FailureClass::timeout, u"timeout"},
    {FailureClass::no_progress, u"no progress"},
    {FailureClass::barrier, u"divergent barrier"},
    {FailureClass::misaligned, u"misaligned access"},
    {FailureClass::out_of_bounds, u"wrong · out of bounds"},
    {FailureClass::input_written, u"wrong · input written"},
    {FailureClass::unwritten, u"wrong · output not written"},
    {FailureClass::unstable, u"wrong · unstable"},
    {FailureClass::mismatch, u"wrong"},
    {FailureClass::nonfinite, u"wrong · NaN or Inf"},
    {FailureClass::flood, u"printed too much"},
    {FailureClass::memory, u"out of memory"},
    {FailureClass::race, u"wrong · data race"},
    {FailureClass::after_timing, u"wrong · while timed"},
    {FailureClass::suspect, u"suspect"},
}};

QString failure_word(std::string_view verdict) {
    if (const auto failure = parse_failure_class(verdict))
        for (const Word& word : failure_words)
            if (word.failure == *failure)
                return QString::fromUtf16(word.text);
    return {};
}

// Where the errors are, for a mismatch.
QString pattern_word(const std::string& pattern) {
    static const std::array<std::pair<std::string_view, QString>, 12> words{{{"all", u"every element"_s},
                                                                             {"constant", u"a constant off"_s},
                                                                             {"tail", u"the tail"_s},
                                                                             {"row", u"whole rows"_s},
                                                                             {"column", u"whole columns"_s},
                                                                             {"tile", u"one tile"_s},
                                                                             {"transposed", u"transposed"_s},
                                                                             {"off-by-one", u"off by one"_s},
                                                                             {"broadcast", u"broadcast"_s},
                                                                             {"accumulation", u"accumulation"_s},
                                                                             {"scattered", u"scattered"_s},
                                                                             {"unstable", u"unstable"_s}}};
    for (const auto& [name, word] : words)
        if (name == pattern)
            return word;
    return {};
}

QString reason_word(const std::string& reason) {
    static const std::array<std::pair<std::string_view, QString>, 8> words{{
        {"not-significant", u"within the noise"_s},
        {"between-looks", u"too few rounds"_s},
        {"no-rounds", u"nothing measured"_s},
        {"too-many-dropped", u"rounds dropped"_s},
        {"zero-variance", u"the timer's steps"_s},
        {"too-coarse", u"the timer is too coarse"_s},
        {"budget", u"out of time"_s},
        {"process-dependent", u"processes differ"_s},
    }};
    for (const auto& [name, word] : words)
        if (name == reason)
            return word;
    return reason == "size-regressed" ? u"one size is slower"_s : QString();
}

} // namespace

QString plain(std::string_view text) {
    return QString::fromStdString(plain_text(text));
}

TimeUnit time_unit(const RunState& state) {
    const double best = state.best_so_far();
    const double first = first_measured(state);
    return unit_of(first, is_time(best) ? std::min(best, first) : first);
}

TimeUnit time_unit(double seconds) {
    return unit_of(seconds, seconds);
}

QString time_text(double seconds, const TimeUnit& unit) {
    if (!is_time(seconds))
        return {};
    const double value = seconds / unit.seconds;
    // What the decimals would round away is said with digits of its own, never as "0.000".
    if (value < 0.5 * std::pow(10.0, -unit.decimals))
        return QString::number(value, 'g', 3);
    return value < 1e6 ? QString::number(value, 'f', unit.decimals) : QString::number(value, 'g', 4);
}

QString time_with_unit(double seconds, const TimeUnit& unit) {
    const QString text = time_text(seconds, unit);
    return text.isEmpty() ? text : text + u' ' + unit.name;
}

QString speed_text(double ratio) {
    if (!is_positive(ratio))
        return {};
    const int decimals = ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2;
    return (ratio < 0.005 ? QString::number(ratio, 'g', 2)
            : ratio < 1e6 ? QString::number(ratio, 'f', decimals)
                          : QString::number(ratio, 'g', 3)) +
           u'×';
}

Change change_of(const Speedup& speedup) {
    if (!is_positive(speedup.estimate))
        return {};
    Change change{true, (1 / speedup.estimate - 1) * 100, -1};
    if (!std::isfinite(change.percent))
        return {};
    // A speed-up of [low, high] is a time of [1/high, 1/low].
    if (is_positive(speedup.low) && is_positive(speedup.high) && speedup.high >= speedup.low)
        change.half = (1 / speedup.low - 1 / speedup.high) / 2 * 100;
    if (!std::isfinite(change.half))
        change.half = -1;
    return change;
}

QString change_text(const Speedup& speedup) {
    const Change change = change_of(speedup);
    if (!change.known)
        return {};
    const double size = std::abs(change.percent);
    if (size >= 1e5)
        return (change.percent < 0 ? u"−"_s : u"+"_s) + QString::number(size, 'g', 3) + u" %"_s;
    const bool fine = change.half >= 0 && change.half < 0.05;
    const int decimals = size >= 100 ? 0 : fine ? 2 : 1;
    QString text = signed_number(change.percent, decimals) + u" %"_s;
    if (change.half >= 0)
        text += u" ± "_s + QString::number(change.half, 'f', decimals);
    return text;
}

QString evidence_word(std::string_view level) {
    return level == "screen"    ? u"screen"_s
           : level == "duel"    ? u"duel"_s
           : level == "certify" ? u"certified"_s
           : level == "promote" ? u"promoted"_s
                                : QString();
}

QString evidence_text(const EvaluationState& evaluation) {
    const QString word = evidence_word(evaluation.level);
    return word.isEmpty() || evaluation.failed || evaluation.complete()
               ? word
               : word + u" · %1/%2"_s.arg(evaluation.cases).arg(evaluation.cases_total);
}

QString verdict_text(const EvaluationState& evaluation, VerdictKind kind, const EvaluationFigures* figures) {
    if (const QString failure = failure_word(evaluation.verdict); !failure.isEmpty()) {
        if (evaluation.verdict == "mismatch" && figures)
            if (const QString where = pattern_word(figures->pattern); !where.isEmpty())
                return failure + u" · "_s + where;
        return failure;
    }
    if (kind == VerdictKind::inconclusive && figures)
        if (const QString why = reason_word(figures->reason); !why.isEmpty())
            return u"inconclusive · "_s + why;
    if (kind == VerdictKind::none && !evaluation.verdict.empty())
        return plain(evaluation.verdict);
    const VerdictMark mark = mark_of(kind);
    return QString::fromUtf8(mark.word.data(), static_cast<qsizetype>(mark.word.size()));
}

QString progress_text(const EvaluationState& evaluation) {
    if (evaluation.abandoned)
        return u"interrupted"_s;
    QString text = u"running"_s;
    if (!evaluation.stages.empty()) {
        const StageState& stage = evaluation.stages.back();
        text += u" · "_s + plain(stage.stage);
        if (stage.rounds > 0)
            text += u", round %1"_s.arg(stage.rounds);
    }
    return text;
}

QString error_text(const EvaluationFigures& figures) {
    if (!figures.compared && figures.max_error == 0)
        return {};
    if (figures.correct)
        return u"✓"_s;
    if (std::isinf(figures.max_error) || std::isnan(figures.max_error))
        return u"not finite"_s;
    if (figures.max_error == 0)
        return {};
    return figures.max_error >= 1e5 || figures.max_error < 1e-3 ? QString::number(figures.max_error, 'e', 1)
                                                                : QString::number(figures.max_error, 'f', 3);
}

QString registers_text(const EvaluationFigures& figures) {
    if (figures.registers < 0)
        return {};
    return u"%1 / %2"_s.arg(figures.registers).arg(std::max(figures.spills, 0));
}

QString author_word(std::string_view author) {
    return author == "human"   ? u"a person"_s
           : author == "model" ? u"the model"_s
           : author == "tuner" ? u"the tuner"_s
           : author == "file"  ? u"a file"_s
                               : plain(author);
}

} // namespace kf::ui
