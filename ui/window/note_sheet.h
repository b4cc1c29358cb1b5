// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+M: a note on a turn. Ctrl+Enter keeps it, Esc leaves it as it was.
#pragma once

#include "ui/window/sheet.h"

class QLabel;
class QPlainTextEdit;

namespace kf::ui {

class NoteSheet : public Sheet {
    Q_OBJECT
public:
    explicit NoteSheet(QWidget* window);
    void ask(int turn, const QString& present);

Q_SIGNALS:
    void written(int turn, const QString& text);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void keep();
    int m_turn = -1;
    QLabel* m_heading;
    QPlainTextEdit* m_text;
};

} // namespace kf::ui
