// SPDX-License-Identifier: GPL-3.0-or-later
// One statement of the status strip ("clocks not locked"): text in a tone, an optional icon. Clicking it may show more;
// without a receiver it is only text and cannot be focused.
#pragma once

#include <QAbstractButton>

namespace kf::ui {

class StatusChip : public QAbstractButton {
    Q_OBJECT
public:
    enum class Tone { normal, accent, caution, error };
    explicit StatusChip(QWidget* parent = nullptr, bool clickable = false);

    // "" hides it.
    void set(const QString& text, Tone tone = Tone::normal, const QString& icon = {}, const QString& tool_tip = {});

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QColor colour() const;

    QString m_icon;
    Tone m_tone = Tone::normal;
    bool m_clickable;
};

} // namespace kf::ui
