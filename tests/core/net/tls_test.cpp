// SPDX-License-Identifier: GPL-3.0-or-later
// A server that speaks TLS with a certificate of its own making: whom the client believes.
#include "core/net/application.h"
#include "tests/core/net/net_fixture.h"

#include <QFile>
#include <QProcess>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslServer>
#include <QTemporaryDir>
#include <QThread>

namespace kf::net {
namespace {

// Answers every request with a list of one model, in a thread of its own.
class TlsServer {
public:
    TlsServer(const QString& certificate, const QString& key) {
        m_thread.start();
        QMetaObject::invokeMethod(
            m_owner,
            [&] {
                m_server = new QSslServer(m_owner);
                QSslConfiguration configuration;
                configuration.setLocalCertificateChain(QSslCertificate::fromPath(certificate));
                QFile file(key);
                EXPECT_TRUE(file.open(QIODevice::ReadOnly));
                configuration.setPrivateKey(QSslKey(&file, QSsl::Rsa));
                m_server->setSslConfiguration(configuration);
                QObject::connect(m_server, &QTcpServer::pendingConnectionAvailable, m_owner, [this] { serve(); });
                m_listens = m_server->listen(QHostAddress::LocalHost);
                m_port = m_server->serverPort();
            },
            Qt::BlockingQueuedConnection);
    }
    ~TlsServer() {
        QMetaObject::invokeMethod(
            m_owner, [this] { delete m_server; }, Qt::BlockingQueuedConnection);
        m_thread.quit();
        m_thread.wait();
        delete m_owner;
    }
    bool listens() const { return m_listens; }
    std::string url() const { return "https://127.0.0.1:" + std::to_string(m_port) + "/v1"; }
    int requests() const { return m_requests; }

private:
    void serve() {
        while (QTcpSocket* socket = m_server->nextPendingConnection())
            QObject::connect(socket, &QTcpSocket::readyRead, m_owner, [this, socket] {
                if (!socket->peek(65536).contains("\r\n\r\n"))
                    return;
                socket->readAll();
                ++m_requests;
                const QByteArray body = R"({"object":"list","data":[{"id":"private"}]})";
                socket->write(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
                    QByteArray::number(body.size()) + "\r\n\r\n" + body);
                socket->disconnectFromHost();
            });
    }

    QThread m_thread;
    QObject* m_owner = [this] {
        auto* owner = new QObject;
        owner->moveToThread(&m_thread);
        return owner;
    }();
    QSslServer* m_server = nullptr;
    bool m_listens = false;
    quint16 m_port = 0;
    std::atomic<int> m_requests = 0;
};

class TlsTest : public NetTest {
protected:
    void SetUp() override {
        ensure_application(); // Qt's threads have no event loop without one
        QProcess openssl;
        openssl.start(QStringLiteral("openssl"),
                      {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"),
                       QStringLiteral("rsa:2048"), QStringLiteral("-nodes"), QStringLiteral("-days"),
                       QStringLiteral("2"), QStringLiteral("-subj"), QStringLiteral("/CN=localhost"),
                       QStringLiteral("-addext"), QStringLiteral("subjectAltName=IP:127.0.0.1"),
                       QStringLiteral("-keyout"), m_folder.filePath(QStringLiteral("key.pem")), QStringLiteral("-out"),
                       m_folder.filePath(QStringLiteral("certificate.pem"))});
        ASSERT_TRUE(openssl.waitForFinished(60000)) << "openssl is needed to make a certificate (packaging/setup.sh)";
        ASSERT_EQ(openssl.exitCode(), 0) << openssl.readAllStandardError().toStdString();
    }
    void TearDown() override { qunsetenv("SSL_CERT_FILE"); }
    QString certificate() const { return m_folder.filePath(QStringLiteral("certificate.pem")); }
    QString key() const { return m_folder.filePath(QStringLiteral("key.pem")); }

    QTemporaryDir m_folder;
};

TEST_F(TlsTest, ACertificateThatNobodyVouchesForIsRefusedBeforeTheKeyIsSent) {
    const TlsServer server(certificate(), key());
    ASSERT_TRUE(server.listens());
    ModelClient client(provider(server.url()), *ApiKey::make(secret), quick());
    const auto listed = client.list_models();
    const auto* error = std::get_if<ModelError>(&listed);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->failure, ModelFailure::tls);
    EXPECT_NE(error->message.find("self-signed"), std::string::npos) << error->message;
    EXPECT_EQ(server.requests(), 0);
}

TEST_F(TlsTest, AFileOfCertificatesThatTheEnvironmentNamesCounts) {
    const TlsServer server(certificate(), key());
    ASSERT_TRUE(server.listens());
    qputenv("SSL_CERT_FILE", certificate().toUtf8());
    ModelClient client(provider(server.url()), *ApiKey::make(secret), quick());
    const auto listed = client.list_models();
    ASSERT_TRUE(std::holds_alternative<std::vector<std::string>>(listed)) << std::get<ModelError>(listed).message;
    EXPECT_EQ(std::get<std::vector<std::string>>(listed), std::vector<std::string>{"private"});
    EXPECT_EQ(server.requests(), 1);
    qputenv("SSL_CERT_FILE", "/nowhere/certificates.pem");
    EXPECT_TRUE(std::holds_alternative<ModelError>(client.list_models()));
}

} // namespace
} // namespace kf::net
