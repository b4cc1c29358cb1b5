// SPDX-License-Identifier: GPL-3.0-or-later
// A request's body that can be read once. Qt's HTTP code sends a request again on its own when the connection is lost
// before the first byte of the answer (twice, measured with 6.4.2); to do so it has to rewind the body, and this one
// refuses.
#pragma once

#include <QByteArray>
#include <QIODevice>
#include <algorithm>
#include <cstring>

namespace kf::net {

class OnceBody : public QIODevice {
public:
    explicit OnceBody(QByteArray bytes) : m_bytes(std::move(bytes)) {
        open(QIODevice::ReadOnly | QIODevice::Unbuffered);
    }

    bool isSequential() const override { return true; }
    bool reset() override { return false; }
    bool atEnd() const override { return m_at >= m_bytes.size(); }
    qint64 bytesAvailable() const override { return m_bytes.size() - m_at + QIODevice::bytesAvailable(); }

protected:
    qint64 readData(char* into, qint64 most) override {
        if (m_at >= m_bytes.size())
            return -1;
        const qint64 n = std::min<qint64>(most, m_bytes.size() - m_at);
        std::memcpy(into, m_bytes.constData() + m_at, static_cast<std::size_t>(n));
        m_at += n;
        return n;
    }
    qint64 writeData(const char*, qint64) override { return -1; }

private:
    QByteArray m_bytes;
    qint64 m_at = 0;
};

} // namespace kf::net
