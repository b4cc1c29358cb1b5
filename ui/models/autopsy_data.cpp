// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/autopsy_data.h"

#include "core/candidate/candidate.h"
#include "core/render/figures.h"
#include "core/render/terminal_text.h"
#include "ui/models/autopsy_checks.h"
#include "ui/models/texts.h"
#include "ui/models/words.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kf::ui {
namespace {

using Role = AutopsyLine::Role;
using Kind = AutopsyCard::Kind;

QString shown(std::string_view text) {
    return QString::fromStdString(plain_text(text));
}

// A file's name on one line of a card; a stranger's may be of any length.
QString short_name(std::string_view text) {
    const QString name = shown(text);
    return name.size() <= 48 ? name : name.left(24) + QStringLiteral("…") + name.right(20);
}

QString capital(QString text) {
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString line_target(const Place& place) {
    return place.line <= 0     ? QString()
           : place.column <= 0 ? QStringLiteral("line:%1").arg(place.line)
                               : QStringLiteral("line:%1:%2").arg(place.line).arg(place.column);
}

// "start.cu:12:5" or "line 7": the line that a piece of evidence names.
QString line_target(const std::string& target) {
    int line = 0, column = 0;
    if (target.rfind("line ", 0) == 0 || target.rfind("line:", 0) == 0) {
        std::sscanf(target.c_str() + 5, "%9d", &line);
    } else if (const std::size_t colon = target.find(':'); colon != std::string::npos) {
        std::sscanf(target.c_str() + colon + 1, "%9d:%9d", &line, &column);
    }
    return line_target(Place{{}, line, column});
}

class Maker {
public:
    explicit Maker(const AutopsySources& sources) : m_sources(sources), m_turn(sources.turn) {}

    AutopsyData make() {
        m_data.turn = m_turn.number;
        m_data.title = m_turn.number == 0 ? QStringLiteral("Autopsy · start kernel")
                                          : QStringLiteral("Autopsy · turn %1").arg(m_turn.number);
        parse();
        note();
        changed();
        if (m_sources.whole)
            judged(*m_sources.whole);
        else
            unjudged();
        sweep();
        std::erase_if(m_data.cards, [](const AutopsyCard& card) {
            return card.lines.empty() && card.kind != Kind::sweep && card.kind != Kind::map;
        });
        return std::move(m_data);
    }

private:
    AutopsyCard& card(Kind kind, const QString& title) {
        m_data.cards.push_back({kind, title, {}});
        return m_data.cards.back();
    }
    static void add(AutopsyCard& card, Role role, const QString& text, const QString& target = {},
                    const QString& link = {}) {
        if (!text.isEmpty() || !link.isEmpty())
            card.lines.push_back({role, text, target, link, -1});
    }

    void parse() {
        if (m_sources.source) {
            auto candidate = parse_candidate(*m_sources.source, m_turn.file_name);
            if (candidate)
                m_candidate = std::move(*candidate);
        }
        if (m_sources.task_wire.empty())
            return;
        const Json wire = Json::parse(m_sources.task_wire, nullptr, false);
        if (!wire.is_object())
            return;
        if (auto task = task_from_wire(wire))
            m_task = std::move(*task);
    }

    // A person's words come first, as they were written.
    void note() {
        if (m_sources.note.isEmpty())
            return;
        AutopsyCard& card = this->card(Kind::note, QStringLiteral("Note"));
        for (const QString& line : m_sources.note.split(QLatin1Char('\n')))
            card.lines.push_back({Role::body, shown(line.toStdString()), {}, {}, -1});
    }

    void changed() {
        AutopsyCard& card = this->card(Kind::changed, QStringLiteral("What changed"));
        if (!m_turn.strategy.empty())
            add(card, Role::strong, capital(shown(m_turn.strategy)));
        if (!m_turn.hint.empty())
            add(card, Role::body, QStringLiteral("Hint: ") + shown(m_turn.hint));
        if (m_turn.number == 0 || m_turn.parent < 0) {
            const QString file = short_name(m_turn.file_name);
            add(card, Role::body,
                m_turn.number == 0
                    ? (file.isEmpty() ? QStringLiteral("The kernel that the run begins with.")
                                      : QStringLiteral("%1, the kernel that the run begins with.").arg(file))
                    : QStringLiteral("%1, grown from no other turn.")
                          .arg(file.isEmpty() ? QStringLiteral("A candidate") : file));
        } else {
            difference(card);
        }
        const EvaluationState* one = evaluation();
        if (one)
            add(card, Role::code, QString::fromStdString(format_tunables(one->tunables)));
    }

    void difference(AutopsyCard& card) {
        const QString parent =
            m_turn.parent == 0 ? QStringLiteral("the start kernel") : QStringLiteral("turn %1").arg(m_turn.parent);
        const QString parent_target = QStringLiteral("turn:%1").arg(m_turn.parent);
        if (m_sources.source && m_sources.parent_source)
            m_data.diff = line_diff(*m_sources.parent_source, *m_sources.source);
        else if (m_sources.diff)
            m_data.diff = parse_unified(*m_sources.diff);
        else {
            if (m_turn.candidates > 0)
                add(card, Role::dim,
                    QStringLiteral("The sources of both turns are not in the journal: what differs "
                                   "from %1 is not known.")
                        .arg(parent));
            return;
        }
        m_data.diff_parent = m_turn.parent;
        if (m_data.diff.same()) {
            add(card, Role::body, QStringLiteral("The same source as"), parent_target, parent);
            return;
        }
        add(card, Role::body,
            QStringLiteral("%1, from")
                .arg(m_turn.file_name.empty() ? QStringLiteral("The source") : short_name(m_turn.file_name)),
            parent_target, parent);
        const QString stat = QStringLiteral("+%1 −%2 lines").arg(m_data.diff.added).arg(m_data.diff.removed);
        add(card, Role::body, QString(), QStringLiteral("diff"), stat);
    }

    const EvaluationState* evaluation() const {
        for (const EvaluationState& one : m_turn.evaluations)
            if (one.id == m_sources.evaluation)
                return &one;
        return nullptr;
    }

    // Nothing was judged, or what was judged cannot be read.
    void unjudged() {
        AutopsyCard& card = this->card(Kind::happened, QStringLiteral("What happened"));
        const EvaluationState* one = evaluation();
        if (one && one->done) {
            m_data.verdict = verdict_kind(one->verdict);
            add(card, one->failed ? Role::strong : Role::body, capital(shown(one_line(*one))));
            add(card, Role::dim,
                QStringLiteral("The whole evaluation cannot be read: %1.")
                    .arg(m_sources.unreadable.empty() ? QStringLiteral("it is not in the journal")
                                                      : shown(m_sources.unreadable)));
            return;
        }
        m_data.verdict = verdict_kind(m_turn, nullptr);
        if (m_turn.outcome == "infrastructure") {
            add(card, Role::strong, QStringLiteral("Nobody could judge it. That is not the candidate's fault."));
            troubles(card);
        } else if (m_turn.outcome == "cancelled") {
            add(card, Role::strong, QStringLiteral("It was cancelled before there was a result."));
        } else if (m_turn.outcome == "duplicate") {
            add(card, Role::strong, QStringLiteral("This candidate was judged before, so it was not judged again."));
        } else if (m_turn.outcome == "no_candidate") {
            add(card, Role::strong, QStringLiteral("No candidate came, so there was nothing to judge."));
        } else if (m_turn.finished || m_sources.run_is_over) {
            add(card, Role::strong,
                m_turn.finished ? QStringLiteral("It ended without a result.")
                                : QStringLiteral("The run was interrupted before there was a result."));
        } else {
            add(card, Role::strong,
                m_turn.candidates == 0 ? QStringLiteral("The candidate is not there yet.")
                                       : QStringLiteral("It is being judged."));
        }
        if (m_turn.outcome != "infrastructure")
            troubles(card);
        const bool said = std::any_of(m_turn.infrastructure.begin(), m_turn.infrastructure.end(),
                                      [this](const std::string& what) { return what.ends_with(m_turn.text); });
        if (!m_turn.text.empty() && !said)
            add(card, Role::body, capital(shown(m_turn.text)));
        if (!m_turn.evaluations.empty())
            for (const StageState& stage : m_turn.evaluations.back().stages)
                add(card,
                    stage.state != "ended"       ? Role::item
                    : stage.outcome == "passed"  ? Role::passed
                    : stage.outcome == "failed"  ? Role::failed
                    : stage.outcome == "skipped" ? Role::skipped
                                                 : Role::not_checked,
                    shown(stage.stage) + (stage.state == "ended" ? QString() : QStringLiteral(" …")) +
                        (stage.rounds > 0 ? QStringLiteral(", round %1").arg(stage.rounds) : QString()));
        if (m_turn.outcome == "infrastructure") { // last: a new card moves those before it
            AutopsyCard& next = this->card(Kind::next, QStringLiteral("What next"));
            add(next, Role::item, QStringLiteral("judge it again"));
            add(next, Role::item, QStringLiteral("kernelforge doctor tells what this machine lacks"));
        }
    }

    // What went wrong around the candidate, each once.
    void troubles(AutopsyCard& card) {
        std::vector<std::pair<std::string, int>> once;
        for (const std::string& what : m_turn.infrastructure) {
            const auto same =
                std::find_if(once.begin(), once.end(), [&](const auto& one) { return one.first == what; });
            if (same == once.end())
                once.emplace_back(what, 1);
            else
                ++same->second;
        }
        for (const auto& [what, times] : once)
            add(card, Role::body,
                capital(shown(what)) + (times > 1 ? QStringLiteral(", %1 times").arg(times) : QString()));
    }

    void judged(const Evaluation& whole) {
        const Autopsy autopsy = make_autopsy(whole, m_candidate ? &*m_candidate : nullptr, m_task ? &*m_task : nullptr);
        m_data.verdict = verdict_kind(autopsy.verdict);
        m_data.held_out = autopsy.held_out;
        happened(whole, autopsy);
        why(whole, autopsy);
        AutopsyCard& next = card(Kind::next, QStringLiteral("What next"));
        std::vector<std::string> tries; // two causes may ask for the same
        const auto once = [&](const std::string& attempt) {
            if (attempt.empty() || std::find(tries.begin(), tries.end(), attempt) != tries.end())
                return;
            tries.push_back(attempt);
            add(next, Role::item, shown(attempt));
        };
        for (const std::string& attempt : autopsy.tries)
            once(attempt);
        if (whole.failure)
            once(whole.failure->remedy);
        m_data.maps = error_maps(whole, m_task ? &*m_task : nullptr);
        if (!m_data.maps.empty())
            card(Kind::map, QStringLiteral("Error map"));
        AutopsyCard& checked = card(Kind::checked, QStringLiteral("Checked"));
        checked.lines = check_lines(whole);
        labels(whole);
    }

    void happened(const Evaluation& whole, const Autopsy& autopsy) {
        AutopsyCard& card = this->card(Kind::happened, QStringLiteral("What happened"));
        if (whole.failure) {
            // The words of the timeline's table.
            EvaluationState failed;
            failed.verdict = std::string(to_string(whole.failure->failure));
            QString head = capital(verdict_text(failed, m_data.verdict, nullptr))
                               .replace(QStringLiteral(" · "), QStringLiteral(": "));
            if (failed.verdict != to_string(whole.failure->stage))
                head += QStringLiteral(" in ") + shown(to_string(whole.failure->stage));
            if (!autopsy.place.empty() && autopsy.place.rfind("line:", 0) != 0)
                head += QStringLiteral(", at ") + shown(autopsy.place);
            add(card, Role::strong, head);
            const bool said_again =
                std::any_of(autopsy.evidence.begin(), autopsy.evidence.end(), [&](const EvidenceRef& ref) {
                    return ref.kind == EvidenceRef::Kind::line && ref.text.ends_with(autopsy.headline);
                });
            if (!said_again)
                add(card, Role::body, capital(shown(autopsy.headline)));
            if (autopsy.held_out)
                add(card, Role::failed,
                    QStringLiteral("On a held-out case: for people only, its figures never go into a prompt."));
        } else {
            success(card, whole);
        }
        for (const EvidenceRef& ref : autopsy.evidence)
            if (ref.target != "remedy")
                add_evidence(card, ref, autopsy);
    }

    void success(AutopsyCard& card, const Evaluation& whole) {
        if (!whole.accepted()) {
            add(card, Role::strong, QStringLiteral("It was not verified, so nothing can be said about it."));
            return;
        }
        if (whole.duel) {
            add(card, Role::strong, comparison(whole.duel->decision));
        } else {
            add(card, Role::strong,
                m_turn.number == 0 ? QStringLiteral("The start kernel is correct.")
                                   : QStringLiteral("Correct; compared with no champion."));
        }
        for (const Duel& baseline : whole.baselines)
            if (std::isfinite(baseline.decision.interval.estimate) && baseline.decision.interval.estimate > 0)
                add(card, Role::body,
                    QStringLiteral("%1 %2's speed")
                        .arg(QString::fromStdString(
                                 format_speedup({baseline.decision.interval.estimate, baseline.decision.interval.low,
                                                 baseline.decision.interval.high})),
                             baseline_word(baseline.against)));
        if (m_sources.is_champion)
            add(card, Role::body, QStringLiteral("It is the champion."));
    }

    // "Faster than the champion before it: 1.072× [1.070, 1.074] in 12 rounds", and what else has to be known of it.
    QString comparison(const Decision& decision) const {
        const QString champion =
            m_sources.is_champion ? QStringLiteral("the champion before it") : QStringLiteral("the champion");
        QString text = decision.verdict == Ratio::faster       ? QStringLiteral("Faster than ") + champion
                       : decision.verdict == Ratio::slower     ? QStringLiteral("Slower than ") + champion
                       : decision.verdict == Ratio::equivalent ? QStringLiteral("As fast as ") + champion
                                                               : QStringLiteral("Inconclusive against ") + champion;
        const QString rounds =
            decision.rounds == 1 ? QStringLiteral("1 round") : QStringLiteral("%1 rounds").arg(decision.rounds);
        if (decision.rounds > 0 && decision.interval.bounded())
            text += QStringLiteral(": %1 in %2")
                        .arg(QString::fromStdString(format_speedup(
                                 {decision.interval.estimate, decision.interval.low, decision.interval.high})),
                             rounds);
        else
            text += QStringLiteral(" after ") + rounds;
        const QString whole = shown(describe(decision));
        const qsizetype reasons = whole.indexOf(QStringLiteral("; "));
        return reasons < 0 ? text : text + whole.mid(reasons);
    }

    void add_evidence(AutopsyCard& card, const EvidenceRef& ref, const Autopsy& autopsy) {
        const QString text = shown(ref.text), target = shown(ref.target);
        switch (ref.kind) {
        case EvidenceRef::Kind::line: {
            const QString link = line_target(ref.target);
            if (ref.text.rfind(ref.target, 0) == 0) { // the place begins the sentence
                add(card, Role::body, QString(), link, text);
                return;
            }
            if (ref.text == "here" && autopsy.evidence.size() > 1 && has_diagnostic_at(autopsy, ref.target))
                return;
            add(card, Role::body, ref.text == "here" ? QStringLiteral("At") : text, link,
                link.isEmpty() ? QString() : target);
            return;
        }
        case EvidenceRef::Kind::element:
            add(card, Role::code, text, QStringLiteral("element:") + target, target);
            return;
        case EvidenceRef::Kind::metric:
            // The time has its distribution; what the compiler says stands in the timeline's table.
            if (ref.target == "time" && (ref.text.starts_with("inf") || ref.text.starts_with("nan"))) {
                add(card, Role::body, QStringLiteral("Its time is no number."));
                return;
            }
            add(card, Role::body,
                capital(QString(shown(ref.target)).replace(QLatin1Char('_'), QLatin1Char(' '))) + QStringLiteral(": ") +
                    text,
                ref.target == "time" ? QStringLiteral("pane:distribution") : QString(),
                ref.target == "time" ? QStringLiteral("distribution") : QString());
            return;
        case EvidenceRef::Kind::test_case:
            add(card, Role::body, target + QStringLiteral(": ") + text);
            return;
        case EvidenceRef::Kind::log:
            add(card, Role::code, text);
            return;
        case EvidenceRef::Kind::figure:
            add(card, Role::body, target.isEmpty() ? text : target + QStringLiteral(": ") + text);
            return;
        }
    }

    // The place of the failure is named again by a diagnostic that says more.
    static bool has_diagnostic_at(const Autopsy& autopsy, const std::string& target) {
        return std::any_of(autopsy.evidence.begin(), autopsy.evidence.end(), [&](const EvidenceRef& other) {
            return other.kind == EvidenceRef::Kind::line && other.text != "here" && other.target == target;
        });
    }

    void why(const Evaluation& whole, const Autopsy& autopsy) {
        AutopsyCard& card =
            this->card(Kind::why, whole.failure ? QStringLiteral("Why") : QStringLiteral("Why it is not faster yet"));
        if (!whole.failure && whole.accepted() && autopsy.bottleneck != "unknown")
            add(card, Role::strong, capital(shown(autopsy.headline).remove(QStringLiteral("correct; "))));
        // That nothing was found has no likelihood.
        const bool found = whole.failure || autopsy.bottleneck != "unknown";
        for (const Cause& cause : autopsy.causes)
            card.lines.push_back(
                {Role::cause,
                 capital(shown(cause.what)),
                 {},
                 {},
                 found && std::isfinite(cause.confidence) ? std::clamp(cause.confidence, 0.0, 1.0) : -1});
        if (found && !autopsy.causes.empty())
            card.title += QStringLiteral(", and how likely");
        for (const std::string& unknown : autopsy.unknowns)
            add(card, Role::not_checked, QStringLiteral("Not known: ") + shown(unknown));
    }

    void labels(const Evaluation& whole) {
        AutopsyCard& card = this->card(Kind::labels, QStringLiteral("Labels"));
        for (const std::string& flag : whole.flags)
            add(card, Role::item, shown(flag));
        for (const std::string& skipped : whole.skipped)
            add(card, Role::item, QStringLiteral("not run at the timed size: "), line_target(skipped), shown(skipped));
    }

    void sweep() {
        if (m_turn.author != "tuner")
            return;
        m_data.sweep = sweep_points(m_turn, m_sources.best);
        if (m_data.sweep.empty())
            return;
        // Right behind what changed: the sweep is what the turn is about.
        auto at = m_data.cards.begin();
        while (at != m_data.cards.end() && (at->kind == Kind::note || at->kind == Kind::changed))
            ++at;
        m_data.cards.insert(
            at, AutopsyCard{Kind::sweep, QStringLiteral("Sweep · %1 evaluations").arg(m_data.sweep.size()), {}});
    }

    const AutopsySources& m_sources;
    const TurnState& m_turn;
    AutopsyData m_data;
    std::optional<Candidate> m_candidate;
    std::optional<Task> m_task;
};

} // namespace

QString index_text(const std::vector<std::int64_t>& index) {
    QStringList parts;
    for (const std::int64_t one : index)
        parts << QString::number(one);
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString value_text(double value) {
    return std::isnan(value)   ? QStringLiteral("NaN")
           : std::isinf(value) ? (value > 0 ? QStringLiteral("Inf") : QStringLiteral("−Inf"))
                               : QString::number(value, 'g', 6);
}

std::vector<SweepPoint> sweep_points(const TurnState& turn, const std::string& best) {
    std::vector<SweepPoint> points;
    for (const EvaluationState& one : turn.evaluations) {
        if (!one.done)
            continue;
        SweepPoint point;
        point.evaluation = one.id;
        point.tunables = QString::fromStdString(format_tunables(one.tunables));
        if (one.tunables.is_object())
            for (const auto& [name, value] : one.tunables.items())
                point.values.emplace_back(shown(name),
                                          shown(value.is_string() ? value.get<std::string>() : dump_line(value)));
        point.seconds = !one.failed && is_time(one.seconds_per_call) ? one.seconds_per_call : 0;
        point.verdict = verdict_kind(one.verdict);
        point.word = one.failed ? shown(one.verdict) : shown(mark_of(point.verdict).word);
        point.level = parse_level(one.level);
        point.best = one.id == best;
        points.push_back(std::move(point));
    }
    std::stable_sort(points.begin(), points.end(), [](const SweepPoint& a, const SweepPoint& b) {
        const double inf = std::numeric_limits<double>::infinity();
        return (a.seconds > 0 ? a.seconds : inf) < (b.seconds > 0 ? b.seconds : inf);
    });
    return points;
}

AutopsyData make_autopsy_data(const AutopsySources& sources) {
    return Maker(sources).make();
}

QString AutopsyData::text() const {
    QStringList lines{title};
    for (const AutopsyCard& card : cards) {
        lines << QString() << card.title;
        for (const AutopsyLine& line : card.lines) {
            QString text = line.text;
            if (!line.link.isEmpty())
                text +=
                    (text.isEmpty() || text.endsWith(QLatin1Char(' ')) ? QString() : QStringLiteral(" ")) + line.link;
            if (line.confidence >= 0)
                text += QStringLiteral(" (confidence %1 %)").arg(qRound(line.confidence * 100));
            const QString lead = line.role == Role::passed    ? QStringLiteral("✓ ")
                                 : line.role == Role::failed  ? QStringLiteral("✕ ")
                                 : line.role == Role::skipped ? QStringLiteral("– ")
                                 : line.role == Role::item    ? QStringLiteral("• ")
                                                              : QString();
            lines << QStringLiteral("  ") + lead + text;
        }
        if (card.kind == AutopsyCard::Kind::sweep)
            for (const SweepPoint& point : sweep)
                lines << QStringLiteral("  %1 · %2 · %3%4")
                             .arg(point.tunables.isEmpty() ? QStringLiteral("no tunables") : point.tunables,
                                  QString::fromStdString(format_seconds(point.seconds)), point.word,
                                  point.best ? QStringLiteral(" · best") : QString());
        if (card.kind == AutopsyCard::Kind::map)
            for (const ErrorMapData& map : maps)
                lines << QStringLiteral("  %1: %2 of %3 elements are wrong%4")
                             .arg(map.output)
                             .arg(map.bad_elements)
                             .arg(map.elements)
                             .arg(map.pattern.isEmpty() ? QString() : QStringLiteral("; ") + map.pattern);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace kf::ui
