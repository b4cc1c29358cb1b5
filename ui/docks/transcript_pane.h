// SPDX-License-Identifier: GPL-3.0-or-later
// The talk with the model: a heading a turn, the selected one open, a reply seen as it is written, and the hint line.
#pragma once

#include "ui/models/transcript_model.h"
#include "ui/widgets/pane.h"

class QStackedLayout;

namespace kf::ui {

class EmptyState;
class HintLine;
class ReadingView;
class SearchField;
class TranscriptFinder;

class TranscriptPane : public Pane {
    Q_OBJECT
public:
    TranscriptPane(const PaneContext& context, ExchangeStore& exchanges, TurnModel& turns, QWidget* parent = nullptr);

    QString text_twin() const override;
    QStringList export_formats() const override { return {QStringLiteral("md"), QStringLiteral("txt")}; }
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    void find() override;
    void focus_hint();

    ReadingView& view() const { return *m_view; }
    HintLine& hint_line() const { return *m_hint; }
    TranscriptModel& model() const { return *m_model; }

Q_SIGNALS:
    void fork_requested(int turn);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void refresh_hint();
    void select_turn(const Chosen& chosen);
    void send(const QString& text);

    PaneContext m_context;
    TranscriptModel* m_model;
    TranscriptFinder* m_finder;
    QStackedLayout* m_stack;
    EmptyState* m_empty;
    SearchField* m_search;
    ReadingView* m_view;
    HintLine* m_hint;
    QString m_sending; // until the run has said what became of it
};

} // namespace kf::ui
