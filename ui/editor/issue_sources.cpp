// SPDX-License-Identifier: GPL-3.0-or-later
// From core's errors and diagnostics to marks in a text.
#include "ui/editor/issue_marks.h"

namespace kf::ui {
namespace {

QByteArray line_of(const QList<QByteArray>& lines, int line) {
    return line >= 1 && line <= lines.size() ? lines[line - 1] : QByteArray();
}

EditorIssue place_issue(const Place& place, const QList<QByteArray>& lines, ColumnUnit unit) {
    EditorIssue issue;
    issue.line = std::max(0, place.line - 1);
    if (place.column > 0) {
        const QByteArray line = line_of(lines, place.line);
        issue.begin = byte_in_line(line, place.column, unit);
        issue.end = token_end(line, issue.begin);
    }
    return issue;
}

QString seconds_text(double seconds) {
    return seconds < 10 ? QStringLiteral("%1 ms").arg(qRound(seconds * 1000))
                        : QStringLiteral("%1 s").arg(qRound(seconds));
}

} // namespace

std::vector<EditorIssue> issues_of(const std::vector<Error>& errors, const QByteArray& text) {
    const QList<QByteArray> lines = text.split('\n');
    std::vector<EditorIssue> result;
    for (const Error& error : errors) {
        EditorIssue issue = place_issue(error.place, lines, ColumnUnit::characters);
        issue.producer = QStringLiteral("plan");
        issue.severity = QStringLiteral("error");
        issue.message = QString::fromStdString(error.message);
        issue.remedy = QString::fromStdString(error.remedy);
        issue.tail = QStringLiteral("plan");
        result.push_back(std::move(issue));
    }
    return result;
}

QString compiler_tail(const Evaluation& evaluation) {
    const Json device = get_member(evaluation.conditions, "device");
    const std::string kind = get_string(device, "kind", evaluation.device == "cpu" ? "cpu" : "cuda");
    QStringList parts;
    const std::string compiler = get_string(device, "compiler");
    parts.append(!compiler.empty() ? QString::fromStdString(compiler)
                 : kind == "cpu"   ? QStringLiteral("g++")
                                   : QStringLiteral("NVRTC"));
    const std::string architecture = get_string(device, "architecture");
    if (!architecture.empty())
        parts.append(QString::fromStdString(architecture));
    for (const StageReport& stage : evaluation.stages)
        if (stage.stage == Stage::compile && stage.seconds > 0)
            parts.append(seconds_text(stage.seconds));
    return parts.join(QStringLiteral(" · "));
}

std::vector<EditorIssue> issues_of(const Evaluation& evaluation, const QByteArray& text) {
    std::vector<EditorIssue> result;
    if (!evaluation.failure)
        return result;
    const Failure& failure = *evaluation.failure;
    // The plan's reader counts characters; compilers and the inspection of what they made count bytes.
    const ColumnUnit unit = failure.stage == Stage::parse ? ColumnUnit::characters : ColumnUnit::bytes;
    const QList<QByteArray> lines = text.split('\n');
    const bool compiled = failure.stage == Stage::compile;
    const QString tail = compiled ? compiler_tail(evaluation) : [&] {
        const std::string_view stage = to_string(failure.stage);
        return QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
    }();
    for (const Diagnostic& diagnostic : failure.diagnostics) {
        if (diagnostic.place.line <= 0 || diagnostic.severity == "note")
            continue;
        EditorIssue issue = place_issue(diagnostic.place, lines, unit);
        issue.severity = QString::fromStdString(diagnostic.severity);
        issue.message = QString::fromStdString(diagnostic.message);
        issue.tail = tail;
        if (diagnostic.message == failure.message)
            issue.remedy = QString::fromStdString(failure.remedy);
        result.push_back(std::move(issue));
    }
    if (result.empty() && (failure.source.line > 0 || compiled)) {
        // Without a place: at the first line, so that it is seen at all.
        EditorIssue issue = place_issue(failure.source, lines, unit);
        issue.severity = QStringLiteral("error");
        issue.message = QString::fromStdString(failure.message);
        issue.remedy = QString::fromStdString(failure.remedy);
        issue.tail = tail;
        result.push_back(std::move(issue));
    }
    for (EditorIssue& issue : result)
        issue.producer = QStringLiteral("compiler");
    return result;
}

} // namespace kf::ui
