// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/issue_marks.h"

#include "ui/editor/code_editor.h"
#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <map>

namespace kf::ui {
namespace {

using namespace editor_numbers;

constexpr int row_pixels = 12, bar_width = 3, gap = 8;
constexpr int most_rows_a_line = 4;

bool is_error(const EditorIssue& issue) {
    return issue.severity == QLatin1String("error");
}

QColor tint(const EditorIssue& issue) {
    return is_error(issue) ? Theme::current().error : Theme::current().inconclusive;
}

QString plain(const EditorIssue& issue) {
    QString text = issue.severity + QLatin1Char(' ') + issue.message;
    if (!issue.remedy.isEmpty())
        text += QStringLiteral(": ") + issue.remedy;
    if (!issue.tail.isEmpty())
        text += QStringLiteral(" · ") + issue.tail;
    return text.simplified();
}

QString link_text() {
    return QStringLiteral("F8 next");
}

} // namespace

IssueMarks::IssueMarks(CodeEditor& editor) : m_editor(editor) {}

int IssueMarks::line_of(const Entry& entry) const {
    const int line = m_editor.markerLine(entry.handle);
    return line < 0 ? entry.issue.line : line;
}

void IssueMarks::set(const QString& producer, std::vector<EditorIssue> issues) {
    const int length = static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_GETLENGTH));
    bool had = false;
    std::vector<Entry> kept;
    for (Entry& entry : m_entries) {
        entry.issue.line = line_of(entry);
        if (entry.issue.producer == producer) {
            m_editor.markerDeleteHandle(entry.handle);
            had = true;
        } else {
            kept.push_back(entry);
        }
    }
    m_entries = std::move(kept);
    if (issues.empty() && !had)
        return;
    for (EditorIssue& issue : issues) {
        issue.line = std::clamp(issue.line, 0, std::max(0, m_editor.lines() - 1));
        Entry entry{std::move(issue), -1};
        entry.handle = m_editor.markerAdd(entry.issue.line, is_error(entry.issue) ? marker_error : marker_warning);
        m_entries.push_back(std::move(entry));
    }
    std::stable_sort(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.issue.line, a.issue.begin) < std::pair(b.issue.line, b.issue.begin);
    });
    // Squiggles belong to all producers: what stays may have moved, so what Scintilla has moved is kept and only what
    // is new is drawn.
    if (had || m_entries.empty()) {
        for (const int indicator : {squiggle_error, squiggle_warning}) {
            m_editor.SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(indicator));
            m_editor.SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL, static_cast<long>(length));
        }
    }
    for (const Entry& entry : m_entries) {
        const int line = entry.issue.line;
        const int start = static_cast<int>(
            m_editor.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line)));
        const QByteArray bytes = m_editor.line_bytes(line);
        const int size = static_cast<int>(bytes.size());
        int begin = std::clamp(entry.issue.begin, 0, size), end = std::clamp(entry.issue.end, begin, size);
        if (begin == end) {
            begin = 0;
            end = size;
            while (begin < end && (bytes[begin] == ' ' || bytes[begin] == '\t'))
                ++begin;
        }
        if (end == begin)
            continue;
        m_editor.SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT,
                               static_cast<unsigned long>(is_error(entry.issue) ? squiggle_error : squiggle_warning));
        m_editor.SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(start + begin),
                               static_cast<long>(end - begin));
    }
    annotate();
}

void IssueMarks::clear() {
    for (const Entry& entry : m_entries)
        m_editor.markerDeleteHandle(entry.handle);
    m_entries.clear();
    const auto length = static_cast<long>(m_editor.SendScintilla(QsciScintilla::SCI_GETLENGTH));
    for (const int indicator : {squiggle_error, squiggle_warning}) {
        m_editor.SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(indicator));
        m_editor.SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL, length);
    }
    annotate();
}

std::vector<EditorIssue> IssueMarks::all() const {
    std::vector<EditorIssue> result;
    for (const Entry& entry : m_entries) {
        result.push_back(entry.issue);
        result.back().line = line_of(entry);
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const EditorIssue& a, const EditorIssue& b) { return a.line < b.line; });
    return result;
}

int IssueMarks::next(int line, bool forward, int* byte) const {
    const std::vector<EditorIssue> issues = all();
    if (issues.empty())
        return -1;
    const EditorIssue* found = nullptr;
    if (forward) {
        for (const EditorIssue& issue : issues)
            if (issue.line > line) {
                found = &issue;
                break;
            }
        if (!found)
            found = &issues.front();
    } else {
        for (const EditorIssue& issue : issues)
            if (issue.line < line)
                found = &issue;
        if (!found)
            found = &issues.back();
    }
    if (byte)
        *byte = found->begin;
    return found->line;
}

void IssueMarks::set_quiet_line(int line) {
    if (line == m_quiet_line)
        return;
    m_quiet_line = line;
    if (std::any_of(m_entries.begin(), m_entries.end(),
                    [](const Entry& entry) { return entry.issue.producer == QLatin1String("plan"); }))
        annotate();
}

void IssueMarks::annotate() {
    std::map<int, QString> rows;
    std::map<int, int> counts;
    for (const Entry& entry : m_entries) {
        const int line = line_of(entry);
        if (entry.issue.producer == QLatin1String("plan") && line == m_quiet_line)
            continue;
        if (++counts[line] > most_rows_a_line)
            continue;
        QString& text = rows[line];
        if (!text.isEmpty())
            text += QLatin1Char('\n');
        text += plain(entry.issue);
    }
    m_editor.clearAnnotations();
    if (!rows.empty()) {
        const Theme& theme = Theme::current();
        static int number = -1;
        const QsciStyle style(number, QStringLiteral("issue"), theme.text, theme.raised, text_font(row_pixels));
        number = style.style();
        style.apply(&m_editor);
        for (const auto& [line, text] : rows)
            m_editor.annotate(line, text, style);
    }
    m_editor.viewport()->update();
}

void IssueMarks::apply_theme() {
    annotate();
}

std::vector<IssueMarks::Row> IssueMarks::rows() const {
    std::vector<Row> result;
    if (m_entries.empty())
        return result;
    std::map<int, int> counts;
    const int height = static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0UL));
    const QRect view = m_editor.viewport()->rect();
    int left = 0;
    for (int margin = 0; margin < 5; ++margin)
        left += m_editor.marginWidth(margin);
    for (const Entry& entry : m_entries) {
        const int line = line_of(entry);
        if (entry.issue.producer == QLatin1String("plan") && line == m_quiet_line)
            continue;
        const int row = counts[line]++;
        if (row >= most_rows_a_line ||
            !m_editor.SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, static_cast<unsigned long>(line)))
            continue;
        const auto start =
            m_editor.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
        const int top = static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, start));
        const int own =
            static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_WRAPCOUNT, static_cast<unsigned long>(line)));
        const QRect box(left, top + (own + row) * height, view.width() - left, height);
        if (box.intersects(view))
            result.push_back({box, &entry, row == 0});
    }
    return result;
}

QRect IssueMarks::link_box(const Row& row) const {
    const QFontMetrics metrics(text_font(row_pixels));
    const int width = metrics.horizontalAdvance(link_text());
    // Behind the text, or at the right end when there is no room.
    const QFontMetrics bold(text_font(row_pixels, Weight::semibold));
    int x = row.box.left() + bar_width + gap + bold.horizontalAdvance(row.entry->issue.severity) + gap / 2;
    QString text = row.entry->issue.message;
    if (!row.entry->issue.remedy.isEmpty())
        text += QStringLiteral(" — ") + row.entry->issue.remedy;
    x += metrics.horizontalAdvance(text.simplified()) + gap;
    if (!row.entry->issue.tail.isEmpty())
        x += metrics.horizontalAdvance(row.entry->issue.tail) + gap;
    // A little more than the sum, so that rounding elides nothing.
    x = std::min(x + gap / 2, row.box.right() - width - gap);
    return {x, row.box.top(), width, row.box.height()};
}

void IssueMarks::paint(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QFont regular = text_font(row_pixels), strong = text_font(row_pixels, Weight::semibold);
    const QFontMetrics metrics(regular), bold(strong);
    for (const Row& row : rows()) {
        const EditorIssue& issue = row.entry->issue;
        painter.fillRect(row.box, theme.raised);
        painter.fillRect(QRect(row.box.left(), row.box.top(), bar_width, row.box.height()), tint(issue));
        int x = row.box.left() + bar_width + gap;
        const int right = row.link ? link_box(row).left() - gap : row.box.right() - gap;
        const auto put = [&](const QString& text, const QFont& font, const QFontMetrics& measure, const QColor& colour,
                             int space) {
            const int room = right - x;
            if (room <= 0 || text.isEmpty())
                return;
            painter.setFont(font);
            painter.setPen(colour);
            const QString shown = measure.elidedText(text, Qt::ElideRight, room);
            const QRect area(x, row.box.top(), room, row.box.height());
            painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, shown);
            x += measure.horizontalAdvance(shown) + space;
        };
        put(issue.severity, strong, bold, tint(issue), gap / 2);
        put(issue.remedy.isEmpty() ? issue.message.simplified()
                                   : (issue.message + QStringLiteral(" — ") + issue.remedy).simplified(),
            regular, metrics, theme.text, gap);
        put(issue.tail, regular, metrics, theme.dim, gap);
        if (row.link) {
            painter.setPen(theme.accent);
            painter.setFont(regular);
            painter.drawText(link_box(row), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, link_text());
        }
    }
}

bool IssueMarks::on_link(const QPoint& point) const {
    for (const Row& row : rows())
        if (row.link && link_box(row).contains(point))
            return true;
    return false;
}

QString IssueMarks::text_at(const QPoint& point) const {
    for (const Row& row : rows())
        if (row.box.contains(point))
            return plain(row.entry->issue);
    return {};
}

} // namespace kf::ui
