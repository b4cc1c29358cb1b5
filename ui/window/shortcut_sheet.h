// SPDX-License-Identifier: GPL-3.0-or-later
// F1: all keys on one sheet, by group, as they are now.
#pragma once

#include "ui/window/actions.h"
#include "ui/window/sheet.h"

class QScrollArea;

namespace kf::ui {

class ShortcutSheet : public Sheet {
    Q_OBJECT
public:
    ShortcutSheet(QWidget* window, const Actions& actions);
    void open_sheet();
    // The same as text.
    QString text_twin() const;

private:
    const Actions& m_actions;
    QWidget* m_content = nullptr;
    QScrollArea* m_scroll;
};

} // namespace kf::ui
