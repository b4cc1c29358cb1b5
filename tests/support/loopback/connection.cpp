// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/loopback/connection.h"

#include <QTimer>
#include <algorithm>
#include <cctype>
#include <charconv>

namespace kf::loopback {
namespace {

struct Head {
    SeenRequest request;
    std::size_t body_begin = 0, body_size = 0;
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::optional<Head> parse_head(const std::string& bytes) {
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string::npos)
        return std::nullopt;
    Head head;
    head.body_begin = end + 4;
    head.request.headers = Json::object();
    std::size_t at = bytes.find("\r\n");
    const std::string first = bytes.substr(0, at);
    const std::size_t space = first.find(' ');
    head.request.method = first.substr(0, space);
    if (space != std::string::npos)
        head.request.path = first.substr(space + 1, first.rfind(' ') - space - 1);
    while (at < end) {
        const std::size_t from = at + 2;
        at = bytes.find("\r\n", from);
        const std::string line = bytes.substr(from, at - from);
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        std::string value = line.substr(colon + 1);
        value.erase(0, value.find_first_not_of(' '));
        head.request.headers[lower(line.substr(0, colon))] = value;
    }
    const std::string size = get_string(head.request.headers, "content-length", "0");
    std::from_chars(size.data(), size.data() + size.size(), head.body_size);
    return head;
}

} // namespace

Connection::Connection(QTcpSocket* socket, Answer answer, std::function<void()> given_up)
    : m_socket(socket), m_answer(std::move(answer)), m_given_up(std::move(given_up)) {
    m_socket->setParent(this);
    connect(m_socket, &QTcpSocket::readyRead, this, [this] { read(); });
    connect(m_socket, &QTcpSocket::disconnected, this, [this] {
        if (m_answering && !m_ended)
            m_given_up();
        m_ended = true;
        deleteLater();
    });
    read();
}

void Connection::read() {
    m_bytes += m_socket->readAll().toStdString();
    if (m_answering)
        return;
    const std::optional<Head> head = parse_head(m_bytes);
    if (!head || m_bytes.size() < head->body_begin + head->body_size)
        return;
    SeenRequest request = head->request;
    if (head->body_size > 0)
        request.body = Json::parse(m_bytes.substr(head->body_begin, head->body_size), nullptr, false);
    m_answering = true;
    m_reply = m_answer(std::move(request));
    m_due = std::chrono::steady_clock::now();
    step();
}

void Connection::step() {
    if (m_ended)
        return;
    if (m_next == m_reply.steps.size()) {
        finish();
        return;
    }
    m_due += std::chrono::milliseconds(m_reply.steps[m_next].wait_ms);
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(m_due - std::chrono::steady_clock::now());
    QTimer::singleShot(std::max(wait, std::chrono::milliseconds(0)), Qt::PreciseTimer, this, [this] {
        if (m_ended)
            return;
        do {
            m_socket->write(QByteArray::fromStdString(m_reply.steps[m_next].bytes));
            ++m_next;
        } while (m_next < m_reply.steps.size() && m_reply.steps[m_next].wait_ms == 0);
        m_socket->flush();
        step();
    });
}

void Connection::finish() {
    if (m_reply.ending == Ending::hold)
        return;
    m_ended = true;
    // disconnectFromHost() sends what is still in the buffer first; after a cut nobody waits for the proper end.
    m_socket->disconnectFromHost();
}

} // namespace kf::loopback
