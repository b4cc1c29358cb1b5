// SPDX-License-Identifier: GPL-3.0-or-later
// QScintilla binds 76 keys and takes them before any action of the window hears of them. Only keys that move, select
// and delete, and the usual clipboard and undo keys stay; all others belong to the window.
#pragma once

#include "ui/editor/qsci.h"

#include <QKeySequence>
#include <QString>

#include <vector>

namespace kf::ui {

struct KeyBinding {
    QKeySequence keys;
    QString what;
};

// Unbinds what the window needs.
void free_window_keys(QsciScintilla& editor);
// What the editor takes for itself while it has the focus, for the test of conflicts.
std::vector<KeyBinding> bound_keys(const QsciScintilla& editor);

} // namespace kf::ui
