// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard and screen reader: each visible widget that does something can be reached by Tab and has a name.
#include "tests/scenes/checks/checks.h"
#include "ui/widgets/pane.h"
#include "ui/widgets/plot_widget.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QButtonGroup>
#include <QLineEdit>
#include <QSet>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

namespace {

// A list below a field: arrows walk it while the keyboard stays in the field.
bool driven_by_field(const QWidget& widget) {
    return qobject_cast<const QAbstractItemView*>(&widget) && widget.focusPolicy() == Qt::NoFocus &&
           widget.parentWidget() && widget.parentWidget()->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
}

// A button of a group (Segmented, radio buttons) is reached by arrows from the one that is down.
bool reached_by_arrows(const QWidget& widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    if (!button || !button->isCheckable() || button->isChecked() || !button->autoExclusive())
        return button && button->group() && button->group()->exclusive() && !button->isChecked();
    return true;
}

} // namespace

std::vector<Flaw> check_keyboard(const View& view) {
    std::vector<Flaw> flaws;
    // The ring of the window as Tab walks it.
    QSet<const QWidget*> reached;
    const QWidget* at = &view.window;
    do {
        at = at->nextInFocusChain();
        if (at->isEnabled() && at->isVisible() && (at->focusPolicy() & Qt::TabFocus)) {
            reached.insert(at);
            if (at->focusProxy())
                reached.insert(at->focusProxy());
        }
    } while (at != &view.window && at);
    for (const QWidget* widget : widgets_of(view))
        if (is_interactive(*widget) && is_on_screen(*widget) && widget->isEnabled() && !reached.contains(widget) &&
            !reached_by_arrows(*widget) && !driven_by_field(*widget))
            flaws.push_back({u"tab"_s, path_of(*widget), u"Tab does not reach it"_s});
    return flaws;
}

std::vector<Flaw> check_names(const View& view) {
    std::vector<Flaw> flaws;
    for (QWidget* widget : widgets_of(view)) {
        const bool shows =
            qobject_cast<ui::Pane*>(widget) || qobject_cast<ui::PlotWidget*>(widget) || widget->inherits("QChartView");
        if (!is_on_screen(*widget) || (!shows && !is_interactive(*widget)))
            continue;
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
        const QString name = accessible ? accessible->text(QAccessible::Name) : widget->accessibleName();
        if (name.trimmed().isEmpty())
            flaws.push_back({u"name"_s, path_of(*widget), u"a screen reader has no name for it"_s});
        const auto* button = qobject_cast<QAbstractButton*>(widget);
        if (button && button->text().isEmpty() && button->toolTip().isEmpty())
            flaws.push_back({u"tip"_s, path_of(*widget), u"shows an icon only and has no tool tip"_s});
    }
    return flaws;
}

std::vector<Flaw> check_all(const View& view) {
    std::vector<Flaw> all;
    for (auto* check :
         {check_text, check_geometry, check_targets, check_contrast, check_keyboard, check_names, check_blank})
        for (Flaw& flaw : check(view))
            all.push_back(std::move(flaw));
    return all;
}

} // namespace kf::scenes
