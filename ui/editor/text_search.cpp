// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/text_search.h"

#include <QRegularExpression>

namespace kf::ui {
namespace {

constexpr std::size_t most_matches = 10'000;

// Turns rising positions in UTF-16 into bytes of UTF-8, in one pass.
class ByteCounter {
public:
    explicit ByteCounter(const QString& text) : m_text(text) {}
    int bytes_before(qsizetype position) {
        for (; m_at < position && m_at < m_text.size(); ++m_at) {
            const ushort unit = m_text[m_at].unicode();
            if (unit < 0x80)
                m_bytes += 1;
            else if (unit < 0x800)
                m_bytes += 2;
            else if (QChar::isHighSurrogate(unit))
                m_bytes += 4;
            else if (!QChar::isLowSurrogate(unit))
                m_bytes += 3;
        }
        return m_bytes;
    }

private:
    const QString& m_text;
    qsizetype m_at = 0;
    int m_bytes = 0;
};

} // namespace

SearchResult search_text(const QByteArray& text, const QString& wanted, const SearchOptions& options) {
    SearchResult result;
    if (wanted.isEmpty())
        return result;
    QString pattern = options.regex ? wanted : QRegularExpression::escape(wanted);
    if (options.whole_words)
        pattern = QStringLiteral("\\b(?:%1)\\b").arg(pattern);
    QRegularExpression::PatternOptions flags = QRegularExpression::MultilineOption;
    if (!options.match_case)
        flags |= QRegularExpression::CaseInsensitiveOption;
    const QRegularExpression expression(pattern, flags);
    if (!expression.isValid()) {
        result.error = expression.errorString();
        return result;
    }
    const QString subject = QString::fromUtf8(text);
    ByteCounter counter(subject);
    for (auto it = expression.globalMatch(subject); it.hasNext();) {
        const auto match = it.next();
        if (match.capturedLength() == 0)
            continue;
        if (result.matches.size() == most_matches) {
            result.cut = true;
            break;
        }
        SearchMatch found;
        found.begin = counter.bytes_before(match.capturedStart());
        found.end = counter.bytes_before(match.capturedEnd());
        if (options.regex)
            found.groups = match.capturedTexts();
        result.matches.push_back(std::move(found));
    }
    return result;
}

QString replacement_for(const SearchMatch& match, const QString& pattern, const SearchOptions& options) {
    if (!options.regex)
        return pattern;
    QString result;
    for (qsizetype i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != QLatin1Char('\\') || i + 1 == pattern.size()) {
            result += pattern[i];
            continue;
        }
        const QChar next = pattern[++i];
        if (next.isDigit())
            result += match.groups.value(next.digitValue());
        else if (next == QLatin1Char('n'))
            result += QLatin1Char('\n');
        else if (next == QLatin1Char('t'))
            result += QLatin1Char('\t');
        else
            result += next;
    }
    return result;
}

} // namespace kf::ui
