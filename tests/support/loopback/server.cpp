// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/loopback/server.h"

#include "core/net/application.h"
#include "tests/support/loopback/connection.h"

#include <QTcpServer>
#include <QThread>
#include <algorithm>
#include <mutex>
#include <semaphore>

namespace kf::loopback {

struct LoopbackServer::Shared {
    mutable std::mutex mutex;
    Script script;
    std::function<void(const SeenRequest&)> on_request;
    std::vector<SeenRequest> requests;
    int connections = 0, given_up = 0;
    int port = 0;

    Json counters() const { // with the mutex held
        int posts = 0, gets = 0;
        for (const SeenRequest& request : requests) {
            posts += request.method == "POST";
            gets += request.method == "GET";
        }
        return Json{{"posts", posts},
                    {"gets", gets},
                    {"connections", connections},
                    {"given_up", given_up},
                    {"rules", script.counters()}};
    }

    HttpReply answer(SeenRequest request) {
        const std::lock_guard lock(mutex);
        if (request.path.rfind("/control/", 0) == 0)
            return control(request);
        HttpReply reply;
        if (request.path == "/v1/chat/completions" && request.method == "POST" && request.body.is_object()) {
            const Rule& rule = script.match(request.body);
            request.rule = rule.name;
            reply = chat_reply(rule, request.body);
        } else if (request.path == "/v1/models" && request.method == "GET") {
            Json data = Json::array();
            for (const std::string& model : script.models())
                data.push_back(Json{{"id", model}, {"object", "model"}});
            reply = plain_reply(200, {}, Json{{"object", "list"}, {"data", std::move(data)}}.dump());
        } else {
            reply = plain_reply(404, {}, R"({"error":{"message":"no such path","type":"not_found"}})");
        }
        requests.push_back(request);
        if (on_request)
            on_request(request);
        return reply;
    }

    HttpReply control(const SeenRequest& request) {
        if (request.path == "/control/counters")
            return plain_reply(200, {}, counters().dump());
        if (request.path == "/control/script" && request.method == "POST") {
            Result<Script> next = Script::parse(request.body, ".");
            if (!next)
                return plain_reply(400, {}, Json{{"error", {{"message", to_string(next.error())}}}}.dump());
            script = *std::move(next);
            return plain_reply(200, {}, "{}");
        }
        return plain_reply(404, {}, R"({"error":{"message":"no such control"}})");
    }
};

class LoopbackServer::Worker : public QThread {
public:
    Worker(std::shared_ptr<Shared> shared, int port) : m_shared(std::move(shared)), m_port(port) {
        start();
        m_ready.acquire();
    }
    ~Worker() override {
        quit();
        wait();
    }

private:
    void run() override {
        QTcpServer server;
        QObject connections; // their parent: gone before the thread is
        if (server.listen(QHostAddress::LocalHost, static_cast<quint16>(m_port)))
            m_shared->port = server.serverPort();
        QObject::connect(&server, &QTcpServer::newConnection, &connections, [this, &server, &connections] {
            while (QTcpSocket* socket = server.nextPendingConnection()) {
                {
                    const std::lock_guard lock(m_shared->mutex);
                    ++m_shared->connections;
                }
                auto* connection = new Connection(
                    socket, [shared = m_shared](SeenRequest request) { return shared->answer(std::move(request)); },
                    [shared = m_shared] {
                        const std::lock_guard lock(shared->mutex);
                        ++shared->given_up;
                    });
                connection->setParent(&connections);
            }
        });
        m_ready.release();
        exec();
        server.close();
    }

    std::shared_ptr<Shared> m_shared;
    int m_port;
    std::binary_semaphore m_ready{0};
};

LoopbackServer::LoopbackServer(Script script, int port) : m_shared(std::make_shared<Shared>()) {
    net::ensure_application();
    m_shared->script = std::move(script);
    m_worker = std::make_unique<Worker>(m_shared, port);
}
LoopbackServer::~LoopbackServer() = default;

bool LoopbackServer::listening() const {
    return m_shared->port > 0;
}
int LoopbackServer::port() const {
    return m_shared->port;
}
std::string LoopbackServer::url() const {
    return "http://127.0.0.1:" + std::to_string(port()) + "/v1";
}
void LoopbackServer::set_script(Script script) {
    const std::lock_guard lock(m_shared->mutex);
    m_shared->script = std::move(script);
}
void LoopbackServer::on_request(std::function<void(const SeenRequest&)> call) {
    const std::lock_guard lock(m_shared->mutex);
    m_shared->on_request = std::move(call);
}
std::vector<SeenRequest> LoopbackServer::requests() const {
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->requests;
}
int LoopbackServer::posts() const {
    const std::lock_guard lock(m_shared->mutex);
    return static_cast<int>(std::count_if(m_shared->requests.begin(), m_shared->requests.end(),
                                          [](const SeenRequest& one) { return one.method == "POST"; }));
}
int LoopbackServer::connections() const {
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->connections;
}
int LoopbackServer::given_up() const {
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->given_up;
}
Json LoopbackServer::counters() const {
    const std::lock_guard lock(m_shared->mutex);
    return m_shared->counters();
}

} // namespace kf::loopback
