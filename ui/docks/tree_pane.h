// SPDX-License-Identifier: GPL-3.0-or-later
// The search as a tree of turns: which grew from which, where it branches, which way led to the champion.
#pragma once

#include "ui/models/tree_data.h"
#include "ui/widgets/pane.h"

#include <QTimer>

class QLabel;
class QScrollArea;
class QStackedLayout;
class QToolButton;

namespace kf::ui {

class EmptyState;
class IconButton;
class TreePlot;

class TreePane : public Pane {
    Q_OBJECT
public:
    explicit TreePane(const PaneContext& context, QWidget* parent = nullptr);

    QString text_twin() const override;
    QStringList export_formats() const override {
        return {QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("txt")};
    }
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    TreePlot& plot() const { return *m_plot; }

Q_SIGNALS:
    void fork_requested(int turn);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void see_selected();

    PaneContext m_context;
    TreeOptions m_options;
    QStackedLayout* m_stack;
    EmptyState* m_empty;
    QWidget* m_body;
    QLabel* m_summary;
    IconButton* m_fold;
    QScrollArea* m_scroll;
    TreePlot* m_plot;
    QTimer m_soon;
    bool m_stale = true;
};

} // namespace kf::ui
