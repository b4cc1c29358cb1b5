// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/autopsy_checks.h"

#include "core/render/terminal_text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <set>

namespace kf::ui {
namespace {

using Role = AutopsyLine::Role;

QString shown(std::string_view text) {
    return QString::fromStdString(plain_text(text));
}

Role role_of(StageReport::Outcome outcome) {
    switch (outcome) {
    case StageReport::Outcome::passed:
        return Role::passed;
    case StageReport::Outcome::failed:
        return Role::failed;
    case StageReport::Outcome::skipped:
        return Role::skipped;
    case StageReport::Outcome::not_checked:
        return Role::not_checked;
    }
    return Role::not_checked;
}

const StageReport* find_stage(const Evaluation& evaluation, Stage stage) {
    for (const StageReport& report : evaluation.stages)
        if (report.stage == stage)
            return &report;
    return nullptr;
}

void add_cases(const Evaluation& evaluation, std::vector<AutopsyLine>& lines) {
    const auto passed = static_cast<int>(std::count_if(evaluation.cases.begin(), evaluation.cases.end(),
                                                       [](const CaseReport& report) { return report.passed; }));
    const int run = static_cast<int>(evaluation.cases.size());
    const int total = std::max(evaluation.cases_total, run);
    if (total == 0) {
        lines.push_back({Role::not_checked, QStringLiteral("No case was run"), {}, {}, -1});
        return;
    }
    QString text = run == 0 ? QStringLiteral("None of %1 cases was run").arg(total)
                            : QStringLiteral("%1 of %2 cases passed").arg(passed).arg(total);
    if (run > 0 && run < total)
        text += QStringLiteral(", %1 not run").arg(total - run);
    std::set<Regime> regimes;
    int held_out = 0, held_out_passed = 0;
    for (const CaseReport& report : evaluation.cases) {
        regimes.insert(report.regime);
        held_out += report.held_out;
        held_out_passed += report.held_out && report.passed;
    }
    QStringList names;
    for (const Regime regime : regimes)
        names << shown(to_string(regime));
    lines.push_back({passed < run ? Role::failed : run == 0 ? Role::not_checked : Role::passed, text, {}, {}, -1});
    if (!names.isEmpty())
        lines.push_back({Role::passed, QStringLiteral("Inputs: ") + names.join(QStringLiteral(", ")), {}, {}, -1});
    if (passed < run)
        lines.back().role = Role::skipped; // they were tried; the line above says how it ended
    lines.push_back(
        held_out > 0 ? AutopsyLine{held_out_passed == held_out ? Role::passed : Role::failed,
                                   QStringLiteral("Held-out cases: %1 of %2 passed").arg(held_out_passed).arg(held_out),
                                   {},
                                   {},
                                   -1}
                     : AutopsyLine{Role::not_checked, QStringLiteral("Held-out cases: not at this level"), {}, {}, -1});
}

// What a passed *verify* of the CPU device means, by docs/cpu-device.md. Other devices tell it in their notes.
void add_fences(const Evaluation& evaluation, std::vector<AutopsyLine>& lines) {
    const StageReport* verify = find_stage(evaluation, Stage::verify);
    if (!verify || verify->outcome != StageReport::Outcome::passed || evaluation.device.rfind("cpu", 0) != 0)
        return;
    lines.push_back({Role::passed,
                     QStringLiteral("Each case twice over different poison; guard zones and inputs unchanged"),
                     {},
                     {},
                     -1});
    const bool asked = evaluation.level == Level::certify || evaluation.level == Level::promote;
    QString note;
    for (const Json& one : get_member(verify->evidence, "notes"))
        if (one.is_string() && one.get_ref<const std::string&>().find("anitizer") != std::string::npos)
            note = shown(one.get_ref<const std::string&>());
    if (!note.isEmpty())
        lines.push_back({Role::not_checked, note, {}, {}, -1});
    else if (asked)
        lines.push_back({Role::passed, QStringLiteral("AddressSanitizer: one case, no finding"), {}, {}, -1});
    else
        lines.push_back({Role::not_checked, QStringLiteral("Sanitizers: at certification"), {}, {}, -1});
}

void add_error(const Evaluation& evaluation, std::vector<AutopsyLine>& lines) {
    double ratio = 0, absolute = 0;
    bool compared = false;
    for (const CaseReport& report : evaluation.cases)
        for (const Comparison& comparison : report.comparisons) {
            compared = true;
            if (std::isfinite(comparison.worst_row_ratio))
                ratio = std::max(ratio, comparison.worst_row_ratio);
            // Anything that is no number counts as the worst.
            absolute = std::isfinite(comparison.max_abs_error) ? std::max(absolute, comparison.max_abs_error)
                                                               : std::numeric_limits<double>::infinity();
        }
    if (!compared)
        return;
    QString text = std::isfinite(absolute) ? QStringLiteral("Largest error %1").arg(value_text(absolute))
                                           : QStringLiteral("Largest error is not finite");
    if (ratio > 0)
        text += QStringLiteral(", worst row %1× eager's")
                    .arg(ratio < 1000 ? QString::number(ratio, 'g', 3) : QString::number(ratio, 'f', 0));
    const Role role = evaluation.failure ? Role::skipped : std::isfinite(absolute) ? Role::passed : Role::not_checked;
    lines.push_back({role, text, {}, {}, -1});
}

void add_stages(const Evaluation& evaluation, std::vector<AutopsyLine>& lines) {
    QStringList passed;
    for (const StageReport& report : evaluation.stages)
        if (report.outcome == StageReport::Outcome::passed)
            passed << shown(to_string(report.stage));
    if (!passed.isEmpty())
        lines.push_back({Role::passed, QStringLiteral("Stages: ") + passed.join(QStringLiteral(", ")), {}, {}, -1});
    for (const StageReport& report : evaluation.stages) {
        if (report.outcome == StageReport::Outcome::passed)
            continue;
        QString text = shown(to_string(report.stage)) + QStringLiteral(": ") +
                       (report.outcome == StageReport::Outcome::not_checked ? QStringLiteral("not checked")
                                                                            : shown(to_string(report.outcome)));
        if (!report.note.empty())
            text += QStringLiteral(", ") + shown(report.note);
        text[0] = text[0].toUpper();
        lines.push_back({role_of(report.outcome), text, {}, {}, -1});
    }
    if (!find_stage(evaluation, Stage::profile) && !evaluation.failure)
        lines.push_back({Role::not_checked, QStringLiteral("Not profiled on this device"), {}, {}, -1});
}

} // namespace

std::vector<AutopsyLine> check_lines(const Evaluation& evaluation) {
    std::vector<AutopsyLine> lines;
    add_cases(evaluation, lines);
    add_fences(evaluation, lines);
    add_error(evaluation, lines);
    add_stages(evaluation, lines);
    return lines;
}

} // namespace kf::ui
