// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the transcript's foot that is always there: a hint for the model's next turn. It says for which turn,
// and why nothing can be sent where that is so.
#pragma once

#include <QLineEdit>

namespace kf::ui {

class HintLine : public QLineEdit {
    Q_OBJECT
public:
    explicit HintLine(QWidget* parent = nullptr);
    // `refusal`: why no hint can be given now; "": one can.
    void set_state(int next_turn, const QString& refusal);
    const QString& refusal() const { return m_refusal; }

Q_SIGNALS:
    void sent(const QString& text);
    void refused(const QString& why);
    void left(); // Escape in an empty line

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fit();
    bool has_room() const;
    QString m_refusal;
    int m_turn = -1;
};

} // namespace kf::ui
