// SPDX-License-Identifier: GPL-3.0-or-later
// CodeEditor's keys: comments, bookmarks, ways out.
#include "ui/editor/code_editor.h"

#include <QKeyEvent>

#include <algorithm>

namespace kf::ui {
namespace {

using namespace editor_numbers;

struct OwnKey {
    int keys;
    const char* what;
};
// Handled in keyPressEvent; completion and leaving work wherever the window's shortcuts do not reach.
constexpr OwnKey own_keys[] = {
    {static_cast<int>(Qt::CTRL) | Qt::Key_Space, "Complete"},
    {static_cast<int>(Qt::CTRL) | Qt::Key_Slash, "Comment or uncomment"},
    {static_cast<int>(Qt::CTRL) | Qt::Key_Tab, "Leave the editor"},
    {static_cast<int>(Qt::CTRL) | static_cast<int>(Qt::SHIFT) | Qt::Key_Backtab, "Leave the editor backwards"},
};

} // namespace

std::vector<KeyBinding> CodeEditor::key_bindings() const {
    std::vector<KeyBinding> result = bound_keys(*this);
    for (const OwnKey& key : own_keys)
        result.push_back({QKeySequence(key.keys), QString::fromLatin1(key.what)});
    return result;
}

bool CodeEditor::event(QEvent* event) {
    // QScintilla asks for the keys that its commands have; these are ours.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int keys = key->keyCombination().toCombined();
        for (const OwnKey& own : own_keys)
            if (own.keys == keys) {
                event->accept();
                return true;
            }
    }
    return QsciScintilla::event(event);
}

void CodeEditor::keyPressEvent(QKeyEvent* event) {
    const bool control = event->modifiers() & Qt::ControlModifier;
    if (control && (event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab)) {
        const bool back = event->key() == Qt::Key_Backtab || event->modifiers() & Qt::ShiftModifier;
        // QScintilla keeps Tab for itself; the way out is the plain widget's.
        QAbstractScrollArea::focusNextPrevChild(!back);
        event->accept();
        return;
    }
    if (control && event->key() == Qt::Key_Space) {
        complete();
        event->accept();
        return;
    }
    if (control && event->key() == Qt::Key_Slash) {
        toggle_comment();
        event->accept();
        return;
    }
    QsciScintilla::keyPressEvent(event);
}

void CodeEditor::toggle_comment() {
    if (isReadOnly())
        return;
    int first = 0, last = 0, index_first = 0, index_last = 0;
    if (hasSelectedText()) {
        getSelection(&first, &index_first, &last, &index_last);
        if (index_last == 0 && last > first)
            --last;
    } else {
        first = last = caret_line();
    }
    const QByteArray marker = m_language == Language::triton ? "#" : "//";
    int indent = -1;
    bool all = true;
    for (int line = first; line <= last; ++line) {
        const QByteArray bytes = line_bytes(line);
        int at = 0;
        while (at < bytes.size() && (bytes[at] == ' ' || bytes[at] == '\t'))
            ++at;
        if (at == bytes.size())
            continue;
        indent = indent < 0 ? at : std::min(indent, at);
        all = all && bytes.mid(at).startsWith(marker);
    }
    if (indent < 0)
        return;
    beginUndoAction();
    for (int line = first; line <= last; ++line) {
        const QByteArray bytes = line_bytes(line);
        const auto start =
            static_cast<unsigned long>(SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line)));
        int at = 0;
        while (at < bytes.size() && (bytes[at] == ' ' || bytes[at] == '\t'))
            ++at;
        if (at == bytes.size())
            continue;
        if (all) {
            const int length =
                static_cast<int>(marker.size()) + (bytes.mid(at + marker.size()).startsWith(' ') ? 1 : 0);
            SendScintilla(SCI_DELETERANGE, start + static_cast<unsigned long>(at), static_cast<long>(length));
        } else {
            const QByteArray inserted = marker + ' ';
            SendScintilla(SCI_INSERTTEXT, start + static_cast<unsigned long>(indent), inserted.constData());
        }
    }
    endUndoAction();
}

void CodeEditor::toggle_bookmark() {
    const int line = caret_line();
    if (markersAtLine(line) & (1U << marker_bookmark))
        markerDelete(line, marker_bookmark);
    else
        markerAdd(line, marker_bookmark);
}

std::vector<int> CodeEditor::bookmarks() const {
    std::vector<int> result;
    for (int line = markerFindNext(0, 1U << marker_bookmark); line >= 0;
         line = markerFindNext(static_cast<unsigned>(line + 1), 1U << marker_bookmark))
        result.push_back(line);
    return result;
}

void CodeEditor::next_bookmark(bool forward) {
    const std::vector<int> lines = bookmarks();
    if (lines.empty())
        return;
    const int here = caret_line();
    int target = forward ? lines.front() : lines.back();
    if (forward) {
        const auto it = std::upper_bound(lines.begin(), lines.end(), here);
        if (it != lines.end())
            target = *it;
    } else {
        const auto it = std::lower_bound(lines.begin(), lines.end(), here);
        if (it != lines.begin())
            target = *std::prev(it);
    }
    go_to(target, 0);
}

} // namespace kf::ui
