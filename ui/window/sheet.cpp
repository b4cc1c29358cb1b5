// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/sheet.h"

#include "ui/theme/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int margin = 24;
constexpr double radius = 10;

class Panel : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(Theme::current().outline, 1));
        painter.setBrush(Theme::current().panel);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    }
    // A click on the panel is not one beside it.
    void mousePressEvent(QMouseEvent* event) override { event->accept(); }
};

} // namespace

Sheet::Sheet(QWidget* window, const QString& title, int width, Place place)
    : QWidget(window), m_place(place), m_width(width), m_panel(new Panel(this)), m_layout(new QVBoxLayout(m_panel)) {
    setAccessibleName(title);
    m_panel->setAccessibleName(title);
    m_layout->setContentsMargins(16, 16, 16, 16);
    m_layout->setSpacing(10);
    window->installEventFilter(this);
    hide();
}

void Sheet::open(QWidget* first) {
    if (!isVisible())
        m_before = QApplication::focusWidget();
    place();
    show();
    raise();
    if (first)
        first->setFocus(Qt::ActiveWindowFocusReason);
    else
        focusNextPrevChild(true);
}

void Sheet::close_sheet() {
    if (!isVisible())
        return;
    hide();
    if (m_before && m_before->isVisible())
        m_before->setFocus(Qt::ActiveWindowFocusReason);
    Q_EMIT closed();
}

void Sheet::place() {
    const QRect whole = parentWidget()->rect();
    setGeometry(whole);
    const int width = std::min(m_width, whole.width() - 2 * margin);
    m_layout->activate();
    int height = m_panel->hasHeightForWidth() ? m_panel->heightForWidth(width) : m_panel->sizeHint().height();
    height = std::min(height, whole.height() - 2 * margin);
    const int top = m_place == Place::top ? std::min(56, whole.height() / 10) : (whole.height() - height) / 2;
    m_panel->setGeometry((whole.width() - width) / 2, top, width, height);
}

bool Sheet::event(QEvent* event) {
    // While something is asked, the window's keys do nothing behind it.
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

bool Sheet::eventFilter(QObject* object, QEvent* event) {
    if (object == parentWidget() && event->type() == QEvent::Resize && isVisible())
        place();
    return QWidget::eventFilter(object, event);
}

void Sheet::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        close_sheet();
    event->accept();
}

void Sheet::mousePressEvent(QMouseEvent* event) {
    event->accept();
    close_sheet();
}

void Sheet::paintEvent(QPaintEvent*) {
    QColor shade = Theme::current().window;
    shade.setAlphaF(0.62F);
    QPainter(this).fillRect(rect(), shade);
}

bool Sheet::focusNextPrevChild(bool next) {
    // The keyboard stays among the sheet's own widgets.
    QList<QWidget*> stops;
    for (QWidget* widget : m_panel->findChildren<QWidget*>())
        if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) &&
            !widget->focusProxy())
            stops << widget;
    if (stops.isEmpty())
        return true;
    const auto at = stops.indexOf(QApplication::focusWidget());
    const auto count = stops.size();
    const auto to = at < 0 ? (next ? 0 : count - 1) : (at + (next ? 1 : count - 1)) % count;
    stops[to]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

} // namespace kf::ui
