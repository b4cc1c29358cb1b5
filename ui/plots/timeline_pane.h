// SPDX-License-Identifier: GPL-3.0-or-later
// The dock "Timeline": the chart of all turns above (or, where it is wide, beside) their table. A click in either
// selects for every dock.
#pragma once

#include "ui/models/timeline_maker.h"
#include "ui/widgets/pane.h"

#include <QElapsedTimer>
#include <QSplitter>
#include <QTimer>

class QStackedLayout;

namespace kf::ui {

class ElidedLabel;
class EmptyState;
class TimelinePlot;
class TurnModel;
class TurnTable;

class TimelinePane : public Pane {
    Q_OBJECT
public:
    TimelinePane(const PaneContext& context, TurnModel& turns, QWidget* parent = nullptr);

    QString text_twin() const override;
    // "csv" has the points with their raw seconds, "tsv" and "md" the table as it is shown, "png" and "svg" the chart.
    QStringList export_formats() const override;
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;

    TimelinePlot& plot() const { return *m_plot; }
    TurnTable& table() const { return *m_table; }
    // Columns, order, division; for the session.
    QByteArray save_state() const;
    void restore_state(const QByteArray& state);

public Q_SLOTS:
    // Ctrl+B of the window: the selected turn becomes A; A again: nothing is pinned.
    void pin_selected();
    // Pins what is selected now and selects the champion that it is to be compared with.
    void compare_with_champion();
    void add_note();    // asks for one by link_activated("note:<turn>")
    void copy_row();    // as TSV
    void copy_figure(); // the chart as a picture
    void jump_to_latest();
    void zoom_to_fit();
    // Says above the chart that it is not about what the editor holds; "" when it is.
    void set_stale(const QString& why);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void follow_selection();
    void choose(const Chosen& chosen);
    void show_menu(const Chosen& chosen, QPoint where);
    Chosen newest() const;

    PaneContext m_context;
    EmptyState* m_empty;
    QWidget* m_content;
    QStackedLayout* m_stack;
    ElidedLabel* m_stale;
    QSplitter* m_split;
    TimelinePlot* m_plot;
    TurnTable* m_table;
    QTimer m_soon;
    TimelineMaker m_maker;
    std::set<int> m_changed; // turns, since the chart was made
    QElapsedTimer m_refreshed;
};

} // namespace kf::ui
