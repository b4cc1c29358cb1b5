// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/command_palette.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/key_cap.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int rows_shown = 11;

class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {200, std::max(32, QFontMetrics(text_font(13)).height() + 14)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        const bool enabled = index.flags().testFlag(Qt::ItemIsEnabled);
        if (chosen) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.selection);
            painter->drawRoundedRect(QRectF(option.rect).adjusted(2, 1, -2, -1), 5, 5);
        }
        const QColor ink = enabled ? theme.text : theme.faint;
        QRect area = option.rect.adjusted(12, 0, -12, 0);
        if (const QString name = index.data(icon_role).toString(); !name.isEmpty()) {
            const QPixmap picture =
                icon_pixmap(name, 14, enabled ? theme.dim : theme.faint, painter->device()->devicePixelRatioF());
            painter->drawPixmap(QPoint(area.left(), area.center().y() - 6), picture);
        }
        area.setLeft(area.left() + 24);
        if (const QString keys = index.data(keys_role).toString(); !keys.isEmpty()) {
            const double cap = key_cap_width(keys);
            draw_key_cap(*painter, QRectF(area.right() - cap, area.top(), cap, area.height()), keys, theme.dim,
                         blend(chosen ? theme.selection : theme.panel, theme.outline, 0.6));
            area.setRight(area.right() - static_cast<int>(cap) - 10);
        }
        const QString title = index.data(Qt::DisplayRole).toString();
        const QVariantList matched = index.data(matched_role).toList();
        const QFont plain = text_font(13), strong = text_font(13, Weight::semibold);
        int x = area.left();
        for (qsizetype at = 0; at < title.size();) {
            const bool hit = matched.contains(static_cast<int>(at));
            qsizetype end = at + 1;
            while (end < title.size() && matched.contains(static_cast<int>(end)) == hit)
                ++end;
            const QString part = title.mid(at, end - at);
            painter->setFont(hit ? strong : plain);
            painter->setPen(hit && enabled ? theme.accent : ink);
            painter->drawText(QRect(x, area.top(), std::max(0, area.right() - x), area.height()), Qt::AlignVCenter,
                              part);
            x += QFontMetrics(hit ? strong : plain).horizontalAdvance(part);
            at = end;
        }
        const QFont small = text_font(12);
        const QRect rest(x + 12, area.top(), std::max(0, area.right() - x - 12), area.height());
        painter->setFont(small);
        painter->setPen(enabled ? theme.dim : theme.faint);
        painter->drawText(
            rest, Qt::AlignVCenter | Qt::AlignLeft,
            QFontMetrics(small).elidedText(index.data(detail_role).toString(), Qt::ElideRight, rest.width()));
        painter->restore();
    }
};

} // namespace

CommandPalette::CommandPalette(QWidget* window)
    : Sheet(window, QStringLiteral("Commands"), 640, Place::top), m_model(new PaletteModel(this)),
      m_field(new QLineEdit(panel())), m_list(new QListView(panel())), m_nothing(new QLabel(m_list)),
      m_hint(new QLabel(panel())) {
    setObjectName(QStringLiteral("palette"));
    panel_layout()->setContentsMargins(10, 10, 10, 8);
    panel_layout()->setSpacing(8);
    panel_layout()->addWidget(m_field);
    panel_layout()->addWidget(m_list);
    panel_layout()->addWidget(m_hint);
    m_field->setObjectName(QStringLiteral("palette.field"));
    m_field->setAccessibleName(QStringLiteral("Find a command, turn, task or run"));
    m_field->setPlaceholderText(QStringLiteral("Type a command, a task, a run …"));
    m_field->setMinimumHeight(34);
    m_field->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("palette.list"));
    m_list->setAccessibleName(QStringLiteral("What was found"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setFocusPolicy(Qt::NoFocus); // the field drives it
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setMouseTracking(true);
    m_nothing->setObjectName(QStringLiteral("palette.nothing"));
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);
    m_nothing->setTextFormat(Qt::PlainText);
    m_nothing->setForegroundRole(QPalette::PlaceholderText);
    m_nothing->hide();
    auto* over = new QVBoxLayout(m_list);
    over->addWidget(m_nothing);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setContentsMargins(6, 0, 6, 0);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::typed);
    connect(m_list, &QListView::clicked, this, &CommandPalette::choose);
}

void CommandPalette::open_with(const QString& prefix) {
    QStringList parts;
    for (const PaletteSource& source : m_model->sources())
        if (!source.prefix.isEmpty())
            parts << QStringLiteral("%1 %2").arg(source.prefix.trimmed(), source.what);
    m_hint->setFont(text_font(12));
    m_hint->setText(parts.join(QStringLiteral("     ")));
    m_field->setFont(text_font(14));
    m_nothing->setFont(text_font(13));
    const int row = std::max(32, QFontMetrics(text_font(13)).height() + 14);
    m_list->setMinimumHeight(std::min(row * rows_shown, parentWidget()->height() - 220));
    m_field->setText(prefix);
    typed(prefix);
    open(m_field);
    m_field->end(false);
}

void CommandPalette::typed(const QString& text) {
    m_model->type(text);
    m_list->setCurrentIndex(m_model->index(0));
    m_list->scrollToTop();
    const bool nothing = m_model->rowCount() == 0;
    if (nothing)
        m_nothing->setText(QStringLiteral("Nothing fits “%1”.").arg(text.trimmed()));
    m_nothing->setVisible(nothing);
}

void CommandPalette::choose(const QModelIndex& index) {
    if (!index.flags().testFlag(Qt::ItemIsEnabled))
        return;
    // Closed first: what is done may open a sheet of its own or move the keyboard.
    const QPersistentModelIndex kept(index);
    close_sheet();
    m_model->perform(kept);
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event) {
    if (object != m_field || event->type() != QEvent::KeyPress)
        return Sheet::eventFilter(object, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const int row = m_list->currentIndex().row(), count = m_model->rowCount();
    int to = row;
    switch (key->key()) {
    case Qt::Key_Down:
        to = count ? (row + 1) % count : 0;
        break;
    case Qt::Key_Up:
        to = count ? (row + count - 1) % count : 0;
        break;
    case Qt::Key_PageDown:
        to = std::min(count - 1, row + rows_shown);
        break;
    case Qt::Key_PageUp:
        to = std::max(0, row - rows_shown);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(m_list->currentIndex());
        return true;
    default:
        return Sheet::eventFilter(object, event);
    }
    m_list->setCurrentIndex(m_model->index(to));
    return true;
}

} // namespace kf::ui
