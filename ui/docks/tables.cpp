// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/tables.h"

#include "ui/theme/icons.h"
#include "ui/widgets/export.h"
#include "ui/widgets/style.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QTableView>

#include <algorithm>

namespace kf::ui {

QString rows_text(const QAbstractItemView& view) {
    const QAbstractItemModel* model = view.model();
    if (!model)
        return {};
    QModelIndexList rows = view.selectionModel() ? view.selectionModel()->selectedRows() : QModelIndexList();
    if (rows.isEmpty())
        return QString::fromUtf8(table_of(*model, TableFormat::tsv));
    std::sort(rows.begin(), rows.end());
    QStringList lines;
    for (const QModelIndex& row : rows) {
        QStringList cells;
        for (int column = 0; column < model->columnCount(row.parent()); ++column)
            cells << tsv_field(row.siblingAtColumn(column).data().toString());
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

void set_up_view(QAbstractItemView& view, const QString& accessible_name,
                 std::function<void(QMenu&, const QModelIndex&)> fill_menu) {
    view.setAccessibleName(accessible_name);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setFrameShape(QFrame::NoFrame);
    view.setTextElideMode(Qt::ElideMiddle);
    view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setTabKeyNavigation(false); // Tab leaves, arrows walk
    view.setContextMenuPolicy(Qt::CustomContextMenu);
    const auto copy_rows = [&view] { QApplication::clipboard()->setText(rows_text(view)); };
    auto* copy = new QAction(icon(QStringLiteral("copy")), QStringLiteral("Copy"), &view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, &view, copy_rows);
    view.addAction(copy);
    QObject::connect(&view, &QWidget::customContextMenuRequested, &view,
                     [&view, copy, fill = std::move(fill_menu)](const QPoint& at) {
                         QModelIndex index = view.indexAt(at);
                         QPoint where = at;
                         // The menu key: at the row that has the keyboard.
                         if (!view.viewport()->rect().contains(at) || !index.isValid())
                             if (view.currentIndex().isValid() && !view.underMouse()) {
                                 index = view.currentIndex();
                                 where = view.visualRect(index).center();
                             }
                         QMenu menu(&view);
                         if (fill)
                             fill(menu, index);
                         if (!menu.isEmpty())
                             menu.addSeparator();
                         menu.addAction(copy);
                         menu.exec(view.viewport()->mapToGlobal(where));
                     });
}

void set_up_table(QTableView& table, const QString& accessible_name,
                  std::function<void(QMenu&, const QModelIndex&)> fill_menu) {
    set_up_view(table, accessible_name, std::move(fill_menu));
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setCornerButtonEnabled(false);
    table.verticalHeader()->hide();
    // Rows of one height are not measured one by one, however many there are.
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setDefaultSectionSize(std::max(metrics::row_height, table.fontMetrics().height() + 10));
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setSectionsClickable(false);
}

void embed(QTableView& table) {
    table.viewport()->setAutoFillBackground(false);
    table.horizontalHeader()->viewport()->setAutoFillBackground(false);
}

void fit_height(QTableView& table, int most) {
    const int rows = table.model() ? table.model()->rowCount() : 0;
    const int header = table.horizontalHeader()->isHidden() ? 0 : table.horizontalHeader()->sizeHint().height();
    table.setFixedHeight(header + std::min(rows, most) * table.verticalHeader()->defaultSectionSize() + 2 +
                         (table.horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff ? 0 : metrics::scroll_bar));
    table.setVerticalScrollBarPolicy(rows > most ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
}

} // namespace kf::ui
