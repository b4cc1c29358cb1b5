// SPDX-License-Identifier: GPL-3.0-or-later
// The text of one candidate: QScintilla with CUDA (or Triton) colouring, plan lines, folding, marks, annotations.
// Positions outside are lines and characters from 0 as in QScintilla, or bytes where the name says so: Scintilla counts
// UTF-8 bytes. Everything is coloured from Theme and again when that changes.
#pragma once

#include "core/candidate/candidate.h"
#include "ui/editor/editor_keys.h"
#include "ui/editor/plan_spans.h"
#include "ui/editor/qsci.h"

#include <QTimer>

#include <memory>

namespace kf::ui {

class CompletionApis;
class IssueMarks;

class CodeEditor : public QsciScintilla {
    Q_OBJECT
public:
    explicit CodeEditor(QWidget* parent = nullptr);
    ~CodeEditor() override;

    Language language() const { return m_language; }
    void set_language(Language language);

    // Shows a text as if it were just opened: nothing to undo, not modified. LF ends, no NUL (source_text.h).
    void load(const QByteArray& text);
    // Puts another text in place as one step that can be undone; keeps the view where it is as far as it can.
    void replace_all(const QByteArray& text);
    QByteArray source() const;
    QByteArray line_bytes(int line) const; // without its end

    // Positions by bytes.
    void go_to(int line, int byte); // shows and selects nothing
    int caret_line() const;
    int caret_byte() const; // of the whole text

    IssueMarks& issues() { return *m_issues; }
    CompletionApis& completion() { return *m_apis; }
    const PlanLayout& plan() const { return m_plan; }
    // Rest of the editor's colours, and the lexer's.
    void apply_theme();

    // All keys that the editor takes while it has the focus, its own additions included.
    std::vector<KeyBinding> key_bindings() const;

    void toggle_comment();
    void toggle_bookmark();
    void next_bookmark(bool forward);
    std::vector<int> bookmarks() const;
    void complete(); // opens the list of completions now
    void set_text_zoom(int steps);
    int text_zoom() const;

Q_SIGNALS:
    // After each change of the text, also by undo and by loading.
    void source_changed();
    // A place of the annotation that leads to the next issue was clicked.
    void next_issue_wanted();
    void file_dropped(const QString& path);
    void zoom_changed(int steps);

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void set_up();
    void apply_lexer();
    void apply_margins();
    void on_modified();
    void colour_plan();
    void highlight_word();
    void paint_marks(QPainter& painter);
    void offer_plan_words();
    void fill_indicator(int indicator, int begin, int end);
    void clear_indicator(int indicator);

    Language m_language = Language::cuda;
    std::unique_ptr<QsciLexer> m_lexer;
    CompletionApis* m_apis = nullptr; // the lexer's
    std::unique_ptr<IssueMarks> m_issues;
    PlanLayout m_plan;
    QTimer m_plan_timer, m_word_timer;
    bool m_loading = false;
};

// Scintilla's numbers that the editor uses, apart from each other.
namespace editor_numbers {
inline constexpr int plan_text = 8, plan_word = 9, plan_number = 10, same_word = 11, found = 12, squiggle_error = 13,
                     squiggle_warning = 14, brace = 15;
inline constexpr int marker_error = 1, marker_warning = 2, marker_bookmark = 3, marker_launch = 4;
inline constexpr int margin_marks = 0, margin_numbers = 1, margin_folds = 2;
} // namespace editor_numbers

} // namespace kf::ui
