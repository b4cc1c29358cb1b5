// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/source_text.h"

#include <algorithm>

namespace kf::ui {
namespace {

unsigned char at(const QByteArray& bytes, qsizetype i) {
    return static_cast<unsigned char>(bytes[i]);
}

// Length of the well-formed UTF-8 sequence at `i`; 0: there is none.
int sequence_length(const QByteArray& bytes, qsizetype i) {
    const unsigned char lead = at(bytes, i);
    if (lead < 0x80)
        return 1;
    int length = 0;
    unsigned char low = 0x80, high = 0xBF; // of the second byte: no overlong form, no surrogate, nothing over U+10FFFF
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        if (lead == 0xE0)
            low = 0xA0;
        if (lead == 0xED)
            high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        if (lead == 0xF0)
            low = 0x90;
        if (lead == 0xF4)
            high = 0x8F;
    } else {
        return 0;
    }
    if (i + length > bytes.size())
        return 0;
    if (at(bytes, i + 1) < low || at(bytes, i + 1) > high)
        return 0;
    for (int k = 2; k < length; ++k)
        if (at(bytes, i + k) < 0x80 || at(bytes, i + k) > 0xBF)
            return 0;
    return length;
}

// Collects the text and where things are; counts what is found.
class Decoder {
public:
    explicit Decoder(const QByteArray& bytes, bool latin1) : m_bytes(bytes), m_latin1(latin1) {}

    SourceText run() {
        qsizetype i = 0;
        if (!m_latin1 && m_bytes.startsWith("\xEF\xBB\xBF")) {
            m_result.byte_order_mark = true;
            i = 3;
        }
        m_result.text.reserve(m_bytes.size());
        while (i < m_bytes.size())
            i += step(i);
        finish();
        return std::move(m_result);
    }

private:
    int step(qsizetype i) {
        const unsigned char byte = at(m_bytes, i);
        if (byte == '\r' || byte == '\n')
            return line_end(i);
        ++m_column;
        if (byte == 0) {
            trouble(QStringLiteral("There is a NUL byte at line %1, column %2."));
            ++m_nul;
            m_result.text += "\xE2\x90\x80";
            return 1;
        }
        if (m_latin1) {
            m_result.text += QString(QLatin1Char(m_bytes[i])).toUtf8();
            return 1;
        }
        const int length = sequence_length(m_bytes, i);
        if (length == 0) {
            trouble(QStringLiteral("Byte 0x%1 at line %2, column %3 is not UTF-8.")
                        .arg(QString::number(byte, 16).toUpper().rightJustified(2, QLatin1Char('0')),
                             QStringLiteral("%1"), QStringLiteral("%2")));
            ++m_bad;
            m_control |= byte < 0xA0;
            m_result.text += "\xEF\xBF\xBD";
            return 1;
        }
        m_multibyte |= length > 1;
        m_result.text.append(m_bytes.constData() + i, length);
        return length;
    }

    int line_end(qsizetype i) {
        m_result.text += '\n';
        ++m_line;
        m_column = 0;
        if (m_bytes[i] == '\n') {
            ++m_lf;
            return 1;
        }
        if (i + 1 < m_bytes.size() && m_bytes[i + 1] == '\n') {
            ++m_crlf;
            return 2;
        }
        ++m_cr;
        return 1;
    }

    void trouble(const QString& sentence) {
        m_result.damaged = true;
        if (m_result.problem_line)
            return;
        m_result.problem_line = m_line;
        m_result.problem_column = m_column;
        m_result.problem = sentence.arg(m_line).arg(m_column);
    }

    void finish() {
        const int count = m_bad + m_nul;
        if (count > 1)
            m_result.problem += QStringLiteral(" There are %1 such places.").arg(count);
        m_result.looks_latin1 = m_bad > 0 && m_nul == 0 && !m_control && !m_multibyte;
        const int kinds = (m_lf > 0) + (m_crlf > 0) + (m_cr > 0);
        m_result.mixed_line_ends = kinds > 1;
        if (kinds == 1)
            m_result.line_end = m_crlf ? LineEnd::crlf : m_cr ? LineEnd::cr : LineEnd::lf;
        if (kinds > 1)
            m_result.note = QStringLiteral("Line ends were mixed (LF %1, CRLF %2, CR %3); all are LF now.")
                                .arg(m_lf)
                                .arg(m_crlf)
                                .arg(m_cr);
    }

    const QByteArray& m_bytes;
    bool m_latin1;
    SourceText m_result;
    int m_line = 1, m_column = 0;
    int m_bad = 0, m_nul = 0, m_lf = 0, m_crlf = 0, m_cr = 0;
    bool m_control = false, m_multibyte = false;
};

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

} // namespace

SourceText decode_source(const QByteArray& bytes) {
    return Decoder(bytes, false).run();
}

SourceText decode_latin1(const QByteArray& bytes) {
    return Decoder(bytes, true).run();
}

QByteArray encode_source(const QByteArray& text, const SourceText& as) {
    QByteArray result = text;
    if (!as.mixed_line_ends && as.line_end != LineEnd::lf)
        result.replace("\n", as.line_end == LineEnd::crlf ? "\r\n" : "\r");
    if (as.byte_order_mark)
        result.prepend("\xEF\xBB\xBF");
    return result;
}

int byte_in_line(const QByteArray& line, int column, ColumnUnit unit) {
    const int size = static_cast<int>(line.size());
    int byte = std::max(0, column - 1);
    if (unit == ColumnUnit::characters) {
        int left = byte;
        for (byte = 0; byte < size && left > 0; --left)
            for (++byte; byte < size && continues(line[byte]);)
                ++byte;
    }
    byte = std::min(byte, size);
    while (byte > 0 && byte < size && continues(line[byte]))
        --byte;
    return byte;
}

int column_of_byte(const QByteArray& line, int byte) {
    int column = 1;
    for (int i = 0; i < byte && i < line.size(); ++i)
        column += !continues(line[i]);
    return column;
}

int token_end(const QByteArray& line, int byte) {
    const int size = static_cast<int>(line.size());
    int end = byte;
    while (end < size && is_word(line[end]))
        ++end;
    if (end == byte && end < size)
        ++end;
    return end;
}

} // namespace kf::ui
