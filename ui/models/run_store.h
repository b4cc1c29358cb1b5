// SPDX-License-Identifier: GPL-3.0-or-later
// The run that the window shows: the projection of its events, and what changed. Whoever feeds it (live follower,
// replay, a test) looks the same to it. Everything here is on the user-interface thread.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/journal/projection.h"
#include "ui/models/evaluation_figures.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

namespace kf::ui {

// What is told with RunStore::changed: everything since the last time.
struct RunChanges {
    bool header = false; // run_started, stop, end, pause, status
    bool champion = false;
    bool notes = false;  // notes, steering, infrastructure
    std::set<int> turns; // that were added or changed
    bool empty() const { return !header && !champion && !notes && turns.empty(); }
};

// What a run's source can be asked for later. Thread-safe.
class RunBlobs {
public:
    virtual ~RunBlobs() = default;
    virtual Result<std::string> blob(const std::string& hash) const = 0;
    virtual Result<Event> event_at(const EventPlace& place) const = 0;
};

enum class RunMode {
    none,   // no run is shown
    live,   // its writer lives, or may
    ended,  // opened from its journal
    replay, // always marked as such
};

class RunStore : public QObject {
    Q_OBJECT
public:
    explicit RunStore(QObject* parent = nullptr);
    ~RunStore() override;

    // Forgets the run and begins with another. `blobs` may be null.
    void reset(RunMode mode, const QString& place, std::shared_ptr<const RunBlobs> blobs);
    // Folds them in. `changed` comes at most every 33 ms.
    void apply(const std::vector<Event>& events);
    // What the lock says; decides between running and interrupted.
    void set_lock(LockState lock);
    // A run that was opened as ended is gone on with, or the other way round.
    void set_mode(RunMode mode);
    // While a long journal is read, `changed` comes less often: nobody can follow it then.
    void set_loading(bool loading);
    // Something about the source that a reader should know: a line of the log that no journal holds.
    void remark(const QString& text, bool warning = true);
    // Replays and tests: what has not been told is told now.
    void flush();

    const RunState& state() const { return m_state; }
    RunStatus status() const { return m_state.status(m_lock); }
    RunMode mode() const { return m_mode; }
    bool loading() const { return m_loading; }
    const QString& place() const { return m_place; } // folder or file; "" when none

    // The whole evaluation, read from the journal and kept for a while. Errors: "evaluation-missing", those of the
    // blobs.
    Result<std::shared_ptr<const Evaluation>> evaluation(int turn, const std::string& id) const;
    // The one that speaks for the turn (core/render/marks.h: shown_evaluation).
    Result<std::shared_ptr<const Evaluation>> evaluation(int turn) const;
    // Figures of an evaluation that is done, as its event told them; null when there is none.
    const EvaluationFigures* figures(int turn, const std::string& id) const;
    Result<std::string> blob(const std::string& hash) const;
    // For reading in another thread; null when the run has no files.
    std::shared_ptr<const RunBlobs> blobs() const { return m_blobs; }
    // Source of a turn's last candidate.
    Result<std::string> source(int turn) const;

Q_SIGNALS:
    void was_reset();
    void changed(const kf::ui::RunChanges& changes);
    void loading_changed(bool loading);
    // Every event, as it comes (the log); batched as applied. Sources may have cut an evaluation's `result` down to
    // what evaluation_figures() reads; evaluation() has the whole.
    void events_applied(const std::vector<kf::Event>& events);
    // The source failed: newer journal, file gone. Shown as a banner.
    void failed(const kf::Error& error);

public Q_SLOTS:
    // For the source.
    void fail(const kf::Error& error) { Q_EMIT failed(error); }

private:
    void note(const Event& event);

    RunState m_state;
    LockState m_lock = LockState::free;
    bool m_loading = false;
    RunMode m_mode = RunMode::none;
    QString m_place;
    std::shared_ptr<const RunBlobs> m_blobs;
    RunChanges m_pending;
    std::unordered_map<int, std::unordered_map<std::string, EvaluationFigures>> m_figures;
    QTimer m_timer;
    class Cache;
    std::unique_ptr<Cache> m_cache;
};

} // namespace kf::ui
