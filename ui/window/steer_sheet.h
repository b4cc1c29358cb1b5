// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked before a run that asks a model is steered: a fork with its hint, another model or temperature, new
// budgets. Esc leaves everything as it is.
#pragma once

#include "core/base/json.h"
#include "ui/window/sheet.h"

#include <functional>

class QFormLayout;
class QLabel;
class QPushButton;

namespace kf::ui {

class SteerSheet : public Sheet {
    Q_OBJECT
public:
    explicit SteerSheet(QWidget* window);

    void ask_fork(int turn);
    // `present`: what counts now, as docs/protocol.md has it.
    void ask_model(const Json& present);
    void ask_budgets(const Json& present);
    void ask_edit(const QString& file_name);

Q_SIGNALS:
    void fork_wanted(int turn, const QString& hint);
    void model_wanted(const kf::Json& change);
    void budgets_wanted(const kf::Json& budgets);
    void edit_wanted(const QString& hint);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    // An empty form under a heading; `done` is what the primary button does.
    void begin(const QString& heading, const QString& lead, const QString& button, std::function<void()> done);
    QWidget* add_field(const QString& name, const QString& label, QWidget* field);
    void finish(QWidget* first);

    QLabel *m_heading, *m_lead;
    QWidget* m_form = nullptr;
    QFormLayout* m_rows = nullptr;
    QPushButton* m_go;
    std::function<void()> m_done;
};

} // namespace kf::ui
