// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model_asker.h"

namespace kf {

ModelAsker::ModelAsker(std::shared_ptr<ModelTransports> transports) : m_transports(std::move(transports)) {
    m_thread = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

ModelAsker::~ModelAsker() {
    m_on_stop.reset();
    m_give_up.request_stop();
    m_thread.request_stop();
    m_thread.join();
}

void ModelAsker::loop(const std::stop_token& stop) {
    for (;;) {
        std::function<void()> job;
        {
            std::unique_lock lock(m_mutex);
            if (!m_changed.wait(lock, stop, [this] { return static_cast<bool>(m_job); }))
                break;
            job = std::exchange(m_job, nullptr);
        }
        job();
        job = nullptr;
        const std::lock_guard lock(m_mutex);
        m_busy = false;
        m_changed.notify_all();
    }
    m_transport.reset();
}

void ModelAsker::perform(std::function<void()> job) {
    std::unique_lock lock(m_mutex);
    m_job = std::move(job);
    m_busy = true;
    m_changed.notify_all();
    m_changed.wait(lock, [this] { return !m_busy; });
}

Status ModelAsker::open(const ModelSettings& settings) {
    Status done;
    perform([&] {
        m_transport.reset();
        if (!m_transports) {
            done = make_error("model-missing", "this build has no network client: it cannot ask a model",
                              "use one that was built with Qt (KERNELFORGE_UI=ON)");
            return;
        }
        auto opened = m_transports->open(settings);
        if (opened) {
            m_transport = std::move(*opened);
            m_description = m_transport->describe();
        } else {
            done = opened.error();
        }
    });
    m_recorded.reset();
    m_open = static_cast<bool>(done);
    return done;
}

void ModelAsker::open(std::shared_ptr<Record> record) {
    m_recorded = std::make_shared<RecordedTransport>(std::move(record));
    perform([&] { m_transport = m_recorded; });
    m_description = m_recorded->describe();
    m_open = true;
}

void ModelAsker::set_recorded_turn(int turn) {
    if (m_recorded)
        m_recorded->set_turn(turn);
}

void ModelAsker::begin(ChatRequest request, const std::stop_token& stop,
                       std::function<void(const ReplyPiece&)> on_piece) {
    m_give_up = std::stop_source();
    m_on_stop.emplace(stop, [give_up = m_give_up]() mutable { give_up.request_stop(); });
    const std::lock_guard lock(m_mutex);
    m_outcome.reset();
    m_retries.clear();
    m_busy = true;
    m_job = [this, request = std::move(request), token = m_give_up.get_token(), on_piece = std::move(on_piece)] {
        ChatOutcome outcome;
        try {
            m_transport->set_on_retry([this](const ModelError& error, int tries_made, double wait_s) {
                const std::lock_guard told(m_mutex);
                m_retries.push_back(Retry{error, tries_made, wait_s});
                m_changed.notify_all();
            });
            outcome = m_transport->ask(request, token, on_piece);
        } catch (const std::exception& error) {
            ModelError failed;
            failed.failure = ModelFailure::malformed;
            failed.message = std::string("the model client failed: ") + error.what();
            failed.remedy = "please report it";
            outcome = std::move(failed);
        }
        const std::lock_guard told(m_mutex);
        m_outcome = std::move(outcome);
    };
    m_changed.notify_all();
}

std::vector<ModelAsker::Retry> ModelAsker::take_retries() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_retries, {});
}

std::optional<ChatOutcome> ModelAsker::wait(Deadline deadline) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_until(lock, deadline, [this] { return !m_busy || !m_retries.empty(); });
    if (m_busy)
        return std::nullopt;
    m_on_stop.reset();
    return std::exchange(m_outcome, std::nullopt);
}

Json ModelAsker::served() const {
    return m_recorded ? m_recorded->served() : Json();
}

} // namespace kf
