// SPDX-License-Identifier: GPL-3.0-or-later
// Find and replace under the editor: all matches are marked and counted while typing, F3 walks them.
#pragma once

#include "ui/editor/text_search.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

class QLineEdit;
class QToolButton;

namespace kf::ui {

class CodeEditor;
class ElidedLabel;

class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(QWidget* parent = nullptr);

    // The editor that is searched now; marks in the one before are taken away.
    void set_editor(CodeEditor* editor);
    // Shows the bar with what is selected as the thing to look for.
    void open(bool with_replace);
    void close_bar();
    void next(bool forward);
    void replace_one();
    void replace_all();

    QString count_text() const;
    void set_wanted(const QString& text);
    void set_replacement(const QString& text);
    void set_options(const SearchOptions& options);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    SearchOptions options() const;
    void search(bool move);
    void mark();
    void unmark();
    void show_match(std::size_t index);
    void tell();

    QPointer<CodeEditor> m_editor;
    QLineEdit* m_wanted;
    QLineEdit* m_replacement;
    QToolButton* m_case;
    QToolButton* m_words;
    QToolButton* m_regex;
    ElidedLabel* m_count;
    QWidget* m_replace_row;
    SearchResult m_result;
    int m_current = -1;
    QTimer m_timer;
};

} // namespace kf::ui
