// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the start page: a name over a dim line, figures at the right. What a row says comes from a functor.
#pragma once

#include "ui/theme/theme.h"

#include <QStyledItemDelegate>

#include <functional>

namespace kf::ui {

struct RowTexts {
    QString title, detail;
    QString side, side_detail; // at the right, in figures' font
    QColor Theme::*side_colour = &Theme::text;
    bool dimmed = false;
};

class RowDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    RowDelegate(std::function<RowTexts(const QModelIndex&)> texts, QObject* parent);
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    std::function<RowTexts(const QModelIndex&)> m_texts;
};

} // namespace kf::ui
