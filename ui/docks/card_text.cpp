// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/card_text.h"

#include "core/render/terminal_text.h"
#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"

#include <algorithm>

namespace kf::ui {
namespace {

using Role = AutopsyLine::Role;

// Places where a word without blanks may break: a label cannot break anywhere else.
QString breakable(const QString& text) {
    constexpr int long_word = 24;
    QString out;
    int run = 0;
    for (const QChar c : text) {
        out += c;
        run = c.isSpace() ? 0 : run + 1;
        if (run >= long_word || (run > 8 && QStringView(u"_/\\,;:<>(){}[]=-.").contains(c))) {
            out += QChar(0x200b);
            run = 0;
        }
    }
    return out;
}

QString span(const QString& html, const QColor& colour) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(colour.name(), html);
}

QString code_span(const QString& html) {
    return QStringLiteral("<span style=\"font-family:'%1';font-size:%2px\">%3</span>")
        .arg(mono_font().family())
        .arg(mono_font().pixelSize())
        .arg(html);
}

struct Mark {
    QString shape;
    QColor colour;
};

Mark mark_of(Role role, const Theme& theme) {
    switch (role) {
    case Role::passed:
        return {QStringLiteral("✓"), theme.bound};
    case Role::failed:
        return {QStringLiteral("✕"), theme.error};
    case Role::skipped:
        return {QStringLiteral("–"), theme.faint};
    case Role::not_checked:
        return {QStringLiteral("?"), theme.faint};
    case Role::item:
    case Role::cause:
        return {QStringLiteral("•"), theme.faint};
    case Role::strong:
    case Role::body:
    case Role::dim:
    case Role::code:
        break;
    }
    return {};
}

// Words between backticks are names and values of code: they are shown in its font, without the backticks. What is
// no such pair is left as it is: one alone, or a compiler's `name'.
QString prose(const QString& text) {
    QString html;
    qsizetype at = 0;
    for (qsizetype open = text.indexOf(QLatin1Char('`')); open >= 0; open = text.indexOf(QLatin1Char('`'), open)) {
        const qsizetype close = text.indexOf(QLatin1Char('`'), open + 1);
        if (close < 0)
            break;
        const QString code = text.mid(open + 1, close - open - 1);
        if (code.isEmpty() || code.contains(QLatin1Char('\''))) {
            ++open;
            continue;
        }
        html += escaped(breakable(text.mid(at, open - at))) + code_span(escaped(breakable(code)));
        at = open = close + 1;
    }
    return html + escaped(breakable(text.mid(at)));
}

QString words_of(const AutopsyLine& line, const Theme& theme) {
    QString html = line.role == Role::code ? escaped(breakable(line.text)) : prose(line.text);
    const QString link =
        line.link.isEmpty() && !line.target.isEmpty() ? std::exchange(html, QString()) : prose(line.link);
    switch (line.role) {
    case Role::strong:
        html = QStringLiteral("<span style=\"font-weight:600\">%1</span>").arg(html);
        break;
    case Role::dim:
    case Role::skipped:
    case Role::not_checked:
        html = span(html, theme.dim);
        break;
    case Role::code:
        html = code_span(html);
        break;
    case Role::body:
    case Role::cause:
    case Role::item:
    case Role::passed:
    case Role::failed:
        break;
    }
    if (link.isEmpty())
        return html;
    QString anchor = QStringLiteral("<a href=\"%1\" style=\"text-decoration:none;color:%2\">%3</a>")
                         .arg(line.target.toHtmlEscaped(), theme.accent.name(), link);
    if (line.role == Role::code)
        anchor = code_span(anchor);
    // Elements stand below each other: their places first, as in a table.
    if (line.role == Role::code && !line.text.isEmpty())
        return anchor + code_span(QStringLiteral("&nbsp; ")) + html;
    return line.text.isEmpty() ? anchor : html + QLatin1Char(' ') + anchor;
}

} // namespace

QString card_html(const AutopsyCard& card) {
    const Theme& theme = Theme::current();
    QString html = QStringLiteral("<table cellspacing=\"0\" cellpadding=\"0\" width=\"100%\">");
    const bool measured =
        std::any_of(card.lines.begin(), card.lines.end(), [](const AutopsyLine& line) { return line.confidence >= 0; });
    for (const AutopsyLine& line : card.lines) {
        // Lines without a figure of their own take its column, too.
        const int span_after = measured && line.confidence < 0 ? 2 : 1;
        const Mark mark = mark_of(line.role, theme);
        html += QStringLiteral("<tr>");
        if (mark.shape.isEmpty())
            html += QStringLiteral("<td colspan=\"%1\" style=\"padding-bottom:3px\">%2</td>")
                        .arg(1 + span_after)
                        .arg(words_of(line, theme));
        else
            html += QStringLiteral("<td width=\"18\" style=\"padding-bottom:3px\">%1</td>"
                                   "<td colspan=\"%2\" style=\"padding-bottom:3px\">%3</td>")
                        .arg(span(mark.shape, mark.colour))
                        .arg(span_after)
                        .arg(words_of(line, theme));
        if (line.confidence >= 0)
            html +=
                QStringLiteral("<td width=\"44\" align=\"right\">%1</td>")
                    .arg(code_span(span(QStringLiteral("%1&nbsp;%").arg(qRound(line.confidence * 100)), theme.dim)));
        html += QStringLiteral("</tr>");
    }
    return html + QStringLiteral("</table>");
}

QString diff_html(const LineDiff& diff, std::size_t most_lines) {
    const Theme& theme = Theme::current();
    QString html;
    std::size_t count = 0;
    for (const DiffLine& line : diff.lines) {
        if (++count > most_lines) {
            html += span(QStringLiteral("… %1 more lines").arg(diff.lines.size() - most_lines), theme.dim);
            break;
        }
        // Tabs and leading blanks are kept; a stranger's control characters are not.
        QString text = QString::fromStdString(plain_text(line.text));
        text = escaped(text);
        text.replace(QLatin1Char(' '), QStringLiteral("&nbsp;"));
        switch (line.kind) {
        case DiffLine::Kind::added:
            html += span(QStringLiteral("+&nbsp;") + text, theme.added);
            break;
        case DiffLine::Kind::removed:
            html += span(QStringLiteral("−&nbsp;") + text, theme.removed);
            break;
        case DiffLine::Kind::context:
            html += span(QStringLiteral("&nbsp;&nbsp;") + text, theme.dim);
            break;
        case DiffLine::Kind::gap:
            html += span(QStringLiteral("⋯"), theme.faint);
            break;
        }
        html += QStringLiteral("<br>");
    }
    return html;
}

} // namespace kf::ui
