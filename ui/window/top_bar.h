// SPDX-License-Identifier: GPL-3.0-or-later
// The bar over everything: the menu under the product's name, which task, Run / Pause after turn / Stop, the layout,
// which model writes, which device, the commands. It only shows and asks; the window decides.
#pragma once

#include "ui/window/actions.h"
#include "ui/window/plate.h"

class QMenu;

namespace kf::ui {

class BarButton;
class Segmented;

// What can be chosen in a menu of the bar.
struct BarChoice {
    QString value, text, detail, tip;
};

class TopBar : public Plate {
    Q_OBJECT
public:
    TopBar(Actions& actions, QWidget* parent = nullptr);

    void set_tasks(const std::vector<BarChoice>& tasks);
    void set_task(const QString& value);
    void set_devices(const std::vector<BarChoice>& devices);
    void set_device(const QString& value);
    // Who writes in the run that is shown; "": no model does, and the button is not there.
    void set_model(const QString& model, const QString& tip);
    // Filled by the window when it is about to be shown.
    QMenu* model_menu() const { return m_model_menu; }
    // "run.start", "run.continue" or "run.resume": what the primary button does now.
    void set_primary(const QString& action);
    void set_layout_name(const QString& layout);
    void set_layouts_shown(bool shown);
    void set_compact(bool compact);
    // After a change of text size.
    void measure_again();

Q_SIGNALS:
    void task_chosen(const QString& value);
    void device_chosen(const QString& value);
    void layout_chosen(const QString& layout);

private:
    void fill_menu();
    static void fill_choices(QMenu& menu, const std::vector<BarChoice>& choices, const QString& current,
                             std::function<void(const QString&)> choose);
    static void show_choice(BarButton& button, const std::vector<BarChoice>& choices, const QString& value,
                            const QString& none, const QString& icon);

    Actions& m_actions;
    BarButton *m_product, *m_task, *m_primary, *m_pause, *m_stop, *m_model, *m_device, *m_commands;
    Segmented* m_layouts;
    QMenu *m_menu, *m_task_menu, *m_model_menu, *m_device_menu;
    std::vector<BarChoice> m_tasks, m_devices;
    QString m_chosen_task, m_chosen_device;
};

} // namespace kf::ui
