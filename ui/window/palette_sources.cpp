// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette of MainWindow finds: actions, turns, lines, tasks, runs.
#include "ui/models/texts.h"
#include "ui/widgets/key_cap.h"
#include "ui/window/command_palette.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace.h"

#include <QRegularExpression>

namespace kf::ui {
namespace {

constexpr std::size_t turns_listed = 5000;
constexpr int runs_listed = 30;

std::vector<PaletteEntry> action_entries(const Actions& actions) {
    std::vector<PaletteEntry> all;
    for (const Actions::Entry& one : actions.entries())
        all.push_back({one.spec.id, one.action->text(), one.spec.group + QStringLiteral(" · ") + one.spec.tip,
                       key_text(one.action->shortcut()), one.spec.icon, one.action->isEnabled(),
                       [action = one.action] { action->trigger(); }});
    return all;
}

} // namespace

void MainWindow::make_palette() {
    PaletteModel& model = m_palette->model();
    model.set_recent(m_actions->recent());
    model.add_source({QStringLiteral(">"), QStringLiteral("command"), [this](const QString&) {
                          m_palette->model().set_recent(m_actions->recent());
                          return action_entries(*m_actions);
                      }});
    model.add_source({QStringLiteral("#"), QStringLiteral("turn"), [this](const QString&) {
                          std::vector<PaletteEntry> all;
                          const auto& turns = m_store.state().turns;
                          for (auto one = turns.rbegin(); one != turns.rend() && all.size() < turns_listed; ++one) {
                              const EvaluationState* shown = shown_evaluation(m_store.state(), one->second);
                              const QString what = shown ? plain(one_line(*shown)) : plain(one->second.outcome);
                              all.push_back(
                                  {{},
                                   one->first == 0 ? QStringLiteral("turn 0, the start kernel")
                                                   : QStringLiteral("turn %1").arg(one->first),
                                   what,
                                   {},
                                   QStringLiteral("timeline"),
                                   true,
                                   [this, turn = one->first] { follow_link(QStringLiteral("turn:%1").arg(turn)); }});
                          }
                          return all;
                      }});
    model.add_source({QStringLiteral(":"), QStringLiteral("line"),
                      [this](const QString& typed) {
                          bool ok = false;
                          const int line = typed.toInt(&ok);
                          std::vector<PaletteEntry> all;
                          if (ok && line > 0)
                              all.push_back({{},
                                             QStringLiteral("Go to line %1").arg(line),
                                             QStringLiteral("in the editor"),
                                             {},
                                             QStringLiteral("editor"),
                                             true,
                                             [this, line] { follow_link(QStringLiteral("line:%1").arg(line)); }});
                          return all;
                      },
                      false, false});
    model.add_source({QStringLiteral("t "), QStringLiteral("task"), [this](const QString&) {
                          std::vector<PaletteEntry> all;
                          for (const TaskEntry& one : m_models.tasks.tasks())
                              all.push_back({{},
                                             one.name,
                                             one.trouble.isEmpty() ? one.title : one.trouble,
                                             {},
                                             QStringLiteral("tasks"),
                                             one.trouble.isEmpty(),
                                             [this, name = one.name] { choose_task(name); }});
                          return all;
                      }});
    model.add_source({QStringLiteral("r "), QStringLiteral("run"), [this](const QString&) {
                          std::vector<PaletteEntry> all;
                          for (const RunSummary& one : m_models.runs.recent(runs_listed))
                              all.push_back(
                                  {{},
                                   QString::fromStdString(one.name),
                                   one.best() > 0 ? speed_text(one.best()) : QString(),
                                   {},
                                   QStringLiteral("runs"),
                                   one.trouble.empty(),
                                   [this, folder = QString::fromStdString(one.folder)] { open_run(folder); }});
                          return all;
                      }});
}

} // namespace kf::ui
