// SPDX-License-Identifier: GPL-3.0-or-later
// The thread that asks a model: a transport blocks, and the run serves people meanwhile. A transport is opened, used
// and closed in this one thread.
#pragma once

#include "core/engine/model_settings.h"
#include "core/engine/record.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace kf {

class ModelAsker {
public:
    explicit ModelAsker(std::shared_ptr<ModelTransports> transports);
    ~ModelAsker(); // gives up what is asked

    // From now on that model is asked; blocking. Errors: those of ModelTransports::open.
    Status open(const ModelSettings& settings);
    // From now on the record answers, turn by turn.
    void open(std::shared_ptr<Record> record);
    bool is_open() const { return m_open; }
    void set_recorded_turn(int turn);

    // Begins an exchange; one at a time. `on_piece` is called in the asking thread until wait() gave the outcome.
    void begin(ChatRequest request, const std::stop_token& stop, std::function<void(const ReplyPiece&)> on_piece);
    // Attempts that the transport made and makes again, since the last call.
    struct Retry {
        ModelError error;
        int tries_made = 0;
        double wait_s = 0;
    };
    std::vector<Retry> take_retries();
    // Its outcome, when it is there by then.
    std::optional<ChatOutcome> wait(Deadline deadline);

    // ModelTransport::describe() of what is open.
    Json describe() const { return m_description; }
    // Of the last outcome, when it came from the record (Record::reply); null else.
    Json served() const;

private:
    void loop(const std::stop_token& stop);
    // In the asking thread; returns when it is done.
    void perform(std::function<void()> job);

    std::shared_ptr<ModelTransports> m_transports;
    bool m_open = false;
    Json m_description;
    std::shared_ptr<RecordedTransport> m_recorded; // null: the model is asked
    std::shared_ptr<ModelTransport> m_transport;   // of the asking thread
    std::stop_source m_give_up;
    std::optional<std::stop_callback<std::function<void()>>> m_on_stop;

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::function<void()> m_job;
    bool m_busy = false;
    std::optional<ChatOutcome> m_outcome;
    std::vector<Retry> m_retries;
    std::jthread m_thread; // last: it uses all of the above
};

} // namespace kf
