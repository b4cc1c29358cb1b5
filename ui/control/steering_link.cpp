// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/steering_link.h"

namespace kf::ui {
namespace {

constexpr int retry_ms = 1000;
constexpr int watch_ms = 500;
constexpr double hello_s = 5;
constexpr double tell_s = 10;

Error gone() {
    return make_error("control-gone", "the run cannot be steered now: its control socket does not answer",
                      "wait a moment; it is tried again as long as the run lives");
}

} // namespace

SteeringLink::SteeringLink(QObject* parent) : QObject(parent) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(retry_ms);
    connect(&m_retry, &QTimer::timeout, this, &SteeringLink::try_now);
    m_watch.setInterval(watch_ms);
    connect(&m_watch, &QTimer::timeout, this, &SteeringLink::look);
}

SteeringLink::~SteeringLink() {
    for (Task& task : m_tasks) {
        *task.wanted = false;
        task.thread.request_stop();
    }
    // Threads end with the stop: what they wait for gives up. Their last calls find nobody.
    m_tasks.clear();
}

// `body` runs in a thread and gives back what is to be done here; `answer` is kept so that whoever waits hears of the
// loss of the connection before the thread does.
void SteeringLink::run(std::function<std::function<void()>(std::stop_token)> body, Answer answer) {
    Task& task = m_tasks.emplace_back();
    task.answer = std::move(answer);
    Task* const raw = &task;
    task.thread = std::jthread([this, raw, wanted = task.wanted, body = std::move(body)](std::stop_token stop) {
        auto done = body(stop);
        QMetaObject::invokeMethod(
            this,
            [this, raw, wanted, done = std::move(done)] {
                const bool heard = *wanted;
                raw->thread.join(); // it has said its last word
                m_tasks.remove_if([&](const Task& one) { return &one == raw; });
                if (heard)
                    done();
            },
            Qt::QueuedConnection);
    });
}

void SteeringLink::connect_to(const QString& socket) {
    if (socket == m_socket && (m_client || m_trying || m_retry.isActive()))
        return;
    disconnect_from_run();
    m_socket = socket;
    try_now();
}

void SteeringLink::disconnect_from_run() {
    ++m_part;
    m_retry.stop();
    m_trying = false;
    m_socket.clear();
    lose();
}

void SteeringLink::try_now() {
    if (m_client || m_trying || m_socket.isEmpty())
        return;
    m_trying = true;
    run(
        [this, part = m_part, path = m_socket.toStdString()](std::stop_token stop) -> std::function<void()> {
            std::shared_ptr<ControlClient> client;
            if (auto opened = ControlClient::connect(path))
                if ((*opened)->request("ping", Json::object(), hello_s, {}, stop))
                    client = std::move(*opened);
            return [this, part, client] {
                if (part != m_part)
                    return;
                m_trying = false;
                if (!client) {
                    m_retry.start();
                    return;
                }
                m_client = client;
                m_watch.start();
                Q_EMIT connected_changed(true);
            };
        },
        {});
}

void SteeringLink::look() {
    if (m_client && !m_client->connected()) {
        lose();
        m_retry.start();
    }
}

// Whoever waits for an answer is told now.
void SteeringLink::lose() {
    m_watch.stop();
    if (!m_client)
        return;
    m_client.reset(); // threads that ask hold it until they are done
    std::vector<Answer> waiting;
    for (Task& task : m_tasks)
        if (task.answer && std::exchange(*task.wanted, false)) {
            task.thread.request_stop();
            waiting.push_back(std::move(task.answer));
        }
    for (const Answer& answer : waiting)
        answer(gone());
    Q_EMIT connected_changed(false);
}

void SteeringLink::tell(const std::string& method, Json params, Answer answer) {
    m_told.push_back({method, std::move(params), std::move(answer)});
    if (m_told.size() == 1)
        tell_next();
}

void SteeringLink::tell_next() {
    if (m_told.empty())
        return;
    request(m_told.front().method, m_told.front().params, tell_s, [this](const Result<Json>& result) {
        const Answer answer = std::move(m_told.front().answer);
        m_told.pop_front();
        answer(result);
        tell_next();
    });
}

void SteeringLink::request(const std::string& method, Json params, double deadline_s, Answer answer,
                           Progress progress) {
    if (!m_client) {
        QMetaObject::invokeMethod(
            this, [answer = std::move(answer)] { answer(gone()); }, Qt::QueuedConnection);
        return;
    }
    run(
        [this, client = m_client, method, params = std::move(params), deadline_s, answer,
         progress = std::move(progress)](std::stop_token stop) -> std::function<void()> {
            std::function<void(const Json&)> moved;
            if (progress)
                moved = [&](const Json& event) {
                    if (!stop.stop_requested())
                        QMetaObject::invokeMethod(
                            this, [progress, event] { progress(event); }, Qt::QueuedConnection);
                };
            auto result = client->request(method, params, deadline_s, moved, stop);
            return [answer, result = std::move(result)] { answer(result); };
        },
        answer);
}

} // namespace kf::ui
