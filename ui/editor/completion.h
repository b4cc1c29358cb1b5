// SPDX-License-Identifier: GPL-3.0-or-later
// What can be completed where the caret stands, and the call tips: CUDA's built-ins, names of the task, of the plan and
// of this text. In a plan line only what may stand there is offered. (QsciAPIs prepares its lists in a thread an
// editor, which crashes when the editor goes first; ours are short and shared.)
#pragma once

#include "core/task/task.h"
#include "ui/editor/qsci.h"
#include "ui/editor/words.h"

#include <memory>

namespace kf::ui {

// Names that depend on task and text.
struct LocalNames {
    QStringList symbols;            // of the task: M, N, K
    QStringList inputs, outputs;    // of the task
    QStringList tunables, buffers;  // of the plan: BLOCK; h
    std::vector<WordEntry> kernels; // of the text, with their parameters
};
LocalNames local_names(const Task* task, const QByteArray& source, const QString& file_name);

// Where in a plan line the caret is.
struct PlanContext {
    bool in_plan = false;
    QString statement; // "launch"; "" when the statement's own word is being typed
    QString word;      // what stands before the caret of the word being typed
};
// `line`: the logical line up to the caret, continuation lines joined.
PlanContext plan_context(const QString& line, bool triton);

// Sorted, each once. `word` filters by prefix, in any case.
QStringList plan_completions(const PlanContext& context, const LocalNames& names);
QStringList code_completions(const QString& word, const LocalNames& names);

class CompletionApis final : public QsciAbstractAPIs {
    Q_OBJECT
public:
    explicit CompletionApis(QsciLexer* lexer, bool triton);

    void set_names(LocalNames names) { m_names = std::move(names); }
    const LocalNames& names() const { return m_names; }
    // Set before each list is asked for: what the caret stands in.
    void set_context(PlanContext context) { m_context = std::move(context); }

    void updateAutoCompletionList(const QStringList& context, QStringList& list) override;
    QStringList callTips(const QStringList& context, int commas, QsciScintilla::CallTipsStyle style,
                         QList<int>& shifts) override;

private:
    LocalNames m_names;
    PlanContext m_context;
    bool m_triton;
};

} // namespace kf::ui
