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
    if (turn.outcome == "failed" || turn.outcome == "no_candidate")
        return TurnOutcome::failed;
    if (turn.outcome != "verdict")
        return TurnOutcome::infrastructure;
    return turn.mark != TurnMark::none ? TurnOutcome::faster : TurnOutcome::not_faster;
}

// Reasons after which a run may be taken up again; the others are an end.
bool may_be_resumed(const std::string& reason) {
    for (const char* one : {"user", "infrastructure", "journal", "turns", "seconds", "device-seconds", "tokens",
                            "money", "start_missing"})
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

} // namespace

Run::Run(Task task, RunSettings settings, std::unique_ptr<RunJournal> journal)
    : m_task(std::move(task)), m_settings(std::move(settings)), m_journal(std::move(journal)),
      m_evaluator(m_settings.evaluator), m_early_stop(m_settings.stop), m_synthesizer(make_synthesizer(m_settings)),
      m_started(std::chrono::steady_clock::now()) {}

Result<std::unique_ptr<Run>> Run::create(const Task& task, const RunSettings& settings,
                                         const std::filesystem::path& runs) {
    if (auto checked = check(settings.stop); !checked)
        return checked.error();
    auto folder = make_run_folder(task.name, runs);
    if (!folder)
        return folder.error();
    auto journal = RunJournal::create(*folder, "");
    if (!journal)
        return journal.error();
    RunSettings own = settings;
    if (own.seed == 0)
        own.seed = system_seed();
    return std::unique_ptr<Run>(new Run(task, std::move(own), std::move(*journal)));
}

Result<std::unique_ptr<Run>> Run::resume(const std::filesystem::path& folder) {
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
    auto run = std::unique_ptr<Run>(new Run(std::move(*task), std::move(*settings), std::move(*journal)));
    run->m_seconds_before = seconds;
    run->replay_early_stop();
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

RunResult Run::end(RunEnd how, const std::string& reason, const std::string& text) {
    kf::Stop stop;
    stop.reason = reason;
    stop.text = text;
    stop.turn = m_journal->state().next_turn() - 1;
    m_journal->append(stop);
    RunFinished finished;
    const ChampionState* best = m_journal->state().champion();
    finished.champion = best ? best->turn : -1;
    finished.turns = static_cast<int>(m_journal->state().turns.size());
    finished.summary = text;
    finished.cost = to_json(m_journal->state().spent());
    m_journal->append(finished);
    return RunResult{how, reason, text};
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
        RunView view;
        const Champion best = champion();
        view.state = &m_journal->state();
        view.task = &m_task;
        view.champion_source = best.source;
        view.champion_file = best.file_name;
        view.champion_tunables = best.tunables;
        view.hint = m_steering.take_hints();
        auto proposed = m_synthesizer->propose(view);
        if (!proposed)
            return end(RunEnd::champion, "synthesizer", to_string(proposed.error()));
        if (const auto* nothing = std::get_if<NothingLeft>(&*proposed))
            return end(RunEnd::champion, "nothing_left", nothing->why);
        if (std::holds_alternative<WaitForPeople>(*proposed)) {
            const auto entry = m_activity.enter(Activity{"waiting", -1, {}, {}, {}, 0});
            m_steering.wait(deadline_after(idle_s()));
            continue;
        }
        const Proposal& proposal = std::get<Proposal>(*proposed);
        const std::vector<int> unfinished = m_journal->state().unfinished_turns();
        const int number = unfinished.empty() ? m_journal->state().next_turn() : unfinished.front();
        const TurnOutcome outcome = take_turn(number, proposal);
        note_steering();
        if (m_end)
            return *m_end;
        if (m_steering.stop_token().stop_requested())
            return end(RunEnd::stopped, "user", "stopped by a person");
        if (outcome == TurnOutcome::infrastructure && !m_journal->state().turns.at(number).decisive())
            return end(RunEnd::infrastructure, "infrastructure", "the evaluator gave no answer in this turn");
        if (const auto stop = m_early_stop.after_turn(author_of(proposal.author), outcome, usage()))
            return end(RunEnd::champion, std::string(to_string(stop->reason)), stop->text);
    }
}

} // namespace kf
