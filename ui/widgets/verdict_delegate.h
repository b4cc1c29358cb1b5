// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of turn tables: a verdict as mark and word, evidence as disc and word, a turn's number with star, a figure that
// aligns. It reads roles, not a model, so that any table can use it.
#pragma once

#include <QStyledItemDelegate>

namespace kf::ui {

// Data roles; the defaults are those of models/turn_model.h (TurnRole).
struct VerdictRoles {
    int kind = Qt::UserRole + 1;     // int VerdictKind
    int level = Qt::UserRole + 2;    // int Level, −1: none
    int human = Qt::UserRole + 5;    // bool
    int star = Qt::UserRole + 6;     // bool
    int champion = Qt::UserRole + 7; // bool: the champion's row is bold
    int note = Qt::UserRole + 14;    // QString: a person's note
    int marked = Qt::UserRole + 15;  // bool: a person's star
};

class VerdictDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    enum class Part {
        verdict,  // mark and word
        evidence, // disc and word
        turn,     // number and star; behind them small signs of a person's note and star
        figure,   // JetBrains Mono, right-aligned
        text,     // middle-elided
    };
    explicit VerdictDelegate(Part part, QObject* parent = nullptr, VerdictRoles roles = {});

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Part m_part;
    VerdictRoles m_roles;
};

} // namespace kf::ui
