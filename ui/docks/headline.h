// SPDX-License-Identifier: GPL-3.0-or-later
// The big figure of the selected turn: its speed, the verdict, and in one wrapped line what it rests on. Everything in
// it stands in the journal.
#pragma once

#include "ui/models/headline_data.h"
#include "ui/widgets/pane.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

namespace kf::ui {

class Chip;

class Headline : public QWidget {
    Q_OBJECT
public:
    explicit Headline(const PaneContext& context, QWidget* parent = nullptr);

    const HeadlineData& data() const { return m_data; }
    // The same as is shown, as text.
    QString text_twin() const { return m_data.text(); }

    // One line (two where one does not hold it) over something else, rather than a card of its own.
    void set_compact(bool compact);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Layout;
    Layout arrange(int width) const;
    QFont figure_font() const;
    void refresh();
    void place_chip();
    void copy() const;

    PaneContext m_context;
    HeadlineData m_data;
    Chip* m_chip;
    bool m_compact = false;
    QTimer m_soon;
    QElapsedTimer m_refreshed;
};

} // namespace kf::ui
