// SPDX-License-Identifier: GPL-3.0-or-later
// The field that finds everything: actions, turns, lines, tasks, runs. Typing narrows, arrows choose, Enter does it.
#pragma once

#include "ui/window/palette_model.h"
#include "ui/window/sheet.h"

class QLabel;
class QLineEdit;
class QListView;

namespace kf::ui {

class CommandPalette : public Sheet {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window);

    PaletteModel& model() { return *m_model; }
    QLineEdit* field() const { return m_field; }
    QListView* list() const { return m_list; }
    // With this already typed: ">", "#", "" for everything.
    void open_with(const QString& prefix);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void typed(const QString& text);
    void choose(const QModelIndex& index);
    PaletteModel* m_model;
    QLineEdit* m_field;
    QListView* m_list;
    QLabel* m_nothing; // said over the empty list
    QLabel* m_hint;
};

} // namespace kf::ui
