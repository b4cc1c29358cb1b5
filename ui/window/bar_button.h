// SPDX-License-Identifier: GPL-3.0-or-later
// A button of the top bar: it shows an action (text, icon, keys, whether it can be done now) or opens a menu, and
// shrinks to its icon in a narrow window. The style paints it.
#pragma once

#include <QPointer>
#include <QPushButton>

class QAction;

namespace kf::ui {

class BarButton : public QPushButton {
    Q_OBJECT
public:
    explicit BarButton(const QString& name, QWidget* parent = nullptr);

    void show_action(QAction* action);
    // Without an action: text, dim second text, icon.
    void set_texts(const QString& text, const QString& detail, const QString& icon);
    // Only the icon; the text is in the tooltip then.
    void set_small(bool small);

    // QPushButton keeps the size of its last text, detail and keys; this asks each time.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    QPointer<QAction> m_action;
    QString m_text, m_detail, m_icon;
    bool m_small = false;
};

} // namespace kf::ui
