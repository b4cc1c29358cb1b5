// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/net/http_attempt.h"

#include "core/net/application.h"
#include "core/net/once_body.h"

#include <QEventLoop>
#include <QNetworkAccessManager>
#include <QNetworkProxyFactory>
#include <QNetworkReply>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslSocket>
#include <QTimer>
#include <cmath>
#include <exception>
#include <optional>

namespace kf::net {
namespace {

constexpr qint64 error_body_limit = qint64{1} << 20;

QByteArray bytes_of(const std::string& text) {
    return QByteArray::fromStdString(text);
}

// Qt knows the machine's certificates only; a file that this variable names counts as well, as with every program that
// leaves it to OpenSSL: companies give their own authority that way.
std::optional<QSslConfiguration> with_named_certificates() {
    const QString file = qEnvironmentVariable("SSL_CERT_FILE");
    if (file.isEmpty())
        return std::nullopt;
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.addCaCertificates(QSslCertificate::fromPath(file));
    return configuration;
}

QNetworkRequest make_request(const HttpRequest& request) {
    QNetworkRequest out(QUrl(QString::fromStdString(request.url), QUrl::StrictMode));
    out.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    out.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    out.setAttribute(QNetworkRequest::HttpPipeliningAllowedAttribute, false);
    out.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    for (const auto& [name, value] : request.headers)
        out.setRawHeader(bytes_of(name), bytes_of(value));
    out.setRawHeader("User-Agent", "KernelForge/0.1");
    out.setRawHeader("Accept", request.post ? "text/event-stream, application/json" : "application/json");
    out.setRawHeader("Accept-Encoding", "identity"); // also keeps Qt from unpacking, which would delay pieces
    out.setRawHeader("Accept-Language", "en");
    out.setRawHeader("Connection", "close");
    if (!request.bearer.empty())
        out.setRawHeader("Authorization", bytes_of("Bearer " + request.bearer));
    if (request.url.rfind("https://", 0) == 0)
        if (const auto configuration = with_named_certificates())
            out.setSslConfiguration(*configuration);
    if (request.post) {
        out.setHeader(QNetworkRequest::ContentTypeHeader, QByteArray("application/json"));
        out.setHeader(QNetworkRequest::ContentLengthHeader, request.body.size());
        out.setAttribute(QNetworkRequest::DoNotBufferUploadDataAttribute, true);
    }
    return out;
}

ModelFailure failure_of(QNetworkReply::NetworkError error) {
    switch (error) {
    case QNetworkReply::SslHandshakeFailedError:
        return ModelFailure::tls;
    case QNetworkReply::ProtocolFailure:
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProtocolInvalidOperationError:
        return ModelFailure::malformed;
    default:
        return ModelFailure::unreachable;
    }
}

class Attempt : public QObject {
public:
    Attempt(const HttpRequest& request, const std::function<Progress(std::string_view)>& on_bytes)
        : m_request(request), m_on_bytes(on_bytes), m_body(request.body) {
        if (request.bypass_proxy)
            m_manager.setProxy(QNetworkProxy::NoProxy);
        m_timer.setSingleShot(true);
        m_timer.setTimerType(Qt::PreciseTimer);
        m_total.setSingleShot(true);
        connect(&m_timer, &QTimer::timeout, this, [this] { end(m_deadline); });
        connect(&m_total, &QTimer::timeout, this, [this] { end(m_visible ? Ended::stalled : Ended::first_late); });
    }

    HttpResult run(const std::stop_token& stop) {
        const QNetworkRequest request = make_request(m_request);
        m_reply = m_request.post ? m_manager.post(request, &m_body) : m_manager.get(request);
        m_reply->setReadBufferSize(qint64{4} << 20); // a flood is read as fast as it is taken apart, not faster
        // Not uploadProgress: that counts what was read from the body, also while nothing is connected.
        connect(m_reply, &QNetworkReply::requestSent, this, [this] { was_sent(); });
        connect(m_reply, &QNetworkReply::metaDataChanged, this, [this] { was_sent(); });
        connect(m_reply, &QNetworkReply::readyRead, this, [this] { read(); });
        connect(m_reply, &QNetworkReply::finished, this, [this] { finished(); });
        arm(Ended::connect_late, m_request.connect_s);
        m_total.start(milliseconds(m_request.total_s));
        const std::stop_callback on_stop(stop, [this] {
            QMetaObject::invokeMethod(
                this, [this] { end(Ended::cancelled); }, Qt::QueuedConnection);
        });
        if (stop.stop_requested())
            end(Ended::cancelled);
        if (!m_ended)
            m_loop.exec(QEventLoop::ExcludeUserInputEvents);
        m_result.sent = m_sent;
        disconnect(m_reply, nullptr, this, nullptr);
        if (!m_reply->isFinished())
            m_reply->abort();
        delete m_reply;
        if (m_thrown)
            std::rethrow_exception(m_thrown);
        return std::move(m_result);
    }

private:
    static int milliseconds(double seconds) { return static_cast<int>(std::min(std::max(seconds, 0.0) * 1000, 2e9)); }
    void arm(Ended deadline, double seconds) {
        m_deadline = deadline;
        m_timer.start(milliseconds(seconds));
    }
    void was_sent() {
        if (!std::exchange(m_sent, true))
            arm(Ended::first_late, m_request.first_s);
    }
    void end(Ended how) {
        if (m_ended)
            return;
        m_ended = true;
        m_result.ended = how;
        m_loop.quit();
    }
    int status() const { return m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt(); }

    void read() {
        if (m_ended || m_reply->bytesAvailable() == 0)
            return;
        was_sent();
        const int code = status();
        if (code < 200 || code > 299) {
            const qint64 room = error_body_limit - static_cast<qint64>(m_result.answer.body.size());
            m_result.answer.body += m_reply->read(std::max<qint64>(room, 0)).toStdString();
            m_reply->skip(m_reply->bytesAvailable());
            return;
        }
        const QByteArray bytes = m_reply->readAll();
        if (bytes.isEmpty())
            return;
        Progress progress;
        try { // nothing may be thrown through Qt's event loop
            progress = m_on_bytes(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
        } catch (...) {
            m_thrown = std::current_exception();
            end(Ended::cancelled);
            return;
        }
        m_visible = m_visible || progress.visible;
        if (progress.enough)
            end(Ended::enough);
        else if (progress.visible)
            arm(Ended::stalled, m_request.stall_s);
    }

    void finished() {
        if (m_ended)
            return;
        read();
        if (m_ended)
            return;
        HttpAnswer& answer = m_result.answer;
        answer.status = status();
        answer.retry_after = m_reply->rawHeader("Retry-After").toStdString();
        answer.retry_after_ms = m_reply->rawHeader("Retry-After-Ms").toStdString();
        answer.location = m_reply->rawHeader("Location").toStdString();
        if (answer.status == 0) {
            m_result.failure = failure_of(m_reply->error());
            m_result.message = m_reply->error() == QNetworkReply::ContentReSendError
                                   ? "the connection was closed before an answer came"
                                   : m_reply->errorString().toStdString();
            if (m_reply->error() == QNetworkReply::ContentReSendError ||
                m_reply->error() == QNetworkReply::RemoteHostClosedError)
                m_sent = true; // the connection was there; what went out is not known
            end(Ended::failed);
            return;
        }
        end(Ended::complete);
    }

    const HttpRequest& m_request;
    const std::function<Progress(std::string_view)>& m_on_bytes;
    OnceBody m_body;
    QNetworkAccessManager m_manager;
    QNetworkReply* m_reply = nullptr;
    QEventLoop m_loop;
    QTimer m_timer, m_total;
    Ended m_deadline = Ended::connect_late;
    HttpResult m_result;
    std::exception_ptr m_thrown;
    bool m_ended = false, m_sent = false, m_visible = false;
};

} // namespace

HttpResult perform_http(const HttpRequest& request, const std::stop_token& stop,
                        const std::function<Progress(std::string_view)>& on_bytes) {
    ensure_application();
    if (request.url.rfind("https://", 0) == 0 && !QSslSocket::supportsSsl()) {
        HttpResult result;
        result.ended = Ended::failed;
        result.failure = ModelFailure::tls;
        result.message = "Qt finds no TLS library on this machine";
        return result;
    }
    Attempt attempt(request, on_bytes);
    return attempt.run(stop);
}

} // namespace kf::net
