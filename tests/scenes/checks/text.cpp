// SPDX-License-Identifier: GPL-3.0-or-later
// Clipped text: what a label, button, tab, header or cell wants to say against the room that it has.
#include "tests/scenes/checks/checks.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QStyleOptionTab>
#include <QTabBar>
#include <QTextDocument>
#include <QToolButton>

namespace kf::scenes {
namespace {

using namespace Qt::Literals::StringLiterals;

QString without_mnemonic(QString text) {
    return text.replace(u"&&"_s, u"\1"_s).remove(u'&').replace(u'\1', u'&');
}

int width_of(const QFontMetrics& metrics, const QString& text) {
    int widest = 0;
    for (const QString& line : text.split(u'\n'))
        widest = std::max(widest, metrics.horizontalAdvance(line));
    return widest;
}

class TextCheck {
public:
    std::vector<Flaw> flaws;

    void look(QWidget& widget) {
        if (auto* label = qobject_cast<QLabel*>(&widget))
            look_at_label(*label);
        else if (auto* button = qobject_cast<QAbstractButton*>(&widget))
            look_at_button(*button);
        else if (auto* tabs = qobject_cast<QTabBar*>(&widget))
            look_at_tabs(*tabs);
        else if (auto* header = qobject_cast<QHeaderView*>(&widget))
            look_at_header(*header);
        else if (auto* view = qobject_cast<QAbstractItemView*>(&widget))
            look_at_cells(*view);
        else if (auto* field = qobject_cast<QLineEdit*>(&widget))
            look_at_field(*field);
        else if (auto* box = qobject_cast<QComboBox*>(&widget))
            look_at_box(*box);
    }

private:
    void clipped(const QWidget& widget, const QString& text, int wanted, int room) {
        flaws.push_back({u"clipped"_s, path_of(widget),
                         u"\"%1\" needs %2 px and has %3"_s.arg(text.left(60)).arg(wanted).arg(room)});
    }
    void look_at_label(const QLabel& label) {
        if (label.text().isEmpty())
            return;
        const QRect room = label.contentsRect();
        const bool rich = label.textFormat() == Qt::RichText ||
                          (label.textFormat() == Qt::AutoText && Qt::mightBeRichText(label.text()));
        if (rich || label.wordWrap()) {
            const int wanted =
                label.hasHeightForWidth() ? label.heightForWidth(label.width()) : label.sizeHint().height();
            if (wanted > label.height() + 1)
                flaws.push_back({u"clipped"_s, path_of(label),
                                 u"\"%1\" needs a height of %2 px and has %3"_s.arg(label.text().left(60))
                                     .arg(wanted)
                                     .arg(label.height())});
            if (!rich) { // one word that is longer than the line
                for (const QString& word : label.text().split(u' '))
                    if (const int wanted_width = width_of(label.fontMetrics(), word); wanted_width > room.width() + 1)
                        return clipped(label, word, wanted_width, room.width());
            }
            return;
        }
        const int wanted = width_of(label.fontMetrics(), without_mnemonic(label.text()));
        if (wanted > room.width() + 1)
            clipped(label, label.text(), wanted, room.width());
        else if (label.fontMetrics().height() > room.height() + 2)
            clipped(label, label.text(), label.fontMetrics().height(), room.height());
    }
    void look_at_button(const QAbstractButton& button) {
        const auto* tool = qobject_cast<const QToolButton*>(&button);
        const bool icon_only = tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly;
        if (button.text().isEmpty() || icon_only)
            return;
        int wanted = width_of(button.fontMetrics(), without_mnemonic(button.text()));
        if (!button.icon().isNull())
            wanted += button.iconSize().width();
        // What paints itself has fonts of its own; its size hint knows them.
        const bool own = !qobject_cast<const QPushButton*>(&button) && !tool && !button.inherits("QCheckBox") &&
                         !button.inherits("QRadioButton");
        if (!own && wanted > button.width())
            clipped(button, button.text(), wanted, button.width());
        else if (button.sizeHint().width() > button.width() + 1 && button.toolTip().isEmpty())
            clipped(button, button.text(), button.sizeHint().width(), button.width());
    }
    void look_at_tabs(const QTabBar& tabs) {
        for (int i = 0; i < tabs.count(); ++i) {
            const QRect rect = tabs.tabRect(i);
            if (!tabs.isTabVisible(i) || rect.isEmpty())
                continue;
            int wanted = width_of(tabs.fontMetrics(), without_mnemonic(tabs.tabText(i)));
            if (!tabs.tabIcon(i).isNull())
                wanted += tabs.iconSize().width();
            if (wanted > rect.width() && tabs.tabToolTip(i).isEmpty())
                clipped(tabs, tabs.tabText(i), wanted, rect.width());
            const bool scrolls = tabs.usesScrollButtons();
            if (!scrolls && rect.right() > tabs.width())
                clipped(tabs, tabs.tabText(i), rect.right(), tabs.width());
        }
    }
    void look_at_header(const QHeaderView& header) {
        const QAbstractItemModel* model = header.model();
        if (!model || header.orientation() != Qt::Horizontal)
            return;
        for (int i = 0; i < header.count(); ++i) {
            const QString text = model->headerData(i, Qt::Horizontal).toString();
            if (header.isSectionHidden(i) || text.isEmpty() ||
                header.sectionViewportPosition(i) >= header.viewport()->width())
                continue;
            const QVariant font = model->headerData(i, Qt::Horizontal, Qt::FontRole);
            const QFontMetrics metrics(font.isValid() ? font.value<QFont>() : header.font());
            const int wanted = width_of(metrics, text);
            if (wanted > header.sectionSize(i) &&
                model->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty())
                clipped(header, text, wanted, header.sectionSize(i));
        }
    }
    void look_at_cells(QAbstractItemView& view) {
        if (!view.model() || view.metaObject()->className() == QByteArray("QComboBoxListView"))
            return;
        const QRect room = view.viewport()->rect();
        int seen = 0;
        QModelIndex index = view.indexAt(QPoint(2, 2));
        for (int y = 2; y < room.height() && seen < 60;) {
            const QModelIndex row = view.indexAt(QPoint(std::max(2, view.visualRect(index).left() + 2), y));
            if (!row.isValid())
                break;
            ++seen;
            int height = 0;
            for (int column = 0; column < view.model()->columnCount(row.parent()); ++column) {
                const QModelIndex cell = row.siblingAtColumn(column);
                const QRect rect = view.visualRect(cell);
                height = std::max(height, rect.height());
                if (!rect.isValid() || rect.isEmpty() || !rect.intersects(room))
                    continue;
                const QString text = cell.data().toString();
                if (text.isEmpty() || !cell.data(Qt::ToolTipRole).toString().isEmpty())
                    continue;
                const QVariant font = cell.data(Qt::FontRole);
                const QFontMetrics metrics(font.isValid() ? font.value<QFont>() : view.font());
                const int wanted = width_of(metrics, text);
                if (wanted > rect.width())
                    clipped(view, text, wanted, rect.width());
            }
            y += std::max(height, 4);
        }
    }
    void look_at_field(const QLineEdit& field) {
        const QString text = field.text().isEmpty() ? field.placeholderText() : QString();
        const int wanted = width_of(field.fontMetrics(), text);
        if (wanted > field.contentsRect().width() - 8 && field.toolTip().isEmpty())
            clipped(field, text, wanted, field.contentsRect().width() - 8);
    }
    void look_at_box(const QComboBox& box) {
        const int wanted = width_of(box.fontMetrics(), box.currentText());
        if (wanted > box.width() - 20 && box.toolTip().isEmpty())
            clipped(box, box.currentText(), wanted, box.width() - 20);
    }
};

} // namespace

std::vector<Flaw> check_text(const View& view) {
    TextCheck check;
    for (QWidget* widget : widgets_of(view))
        if (is_on_screen(*widget))
            check.look(*widget);
    return std::move(check.flaws);
}

} // namespace kf::scenes
