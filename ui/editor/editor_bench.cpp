// SPDX-License-Identifier: GPL-3.0-or-later
// EditorPane: numbers for the text, and what is wrong with it.
#include "core/base/sha256.h"
#include "ui/editor/code_editor.h"
#include "ui/editor/completion.h"
#include "ui/editor/editor_pane.h"
#include "ui/editor/line_map.h"
#include "ui/editor/state_line.h"

#include <algorithm>

namespace kf::ui {
namespace {

std::string hash_of(const QByteArray& text) {
    return sha256(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
}

Issue as_issue(const EditorIssue& issue, const QByteArray& line, const QString& file) {
    Issue result;
    result.producer = issue.producer;
    result.severity = issue.severity;
    result.file = file;
    result.line = issue.line + 1;
    result.column = issue.end > issue.begin ? column_of_byte(line, issue.begin) : 0;
    result.message = issue.message;
    result.remedy = issue.remedy;
    return result;
}

} // namespace

BenchOrder EditorPane::draft_order(Level level) const {
    BenchOrder order;
    order.task = m_task && !m_task->folder.empty() && m_context.store.state().start.task.empty()
                     ? QString::fromStdString(m_task->folder.string())
                     : m_task_name;
    order.level = level;
    order.source = m_draft->source();
    order.file_name = m_file_name;
    // What was measured last is what was written on.
    order.parent = m_desk.turn() >= 0 ? m_desk.turn() : m_origin.turn;
    return order;
}

BenchOrder EditorPane::order_of(Level level) const {
    BenchOrder order = draft_order(level);
    const CodeEditor* editor = current_editor();
    order.source = editor ? editor->source() : QByteArray();
    if (const Document* document = m_documents.find(current_document())) {
        order.parent = document->turn;
        order.file_name = document->file_name;
    }
    return order;
}

void EditorPane::bench(Level level) {
    if (m_task_name.isEmpty() || !current_editor()) {
        m_context.notices.toast(QStringLiteral("Pick a task to begin"));
        return;
    }
    m_desk.order(BenchDesk::What::bench, order_of(level));
}

void EditorPane::compile() {
    if (m_task_name.isEmpty() || !current_editor()) {
        m_context.notices.toast(QStringLiteral("Pick a task to begin"));
        return;
    }
    m_desk.order(BenchDesk::What::compile, order_of(Level::screen));
}

void EditorPane::on_found(const PlanFindings& findings) {
    const bool triton = m_draft->language() == Language::triton;
    Q_UNUSED(triton)
    m_draft->completion().set_names(findings.names);
    m_draft->issues().set(QStringLiteral("plan"), issues_of(findings.errors, m_draft->source()));
    tell_issues();
}

void EditorPane::on_answer(BenchDesk::What what, const BenchAnswer& answer) {
    Q_UNUSED(what)
    if (!answer.outcome.evaluation)
        return;
    const Evaluation& evaluation = *answer.outcome.evaluation;
    std::vector<EditorIssue> issues = issues_of(evaluation, m_desk.source());
    // The text may have moved on: lines that are still there keep their marks, at where they are now.
    const QByteArray now = m_draft->source();
    const LineMap map(m_desk.source(), now);
    std::vector<EditorIssue> placed;
    const std::vector<EditorIssue> known = m_draft->issues().all();
    for (EditorIssue& issue : issues) {
        const int line = map.line(issue.line);
        if (line < 0)
            continue;
        issue.line = line;
        // The plan's own reader has said it already.
        const bool told = std::any_of(known.begin(), known.end(), [&](const EditorIssue& other) {
            return other.producer == QLatin1String("plan") && other.line == issue.line &&
                   other.message == issue.message;
        });
        if (!told)
            placed.push_back(std::move(issue));
    }
    m_draft->issues().set(QStringLiteral("compiler"), std::move(placed));
    tell_issues();
    if (evaluation.failure && !m_draft->issues().empty())
        Q_EMIT wants_attention();
}

void EditorPane::tell_issues() {
    std::map<QString, std::vector<Issue>> lists{{QStringLiteral("plan"), {}}, {QStringLiteral("compiler"), {}}};
    for (const EditorIssue& issue : m_draft->issues().all())
        lists[issue.producer].push_back(as_issue(issue, m_draft->line_bytes(issue.line), m_file_name));
    for (auto& [producer, list] : lists)
        m_issue_model.set_issues(producer, std::move(list));
}

bool EditorPane::draft_stale() const {
    return m_stale;
}

// What the plots show is the selected turn, else what the draft came from.
void EditorPane::refresh_state() {
    const QByteArray source = m_draft->source();
    const std::string hash = hash_of(source);
    if (const auto known = m_origins.constFind(QString::fromStdString(hash));
        known != m_origins.constEnd() && known->hash != m_origin.hash)
        m_origin = *known;
    refresh_tab_titles();
    QString text;
    bool stale = false;
    const auto& turns = m_context.store.state().turns;
    const int selected = m_context.selection.current().turn;
    const int shown = selected >= 0 ? selected : m_desk.turn() >= 0 ? m_desk.turn() : m_origin.turn;
    const auto turn = turns.find(shown);
    if (turn != turns.end() && turn->second.source != hash && !m_task_name.isEmpty()) {
        const QString word = shown == 0 ? QStringLiteral("the start kernel") : QStringLiteral("turn %1").arg(shown);
        const bool edited = hash != m_origin.hash.toStdString();
        stale = edited; // another turn than the draft's own is only looked at
        text = QStringLiteral("plots show ") + word +
               (edited ? QStringLiteral(" · source changed") : QStringLiteral(" · draft is ") + m_origin.name);
    }
    // It is about the draft; beside another text it would mislead.
    m_state->show_plots(current_document() == QLatin1String("draft") ? text : QString(), stale);
    fit_head();
    if (stale != m_stale) {
        m_stale = stale;
        Q_EMIT stale_changed(stale);
    }
}

} // namespace kf::ui
