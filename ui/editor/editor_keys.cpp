// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/editor_keys.h"

#include <algorithm>
#include <array>

namespace kf::ui {
namespace {

constexpr std::array movers{Qt::Key_Left,   Qt::Key_Right,     Qt::Key_Up,      Qt::Key_Down,
                            Qt::Key_Home,   Qt::Key_End,       Qt::Key_PageUp,  Qt::Key_PageDown,
                            Qt::Key_Delete, Qt::Key_Backspace, Qt::Key_Insert,  Qt::Key_Return,
                            Qt::Key_Enter,  Qt::Key_Tab,       Qt::Key_Backtab, Qt::Key_Escape};
constexpr std::array letters{Qt::Key_A, Qt::Key_C, Qt::Key_V, Qt::Key_X, Qt::Key_Y, Qt::Key_Z};

bool stays(int keys) {
    const auto key = static_cast<Qt::Key>(keys & ~static_cast<int>(Qt::KeyboardModifierMask));
    const bool control = keys & static_cast<int>(Qt::CTRL), shift = keys & static_cast<int>(Qt::SHIFT),
               alt = keys & static_cast<int>(Qt::ALT);
    if (std::find(letters.begin(), letters.end(), key) != letters.end())
        return control && !alt && (!shift || key == Qt::Key_Z);
    if (std::find(movers.begin(), movers.end(), key) == movers.end())
        return false;
    // Alt+arrows walk turns and places; with Shift they select a rectangle.
    if (alt)
        return shift;
    const bool edits = key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab || key == Qt::Key_Escape;
    return !edits || !control; // Ctrl+Return compiles, Ctrl+Tab leaves the editor
}

} // namespace

void free_window_keys(QsciScintilla& editor) {
    for (QsciCommand* command : editor.standardCommands()->commands()) {
        if (command->key() && !stays(command->key()))
            command->setKey(0);
        if (command->alternateKey() && !stays(command->alternateKey()))
            command->setAlternateKey(0);
    }
    // Ctrl+Y is what people try first for redo.
    if (QsciCommand* redo = editor.standardCommands()->find(QsciCommand::Redo)) {
        redo->setKey(static_cast<int>(Qt::CTRL) | Qt::Key_Y);
        redo->setAlternateKey(static_cast<int>(Qt::CTRL) | static_cast<int>(Qt::SHIFT) | Qt::Key_Z);
    }
}

std::vector<KeyBinding> bound_keys(const QsciScintilla& editor) {
    std::vector<KeyBinding> result;
    for (const QsciCommand* command : editor.standardCommands()->commands())
        for (const int keys : {command->key(), command->alternateKey()})
            if (keys)
                result.push_back({QKeySequence(keys), command->description()});
    return result;
}

} // namespace kf::ui
