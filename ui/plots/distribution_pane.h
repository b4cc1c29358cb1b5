// SPDX-License-Identifier: GPL-3.0-or-later
// The dock "Distribution": pinned A against selected B, drawn and in words. Samples are read in a thread of their own;
// only the newest wish is served.
#pragma once

#include "ui/plots/distribution_painter.h"
#include "ui/widgets/pane.h"

#include <QThreadPool>
#include <QTimer>

#include <map>
#include <memory>

class QBoxLayout;
class QComboBox;
class QPushButton;
class QScrollArea;
class QStackedLayout;

namespace kf::ui {

class DistributionFacts;
class DistributionPlot;
class ElidedLabel;
class EmptyState;
class Segmented;

class DistributionPane : public Pane {
    Q_OBJECT
public:
    explicit DistributionPane(const PaneContext& context, QWidget* parent = nullptr);
    ~DistributionPane() override;

    QString text_twin() const override;
    QStringList export_formats() const override;
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;

    DistributionPlot& plot() const { return *m_plot; }
    bool is_loading() const { return m_loading; }
    // Shape and axis; for the session.
    QByteArray save_state() const;
    void restore_state(const QByteArray& state);

public Q_SLOTS:
    void pin_selected();
    void copy_figure();
    void copy_text();
    void zoom_to_fit();
    void set_shape(kf::ui::DistributionShape shape);
    void set_log(bool log);
    // Says that this is not about what the editor holds; "" when it is.
    void set_stale(const QString& why);

Q_SIGNALS:
    void shown(); // what was asked for is there

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void wish(); // looks whether something else is to be shown
    void serve(const QString& size);
    void show_data(DistributionData found);
    void show_menu(QPoint where);
    void arrange();

    PaneContext m_context;
    DistributionOrder m_order;
    std::string m_key;
    quint64 m_wish = 0, m_run = 0; // counted: newer ones make older ones void
    bool m_loading = false;
    QTimer m_slow;

    QStackedLayout* m_stack;
    EmptyState* m_empty;
    QWidget* m_content;
    Segmented* m_shape;
    QPushButton* m_log;
    QComboBox* m_sizes;
    ElidedLabel* m_stale;
    QBoxLayout* m_sides;
    QStackedLayout* m_plot_stack;
    EmptyState* m_no_samples;
    DistributionPlot* m_plot;
    QScrollArea* m_scroll;
    DistributionFacts* m_facts;

    // Of the reading thread alone: what was read last, and of which run.
    quint64 m_read_run = 0;
    std::map<std::string, std::shared_ptr<const SideSamples>> m_read;
    QThreadPool m_pool; // the last member: its end waits for the thread
};

} // namespace kf::ui
