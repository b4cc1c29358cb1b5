// SPDX-License-Identifier: GPL-3.0-or-later
// F5: a draft goes to the run that is driven for its task; when there is none, one that waits for people is started.
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/journal/run_folder.h"
#include "ui/control/feed_queue.h"
#include "ui/control/run_controller_impl.h"
#include "ui/control/tunable_defaults.h"

#include <QStringDecoder>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr double longest_bench_s = 3600; // it waits for the evaluation in flight, then for its own
constexpr qsizetype most_source_bytes = 1 << 20;

bool same_task(const QString& a, const QString& b) {
    return !a.isEmpty() && a.section(u'/', -1) == b.section(u'/', -1);
}

// A run of this task that somebody drives; "" when there is none. In a thread.
std::string find_driven_run(const std::filesystem::path& runs, const QString& task) {
    for (const RunEntry& entry : list_runs(runs)) {
        if (entry.lock.state != LockState::held)
            continue;
        auto reader = JournalReader::open(entry.folder);
        auto events = reader ? reader->poll(1) : Result<std::vector<Event>>(reader.error());
        if (events && !events->empty() && events->front().type == EventType::run_started &&
            same_task(task, QString::fromStdString(get_string(events->front().fields, "task"))))
            return entry.folder.string();
    }
    return {};
}

std::optional<Error> unfit(const BenchOrder& order) {
    if (order.source.trimmed().isEmpty())
        return make_error("bench-empty", "the draft is empty", "write a kernel, or take one from a turn");
    if (order.source.size() > most_source_bytes)
        return make_error("bench-too-large", "the draft has more than 1 MiB", "make it smaller");
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(order.source);
    if (text.isNull() || decoder.hasError())
        return make_error("bench-encoding", "the draft is not valid UTF-8", "save it as UTF-8");
    return std::nullopt;
}

} // namespace

QString RunController::Impl::task_of_shown_run() const {
    return QString::fromStdString(m_store.state().start.task);
}

// Whether the run that is shown lives and is one of this task.
bool RunController::Impl::drives(const QString& task) const {
    return m_follower.active() && m_follower.lock().state == LockState::held && same_task(task, task_of_shown_run());
}

std::uint64_t RunController::Impl::bench(const BenchOrder& order) {
    const std::uint64_t number = ++m_orders;
    if (m_waiting)
        answer_bench({std::exchange(m_waiting, std::nullopt)->number, true, std::nullopt, {}, -1});
    PendingBench waiting{number, order};
    if (waiting.order.task.isEmpty())
        waiting.order.task = task_of_shown_run();
    const QString task = waiting.order.task;
    std::optional<Error> refused = unfit(order);
    if (!refused && m_replay.active())
        refused = make_error("replay", "this is a replay: nothing can be judged in it",
                             "close the replay (Ctrl+W) or open the run itself, then press F5 again");
    if (!refused && task.isEmpty())
        refused = make_error("bench-task", "no task is chosen for this draft", "choose a task");
    if (refused) {
        QMetaObject::invokeMethod(
            this,
            [this, number, error = *refused] {
                answer_bench({number, false, error, {}, -1});
            },
            Qt::QueuedConnection);
        return number;
    }
    m_waiting = std::move(waiting);
    if (drives(task))
        send_bench(); // or when the socket answers
    else if (m_starting && same_task(task, m_starting_task))
        ; // it is asked as soon as it can be
    else
        find_driven(task);
    return number;
}

// Looks for a run of the task that lives: it is attached to; otherwise one is started.
void RunController::Impl::find_driven(const QString& task) {
    if (m_looker)
        m_looker->close();
    m_looker = FeedQueue::make(this, [this] {
        if (const auto looker = m_looker)
            (void)looker->drain(m_store); // calls only
    });
    m_looker->start_thread([this, runs = m_runs, task](FeedQueue& queue) {
        const std::string found = find_driven_run(runs, task);
        queue.put_call([this, task, found] {
            m_looker->close();
            m_looker.reset();
            if (!m_waiting)
                return;
            if (found.empty())
                start_for_bench(task);
            else if (drives(task))
                send_bench();
            else
                attach(QString::fromStdString(found));
        });
    });
}

void RunController::Impl::start_for_bench(const QString& task) {
    const RunState& state = m_store.state();
    const bool shown = same_task(task, task_of_shown_run());
    const bool stopped = m_store.status() == RunStatus::interrupted || (state.stop && state.stop->reason == "user");
    if (shown && stopped && !m_follower.folder().isEmpty() &&
        get_string(state.start.settings, "synthesizer") == "human") {
        resume(); // the same run goes on
        return;
    }
    StartRequest request;
    request.task = task;
    request.device = device();
    request.synthesizer = u"human"_s;
    if (shown)
        request.start_file = champion_file();
    start(request);
}

// The champion of the shown run as the start kernel of the next, so that an edit is compared with the best there is.
// "": there is none, or it cannot be written; the task's own start kernel does then.
QString RunController::Impl::champion_file() {
    const ChampionState* champion = m_store.state().champion();
    if (!champion)
        return {};
    const auto source = m_store.blob(champion->candidate);
    if (!source)
        return {};
    const auto turn = m_store.state().turns.find(champion->turn);
    std::filesystem::path name =
        turn == m_store.state().turns.end() ? "" : std::filesystem::path(turn->second.file_name).filename();
    if (name.empty() || name.string().starts_with('.'))
        name = "champion.cu";
    std::error_code error;
    const std::filesystem::path folder = starts_folder() / random_id(12);
    std::filesystem::create_directories(folder, error);
    if (error || !write_file_atomic(folder / name, with_tunable_defaults(*source, champion->tunables)))
        return {};
    return QString::fromStdString((folder / name).string());
}

// One at a time until the run has taken it: each waits for its answer in a thread of its own, and a newer one must not
// arrive before an older one.
void RunController::Impl::send_bench() {
    if (!m_waiting || m_sending != 0 || !m_link.connected() || !drives(m_waiting->order.task))
        return;
    const PendingBench sent = *std::exchange(m_waiting, std::nullopt);
    Json params{{"who", "workbench"},
                {"source", sent.order.source.toStdString()},
                {"file_name", sent.order.file_name.toStdString()},
                {"level", std::string(to_string(sent.order.level))},
                {"tag", "workbench"}};
    if (sent.order.parent >= 0)
        params["parent"] = sent.order.parent;
    const std::uint64_t number = m_sending = sent.number;
    const auto taken = [this, number] {
        if (m_sending == number) {
            m_sending = 0;
            send_bench();
        }
    };
    m_link.request(
        "bench", std::move(params), longest_bench_s,
        [this, number, taken](const Result<Json>& reply) {
            BenchAnswer answer;
            answer.order = number;
            if (!reply && reply.error().code == "control-gone") {
                answer.error = make_error("bench-lost", "the line to the run was lost before the draft was judged",
                                          "look for its turn in the timeline, or press F5 again");
            } else if (!reply) {
                answer.error = reply.error();
            } else if (auto outcome = evaluation_outcome_from_json(*reply); !outcome) {
                answer.error = outcome.error();
            } else {
                answer.outcome = std::move(*outcome);
                answer.turn = static_cast<int>(get_int(*reply, "turn", -1));
                answer.replaced =
                    answer.outcome.outcome == Outcome::cancelled && answer.outcome.what.starts_with("replaced");
            }
            answer_bench(std::move(answer));
            taken();
        },
        [this, number, taken](const Json& progress) {
            taken();
            Q_EMIT m_owner.bench_moved(number, progress);
        });
}

void RunController::Impl::answer_bench(BenchAnswer answer) {
    Q_EMIT m_owner.benched(answer);
}

void RunController::Impl::fail_waiting(const Error& error) {
    if (m_waiting)
        answer_bench({std::exchange(m_waiting, std::nullopt)->number, false, error, {}, -1});
}

} // namespace kf::ui
