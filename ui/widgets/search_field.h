// SPDX-License-Identifier: GPL-3.0-or-later
// A line to search or filter with: a glass before the text, a cross to clear it, Escape clears first and then leaves.
#pragma once

#include <QLineEdit>
#include <QTimer>

namespace kf::ui {

class SearchField : public QLineEdit {
    Q_OBJECT
public:
    explicit SearchField(const QString& placeholder, QWidget* parent = nullptr);

    // "3 of 12", shown at the right; "": nothing.
    void set_result(const QString& result);

Q_SIGNALS:
    // The text, once typing has paused for a moment; at once on Enter and on clearing.
    void searched(const QString& text);
    void escaped();  // Escape in an empty field
    void next();     // Enter, Down
    void previous(); // Shift+Enter, Up

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void tell();
    void fit_margins();

    QTimer m_pause;
    QString m_told, m_result;
};

} // namespace kf::ui
