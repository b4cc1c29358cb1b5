// SPDX-License-Identifier: GPL-3.0-or-later
// What only the picture tells: contrast of the text as it was drawn, blank plots, blank panes.
#include "tests/scenes/checks/checks.h"
#include "ui/theme/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/pane.h"
#include "ui/widgets/plot_widget.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTabBar>

#include <algorithm>

namespace kf::scenes {
namespace {

using namespace Qt::Literals::StringLiterals;

QHash<QRgb, int> histogram(const QImage& part) {
    QHash<QRgb, int> counts;
    for (int y = 0; y < part.height(); ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(part.constScanLine(y));
        for (int x = 0; x < part.width(); ++x)
            ++counts[line[x] & 0xffffff];
    }
    return counts;
}

QRgb most_frequent(const QHash<QRgb, int>& counts) {
    QRgb found = 0;
    int best = -1;
    for (auto it = counts.begin(); it != counts.end(); ++it)
        if (it.value() > best || (it.value() == best && it.key() < found)) {
            best = it.value();
            found = it.key();
        }
    return found;
}

// Text is drawn with blended edges: at 1× the thin strokes of a small font hardly reach their colour.
double wanted(const QFont& font, double ratio) {
    const int pixels = font.pixelSize() > 0 ? font.pixelSize() : QFontInfo(font).pixelSize();
    const bool large = pixels >= 24 || (pixels >= 19 && font.bold());
    return (large ? 3.0 : 4.5) * (ratio >= 2 ? 0.97 : ratio > 1 ? 0.9 : 0.8);
}

} // namespace

double strongest_contrast(const QImage& part) {
    if (part.isNull())
        return 1;
    const auto counts = histogram(part);
    const QColor ground = QColor::fromRgb(most_frequent(counts));
    double best = 1;
    for (auto it = counts.begin(); it != counts.end(); ++it)
        best = std::max(best, ui::contrast(QColor::fromRgb(it.key()), ground));
    return best;
}

double ink(const QImage& part) {
    if (part.isNull())
        return 0;
    const auto counts = histogram(part);
    const QColor ground = QColor::fromRgb(most_frequent(counts));
    qint64 seen = 0;
    for (auto it = counts.begin(); it != counts.end(); ++it)
        if (ui::contrast(QColor::fromRgb(it.key()), ground) > 1.15)
            seen += it.value();
    return static_cast<double>(seen) / (static_cast<double>(part.width()) * part.height());
}

std::vector<Flaw> check_contrast(const View& view) {
    std::vector<Flaw> flaws;
    const double ratio = view.picture.devicePixelRatio();
    const auto look = [&](const QWidget& widget, const QRect& rect, const QString& text, const QFont& font) {
        if (text.trimmed().isEmpty() || rect.width() < 4 || rect.height() < 6)
            return;
        // Under a sheet, a pill, a toast: what is covered is not read now.
        const QWidget* top = view.window.childAt(widget.mapTo(&view.window, rect.center()));
        if (top != &widget && !widget.isAncestorOf(top))
            return;
        const double found = strongest_contrast(view.part(widget, rect));
        if (found < wanted(font, ratio))
            flaws.push_back(
                {u"contrast"_s, path_of(widget), u"\"%1\" has %2:1"_s.arg(text.left(40)).arg(found, 0, 'f', 2)});
    };
    for (const QWidget* widget : widgets_of(view)) {
        // What cannot be used now may be pale.
        if (!is_on_screen(*widget) || !widget->isEnabled())
            continue;
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            if (label->pixmap(Qt::ReturnByValue).isNull())
                look(*label, label->rect(), label->text(), label->font());
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            look(*button, button->rect().adjusted(3, 3, -3, -3), button->text(), button->font());
        } else if (const auto* elided = qobject_cast<const ui::ElidedLabel*>(widget)) {
            look(*elided, elided->rect(), elided->text(), elided->font());
        } else if (const auto* field = qobject_cast<const QLineEdit*>(widget)) {
            look(*field, field->rect().adjusted(4, 4, -4, -4),
                 field->text().isEmpty() ? field->placeholderText() : field->text(), field->font());
        } else if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
            for (int i = 0; i < tabs->count(); ++i)
                if (tabs->isTabVisible(i) && tabs->isTabEnabled(i))
                    look(*tabs, tabs->tabRect(i).intersected(tabs->rect()).adjusted(4, 4, -4, -4), tabs->tabText(i),
                         tabs->font());
        } else if (const auto* header = qobject_cast<const QHeaderView*>(widget)) {
            if (header->model() && header->orientation() == Qt::Horizontal)
                for (int i = 0; i < header->count(); ++i)
                    if (!header->isSectionHidden(i))
                        look(*header->viewport(),
                             QRect(header->sectionViewportPosition(i), 0, header->sectionSize(i), header->height())
                                 .intersected(header->viewport()->rect())
                                 .adjusted(2, 2, -2, -3),
                             header->model()->headerData(i, Qt::Horizontal).toString(), header->font());
        } else if (const auto* items = qobject_cast<const QAbstractItemView*>(widget); items && items->model()) {
            const QRect room = items->viewport()->rect();
            int seen = 0;
            for (int y = 4; y < room.height() && seen < 40; ++seen) {
                const QModelIndex row = items->indexAt(QPoint(4, y));
                if (!row.isValid())
                    break;
                for (int column = 0; column < items->model()->columnCount(row.parent()); ++column) {
                    const QModelIndex cell = row.siblingAtColumn(column);
                    const QRect whole = items->visualRect(cell);
                    const QRect rect = whole.intersected(room).adjusted(2, 2, -2, -2);
                    if (rect.height() < whole.height() * 3 / 4)
                        continue; // half scrolled out
                    if (cell.flags() & Qt::ItemIsEnabled)
                        look(*items->viewport(), rect, cell.data().toString(), items->font());
                }
                y += std::max(4, items->visualRect(row).height());
            }
        }
    }
    return flaws;
}

std::vector<Flaw> check_blank(const View& view) {
    std::vector<Flaw> flaws;
    for (const QWidget* widget : widgets_of(view)) {
        const auto* pane = qobject_cast<const ui::Pane*>(widget);
        const auto* plot = qobject_cast<const ui::PlotWidget*>(widget);
        const bool chart = widget->inherits("QChartView");
        if (!is_on_screen(*widget) || (!pane && !plot && !chart))
            continue;
        const double seen = ink(view.part(*widget, widget->rect()));
        if (seen < 0.001)
            flaws.push_back(
                {u"blank"_s, path_of(*widget), u"%1 % of its pixels show something"_s.arg(seen * 100, 0, 'f', 3)});
        if ((pane && pane->text_twin().trimmed().isEmpty()) || (plot && plot->text_twin().trimmed().isEmpty()))
            flaws.push_back({u"blank"_s, path_of(*widget), u"its text twin is empty"_s});
    }
    return flaws;
}

} // namespace kf::scenes
