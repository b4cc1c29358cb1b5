// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the lists of runs and of tasks.
#pragma once

#include <QStyledItemDelegate>

#include <functional>

namespace kf::ui {

// A task with its best figure, or a run with its state: name at the left, RunListRole::side at the right. A run that is
// live has a filled dot, an interrupted one a hollow one.
class RunRows : public QStyledItemDelegate {
    Q_OBJECT
public:
    // `shown`: the folder of the run that the window shows; `pinned`: whether a task is pinned.
    RunRows(std::function<QString()> shown, std::function<bool(const QString&)> pinned, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    std::function<QString()> m_shown;
    std::function<bool(const QString&)> m_pinned;
};

// A task: its name and stage over what it computes; why, where it cannot be read.
class TaskRows : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace kf::ui
