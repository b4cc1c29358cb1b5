// SPDX-License-Identifier: GPL-3.0-or-later
// Asked when the window is closed while a run goes that it can steer: keep it running, stop it after this turn, or
// stay.
#pragma once

#include "ui/window/sheet.h"

class QPushButton;
class QLabel;

namespace kf::ui {

class CloseSheet : public Sheet {
    Q_OBJECT
public:
    explicit CloseSheet(QWidget* window);
    // `what`: "turn 3 of softmax".
    void ask(const QString& what);

Q_SIGNALS:
    void keep_running();
    void stop_after_turn();

private:
    QLabel* m_text;
    QPushButton* m_keep;
};

} // namespace kf::ui
