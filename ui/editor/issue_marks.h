// SPDX-License-Identifier: GPL-3.0-or-later
// Errors and warnings in a text: margin mark, squiggle, and a row under the line that says what is wrong. They move
// with edits. The row's text is a real annotation (copied, read aloud); what is seen is painted over it from Theme.
#pragma once

#include "core/autopsy/evaluation.h"
#include "ui/editor/source_text.h"

#include <QPainter>
#include <QString>

#include <vector>

namespace kf::ui {

class CodeEditor;

struct EditorIssue {
    QString producer;       // "plan", "compiler"
    QString severity;       // "error", "warning"
    int line = 0;           // from 0
    int begin = 0, end = 0; // bytes in the line; equal: the whole line
    QString message, remedy;
    QString tail; // "g++ · 410 ms"
};

class IssueMarks {
public:
    explicit IssueMarks(CodeEditor& editor);

    // Replaces what that producer found.
    void set(const QString& producer, std::vector<EditorIssue> issues);
    void clear();
    // With the lines where they are now, in order of lines.
    std::vector<EditorIssue> all() const;
    bool empty() const { return m_entries.empty(); }
    // Line of the next one after (before) `line`, around the end; -1: none. Its byte in `byte`.
    int next(int line, bool forward, int* byte = nullptr) const;
    // No annotation for plan issues of this line (the one being typed in); -1: none.
    void set_quiet_line(int line);
    int quiet_line() const { return m_quiet_line; }

    void apply_theme();
    // The rows of what is visible, over what Scintilla has painted.
    void paint(QPainter& painter) const;
    // Whether the point is on a row's link to the next issue; the row's full text for a tooltip.
    bool on_link(const QPoint& point) const;
    QString text_at(const QPoint& point) const;

private:
    struct Entry {
        EditorIssue issue;
        int handle = -1;
    };
    struct Row {
        QRect box;
        const Entry* entry = nullptr;
        bool link = false; // shows the way to the next one
    };
    int line_of(const Entry& entry) const;
    void annotate();
    std::vector<Row> rows() const;
    QRect link_box(const Row& row) const;

    CodeEditor& m_editor;
    std::vector<Entry> m_entries; // sorted by line when set
    int m_quiet_line = -1;
};

// What an evaluation says about the text, for the editor: diagnostics with a place, and the failure's own place. `text`
// gives the lines; columns of the plan's errors count characters, the compiler's bytes.
std::vector<EditorIssue> issues_of(const Evaluation& evaluation, const QByteArray& text);
// Errors of the plan's parser or of resolving.
std::vector<EditorIssue> issues_of(const std::vector<Error>& errors, const QByteArray& text);
// "g++ 12.2 · 410 ms" or "NVRTC 13.0 · sm_90a · 41 ms"; "" unknown.
QString compiler_tail(const Evaluation& evaluation);

} // namespace kf::ui
