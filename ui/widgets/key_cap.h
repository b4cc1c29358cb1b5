// SPDX-License-Identifier: GPL-3.0-or-later
// The small picture of a key or of several ("Ctrl ⇧ P").
#pragma once

#include <QKeySequence>
#include <QWidget>

namespace kf::ui {

// Draws the cap into `rect` (vertically centred, at its left); returns its width. `colour`: of the text.
double draw_key_cap(QPainter& painter, const QRectF& rect, const QString& key, const QColor& text, const QColor& line);
double key_cap_width(const QString& key);
// As it stands on caps: "Ctrl ⇧ P", "⇧F5", "F9".
QString key_text(const QKeySequence& keys);

class KeyCap : public QWidget {
    Q_OBJECT
public:
    explicit KeyCap(const QString& key = {}, QWidget* parent = nullptr);
    void set_key(const QString& key);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_key;
};

} // namespace kf::ui
