// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does to runs: starts `kernelforge run` as a process that outlives the window, attaches to one that
// somebody else started, opens a recorded one, steers by the control socket. Nothing here blocks; answers come as
// signals on the user-interface thread.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/base/level.h"
#include "core/base/result.h"
#include "ui/models/run_store.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace kf::ui {

// How a model is to write kernels; the command's own defaults count for what is empty or 0.
struct ModelChoice {
    QString provider; // an id or a URL
    QString model;
    QString reasoning;                 // automatic, off, low, full
    std::optional<double> temperature; // none: the provider's default
    int max_tokens = 0, context_tokens = 0;
    QString search; // serial, best-of, beam
    int width = 0, children = 0;
    bool feedback = true;
    QString key_variable; // of the environment, which a person agreed to; never the key
    QStringList arguments() const;
};

struct StartRequest {
    QString task; // name or folder
    QString device = QStringLiteral("cpu");
    QString synthesizer = QStringLiteral("tuner"); // tuner, human, model
    int turns = 0, points = 0;                     // 0: the command's own default
    double minutes = 0;
    QString launcher;
    QString start_file; // instead of the task's start kernel; "": none
    ModelChoice model;  // of the synthesizer model
};

struct BenchOrder {
    QString task; // name or folder; "": that of the run that is shown
    QByteArray source;
    QString file_name = QStringLiteral("draft.cu");
    Level level = Level::screen;
    int parent = -1;
};

// What became of a bench or a compile.
struct BenchAnswer {
    std::uint64_t order = 0;    // as given by bench()
    bool replaced = false;      // a newer one took its place
    std::optional<Error> error; // it could not be judged at all
    EvaluationOutcome outcome;
    int turn = -1;
};

class ReplaySource;

class RunController : public QObject {
    Q_OBJECT
public:
    enum class State {
        idle,     // no run, or one that has ended
        starting, // the process is there, its journal not yet
        running,  // its control socket answers
        detached, // it runs but cannot be steered (no socket yet, or lost); tried again
    };

    RunController(RunStore& store, QObject* parent = nullptr);
    ~RunController() override; // leaves every run alone

    State state() const;
    // Where runs are kept; empty: the data folder's.
    void set_runs_folder(const QString& folder);
    // The program `kernelforge`; by default the one beside this program.
    void set_program(const QString& program);
    const QString& program() const;
    // More arguments for every `kernelforge run` and `eval`: the settings' launcher, another evaluator.
    void set_evaluator_arguments(const QStringList& arguments);
    // Device that benches and compiles use when no run says another.
    void set_device(const QString& device);

    void start(const StartRequest& request);
    void open(const QString& folder_or_file); // attaches when its writer lives; a .kfrun file is unpacked aside
    void replay(const QString& folder_or_file, double speed);
    // Position, speed, pause and steps of a replay; null while none is shown.
    ReplaySource* replay_source() const;
    void resume(); // goes on with the run that is shown, if it was interrupted
    void close();  // lets go of the run; it runs on

    // Steering. Each is answered by `told` or `failed`.
    void pause();
    void go_on();
    void stop_after_turn();
    void stop_now();
    void hint(const QString& text);
    void pin(int turn);
    // The model's next turn grows from this one.
    void fork(int turn, const QString& hint_text);
    // From the next turn on; as docs/protocol.md has it: {"model", "provider", "temperature", "reasoning", …}.
    void change_model(const Json& change);
    // New totals: {"turns", "tokens", "money", "minutes", "device_minutes"}, 0 for none.
    void change_budgets(const Json& budgets);
    // Judges the draft; the model goes on from it. Answered by `told` or `failed`.
    void edit(const BenchOrder& order, const QString& hint_text);
    // Judges a source; a newer order replaces one that waits. When no run of this task is driven now, one that waits
    // for people is started. The number comes back in `benched`.
    std::uint64_t bench(const BenchOrder& order);
    // Compiles only, in a process of its own. Newest wins.
    std::uint64_t compile(const QString& task, const BenchOrder& order);

Q_SIGNALS:
    void state_changed(kf::ui::RunController::State state);
    void opened(const QString& place);
    // A replay begins (its source) or ends (null).
    void replay_changed(kf::ui::ReplaySource* source);
    void told(const QString& what, const QString& effect);
    // What a model writes just now (docs/protocol.md, "What the model writes"), as it comes.
    void model_wrote(const kf::Json& notification);
    void benched(const kf::ui::BenchAnswer& answer);
    // Progress of a bench, as docs/protocol.md has it: {"event": "taken" | "stage_started" | "round" | …}.
    void bench_moved(std::uint64_t order, const kf::Json& progress);
    void compiled(const kf::ui::BenchAnswer& answer);
    void failed(const kf::Error& error);

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace kf::ui
