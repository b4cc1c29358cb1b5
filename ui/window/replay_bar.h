// SPDX-License-Identifier: GPL-3.0-or-later
// Shown while a recorded run is played: always marked REPLAY, with play and pause, steps from turn to turn, the speed,
// and a bar that says where it is, with a mark for every turn's end.
#pragma once

#include "ui/control/replay_source.h"
#include "ui/window/plate.h"

#include <QPointer>
#include <QSlider>

class QComboBox;
class QLabel;

namespace kf::ui {

class Chip;
class IconButton;

// A slider over the recording's seconds; a click goes there. Champions stand out among the marks.
class Scrubber : public QSlider {
    Q_OBJECT
public:
    explicit Scrubber(QWidget* parent = nullptr);
    void set_marks(std::vector<ReplayMark> marks, double duration);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    int groove_start() const;
    int groove_length() const;
    std::vector<ReplayMark> m_marks;
    double m_duration = 0;
};

class ReplayBar : public Plate {
    Q_OBJECT
public:
    explicit ReplayBar(QWidget* parent = nullptr);
    // Null: no replay is shown, and the bar hides.
    void set_source(ReplaySource* source);
    Scrubber* scrubber() const { return m_scrubber; }
    // "REPLAY ×4, playing, 00:12 of 03:10".
    QString text_twin() const;

private:
    void refresh();
    void refresh_marks();
    void show_position(double seconds);
    QPointer<ReplaySource> m_source;
    Chip* m_chip;
    IconButton *m_back, *m_play, *m_step;
    Scrubber* m_scrubber;
    QLabel* m_time;
    QComboBox* m_speed;
};

} // namespace kf::ui
