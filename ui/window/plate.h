// SPDX-License-Identifier: GPL-3.0-or-later
// A plain area of the window: one of the theme's surfaces, with hairlines at some of its edges. It reads the theme
// while it paints, so a change of theme needs nothing else.
#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace kf::ui {

class Plate : public QWidget {
    Q_OBJECT
public:
    explicit Plate(QColor Theme::*fill, Qt::Edges lines = {}, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QColor Theme::*m_fill;
    Qt::Edges m_lines;
};

// A pause between groups in a row: a thin vertical line.
class Divider : public QWidget {
    Q_OBJECT
public:
    explicit Divider(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace kf::ui
