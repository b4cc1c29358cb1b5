// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the texts a person works on, from every producer, and what the selected turn's failure names.
// Enter goes to the line.
#pragma once

#include "ui/models/issue_model.h"
#include "ui/widgets/pane.h"

#include <QSortFilterProxyModel>

class QStackedLayout;
class QTableView;

namespace kf::ui {

class EmptyState;
class SearchField;
class Segmented;

// By severity and words; errors first, then by place.
class IssueFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit IssueFilter(QObject* parent = nullptr);
    void set_severity(const QString& severity); // "": all
    void set_search(const QString& words);
    bool active() const { return !m_severity.isEmpty() || !m_words.isEmpty(); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString m_severity;
    QStringList m_words;
};

// What a failed evaluation says of its source: its diagnostics, else the failure itself where it has a line.
std::vector<Issue> issues_of(const Evaluation& evaluation, int turn);

class IssuesPane : public Pane {
    Q_OBJECT
public:
    IssuesPane(const PaneContext& context, IssueModel& issues, QWidget* parent = nullptr);

    QString text_twin() const override;
    QStringList export_formats() const override { return {QStringLiteral("csv"), QStringLiteral("md")}; }
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    void find() override;
    // The next (previous) row, around the end; tells where it leads (F8, Shift+F8).
    void step(bool forward);
    QTableView& table() const { return *m_table; }

private:
    void read_turn();
    void go_to(const QModelIndex& index);
    void refresh();
    void clear_filter();

    PaneContext m_context;
    IssueModel& m_issues;
    IssueFilter* m_filter;
    QStackedLayout* m_stack;
    EmptyState* m_empty;
    Segmented* m_severity;
    SearchField* m_search;
    QTableView* m_table;
    int m_errors = 0;
};

} // namespace kf::ui
