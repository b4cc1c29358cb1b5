// SPDX-License-Identifier: GPL-3.0-or-later
// Something asked or shown over the window without stopping it: the window dims, a panel stands in front, Esc closes it
// and the keyboard goes back to where it was. No event loop of its own runs.
#pragma once

#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace kf::ui {

class Sheet : public QWidget {
    Q_OBJECT
public:
    enum class Place { top, middle };
    // Hidden at first. `width`: of the panel, in pixels; less in a narrow window.
    Sheet(QWidget* window, const QString& title, int width, Place place = Place::middle);

    QVBoxLayout* panel_layout() const { return m_layout; }
    QWidget* panel() const { return m_panel; }
    // The keyboard goes to `first`, or to the first widget that takes it.
    void open(QWidget* first = nullptr);
    void close_sheet();
    bool is_open() const { return isVisible(); }

Q_SIGNALS:
    // Esc, a click beside the panel, or close_sheet().
    void closed();

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void place();
    Place m_place;
    int m_width;
    QWidget* m_panel;
    QVBoxLayout* m_layout;
    QPointer<QWidget> m_before;
};

} // namespace kf::ui
