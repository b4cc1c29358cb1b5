// SPDX-License-Identifier: GPL-3.0-or-later
// What happened in the run, line by line. It follows the newest line only while that is in view; the whole event of a
// line stands below as it is in the journal.
#pragma once

#include "ui/models/log_model.h"
#include "ui/widgets/pane.h"

class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QStackedLayout;
class QTableView;

namespace kf::ui {

class EmptyState;
class IconButton;
class SearchField;
class Segmented;

class LogPane : public Pane {
    Q_OBJECT
public:
    explicit LogPane(const PaneContext& context, QWidget* parent = nullptr);

    QString text_twin() const override;
    QStringList export_formats() const override { return {QStringLiteral("txt"), QStringLiteral("csv")}; }
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    void find() override;

    bool follows() const { return m_follow; }
    void jump_to_latest();
    // The whole event of the chosen line, in an area below.
    void show_event(bool show);
    QTableView& table() const { return *m_table; }
    QPushButton& pill() const { return *m_pill; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool at_bottom() const;
    void refresh();
    void place_pill();
    void set_least(int index);
    void read_event();
    QModelIndex source_of(const QModelIndex& index) const;

    PaneContext m_context;
    LogModel* m_model;
    LogFilter* m_filter;
    QStackedLayout* m_stack;
    EmptyState* m_empty;
    Segmented* m_least;
    SearchField* m_search;
    IconButton* m_details;
    QSplitter* m_splitter;
    QTableView* m_table;
    QPlainTextEdit* m_event;
    QPushButton* m_pill;
    bool m_follow = true;
    int m_missed = 0; // lines that came while it did not follow
    std::uint64_t m_request = 0;
};

} // namespace kf::ui
