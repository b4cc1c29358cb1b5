// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets that stick out of their parent, lie over each other, are smaller than they can be, or are too small to hit.
#include "tests/scenes/checks/checks.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QHeaderView>
#include <QLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QTabBar>

namespace kf::scenes {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr int smallest_target = 24;

QString text_of(const QRect& rect) {
    return u"%1×%2 at %3, %4"_s.arg(rect.width()).arg(rect.height()).arg(rect.x()).arg(rect.y());
}

// Scrolled content may be larger than what shows it.
bool is_scrolled(const QWidget& widget) {
    const auto* area = widget.parentWidget()
                           ? qobject_cast<const QAbstractScrollArea*>(widget.parentWidget()->parentWidget())
                           : nullptr;
    return area && area->viewport() == widget.parentWidget();
}

void overlaps(QLayout& layout, std::vector<Flaw>& flaws) {
    if (qobject_cast<QStackedLayout*>(&layout))
        return;
    std::vector<QWidget*> widgets;
    for (int i = 0; i < layout.count(); ++i) {
        if (QLayout* inner = layout.itemAt(i)->layout())
            overlaps(*inner, flaws);
        QWidget* widget = layout.itemAt(i)->widget();
        if (widget && is_on_screen(*widget))
            widgets.push_back(widget);
    }
    for (std::size_t i = 0; i < widgets.size(); ++i)
        for (std::size_t j = i + 1; j < widgets.size(); ++j) {
            const QRect common = widgets[i]->geometry().intersected(widgets[j]->geometry());
            if (common.width() > 1 && common.height() > 1)
                flaws.push_back({u"overlap"_s, path_of(*widgets[i]),
                                 u"lies over %1 by %2"_s.arg(path_of(*widgets[j]), text_of(common))});
        }
}

} // namespace

std::vector<Flaw> check_geometry(const View& view) {
    std::vector<Flaw> flaws;
    if (view.window.layout())
        overlaps(*view.window.layout(), flaws);
    for (QWidget* widget : widgets_of(view)) {
        if (!widget->isVisible() || widget->isWindow())
            continue;
        const QWidget* parent = widget->parentWidget();
        if (is_on_screen(*widget) && parent && !is_scrolled(*widget) && !qobject_cast<const QTabBar*>(parent)) {
            // A pixel at each side is a matter of rounding and frames.
            if (!parent->rect().adjusted(-1, -1, 1, 1).contains(widget->geometry()))
                flaws.push_back({u"cut"_s, path_of(*widget),
                                 u"%1 in a parent of %2×%3"_s.arg(text_of(widget->geometry()))
                                     .arg(parent->width())
                                     .arg(parent->height())});
            // A stack's own least size counts pages that are not shown; those that are shown are looked at themselves.
            const bool laid_out = parent->layout() && parent->layout()->indexOf(widget) >= 0 &&
                                  !qobject_cast<const QStackedWidget*>(widget);
            const QSize least = widget->minimumSizeHint();
            const auto policy = widget->sizePolicy();
            if (laid_out && ((policy.horizontalPolicy() != QSizePolicy::Ignored &&
                              widget->width() + 1 < least.width() && widget->maximumWidth() >= least.width()) ||
                             (policy.verticalPolicy() != QSizePolicy::Ignored &&
                              widget->height() + 1 < least.height() && widget->maximumHeight() >= least.height())))
                flaws.push_back({u"squeezed"_s, path_of(*widget),
                                 u"is %1×%2 and needs %3×%4"_s.arg(widget->width())
                                     .arg(widget->height())
                                     .arg(least.width())
                                     .arg(least.height())});
        }
        // Content that is wider than its scroll area, where nothing can be scrolled sideways.
        if (const auto* area = qobject_cast<QScrollArea*>(widget);
            area && area->widget() && is_on_screen(*widget) &&
            area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff &&
            area->widget()->width() > area->viewport()->width() + 1)
            flaws.push_back({u"cut"_s, path_of(*widget),
                             u"content of %1 px in %2 px that cannot be scrolled"_s.arg(area->widget()->width())
                                 .arg(area->viewport()->width())});
        if (widget->layout() && is_on_screen(*widget))
            overlaps(*widget->layout(), flaws);
    }
    return flaws;
}

std::vector<Flaw> check_targets(const View& view) {
    std::vector<Flaw> flaws;
    const auto small = [&](const QWidget& widget, const QSize& size, const QString& what) {
        if (std::min(size.width(), size.height()) < smallest_target)
            flaws.push_back({u"target"_s, path_of(widget),
                             u"%1 is %2×%3, at least %4 px are needed"_s.arg(what)
                                 .arg(size.width())
                                 .arg(size.height())
                                 .arg(smallest_target)});
    };
    for (const QWidget* widget : widgets_of(view)) {
        if (!is_on_screen(*widget))
            continue;
        if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
            for (int i = 0; i < tabs->count(); ++i)
                if (tabs->isTabVisible(i))
                    small(*tabs, tabs->tabRect(i).size(), u"tab \"%1\""_s.arg(tabs->tabText(i)));
        } else if (const auto* items = qobject_cast<const QAbstractItemView*>(widget);
                   items && !qobject_cast<const QHeaderView*>(widget)) {
            const QModelIndex first = items->indexAt(QPoint(4, 4));
            if (first.isValid())
                small(*items, QSize(smallest_target, items->visualRect(first).height()), u"a row"_s);
        } else if (is_interactive(*widget)) {
            small(*widget, widget->size(), u"it"_s);
        }
    }
    return flaws;
}

} // namespace kf::scenes
