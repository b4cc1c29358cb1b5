// SPDX-License-Identifier: GPL-3.0-or-later
// What MainWindow has to do with the language model in the loop: the panes that show it, and steering it.
#include "ui/control/replay_source.h"
#include "ui/docks/hint_line.h"
#include "ui/docks/prompt_pane.h"
#include "ui/docks/transcript_pane.h"
#include "ui/docks/tree_pane.h"
#include "ui/editor/editor_pane.h"
#include "ui/models/texts.h"
#include "ui/theme/icons.h"
#include "ui/window/main_window.h"
#include "ui/window/provider_page.h"
#include "ui/window/settings_page.h"
#include "ui/window/start_page.h"
#include "ui/window/steer_sheet.h"
#include "ui/window/top_bar.h"
#include "ui/window/workspace.h"

#include <QMenu>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {
constexpr const char* session_key_variable = "KERNELFORGE_SESSION_KEY";
} // namespace

void MainWindow::make_steering_actions() {
    const QString group = u"Run"_s;
    const auto keys = [](const char* text) {
        return QList<QKeySequence>{QKeySequence(QString::fromLatin1(text), QKeySequence::PortableText)};
    };
    m_actions->add({u"run.hint"_s, group, u"Hint for the next turn"_s,
                    u"Write what the model should try; it reads it in its next prompt"_s, u"send"_s,
                    keys("Ctrl+Shift+H")},
                   [this] {
                       show_pane(u"transcript"_s);
                       m_panes.transcript->focus_hint();
                   });
    m_actions->add({u"run.fork"_s, group, u"Fork from the turn…"_s,
                    u"The model's next turn grows from the selected one"_s, u"branch"_s, keys("Ctrl+Shift+F")},
                   [this] { m_steer_sheet->ask_fork(m_selection.current().turn); });
    m_actions->add({u"run.model"_s, group, u"Change model…"_s,
                    u"Model, temperature and reasoning from the next turn on"_s, u"tuner"_s},
                   [this] { m_steer_sheet->ask_model(present_model()); });
    m_actions->add({u"run.budgets"_s, group, u"Budgets…"_s,
                    u"Turns, tokens, money and minutes that the run may spend"_s, u"clock"_s},
                   [this] { m_steer_sheet->ask_budgets(m_store.state().start.budgets); });
    m_actions->add({u"run.edit_continue"_s, group, u"Edit and continue…"_s,
                    u"Judge the draft; the model goes on from it"_s, u"edit"_s},
                   [this] { m_steer_sheet->ask_edit(m_panes.editor->draft_order(Level::certify).file_name); });
}

// As the run was started, and changed since.
Json MainWindow::present_model() const {
    const RunState& state = m_store.state();
    Json present = Json::object();
    const Json& settings = get_member(state.start.settings, "model");
    if (settings.is_object())
        present = settings;
    else if (settings.is_string())
        present["model"] = settings;
    for (const Steering& one : state.steering)
        if (one.what == "model" && one.data.is_object())
            for (const auto& [key, value] : one.data.items())
                present[key] = value;
    return present;
}

void MainWindow::wire_steering() {
    refresh_model();
    connect(&m_settings, &Settings::changed, this, [this](const QString& key) {
        if (key.startsWith(u"model/"_s))
            refresh_model();
    });
    connect(m_bar->model_menu(), &QMenu::aboutToShow, this, [this] { fill_model_menu(*m_bar->model_menu()); });
    connect(&m_store, &RunStore::was_reset, this, &MainWindow::refresh_model_button);
    connect(&m_store, &RunStore::changed, this, [this](const RunChanges& changes) {
        if (changes.header || changes.notes)
            refresh_model_button();
    });
    connect(&m_controller, &RunController::model_wrote, &m_models.exchanges, &ExchangeStore::apply_live);
    connect(&m_controller, &RunController::replay_changed, this, [this](ReplaySource* source) {
        if (source)
            connect(source, &ReplaySource::reply_moved, &m_models.exchanges, &ExchangeStore::show_live,
                    Qt::UniqueConnection);
    });
    connect(m_panes.transcript, &TranscriptPane::fork_requested, m_steer_sheet, &SteerSheet::ask_fork);
    connect(m_panes.tree, &TreePane::fork_requested, m_steer_sheet, &SteerSheet::ask_fork);
    connect(m_steer_sheet, &SteerSheet::fork_wanted, &m_controller, &RunController::fork);
    connect(m_steer_sheet, &SteerSheet::model_wanted, &m_controller, &RunController::change_model);
    connect(m_steer_sheet, &SteerSheet::budgets_wanted, &m_controller, &RunController::change_budgets);
    connect(m_steer_sheet, &SteerSheet::edit_wanted, this,
            [this](const QString& hint) { m_controller.edit(m_panes.editor->draft_order(Level::certify), hint); });
    // A run of a model is read in the transcript; one of the tuner has nothing there.
    connect(&m_store, &RunStore::was_reset, this, [this] { m_transcript_shown = false; });
    connect(&m_store, &RunStore::changed, this, [this] {
        if (m_transcript_shown || m_store.state().start.run.empty())
            return;
        m_transcript_shown = true;
        m_of_model = get_string(m_store.state().start.settings, "synthesizer") == "model";
        fit_to_synthesizer();
        if (m_of_model && m_layout == u"watch"_s && m_workspace->arrangement().area_of(u"transcript"_s) == Area::right)
            m_workspace->show_pane(u"transcript"_s, false);
    });
}

// Places that a person chose stay: only the shipped Watch of the other kind of run becomes the one of this kind.
void MainWindow::fit_to_synthesizer() {
    Arrangement now = m_workspace->arrangement();
    if (m_layout != u"watch"_s || !now.has_places_of(built_in(m_layout, !m_of_model)))
        return;
    const bool pane_in_front = now.at(Area::bottom).current != u"autopsy"_s;
    const QString below = now.at(Area::bottom).current;
    const Arrangement wanted = built_in(m_layout, m_of_model);
    now.places = wanted.places;
    if (pane_in_front)
        now.at(Area::bottom).current = below;
    m_workspace->apply(now);
}

void MainWindow::refresh_steering_actions() {
    const bool steered = m_controller.state() == RunController::State::running &&
                         m_store.status() != RunStatus::finished && m_store.mode() != RunMode::replay;
    const bool model = get_string(m_store.state().start.settings, "synthesizer") == "model";
    const QString no_run = u"There is no run that can be steered now"_s;
    const auto set = [&](const char* id, bool on, const QString& why) {
        const QString name = QString::fromLatin1(id);
        if (QAction* action = m_actions->find(name)) {
            action->setEnabled(on);
            m_actions->set_reason(name, on ? QString() : why);
        }
    };
    const QString why = !steered ? no_run : u"This run asks no model"_s;
    set("run.hint", m_store.mode() != RunMode::none, no_run);
    set("run.fork", steered && model && m_selection.current().turn >= 0,
        steered && model ? u"Select a turn first"_s : why);
    set("run.model", steered && model, why);
    set("run.edit_continue", steered && model, why);
    set("run.budgets", steered, no_run);
}

// "prompt:8:1": the second exchange of turn 8.
void MainWindow::show_prompt(const QString& target) {
    const int turn = target.section(u':', 1, 1).toInt(), exchange = target.section(u':', 2, 2).toInt();
    if (m_selection.current().turn != turn)
        m_selection.select({turn, {}});
    show_pane(u"prompt"_s);
    m_panes.prompt->show_exchange(exchange);
}

QWidget* MainWindow::make_provider_page() {
    auto* page = new ProviderPage(m_settings, *m_keys);
    connect(page, &ProviderPage::key_changed, this, &MainWindow::refresh_model);
    return page;
}

void MainWindow::refresh_model() {
    const ModelReadiness ready = model_readiness(m_settings, *m_keys);
    m_start->set_model(ready.model, ready.trouble);
}

// The model of the run that is shown; what is set for the next one is in the settings.
void MainWindow::refresh_model_button() {
    if (get_string(m_store.state().start.settings, "synthesizer") != "model") {
        m_bar->set_model({}, {});
        return;
    }
    const Json present = present_model();
    const QString model = plain(get_string(present, "model")), provider = plain(get_string(present, "provider"));
    QString tip = u"Who writes in this run: %1"_s.arg(model.isEmpty() ? u"the provider's default model"_s : model);
    if (!provider.isEmpty())
        tip += u" at %1"_s.arg(provider);
    m_bar->set_model(model.isEmpty() ? u"default model"_s : model, tip);
}

void MainWindow::fill_model_menu(QMenu& menu) {
    menu.clear();
    for (const char* id : {"run.model", "run.budgets", "run.hint"})
        if (QAction* action = m_actions->find(QString::fromLatin1(id)))
            menu.addAction(action);
    menu.addSeparator();
    menu.addAction(icon(u"settings"_s), u"Settings of the model and its key…"_s, this,
                   &MainWindow::show_model_settings);
}

void MainWindow::show_model_settings() {
    show_settings();
    m_settings_page->show_model();
}

// A key that was typed here and is in no keyring: the run that is started reads it from its environment, and nobody
// else does. The name of the variable; "": there is no such key.
QString MainWindow::lend_session_key() {
    const auto provider = chosen_provider(m_settings);
    if (!provider)
        return {};
    const net::FoundKey found = m_keys->find(*provider, false);
    if (found.origin != net::KeyOrigin::session)
        return {};
    qputenv(session_key_variable, QByteArray::fromStdString(found.key.reveal()));
    return QString::fromLatin1(session_key_variable);
}

void MainWindow::start_model_run(const QString& task) {
    start(task, true);
    qunsetenv(session_key_variable);
}

} // namespace kf::ui
