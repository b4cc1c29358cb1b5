// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that elides (in the middle, where names differ least) instead of widening its window; the whole is
// the tool tip and what is copied.
#pragma once

#include <QWidget>

namespace kf::ui {

class ElidedLabel : public QWidget {
    Q_OBJECT
public:
    explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr, Qt::TextElideMode mode = Qt::ElideMiddle);

    void set_text(const QString& text);
    const QString& text() const { return m_text; }
    // What is shown at this width.
    QString shown_text() const;
    enum class Tone { text, dim, faint, accent, error, caution };
    void set_tone(Tone tone);
    void set_alignment(Qt::Alignment alignment);
    void copy() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void retip();

    QString m_text;
    Qt::TextElideMode m_mode;
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
    Tone m_tone = Tone::text;
};

} // namespace kf::ui
