// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/replay_bar.h"

#include "ui/theme/fonts.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/icon_button.h"
#include "ui/window/run_progress.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyle>
#include <QStyleOptionSlider>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int ticks_a_second = 20, page_s = 10;
constexpr double speeds[] = {0.5, 1, 2, 4, 8, 16, 32, 64};

QString speed_words(double speed) {
    return QStringLiteral("×%1").arg(speed);
}

int to_ticks(double seconds) {
    return static_cast<int>(std::clamp(seconds, 0.0, 1e7) * ticks_a_second);
}

} // namespace

Scrubber::Scrubber(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setObjectName(QStringLiteral("replay.scrubber"));
    setAccessibleName(QStringLiteral("Place in the recording"));
    setToolTip(QStringLiteral("Where the replay is; click or use the arrows to go elsewhere"));
    setMinimumHeight(26);
    setMinimumWidth(160);
    setSingleStep(ticks_a_second);
    setPageStep(page_s * ticks_a_second);
}

void Scrubber::set_marks(std::vector<ReplayMark> marks, double duration) {
    m_marks = std::move(marks);
    m_duration = duration;
    setRange(0, to_ticks(duration));
    update();
}

int Scrubber::groove_start() const {
    return style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this) / 2;
}

int Scrubber::groove_length() const {
    return std::max(1, width() - style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this));
}

void Scrubber::paintEvent(QPaintEvent* event) {
    QSlider::paintEvent(event);
    if (m_duration <= 0)
        return;
    QPainter painter(this);
    const Theme& theme = Theme::current();
    int last = -10;
    for (const ReplayMark& mark : m_marks) {
        const int x = groove_start() + static_cast<int>(mark.seconds / m_duration * groove_length());
        // Thousands of turns are one band; champions are always drawn.
        if (x - last < 3 && !mark.champion)
            continue;
        last = x;
        const QColor colour = mark.champion ? theme.faster : mark.failed ? theme.error : theme.outline;
        painter.fillRect(QRect(x, height() - (mark.champion ? 7 : 5), 2, mark.champion ? 7 : 5), colour);
    }
}

void Scrubber::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        const double share = (event->position().x() - groove_start()) / groove_length();
        setValue(static_cast<int>(std::clamp(share, 0.0, 1.0) * maximum()));
    }
    QSlider::mousePressEvent(event);
}

ReplayBar::ReplayBar(QWidget* parent)
    : Plate(&Theme::window, Qt::TopEdge, parent), m_chip(new Chip(this)),
      m_back(new IconButton(QStringLiteral("play-previous"), QStringLiteral("Back a turn"), this)),
      m_play(new IconButton(QStringLiteral("run"), QStringLiteral("Play"), this)),
      m_step(new IconButton(QStringLiteral("play-next"), QStringLiteral("On to the end of the next turn"), this)),
      m_scrubber(new Scrubber(this)), m_time(new QLabel(this)), m_speed(new QComboBox(this)) {
    setObjectName(QStringLiteral("replay"));
    setAccessibleName(QStringLiteral("Replay"));
    m_chip->setObjectName(QStringLiteral("replay.chip"));
    m_play->setObjectName(QStringLiteral("replay.play"));
    m_time->setFont(mono_font(12));
    m_time->setForegroundRole(QPalette::PlaceholderText);
    m_speed->setObjectName(QStringLiteral("replay.speed"));
    m_speed->setAccessibleName(QStringLiteral("Speed of the replay"));
    m_speed->setToolTip(m_speed->accessibleName());
    for (const double speed : speeds)
        m_speed->addItem(speed_words(speed), speed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 4, 10, 3);
    row->setSpacing(8);
    for (QWidget* widget : {static_cast<QWidget*>(m_chip), static_cast<QWidget*>(m_back), static_cast<QWidget*>(m_play),
                            static_cast<QWidget*>(m_step)})
        row->addWidget(widget);
    row->addWidget(m_scrubber, 1);
    row->addWidget(m_time);
    row->addWidget(m_speed);

    connect(m_back, &QToolButton::clicked, this, [this] {
        if (m_source)
            m_source->step(false);
    });
    connect(m_step, &QToolButton::clicked, this, [this] {
        if (m_source)
            m_source->step(true);
    });
    connect(m_play, &QToolButton::clicked, this, [this] {
        if (m_source)
            m_source->playing() ? m_source->pause() : m_source->play();
    });
    connect(m_speed, &QComboBox::activated, this, [this](int index) {
        if (m_source)
            m_source->set_speed(m_speed->itemData(index).toDouble());
    });
    connect(m_scrubber, &QSlider::valueChanged, this, [this](int ticks) {
        if (m_source)
            m_source->seek(static_cast<double>(ticks) / ticks_a_second);
    });
    hide();
}

void ReplayBar::set_source(ReplaySource* source) {
    if (m_source)
        m_source->disconnect(this);
    m_source = source;
    setVisible(source != nullptr);
    if (!source)
        return;
    connect(source, &ReplaySource::opened, this, &ReplayBar::refresh_marks);
    connect(source, &ReplaySource::duration_changed, this, &ReplayBar::refresh_marks);
    connect(source, &ReplaySource::playing_changed, this, &ReplayBar::refresh);
    connect(source, &ReplaySource::speed_changed, this, &ReplayBar::refresh);
    connect(source, &ReplaySource::position_changed, this, &ReplayBar::show_position);
    refresh_marks();
}

void ReplayBar::refresh_marks() {
    if (m_source && m_source->active()) {
        const QSignalBlocker quiet(m_scrubber);
        m_scrubber->set_marks(m_source->marks(), m_source->duration());
    }
    refresh();
}

void ReplayBar::refresh() {
    if (!m_source)
        return;
    m_chip->set_text(QStringLiteral("REPLAY ") + speed_words(m_source->speed()), Chip::Tint::caution);
    m_play->set_icon(m_source->playing() ? QStringLiteral("pause") : QStringLiteral("run"));
    m_play->set_text(m_source->playing() ? QStringLiteral("Pause") : QStringLiteral("Play"));
    m_speed->setCurrentIndex(m_speed->findData(m_source->speed()));
    show_position(m_source->position());
}

void ReplayBar::show_position(double seconds) {
    const QSignalBlocker quiet(m_scrubber);
    if (!m_scrubber->isSliderDown())
        m_scrubber->setValue(to_ticks(seconds));
    m_time->setText(
        QStringLiteral("%1 / %2").arg(duration_text(seconds), duration_text(m_source ? m_source->duration() : 0)));
}

QString ReplayBar::text_twin() const {
    return QStringLiteral("%1, %2, %3")
        .arg(m_chip->text(), m_source->playing() ? QStringLiteral("playing") : QStringLiteral("paused"),
             m_time->text());
}

} // namespace kf::ui
