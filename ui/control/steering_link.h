// SPDX-License-Identifier: GPL-3.0-or-later
// The line to a run's control socket. Everything that waits does so in threads of its own; answers come as calls in the
// user interface's thread, never after the link has let go.
#pragma once

#include "core/engine/control_server.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <thread>

namespace kf::ui {

class SteeringLink : public QObject {
    Q_OBJECT
public:
    using Answer = std::function<void(const Result<Json>&)>;
    using Progress = std::function<void(const Json&)>;

    explicit SteeringLink(QObject* parent = nullptr);
    ~SteeringLink() override;

    // Tries at once and then every second until the socket answers or disconnect_from_run() is called.
    void connect_to(const QString& socket);
    void disconnect_from_run();
    bool connected() const { return m_client != nullptr; }
    const QString& socket() const { return m_socket; }

    // Errors of the answer: "control-gone" also when there is no connection.
    // Short requests, one after another: a pause and what ends it must not change places.
    void tell(const std::string& method, Json params, Answer answer);
    // One that may take long; others go on meanwhile.
    void request(const std::string& method, Json params, double deadline_s, Answer answer, Progress progress = {});

Q_SIGNALS:
    void connected_changed(bool connected);

private:
    struct Task {
        std::jthread thread;
        std::shared_ptr<bool> wanted = std::make_shared<bool>(true); // looked at in the user interface's thread only
        Answer answer;
    };
    void run(std::function<std::function<void()>(std::stop_token)> body, Answer answer);
    void tell_next();
    void try_now();
    void look();
    void lose();

    QString m_socket;
    std::shared_ptr<ControlClient> m_client;
    bool m_trying = false;
    int m_part = 0; // counts connect_to and disconnect_from_run
    QTimer m_retry, m_watch;
    std::list<Task> m_tasks;
    struct Told {
        std::string method;
        Json params;
        Answer answer;
    };
    std::deque<Told> m_told; // the first is on its way
};

} // namespace kf::ui
