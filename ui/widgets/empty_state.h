// SPDX-License-Identifier: GPL-3.0-or-later
// What a pane shows when it has nothing to show: an icon, one sentence, one action. Also for loading and for a missing
// tool.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QSpacerItem;

namespace kf::ui {

class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& icon, const QString& sentence, const QString& action = {}, QWidget* parent = nullptr);

    void set(const QString& icon, const QString& sentence, const QString& action = {});
    // A second, dim line: why, or where to look.
    void set_detail(const QString& detail);
    // A thin moving bar under the sentence.
    void set_busy(bool busy);

    QString sentence() const;
    QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void action_triggered();

protected:
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    QString m_icon;
    QLabel* m_picture;
    QLabel* m_sentence;
    QLabel* m_detail;
    QProgressBar* m_busy;
    QSpacerItem* m_busy_gap = nullptr; // between the bar and the button
    QPushButton* m_button;
};

} // namespace kf::ui
