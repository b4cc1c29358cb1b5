// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/reply_blocks.h"

#include "ui/models/code_spans.h"

#include <algorithm>

namespace kf::ui {
namespace {

// The marks of a fence at the line's begin ("```", "~~~~"); 0: it is none.
int fence_length(QStringView line, QChar& mark) {
    qsizetype at = 0;
    while (at < line.size() && at < 3 && line[at] == u' ')
        ++at;
    if (at >= line.size() || (line[at] != u'`' && line[at] != u'~'))
        return 0;
    mark = line[at];
    int length = 0;
    while (at + length < line.size() && line[at + length] == mark)
        ++length;
    if (length < 3)
        return 0;
    // `inline` of three marks is no fence.
    return mark == u'`' && line.mid(at + length).contains(u'`') ? 0 : length;
}

QStringView after_fence(QStringView line) {
    qsizetype at = 0;
    while (at < line.size() && (line[at] == u' ' || line[at] == u'`' || line[at] == u'~'))
        ++at;
    return line.mid(at).trimmed();
}

} // namespace

std::size_t ReplyBlocks::append(const QString& text) {
    if (text.isEmpty())
        return m_blocks.size();
    m_text += text;
    // The last piece may go on, and with its last line a fence may begin or end.
    const std::size_t keep = m_blocks.empty() ? 0 : m_blocks.size() - 1;
    const qsizetype from = m_blocks.empty() ? 0 : m_start[keep];
    if (!m_blocks.empty()) {
        m_blocks.pop_back();
        m_start.pop_back();
        cut(from);
    } else {
        m_fence.assign(1, {});
        cut(0);
    }
    return keep;
}

void ReplyBlocks::set(const QString& text) {
    m_text.clear();
    m_blocks.clear();
    m_fence.clear();
    m_start.clear();
    append(text);
}

// m_fence has one entry a block, of the fence that is open where the block's first line stands, and one for `from`.
void ReplyBlocks::cut(qsizetype from) {
    m_fence.resize(m_blocks.size() + 1);
    Fence fence = m_fence.back();
    m_fence.pop_back();
    ReplyBlock now;
    bool open = false; // `now` has a line
    qsizetype start = from;
    Fence fence_at_start = fence;
    int lines = 0;
    QString language = fence.length && !m_blocks.empty() ? m_blocks.back().language : QString();
    int next_line = 1;
    bool continues = false; // the next code piece goes on with the block before
    bool in_comment = false;
    if (fence.length && !m_blocks.empty() && m_blocks.back().code && !m_blocks.back().last) {
        const ReplyBlock& before = m_blocks.back();
        continues = true;
        const QStringView piece = QStringView(m_text).mid(before.begin, before.end - before.begin);
        next_line = before.first_line + static_cast<int>(piece.count(u'\n')) + 1;
        in_comment = before.in_comment;
        code_spans(piece, before.language, in_comment);
    }
    const auto close = [&](bool last) {
        if (!open)
            return;
        now.last = last;
        m_blocks.push_back(now);
        m_start.push_back(start);
        m_fence.push_back(fence_at_start);
        open = false;
        lines = 0;
    };
    const auto begin_piece = [&](qsizetype at, bool code) {
        now = {};
        now.code = code;
        now.begin = now.end = at;
        if (code) {
            now.language = language;
            now.first = !continues;
            now.first_line = next_line;
            now.in_comment = in_comment;
        }
        open = true;
    };
    // Closes a piece of code; the next one begins at `next` with the line of that number.
    const auto go_on = [&](qsizetype next, int line_number) {
        const ReplyBlock done = now;
        close(false);
        continues = true;
        next_line = line_number;
        in_comment = done.in_comment;
        code_spans(QStringView(m_text).mid(done.begin, done.end - done.begin), done.language, in_comment);
        start = next;
        fence_at_start = fence;
    };
    qsizetype at = from;
    while (at < m_text.size()) {
        qsizetype end = m_text.indexOf(u'\n', at);
        const bool whole = end >= 0;
        if (!whole)
            end = m_text.size();
        const QStringView line = QStringView(m_text).mid(at, end - at);
        QChar mark;
        const int length = m_fences ? fence_length(line, mark) : 0;
        if (fence.length && length >= fence.length && mark == fence.mark && after_fence(line).isEmpty()) {
            // A fence with nothing in it is a block of its own, so that what follows it is cut right.
            if (!open && !continues)
                begin_piece(at, true);
            if (open)
                close(true);
            else if (!m_blocks.empty())
                m_blocks.back().last = true;
            fence = {};
            continues = in_comment = false;
            start = std::min(end + 1, m_text.size());
            fence_at_start = fence;
        } else if (!fence.length && length > 0) {
            close(false);
            start = at;
            fence_at_start = {};
            fence = {mark, length};
            language = after_fence(line).toString().section(u' ', 0, 0).left(24).toLower();
            next_line = 1;
            continues = in_comment = false;
            if (!whole) // the language is still coming
                begin_piece(end, true);
        } else if (fence.length) {
            if (!open) {
                if (continues) {
                    start = at;
                    fence_at_start = fence;
                }
                begin_piece(at, true);
            }
            if (now.end > now.begin && end - now.begin > most_characters) { // whole lines as long as they last
                go_on(at, now.first_line + lines);
                continue;
            }
            // One line that is as long as a book is cut as well.
            qsizetype stop = std::min(end, now.begin + most_characters);
            if (stop < end && m_text[stop - 1].isHighSurrogate())
                --stop;
            now.end = stop;
            ++lines;
            if (stop < end) {
                go_on(stop, now.first_line + lines - 1);
                at = stop;
                continue;
            }
            if (lines >= most_lines && whole && end + 1 < m_text.size()) {
                go_on(end + 1, now.first_line + lines);
                at = end + 1;
                continue;
            }
        } else if (line.trimmed().isEmpty()) {
            close(false);
            start = std::min(end + 1, m_text.size());
            fence_at_start = {};
        } else {
            if (open && end - now.begin > most_characters)
                close(false);
            if (!open) {
                start = at;
                fence_at_start = {};
                begin_piece(at, false);
            }
            qsizetype stop = std::min(end, now.begin + most_characters);
            if (stop < end && m_text[stop - 1].isHighSurrogate())
                --stop;
            now.end = stop;
            if (stop < end) {
                close(false);
                at = stop;
                continue;
            }
        }
        at = end + 1;
    }
    close(false);
    m_fence.push_back(fence);
}

QString ReplyBlocks::text_of(std::size_t block) const {
    const ReplyBlock& one = m_blocks[block];
    return m_text.mid(one.begin, one.end - one.begin);
}

QString ReplyBlocks::code_of(std::size_t block) const {
    std::size_t first = block, last = block;
    while (first > 0 && m_blocks[first].code && !m_blocks[first].first)
        --first;
    while (last + 1 < m_blocks.size() && m_blocks[last + 1].code && !m_blocks[last + 1].first)
        ++last;
    return m_text.mid(m_blocks[first].begin, m_blocks[last].end - m_blocks[first].begin);
}

Prose prose_of(const QString& markdown) {
    Prose made;
    QString& out = made.text;
    out.reserve(markdown.size());
    int bold = -1, code = -1, heading = -1;
    for (qsizetype i = 0; i < markdown.size(); ++i) {
        const QChar c = markdown[i];
        const bool line_begins = i == 0 || markdown[i - 1] == u'\n';
        if (line_begins && c == u'#') {
            qsizetype level = i;
            while (level < markdown.size() && markdown[level] == u'#')
                ++level;
            if (level - i <= 6 && level < markdown.size() && markdown[level] == u' ') {
                heading = static_cast<int>(out.size());
                i = level;
                continue;
            }
        }
        if (line_begins && (c == u'-' || c == u'*') && i + 1 < markdown.size() && markdown[i + 1] == u' ') {
            out += QStringLiteral("• ");
            ++i;
            continue;
        }
        if (c == u'`') {
            if (code >= 0) {
                made.spans.push_back({ProseSpan::Kind::code, code, static_cast<int>(out.size()) - code});
                code = -1;
                continue;
            }
            // Only what is closed in this line.
            const qsizetype close = markdown.indexOf(u'`', i + 1), line_end = markdown.indexOf(u'\n', i + 1);
            if (close > i + 1 && (line_end < 0 || close < line_end)) {
                code = static_cast<int>(out.size());
                continue;
            }
        }
        if (code < 0 && c == u'*' && i + 1 < markdown.size() && markdown[i + 1] == u'*') {
            if (bold >= 0) {
                made.spans.push_back({ProseSpan::Kind::bold, bold, static_cast<int>(out.size()) - bold});
                bold = -1;
                ++i;
                continue;
            }
            if (markdown.indexOf(QLatin1String("**"), i + 2) > i + 2) {
                bold = static_cast<int>(out.size());
                ++i;
                continue;
            }
        }
        if (c == u'\n' && heading >= 0) {
            made.spans.push_back({ProseSpan::Kind::heading, heading, static_cast<int>(out.size()) - heading});
            heading = -1;
        }
        out += c;
    }
    if (heading >= 0)
        made.spans.push_back({ProseSpan::Kind::heading, heading, static_cast<int>(out.size()) - heading});
    return made;
}

} // namespace kf::ui
