// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/run.h"

#include "core/base/random.h"
#include "core/journal/run_folder.h"

#include <sys/utsname.h>

namespace kf {
namespace {

TurnAuthor author_of(const std::string& name) {
    if (name == "model")
        return TurnAuthor::model;
    if (name == "human")
        return TurnAuthor::human;
    if (name == "tuner")
        return TurnAuthor::tuner;
    return TurnAuthor::file;
}

TurnOutcome outcome_of(const TurnState& turn) {
    if (turn.outcome == "failed" || turn.outcome == "no_candidate" || turn.outcome == "duplicate")
        return TurnOutcome::failed;
    if (turn.outcome != "verdict")
        return TurnOutcome::infrastructure;
    return turn.mark != TurnMark::none ? TurnOutcome::faster : TurnOutcome::not_faster;
}

// Reasons after which a run may be taken up again; the others are an end.
bool may_be_resumed(const std::string& reason) {
    for (const char* one : {"user", "infrastructure", "journal", "turns", "seconds", "device-seconds", "tokens",
                            "money", "start_missing", "model", "record"})
        if (reason == one)
            return true;
    return false;
}

// A writer that was killed leaves its control socket's private folder behind.
void remove_lost_socket(const LockInfo& lost) {
    const std::filesystem::path socket = lost.control_socket;
    if (lost.state != LockState::stale || socket.parent_path().filename().string().rfind("kf-control-", 0) != 0)
        return;
    std::error_code ignored;
    std::filesystem::remove(socket, ignored);
    std::filesystem::remove(socket.parent_path(), ignored); // only when nothing else is in it
}

// Before anything is written: whether the run's model can be asked at all, and its money be counted.
Status check_model(const RunSettings& settings, ModelTransports* transports) {
    const bool asks =
        settings.synthesizer == SynthesizerKind::model && (settings.model.record.empty() || settings.model.then_live);
    if (!asks)
        return {};
    if (!transports)
        return make_error("model-missing", "this build has no network client: it cannot ask a model",
                          "use one that was built with Qt (KERNELFORGE_UI=ON)");
    if (auto checked = transports->check(settings.model); !checked)
        return checked;
    if (settings.stop.money > 0 && !transports->knows_cost(settings.model))
        return cost_unknown(settings.model);
    return {};
}

// A run that a budget ended would end again at once: its person has to give more of it.
Status check_budget(const RunState& state, const Json& change) {
    struct Budget {
        const char* reason;
        const char* field; // of `budget`
        double scale;
        const char* spent;
        const char* option;
    };
    if (!state.stop || state.status() != RunStatus::finished)
        return {};
    for (const Budget& budget : {Budget{"turns", "turns", 1, "turns", "--turns"},
                                 {"tokens", "tokens", 1, "tokens", "--tokens"},
                                 {"money", "money", 1, "money", "--money"},
                                 {"seconds", "minutes", 60, "seconds", "--minutes"},
                                 {"device-seconds", "device_minutes", 60, "device_seconds", "--device-minutes"}}) {
        if (state.stop->reason != budget.reason)
            continue;
        const Json& given = get_member(change, budget.field);
        const double total = given.is_number() ? given.get<double>() * budget.scale : -1;
        const double used = get_double(get_member(state.told_budget, "spent"), budget.spent);
        if (total != 0 && !(total > used))
            return make_error("budget-used-up", state.stop->text,
                              std::string("give a larger total with ") + budget.option);
    }
    return {};
}

// A person's change at a resume: fields of `model`, and `then_live`.
Result<ModelSettings> with_change(const RunSettings& settings, const Json& change) {
    ModelSettings model = settings.model;
    if (!change.is_object() || change.empty())
        return model;
    if (settings.synthesizer != SynthesizerKind::model)
        return make_error("not-a-model-run", "this run asks no model", "leave out the options of the model");
    model.then_live = get_bool(change, "then_live", model.then_live);
    Json rest = change;
    rest.erase("then_live");
    return rest.empty() ? Result<ModelSettings>(std::move(model)) : changed(model, rest);
}

} // namespace

Run::Run(Task task, RunSettings settings, std::unique_ptr<RunJournal> journal,
         std::shared_ptr<ModelTransports> transports)
    : m_task(std::move(task)), m_settings(std::move(settings)), m_journal(std::move(journal)),
      m_evaluator(m_settings.evaluator), m_early_stop(m_settings.stop), m_synthesizer(make_synthesizer(m_settings)),
      m_started(std::chrono::steady_clock::now()), m_transports(std::move(transports)), m_told_model(m_settings.model),
      m_told_stop(m_settings.stop) {}

Result<std::unique_ptr<Run>> Run::create(const Task& task, const RunSettings& settings,
                                         const std::filesystem::path& runs,
                                         std::shared_ptr<ModelTransports> transports) {
    if (auto checked = check(settings.stop); !checked)
        return checked.error();
    if (auto checked = check_model(settings, transports.get()); !checked)
        return checked.error();
    std::shared_ptr<Record> record;
    if (!settings.model.record.empty()) {
        auto opened = Record::open(settings.model.record);
        if (!opened)
            return opened.error();
        record = std::move(*opened);
    }
    auto folder = make_run_folder(task.name, runs);
    if (!folder)
        return folder.error();
    auto journal = RunJournal::create(*folder, "");
    if (!journal)
        return journal.error();
    RunSettings own = settings;
    if (own.seed == 0)
        own.seed = system_seed();
    auto run = std::unique_ptr<Run>(new Run(task, std::move(own), std::move(*journal), std::move(transports)));
    run->m_record = std::move(record);
    return run;
}

Result<std::unique_ptr<Run>> Run::resume(const std::filesystem::path& folder,
                                         std::shared_ptr<ModelTransports> transports, const Json& model_change,
                                         const Json& budget_change) {
    {
        // Looked at before it is opened for writing: an ended run's journal is not touched.
        auto reader = JournalReader::open(folder);
        if (!reader)
            return reader.error();
        auto events = reader->poll();
        if (!events)
            return events.error();
        RunState state;
        state.apply(*events);
        if (state.status() == RunStatus::finished && state.stop && !may_be_resumed(state.stop->reason))
            return make_error("run-finished", "this run has ended: " + state.stop->text, "start a new one");
        if (state.status() == RunStatus::empty)
            return make_error("run-invalid", "the journal ends before the run began", "start a new one",
                              Place{folder.string(), 0, 0});
        // What cannot go on is refused before anything is written.
        if (auto checked = check_budget(state, budget_change); !checked)
            return checked.error();
        auto settings = run_settings_from_json(state.start.settings);
        if (!settings)
            return settings.error();
        auto model = with_change(*settings, model_change);
        if (!model)
            return model.error();
        settings->model = std::move(*model);
        settings->stop.money = get_double(budget_change, "money", settings->stop.money);
        if (auto checked = check_model(*settings, transports.get()); !checked)
            return checked.error();
    }
    const LockInfo lost = lock_info(folder);
    auto journal = RunJournal::reopen(folder, "");
    if (!journal)
        return journal.error();
    remove_lost_socket(lost);
    const RunState& state = (*journal)->state();
    auto settings = run_settings_from_json(state.start.settings);
    if (!settings)
        return settings.error();
    std::string text;
    try {
        text = (*journal)->blob(get_string(state.start.settings, "task_blob"));
    } catch (const JournalFailure& failure) {
        return make_error("run-invalid", "the run's task is not in its folder: " + failure.error().message, {},
                          Place{folder.string(), 0, 0});
    }
    auto wire = parse_json(text, "task");
    if (!wire)
        return wire.error();
    auto task = task_from_wire(*wire);
    if (!task)
        return task.error();
    const double seconds = get_double(get_member((*journal)->state().told_budget, "spent"), "seconds");
    auto model = with_change(*settings, model_change);
    if (!model)
        return model.error();
    settings->model = std::move(*model);
    auto run = std::unique_ptr<Run>(
        new Run(std::move(*task), std::move(*settings), std::move(*journal), std::move(transports)));
    run->m_seconds_before = seconds;
    run->replay_early_stop();
    run->restore_orders();
    if (auto restored = run->restore_record(); !restored)
        return restored.error();
    if (model_change.is_object() && !model_change.empty())
        run->m_steering.order("terminal", "model", model_change);
    if (budget_change.is_object() && !budget_change.empty())
        if (auto changed = run->change_budget("terminal", budget_change); !changed)
            return changed.error();
    return run;
}

void Run::replay_early_stop() {
    for (const auto& [number, turn] : m_journal->state().turns)
        if (number > 0 && turn.finished)
            (void)m_early_stop.after_turn(author_of(turn.author), outcome_of(turn), Usage{});
}

Status Run::begin() {
    const auto entry = m_activity.enter(Activity{"starting", -1, {}, {}, {}, 0});
    if (auto started = m_evaluator.ensure(m_steering.stop_token()); !started)
        return started;
    if (m_journal->state().status() != RunStatus::empty)
        return {};
    RunStarted event;
    event.run = m_journal->folder().filename().string();
    event.task = m_task.name;
    event.task_hash = m_task.hash;
    event.title = m_task.title;
    event.device = m_evaluator.device();
    utsname system{};
    uname(&system);
    event.versions =
        Json{{"kernelforge", m_evaluator.build()}, {"system", std::string(system.sysname) + " " + system.release}};
    event.settings = to_json(m_settings);
    event.settings["task_blob"] = m_journal->put_blob(dump_line(task_to_wire(m_task)));
    event.budgets = Json::object();
    const StopSettings& stop = m_settings.stop;
    if (stop.turns > 0)
        event.budgets["turns"] = stop.turns;
    if (stop.seconds > 0)
        event.budgets["seconds"] = stop.seconds;
    if (stop.device_seconds > 0)
        event.budgets["device_seconds"] = stop.device_seconds;
    if (stop.tokens > 0)
        event.budgets["tokens"] = stop.tokens;
    if (stop.money > 0)
        event.budgets["money"] = stop.money;
    event.seed_policy = Json{{"inputs", "fresh from the system for every case, recorded with it"},
                             {"search", std::to_string(m_settings.seed)}};
    m_journal->append(event);
    return {};
}

RunResult Run::run() {
    RunResult result;
    try {
        result = loop();
    } catch (const JournalFailure& failure) {
        // What is written stays; there is nowhere to write the reason, so it is only told.
        result = RunResult{RunEnd::infrastructure, "journal",
                           "the journal cannot be written: " + to_string(failure.error())};
    }
    m_steering.close();
    m_evaluator.shutdown();
    return result;
}

RunResult Run::end(RunEnd how, const std::string& reason, const std::string& text, const std::string& remedy) {
    kf::Stop stop;
    stop.reason = reason;
    stop.text = text + (remedy.empty() ? "" : " (" + remedy + ")");
    stop.turn = m_journal->state().next_turn() - 1;
    m_journal->append(stop);
    RunFinished finished;
    const ChampionState* best = m_journal->state().champion();
    finished.champion = best ? best->turn : -1;
    finished.turns = static_cast<int>(m_journal->state().turns.size());
    finished.summary = stop.text;
    finished.cost = to_json(m_journal->state().spent());
    m_journal->append(finished);
    return RunResult{how, reason, text, remedy};
}

RunResult Run::loop() {
    if (auto started = begin(); !started) {
        if (m_steering.stop_token().stop_requested())
            return m_journal->state().status() == RunStatus::empty
                       ? RunResult{RunEnd::stopped, "user", "stopped before it began"}
                       : end(RunEnd::stopped, "user", "stopped by a person");
        if (m_journal->state().status() == RunStatus::empty)
            return RunResult{RunEnd::infrastructure, "infrastructure", to_string(started.error())};
        return end(RunEnd::infrastructure, "infrastructure", to_string(started.error()));
    }
    if (auto ended = start_turn())
        return *ended;
    if (m_early_stop.stopped())
        m_early_stop.resume();
    for (;;) {
        if (auto ended = boundary(true))
            return *ended;
        auto proposed = propose();
        if (!proposed)
            return end(RunEnd::champion, "synthesizer", to_string(proposed.error()));
        if (const auto* nothing = std::get_if<NothingLeft>(&*proposed))
            return end(RunEnd::champion, m_record ? "record" : "nothing_left", nothing->why);
        if (std::holds_alternative<WaitForPeople>(*proposed)) {
            const auto entry = m_activity.enter(Activity{"waiting", -1, {}, {}, {}, 0});
            m_steering.wait(deadline_after(idle_s()));
            continue;
        }
        const Proposal& proposal = std::get<Proposal>(*proposed);
        const std::vector<int> unfinished = m_journal->state().unfinished_turns();
        const int number = unfinished.empty() ? m_journal->state().next_turn() : unfinished.front();
        if (m_record && proposal.recorded >= 0)
            m_became[proposal.recorded] = number;
        const TurnOutcome outcome = take_turn(number, proposal);
        note_steering();
        if (m_end)
            return *m_end;
        if (m_steering.stop_token().stop_requested())
            return end(RunEnd::stopped, "user", "stopped by a person");
        if (m_ended)
            return end(m_ended->end, m_ended->reason, m_ended->text, m_ended->remedy);
        if (outcome == TurnOutcome::infrastructure && !m_journal->state().turns.at(number).decisive())
            return end(RunEnd::infrastructure, "infrastructure", "the evaluator gave no answer in this turn");
        const auto stop = m_early_stop.after_turn(author_of(proposal.author), outcome, usage());
        if (stop && m_record)
            m_early_stop.resume(); // the recorded run went on
        else if (stop)
            return end(RunEnd::champion, std::string(to_string(stop->reason)), stop->text);
    }
}

} // namespace kf
