// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/top_bar.h"

#include "ui/widgets/segmented.h"
#include "ui/widgets/style.h"
#include "ui/window/bar_button.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>

#include <algorithm>

namespace kf::ui {
namespace {

const QStringList& layout_names() {
    static const QStringList names = {QStringLiteral("watch"), QStringLiteral("edit")};
    return names;
}

// "nemotron-3-super-120b-a12b": without whose it is, and no longer than a button should be.
QString elided(const QString& model) {
    constexpr int most = 28;
    QString name = model.section(QLatin1Char('/'), -1);
    if (name.size() > most)
        name = name.left(most - 1) + QChar(0x2026);
    return name.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

} // namespace

TopBar::TopBar(Actions& actions, QWidget* parent)
    : Plate(&Theme::window, Qt::BottomEdge, parent), m_actions(actions),
      m_product(new BarButton(QStringLiteral("bar.menu"), this)),
      m_task(new BarButton(QStringLiteral("bar.task"), this)),
      m_primary(new BarButton(QStringLiteral("bar.run"), this)),
      m_pause(new BarButton(QStringLiteral("bar.pause"), this)),
      m_stop(new BarButton(QStringLiteral("bar.stop"), this)),
      m_model(new BarButton(QStringLiteral("bar.model"), this)),
      m_device(new BarButton(QStringLiteral("bar.device"), this)),
      m_commands(new BarButton(QStringLiteral("bar.commands"), this)),
      m_layouts(new Segmented({QStringLiteral("Watch"), QStringLiteral("Edit")}, this)), m_menu(new QMenu(m_product)),
      m_task_menu(new QMenu(m_task)), m_model_menu(new QMenu(m_model)), m_device_menu(new QMenu(m_device)) {
    setObjectName(QStringLiteral("bar"));
    set_look(*m_product, ButtonLook::flat);
    QFont name = m_product->font();
    name.setBold(true);
    m_product->setFont(name);
    m_product->set_texts(QStringLiteral("KernelForge"), {}, {});
    m_product->setToolTip(QStringLiteral("Everything that can be done, by group"));
    m_product->setMenu(m_menu);
    m_task->setMenu(m_task_menu);
    m_task->setToolTip(QStringLiteral("The task that Run starts"));
    m_model->setMenu(m_model_menu);
    m_model->hide();
    m_device->setMenu(m_device_menu);
    m_device->setToolTip(QStringLiteral("Where kernels of a new run are judged"));
    set_look(*m_primary, ButtonLook::primary);
    m_layouts->setObjectName(QStringLiteral("bar.layouts"));
    m_layouts->setAccessibleName(QStringLiteral("Layout"));

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 7, 10, 8);
    row->setSpacing(8);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_product), static_cast<QWidget*>(m_task), static_cast<QWidget*>(m_primary),
          static_cast<QWidget*>(m_pause), static_cast<QWidget*>(m_stop)})
        row->addWidget(widget);
    row->addStretch(1);
    row->addWidget(m_layouts);
    row->addWidget(m_model);
    row->addWidget(m_device);
    row->addWidget(m_commands);

    set_primary(QStringLiteral("run.start"));
    m_pause->show_action(actions.find(QStringLiteral("run.pause")));
    m_stop->show_action(actions.find(QStringLiteral("run.stop")));
    m_commands->show_action(actions.find(QStringLiteral("go.commands")));
    set_task({});
    set_device({});

    connect(m_menu, &QMenu::aboutToShow, this, &TopBar::fill_menu);
    connect(m_task_menu, &QMenu::aboutToShow, this, [this] {
        fill_choices(*m_task_menu, m_tasks, m_chosen_task, [this](const QString& value) { Q_EMIT task_chosen(value); });
    });
    connect(m_device_menu, &QMenu::aboutToShow, this, [this] {
        fill_choices(*m_device_menu, m_devices, m_chosen_device,
                     [this](const QString& value) { Q_EMIT device_chosen(value); });
    });
    connect(m_layouts, &Segmented::index_changed, this,
            [this](int index) { Q_EMIT layout_chosen(layout_names().value(index)); });
}

void TopBar::fill_menu() {
    m_menu->clear();
    for (const QString& group : m_actions.groups()) {
        QMenu* sub = m_menu->addMenu(group);
        for (const Actions::Entry& one : m_actions.entries())
            if (one.spec.group == group)
                sub->addAction(one.action);
    }
}

void TopBar::fill_choices(QMenu& menu, const std::vector<BarChoice>& choices, const QString& current,
                          std::function<void(const QString&)> choose) {
    menu.clear();
    for (const BarChoice& one : choices) {
        const QString text = one.detail.isEmpty() ? one.text : one.text + QLatin1Char('\t') + one.detail;
        QAction* action = menu.addAction(text, &menu, [choose, value = one.value] { choose(value); });
        action->setCheckable(true);
        action->setChecked(one.value == current);
        action->setToolTip(one.tip);
    }
    menu.setToolTipsVisible(true);
}

void TopBar::show_choice(BarButton& button, const std::vector<BarChoice>& choices, const QString& value,
                         const QString& none, const QString& icon) {
    const auto found = std::ranges::find(choices, value, &BarChoice::value);
    if (found != choices.end())
        button.set_texts(found->text, found->detail, icon);
    else
        button.set_texts(value.isEmpty() ? none : value, {}, icon);
    button.setEnabled(!choices.empty());
}

void TopBar::set_tasks(const std::vector<BarChoice>& tasks) {
    m_tasks = tasks;
    set_task(m_chosen_task);
}

void TopBar::set_task(const QString& value) {
    m_chosen_task = value;
    show_choice(*m_task, m_tasks, value, QStringLiteral("Choose a task"), {});
}

void TopBar::set_devices(const std::vector<BarChoice>& devices) {
    m_devices = devices;
    set_device(m_chosen_device);
}

void TopBar::set_device(const QString& value) {
    m_chosen_device = value;
    show_choice(*m_device, m_devices, value, QStringLiteral("No device"), QStringLiteral("cpu"));
}

void TopBar::set_model(const QString& model, const QString& tip) {
    m_model->setVisible(!model.isEmpty());
    // Ampersands would be mnemonics.
    m_model->set_texts(elided(model), {}, QStringLiteral("transcript"));
    m_model->setAccessibleName(QStringLiteral("Model %1").arg(model));
    m_model->setToolTip(tip);
}

void TopBar::set_primary(const QString& action) {
    if (QAction* found = m_actions.find(action))
        m_primary->show_action(found);
}

void TopBar::set_layout_name(const QString& layout) {
    m_layouts->set_index(static_cast<int>(std::max<qsizetype>(0, layout_names().indexOf(layout))));
}

void TopBar::set_layouts_shown(bool shown) {
    m_layouts->setVisible(shown);
}

void TopBar::measure_again() {
    for (QWidget* child : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        child->updateGeometry();
    layout()->invalidate();
    updateGeometry();
}

void TopBar::set_compact(bool compact) {
    for (BarButton* button : {m_pause, m_stop, m_model, m_device, m_commands})
        button->set_small(compact);
}

} // namespace kf::ui
