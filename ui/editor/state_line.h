// SPDX-License-Identifier: GPL-3.0-or-later
// Right of the editor's tabs: the two keys, what the plots show against what is written, and what became of the last
// order. On a read-only tab it offers the way into the draft.
#pragma once

#include "ui/editor/bench_desk.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace kf::ui {

class Chip;
class ElidedLabel;

class StateLine : public QWidget {
    Q_OBJECT
public:
    explicit StateLine(QWidget* parent = nullptr);

    void show_desk(const BenchDesk& desk);
    // "plots show turn 8 · source changed"; "" hides it.
    void show_plots(const QString& text, bool stale);
    void set_read_only(bool read_only);
    // Leaves the keys out when there is not this much room, in pixels.
    void fit(int room);
    // All of it in one line, for screen readers and tests.
    QString text() const;

Q_SIGNALS:
    void bench_wanted();
    void compile_wanted();
    void take_wanted();
    void issues_wanted();

private:
    void separate();

    bool m_read_only = false;
    QToolButton* m_bench;
    QToolButton* m_compile;
    QToolButton* m_take;
    ElidedLabel* m_plots;
    QLabel* m_between; // the two labels around it
    ElidedLabel* m_state;
    Chip* m_chip;
    QPushButton* m_issues;
};

} // namespace kf::ui
