// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/run_controller_impl.h"

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/journal/run_folder.h"
#include "ui/control/feed_queue.h"

#include <QFileInfo>

#include <chrono>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int folder_poll_ms = 30;
constexpr int end_poll_ms = 50;
constexpr int most_end_looks = 40; // two seconds for the follower to read what a quick run wrote
constexpr auto starts_kept = std::chrono::hours(24);

// A folder is named as we see it: the command runs elsewhere. A task's name stays what it is.
QString absolute_path(const QString& task_or_file) {
    const QFileInfo info(task_or_file);
    const bool task_folder = info.isDir() && QFileInfo::exists(task_or_file + u"/task.json"_s);
    return info.isFile() || task_folder ? info.absoluteFilePath() : task_or_file;
}

// What windows left behind that were killed.
void remove_old_starts(const std::filesystem::path& folder) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const auto changed = std::filesystem::last_write_time(entry.path(), error);
        if (!error && std::filesystem::file_time_type::clock::now() - changed > starts_kept)
            std::filesystem::remove_all(entry.path(), error);
    }
}

} // namespace

RunController::Impl::Impl(RunController& owner, RunStore& store)
    : m_owner(owner), m_store(store), m_runs(runs_folder()),
      m_program(QString::fromStdString(program_path("kernelforge").string())), m_device(u"cpu"_s), m_follower(store),
      m_replay(store) {
    connect(&m_follower, &Follower::opened, this, [this](const QString& place) {
        Q_EMIT m_owner.opened(place);
        update_state();
    });
    connect(&m_follower, &Follower::lock_changed, this, &Impl::lock_changed);
    connect(&m_follower, &Follower::caught_up_with, this, &Impl::update_state);
    connect(&m_follower, &Follower::failed, this, [this](const Error& error) {
        if (m_starting) // the journal is gone with a start that failed: what the process said is better
            return;
        m_link.disconnect_from_run();
        fail_waiting(error);
        fail(error);
        update_state();
    });
    connect(&m_store, &RunStore::changed, this, [this](const RunChanges& changes) {
        if (changes.header)
            update_state();
    });
    connect(&m_replay, &ReplaySource::opened, &m_owner, &RunController::opened);
    connect(&m_replay, &ReplaySource::failed, this, &Impl::fail);
    connect(&m_link, &SteeringLink::connected_changed, this, [this] {
        update_state();
        send_bench();
        listen();
    });
    connect(&m_compiler, &CompileQueue::compiled, this, [this](const CompileAnswer& answer) {
        Q_EMIT m_owner.compiled({answer.order, answer.replaced, answer.error, answer.outcome, -1});
    });
    m_folder_timer.setInterval(folder_poll_ms);
    connect(&m_folder_timer, &QTimer::timeout, this, &Impl::look_for_folder);
    m_end_timer.setInterval(end_poll_ms);
    connect(&m_end_timer, &QTimer::timeout, this, &Impl::look_at_end);
}

RunController::Impl::~Impl() {
    m_link.disconnect(this);
    m_compiler.disconnect(this);
    if (m_looker)
        m_looker->close();
}

void RunController::Impl::set_runs_folder(const QString& folder) {
    m_runs = folder.isEmpty() ? runs_folder() : std::filesystem::path(folder.toStdString());
}

QString RunController::Impl::device() const {
    const QString shown = QString::fromStdString(get_string(m_store.state().start.device, "id"));
    return shown.isEmpty() ? m_device : shown;
}

void RunController::Impl::fail(const Error& error) {
    Q_EMIT m_owner.failed(error);
}

// Everything about the run that was shown; the run itself runs on.
void RunController::Impl::let_go() {
    const bool replayed = m_replay.active();
    m_replay.stop();
    m_follower.stop();
    m_link.disconnect_from_run();
    m_folder_timer.stop();
    m_end_timer.stop();
    m_process.reset();
    m_starting = m_resuming = m_folder_known = false;
    if (replayed)
        Q_EMIT m_owner.replay_changed(nullptr);
}

void RunController::Impl::close() {
    fail_waiting(make_error("run-closed", "the run was closed before the draft could be judged", "press F5 again"));
    let_go();
    m_store.reset(RunMode::none, {}, nullptr);
    update_state();
}

void RunController::Impl::open(const QString& place) {
    fail_waiting(make_error("run-closed", "another run was opened before the draft could be judged", "press F5 again"));
    attach(place);
}

void RunController::Impl::attach(const QString& place) {
    let_go();
    m_follower.follow(place, m_runs);
    update_state();
}

void RunController::Impl::replay(const QString& place, double speed) {
    fail_waiting(make_error("run-closed", "a replay was opened before the draft could be judged", "press F5 again"));
    let_go();
    m_replay.open(place, m_runs, speed);
    Q_EMIT m_owner.replay_changed(&m_replay);
    update_state();
}

void RunController::Impl::start(const StartRequest& request) {
    if (m_waiting && m_waiting->order.task != request.task)
        fail_waiting(
            make_error("run-closed", "another run was started before the draft could be judged", "press F5 again"));
    let_go();
    QStringList arguments{
        u"run"_s,           request.task,        u"--device"_s, request.device.isEmpty() ? m_device : request.device,
        u"--synthesizer"_s, request.synthesizer, u"--runs"_s,   QString::fromStdString(m_runs.string())};
    if (request.turns > 0)
        arguments << u"--turns"_s << QString::number(request.turns);
    if (request.points > 0)
        arguments << u"--points"_s << QString::number(request.points);
    if (request.minutes > 0)
        arguments << u"--minutes"_s << QString::number(request.minutes, 'f', 3);
    if (request.synthesizer == u"model"_s)
        arguments << request.model.arguments();
    if (!request.start_file.isEmpty())
        arguments << u"--start"_s << absolute_path(request.start_file);
    arguments << m_evaluator_arguments;
    if (!request.launcher.isEmpty())
        arguments << u"--launcher"_s << request.launcher;
    m_store.reset(RunMode::none, {}, nullptr); // what was shown is not the run that starts
    launch(arguments, request.task);
}

void RunController::Impl::resume() {
    const QString folder = m_follower.folder();
    if (folder.isEmpty() || m_follower.lock().state == LockState::held || m_starting) {
        fail(make_error("resume-impossible",
                        folder.isEmpty() ? "only a run in a folder can be gone on with" : "this run is driven already",
                        folder.isEmpty() ? "open the run's folder" : ""));
        return;
    }
    m_resuming = true;
    m_resumed_before = m_store.state().resumed;
    launch({u"resume"_s, folder}, task_of_shown_run());
}

void RunController::Impl::launch(const QStringList& arguments, const QString& task) {
    remove_old_starts(starts_folder());
    const std::filesystem::path folder = starts_folder() / random_id(12);
    QStringList all = arguments;
    if (!m_resuming)
        all << u"--folder-file"_s << QString::fromStdString((folder / "folder").string());
    m_process = std::make_unique<DetachedProcess>();
    connect(m_process.get(), &DetachedProcess::ended, this, [this] {
        m_end_looks = 0;
        m_end_timer.start();
    });
    m_starting = true;
    m_starting_task = task;
    m_folder_known = m_resuming;
    if (auto started = m_process->start(m_program, all, folder); !started) {
        start_failed(started.error());
        return;
    }
    if (!m_folder_known)
        m_folder_timer.start();
    update_state();
}

// `kernelforge run` names its folder as soon as that can be steered.
void RunController::Impl::look_for_folder() {
    if (!m_process || m_folder_known) {
        m_folder_timer.stop();
        return;
    }
    auto text = read_file(m_process->folder() / "folder", 65536);
    if (!text || text->empty() || text->back() != '\n')
        return;
    m_folder_timer.stop();
    m_folder_known = true;
    text->pop_back();
    m_follower.follow(QString::fromStdString(*text), m_runs);
}

// The process has ended while its run was still starting: was the run so quick, or did it fail?
void RunController::Impl::look_at_end() {
    if (!m_starting || !m_process) {
        m_end_timer.stop();
        return;
    }
    look_for_folder();
    const RunState& state = m_store.state();
    const bool begun = m_resuming ? state.resumed > m_resumed_before
                                  : m_folder_known && m_follower.active() && !state.start.run.empty();
    if (begun) {
        m_end_timer.stop();
        begin();
    } else if (!m_folder_known || ++m_end_looks >= most_end_looks) {
        start_failed(m_process->last_words());
    }
}

void RunController::Impl::begin() {
    m_starting = m_resuming = false;
    if (m_process) // what it says from now on stands in the journal
        m_process.release()->deleteLater();
    update_state();
}

void RunController::Impl::start_failed(const Error& error) {
    m_folder_timer.stop();
    m_end_timer.stop();
    Error told = error;
    told.code = "start-failed";
    const bool resumed = m_resuming;
    m_starting = m_resuming = false;
    if (m_process) {
        m_process->disconnect(this);
        m_process.release()->deleteLater();
    }
    if (!resumed) { // a run that never was
        m_follower.stop();
        m_link.disconnect_from_run();
        m_store.reset(RunMode::none, {}, nullptr);
    }
    fail_waiting(told);
    update_state();
    fail(told);
}

void RunController::Impl::lock_changed(const LockInfo& lock) {
    if (lock.state == LockState::held && !lock.control_socket.empty())
        m_link.connect_to(QString::fromStdString(lock.control_socket));
    else
        m_link.disconnect_from_run();
    update_state();
}

void RunController::Impl::update_state() {
    const bool held = m_follower.active() && m_follower.lock().state == LockState::held;
    if (m_starting && held && !m_store.state().start.run.empty()) {
        begin();
        return;
    }
    const State now = m_starting           ? State::starting
                      : !held              ? State::idle
                      : m_link.connected() ? State::running
                                           : State::detached;
    const bool opening = m_follower.active() && !m_follower.caught_up();
    if (now == State::idle && m_waiting && !m_looker && !opening)
        fail_waiting(make_error("run-ended", "the run ended before the draft could be judged", "press F5 again"));
    if (now != m_state) {
        m_state = now;
        Q_EMIT m_owner.state_changed(now);
    }
    send_bench();
}

void RunController::Impl::tell(const std::string& method, Json params) {
    if (m_replay.active()) {
        fail(make_error("replay", "this is a replay: nobody can be told anything", "open the run itself"));
        return;
    }
    if (method == "hint" && get_string(params, "text").empty()) {
        fail(make_error("hint-empty", "the hint is empty", "write what the next turn should try"));
        return;
    }
    params["who"] = "workbench";
    m_link.tell(method, std::move(params), [this, method](const Result<Json>& answer) {
        if (!answer) {
            fail(answer.error());
            return;
        }
        QString effect = QString::fromStdString(get_string(*answer, "effect"));
        if (const auto turn = get_int(*answer, "turn", -1); effect.isEmpty() && turn >= 0)
            effect = u"for turn %1"_s.arg(turn);
        Q_EMIT m_owner.told(QString::fromStdString(method), effect);
    });
}

std::uint64_t RunController::Impl::compile(const QString& task, const BenchOrder& order) {
    const std::uint64_t number = ++m_orders;
    QStringList arguments{u"--device"_s, device()};
    m_compiler.compile(number, m_program, absolute_path(task.isEmpty() ? task_of_shown_run() : task), order.source,
                       order.file_name, arguments + m_evaluator_arguments);
    return number;
}

} // namespace kf::ui
