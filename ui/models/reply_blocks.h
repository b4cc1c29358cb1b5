// SPDX-License-Identifier: GPL-3.0-or-later
// A model's text in pieces that can be laid out one by one: paragraphs, and code by its fences, none longer than a
// screen or two. Text that is still coming is cut again only from its last piece on.
#pragma once

#include <QString>

#include <vector>

namespace kf::ui {

struct ReplyBlock {
    bool code = false;
    QString language;             // of code: what stands behind the fence, lower case
    qsizetype begin = 0, end = 0; // of the whole text; without fences and without the last line feed
    int first_line = 1;           // of code: the number of its first line within its fences
    bool first = true;            // of code: it begins its fenced block; else it goes on with the piece before
    bool last = false;            // of code: the fence was closed behind it
    bool in_comment = false;      // of code: begins inside a /* comment */
    bool operator==(const ReplyBlock&) const = default;
};

class ReplyBlocks {
public:
    // Pieces are at most so long (characters, and lines of code).
    static constexpr qsizetype most_characters = 4000;
    static constexpr int most_lines = 40;

    // `fences` false: everything is prose (what was thought).
    explicit ReplyBlocks(bool fences = true) : m_fences(fences) {}
    // Gives the first piece that has changed or is new.
    std::size_t append(const QString& text);
    void set(const QString& text);

    const QString& text() const { return m_text; }
    const std::vector<ReplyBlock>& blocks() const { return m_blocks; }
    QString text_of(std::size_t block) const;
    // The whole fenced block that a piece of code belongs to.
    QString code_of(std::size_t block) const;

private:
    struct Fence {
        QChar mark;
        int length = 0; // 0: not in code
    };
    void cut(qsizetype from);

    bool m_fences;
    QString m_text;
    std::vector<ReplyBlock> m_blocks;
    std::vector<Fence> m_fence;     // that was open at each block's begin
    std::vector<qsizetype> m_start; // where each block's first line stands, its opening fence included
};

// Prose as it is read: **bold** and `code` without their marks, a heading without its #.
struct ProseSpan {
    enum class Kind { bold, code, heading } kind = Kind::bold;
    int begin = 0, length = 0;
};
struct Prose {
    QString text;
    std::vector<ProseSpan> spans;
};
Prose prose_of(const QString& markdown);

} // namespace kf::ui
