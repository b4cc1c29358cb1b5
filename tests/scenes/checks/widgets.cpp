// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/scenes/checks/checks.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTextEdit>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

QImage View::part(const QWidget& widget, const QRect& rect) const {
    const double ratio = picture.devicePixelRatio();
    const QPoint at = widget.mapTo(&window, rect.topLeft());
    const QRect device(qRound(at.x() * ratio), qRound(at.y() * ratio), qRound(rect.width() * ratio),
                       qRound(rect.height() * ratio));
    return picture.copy(device.intersected(QRect(QPoint(0, 0), picture.size())));
}

View look_at(QWidget& window) {
    return View{window, window.grab().toImage().convertToFormat(QImage::Format_RGB32)};
}

QList<QWidget*> widgets_of(const View& view) {
    QList<QWidget*> widgets;
    for (QWidget* widget : view.window.findChildren<QWidget*>())
        if (widget->window() == &view.window)
            widgets.append(widget);
    return widgets;
}

QString path_of(const QWidget& widget) {
    QStringList parts;
    for (const QWidget* at = &widget; at && !at->isWindow(); at = at->parentWidget()) {
        QString part = at->objectName().isEmpty() || at->objectName().startsWith("qt_"_L1)
                           ? QString::fromLatin1(at->metaObject()->className()).section(u"::"_s, -1)
                           : at->objectName();
        if (at == &widget && !widget.accessibleName().isEmpty())
            part += u" \"%1\""_s.arg(widget.accessibleName().left(40));
        parts.prepend(part);
    }
    if (parts.size() > 5)
        parts = parts.mid(parts.size() - 5);
    return parts.isEmpty() ? u"window"_s : parts.join(u'/');
}

bool is_on_screen(const QWidget& widget) {
    if (!widget.isVisible())
        return false;
    // QWidget::visibleRegion() would leave out what opaque children cover.
    QRect shown = widget.rect();
    for (const QWidget* at = &widget; !at->isWindow() && at->parentWidget(); at = at->parentWidget())
        shown = shown.translated(at->pos()).intersected(at->parentWidget()->rect());
    return !shown.isEmpty();
}

bool is_interactive(const QWidget& widget) {
    // Parts of another widget that the keyboard reaches through it.
    if (qobject_cast<const QScrollBar*>(&widget) || widget.objectName() == "qt_toolbar_ext_button"_L1)
        return false;
    if (const auto* parent = widget.parentWidget())
        if (qobject_cast<const QTabBar*>(parent) || qobject_cast<const QLineEdit*>(parent) ||
            qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent) ||
            qobject_cast<const QAbstractItemView*>(parent))
            return false;
    if (qobject_cast<const QHeaderView*>(&widget))
        return false;
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        return !button->testAttribute(Qt::WA_TransparentForMouseEvents) && button->focusPolicy() != Qt::NoFocus;
    return qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
           qobject_cast<const QAbstractSpinBox*>(&widget) || qobject_cast<const QTabBar*>(&widget) ||
           qobject_cast<const QAbstractItemView*>(&widget) || qobject_cast<const QTextEdit*>(&widget) ||
           qobject_cast<const QPlainTextEdit*>(&widget) || qobject_cast<const QAbstractSlider*>(&widget);
}

} // namespace kf::scenes
