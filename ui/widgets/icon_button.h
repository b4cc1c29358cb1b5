// SPDX-License-Identifier: GPL-3.0-or-later
// A flat button that is only an icon; its text is the tool tip and what a screen reader says.
#pragma once

#include <QToolButton>

namespace kf::ui {

class IconButton : public QToolButton {
    Q_OBJECT
public:
    // `icon`: a name of theme/icons.h. `text`: what it does, with a verb.
    IconButton(const QString& icon, const QString& text, QWidget* parent = nullptr);
    void set_icon(const QString& icon);
    // Tool tip and accessible name; `keys` are shown in the tool tip.
    void set_text(const QString& text, const QString& keys = {});

protected:
    void changeEvent(QEvent* event) override;

private:
    void fit();
};

} // namespace kf::ui
