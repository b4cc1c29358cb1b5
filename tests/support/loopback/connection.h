// SPDX-License-Identifier: GPL-3.0-or-later
// One connection of the loopback server: one request, one reply.
#pragma once

#include "tests/support/loopback/reply.h"
#include "tests/support/loopback/server.h"

#include <QObject>
#include <QTcpSocket>
#include <chrono>
#include <functional>

namespace kf::loopback {

class Connection : public QObject {
public:
    using Answer = std::function<HttpReply(SeenRequest)>;
    Connection(QTcpSocket* socket, Answer answer, std::function<void()> given_up);

private:
    void read();
    void step();
    void finish();

    QTcpSocket* m_socket;
    Answer m_answer;
    std::function<void()> m_given_up;
    std::string m_bytes;
    HttpReply m_reply;
    std::size_t m_next = 0;
    std::chrono::steady_clock::time_point m_due; // of the next step: a late one does not make all later ones late
    bool m_answering = false, m_ended = false;
};

} // namespace kf::loopback
