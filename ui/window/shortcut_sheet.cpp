// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/shortcut_sheet.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/key_cap.h"

#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace kf::ui {
namespace {

struct Line {
    QString text, keys; // no keys: a heading
};

std::vector<std::vector<Line>> lines_of(const Actions& actions) {
    std::vector<std::vector<Line>> groups;
    for (const QString& group : actions.groups()) {
        std::vector<Line> lines{{group, {}}};
        for (const Actions::Entry& one : actions.entries()) {
            if (one.spec.group != group || one.action->shortcut().isEmpty())
                continue;
            QStringList keys;
            for (const QKeySequence& sequence : one.action->shortcuts())
                if (const QString text = key_text(sequence); !keys.contains(text)) // Return and Enter are one to people
                    keys << text;
            lines.push_back({one.spec.text, keys.join(QStringLiteral(", "))});
        }
        if (lines.size() > 1)
            groups.push_back(std::move(lines));
    }
    return groups;
}

// Two or three columns of groups, painted; as tall as it needs.
class Columns : public QWidget {
public:
    Columns(std::vector<std::vector<Line>> groups, QWidget* parent) : QWidget(parent), m_groups(std::move(groups)) {
        setAccessibleName(QStringLiteral("Keyboard shortcuts"));
    }
    static int row_height() { return QFontMetrics(text_font(13)).height() + 8; }
    int columns() const { return std::clamp(width() / 300, 1, 3); }
    int needed_height(int for_width) const {
        int tallest = 0;
        for (const auto& column : split(std::clamp(for_width / 300, 1, 3)))
            tallest = std::max(tallest, height_of(column));
        return tallest;
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = Theme::current();
        const int count = columns(), gap = 28;
        const int wide = (width() - gap * (count - 1)) / count;
        int x = 0;
        for (const auto& column : split(count)) {
            int y = 0;
            for (const auto* group : column) {
                for (const Line& line : *group) {
                    const QRect row(x, y, wide, row_height());
                    const bool heading = line.keys.isEmpty();
                    painter.setFont(heading ? text_font(12, Weight::semibold) : text_font(13));
                    painter.setPen(heading ? theme.dim : theme.text);
                    int cap = 0;
                    if (!heading) {
                        cap = static_cast<int>(key_cap_width(line.keys));
                        draw_key_cap(painter, QRectF(row.right() - cap, row.top(), cap, row.height()), line.keys,
                                     theme.dim, theme.outline);
                        painter.setFont(text_font(13));
                        painter.setPen(theme.text);
                    }
                    const QRect rest = row.adjusted(0, 0, -cap - 8, 0);
                    painter.drawText(rest, Qt::AlignVCenter,
                                     painter.fontMetrics().elidedText(line.text, Qt::ElideRight, rest.width()));
                    y += row_height();
                }
                y += row_height() / 2;
            }
            x += wide + gap;
        }
    }

private:
    using Column = std::vector<const std::vector<Line>*>;
    static int height_of(const Column& column) {
        int height = 0;
        for (const auto* group : column)
            height += static_cast<int>(group->size()) * row_height() + row_height() / 2;
        return height;
    }
    // In order, each column about as tall as the others.
    std::vector<Column> split(int count) const {
        int total = 0;
        for (const auto& group : m_groups)
            total += static_cast<int>(group.size()) + 1;
        std::vector<Column> made(1);
        int used = 0;
        for (const auto& group : m_groups) {
            const int size = static_cast<int>(group.size()) + 1;
            if (used > 0 && used + size / 2 > total / count && static_cast<int>(made.size()) < count) {
                made.emplace_back();
                used = 0;
            }
            made.back().push_back(&group);
            used += size;
        }
        return made;
    }
    std::vector<std::vector<Line>> m_groups;
};

} // namespace

ShortcutSheet::ShortcutSheet(QWidget* window, const Actions& actions)
    : Sheet(window, QStringLiteral("Keyboard shortcuts"), 980), m_actions(actions), m_scroll(new QScrollArea(panel())) {
    setObjectName(QStringLiteral("shortcuts"));
    auto* heading = new QLabel(QStringLiteral("Keyboard shortcuts"), panel());
    heading->setFont(text_font(15, Weight::semibold));
    panel_layout()->addWidget(heading);
    panel_layout()->addWidget(m_scroll, 1);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setAccessibleName(QStringLiteral("Keyboard shortcuts"));
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* foot = new QHBoxLayout;
    auto* hint = new QLabel(QStringLiteral("Change any of them in the settings."), panel());
    hint->setForegroundRole(QPalette::PlaceholderText);
    auto* close = new QPushButton(QStringLiteral("Close"), panel());
    close->setAccessibleName(QStringLiteral("Close"));
    connect(close, &QPushButton::clicked, this, &Sheet::close_sheet);
    foot->addWidget(hint, 1);
    foot->addWidget(close);
    panel_layout()->addLayout(foot);
}

void ShortcutSheet::open_sheet() {
    auto* columns = new Columns(lines_of(m_actions), m_scroll);
    const int width = std::min(980, parentWidget()->width() - 48) - 60;
    const int height = columns->needed_height(width);
    columns->setMinimumHeight(height);
    m_scroll->setWidget(columns); // the old one goes
    m_scroll->setMinimumHeight(std::min(height, parentWidget()->height() - 200));
    open(m_scroll);
}

QString ShortcutSheet::text_twin() const {
    QString text;
    for (const auto& group : lines_of(m_actions))
        for (const Line& line : group)
            text += line.keys.isEmpty() ? line.text + QLatin1Char('\n')
                                        : QStringLiteral("  %1\t%2\n").arg(line.text, line.keys);
    return text;
}

} // namespace kf::ui
