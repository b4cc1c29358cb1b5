// SPDX-License-Identifier: GPL-3.0-or-later
// Exactly what the selected turn's model was sent, message by message, and with which settings.
#pragma once

#include "ui/models/prompt_model.h"
#include "ui/widgets/pane.h"

class QComboBox;
class QLabel;
class QStackedLayout;

namespace kf::ui {

class EmptyState;
class IconButton;
class ReadingView;
class SearchField;

class PromptPane : public Pane {
    Q_OBJECT
public:
    PromptPane(const PaneContext& context, ExchangeStore& exchanges, QWidget* parent = nullptr);

    void show_exchange(int exchange); // of the selected turn, counted from 0
    QString text_twin() const override;
    QStringList export_formats() const override { return {QStringLiteral("txt"), QStringLiteral("json")}; }
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    void find() override;
    PromptModel& model() const { return *m_model; }

private:
    void refresh();

    PaneContext m_context;
    ExchangeStore& m_exchanges;
    PromptModel* m_model;
    QStackedLayout* m_stack;
    EmptyState* m_empty;
    QWidget* m_body;
    QLabel* m_facts;
    QComboBox* m_which;
    IconButton* m_copy;
    SearchField* m_search;
    ReadingView* m_view;
    int m_turn = -1, m_exchange = -1, m_found = -1;
};

} // namespace kf::ui
