// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/reading_layout.h"

#include "ui/models/code_spans.h"
#include "ui/models/reading_rows.h"
#include "ui/models/reply_blocks.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/marks.h"
#include "ui/widgets/style_draw.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

// Pixels at text scale 1.
constexpr double margin = 14, card_pad = 12, gap = 8, gutter_pad = 10;
constexpr int widest_prose = 720, widest_code = 1000;

double scaled(double pixels) {
    return pixels * text_scale();
}

ReadingKind kind_of(const QModelIndex& index) {
    return static_cast<ReadingKind>(index.data(ReadingRole::kind).toInt());
}

QColor colour_of(CodeRole role) {
    const Theme& theme = Theme::current();
    switch (role) {
    case CodeRole::keyword:
        return theme.keyword;
    case CodeRole::string:
        return theme.string;
    case CodeRole::comment:
        return theme.comment;
    case CodeRole::number:
        return theme.number;
    case CodeRole::plan:
        return theme.plan;
    case CodeRole::added:
        return theme.faster;
    case CodeRole::removed:
        return theme.error;
    }
    return theme.text;
}

// Line feeds within one layout.
QString for_layout(const QString& text) {
    QString made = text;
    made.replace(u'\n', QChar::LineSeparator);
    made.replace(u'\t', u"    "_s);
    for (QChar& c : made)
        if (c.category() == QChar::Other_Control)
            c = QChar(0x2400 + (c.unicode() < 0x20 ? c.unicode() : 0x21)); // its picture
    return made;
}

double least_height(const QFont& font) {
    return QFontMetricsF(font).height();
}

} // namespace

double ReadingLayout::add(const QString& text, const QFont& font, const QColor& colour, QPointF at, double width,
                          const QList<QTextLayout::FormatRange>& formats, bool body, bool elide) {
    Box box;
    const QString shown = elide ? QFontMetricsF(font).elidedText(text, Qt::ElideRight, width) : for_layout(text);
    box.text = std::make_unique<QTextLayout>(shown, font);
    QTextOption option;
    option.setWrapMode(elide ? QTextOption::NoWrap : QTextOption::WrapAtWordBoundaryOrAnywhere);
    box.text->setTextOption(option);
    box.text->setFormats(formats);
    box.text->setCacheEnabled(true);
    box.at = at;
    box.colour = colour;
    double y = 0;
    box.text->beginLayout();
    for (QTextLine line = box.text->createLine(); line.isValid(); line = box.text->createLine()) {
        line.setLineWidth(std::max(width, 24.0));
        line.setPosition({0, y});
        y += std::ceil(line.height() * (body ? 1.16 : 1.08));
    }
    box.text->endLayout();
    if (body) {
        m_body_box = static_cast<int>(m_boxes.size());
        m_body = shown;
    }
    m_boxes.push_back(std::move(box));
    return y;
}

ReadingLayout::ReadingLayout(const QModelIndex& index, int width) : m_width(width) {
    const ReadingKind kind = kind_of(index);
    m_kind = static_cast<int>(kind);
    m_open = index.data(ReadingRole::open).toBool();
    m_current = index.data(ReadingRole::current).toBool();
    m_human = index.data(ReadingRole::human).toBool();
    m_star = index.data(ReadingRole::star).toBool();
    m_first = index.data(ReadingRole::first).toBool();
    m_last = index.data(ReadingRole::last).toBool();
    switch (kind) {
    case ReadingKind::heading:
        lay_out_heading(index, width);
        break;
    case ReadingKind::card:
    case ReadingKind::human:
    case ReadingKind::error:
        lay_out_card(index, width);
        break;
    case ReadingKind::code:
        lay_out_code(index, width);
        break;
    case ReadingKind::prose:
    case ReadingKind::thought:
        lay_out_prose(index, width);
        break;
    case ReadingKind::fold:
    case ReadingKind::note:
    case ReadingKind::busy:
    case ReadingKind::verdict:
        lay_out_line(index, width);
        break;
    }
}

void ReadingLayout::lay_out_heading(const QModelIndex& index, int width) {
    const Theme& theme = Theme::current();
    const QFont title_font = text_font(13, Weight::semibold), font = text_font(12);
    m_height = static_cast<int>(std::ceil(std::max(scaled(32), 32.0)));
    const double line = least_height(title_font);
    const auto top = [&](const QFont& one) { return std::round((m_height - least_height(one)) / 2); };
    double x = 8;
    m_chevron = {x, (m_height - 24) / 2.0, 24, 24};
    x += 26;
    const QVariant verdict = index.data(ReadingRole::verdict);
    if (verdict.isValid() && verdict.toInt() >= 0) {
        m_verdict = verdict.toInt();
        m_mark = {x + 6, m_height / 2.0};
        x += 20;
    }
    const double right = width - margin;
    const QString title = index.data(ReadingRole::title).toString();
    const double title_width = std::min(QFontMetricsF(title_font).horizontalAdvance(title) + 2, right - x);
    add(title, title_font, theme.text, {x, top(title_font)}, title_width, {}, false, true);
    x += title_width + (m_star ? line + 4 : gap);
    if (m_star)
        m_disc = {x - line / 2 - 4, m_height / 2.0};
    const QString detail = index.data(ReadingRole::detail).toString();
    double detail_width = 0;
    if (!detail.isEmpty() && right - x > 60) {
        detail_width = std::min(QFontMetricsF(font).horizontalAdvance(detail) + 2, (right - x) * 0.6);
        add(detail, font, theme.dim, {right - detail_width, top(font)}, detail_width, {}, false, true);
    }
    const QString text = index.data().toString();
    if (const double room = right - detail_width - gap * 1.5 - x; !text.isEmpty() && room > 36)
        add(text, font, theme.dim, {x, top(font)}, room, {}, false, true);
}

void ReadingLayout::lay_out_card(const QModelIndex& index, int width) {
    const Theme& theme = Theme::current();
    const ReadingKind kind = kind_of(index);
    const double outer = std::min<double>(width - 2 * margin + 4, widest_prose + 2 * card_pad);
    const double x = margin - 2, inner = outer - 2 * card_pad;
    double y = 4 + card_pad - 2;
    const QColor title_colour = kind == ReadingKind::error   ? theme.error
                                : kind == ReadingKind::human ? theme.human
                                                             : theme.dim;
    m_fill = kind == ReadingKind::card ? theme.selection : theme.raised;
    m_line = kind == ReadingKind::card && theme.name != ThemeName::contrast ? QColor() : theme.line;
    m_edge = kind == ReadingKind::error ? theme.error : kind == ReadingKind::human ? theme.human : QColor();
    const QColor dim = kind == ReadingKind::card && contrast(theme.dim, theme.selection) < 4.5 ? theme.text : theme.dim;
    const QString title = index.data(ReadingRole::title).toString(), text = index.data().toString(),
                  note = index.data(ReadingRole::note).toString(), link = index.data(ReadingRole::link_text).toString();
    if (!title.isEmpty())
        y += add(title, text_font(12, Weight::semibold), kind == ReadingKind::card ? dim : title_colour,
                 {x + card_pad, y}, inner) +
             3;
    if (!text.isEmpty())
        y += add(text, text_font(13), theme.text, {x + card_pad, y}, inner, {}, true) + 3;
    if (!note.isEmpty())
        y += add(note, text_font(12), kind == ReadingKind::error ? theme.text : dim, {x + card_pad, y}, inner) + 2;
    if (!link.isEmpty() && !index.data(ReadingRole::link).toString().isEmpty()) {
        const QFont font = text_font(12, Weight::medium);
        const double advance = QFontMetricsF(font).horizontalAdvance(link);
        const double h = add(link, font, theme.accent, {x + card_pad, y + 4}, inner);
        m_link = {x + card_pad - 4, y + 4 + h / 2 - 12, std::min(advance, inner) + 8, 24};
        y += h + 8;
    }
    y += card_pad - 4;
    m_surface = {x, 4, outer, y - 4};
    m_height = static_cast<int>(std::ceil(y + 6));
}

void ReadingLayout::lay_out_code(const QModelIndex& index, int width) {
    const Theme& theme = Theme::current();
    const QFont font = mono_font(12);
    const QString code = index.data().toString();
    bool in_comment = index.data(ReadingRole::in_comment).toBool();
    const QString language = index.data(ReadingRole::language).toString();
    // Tabs become blanks before colours are counted.
    QString shown = code;
    shown.replace(u'\t', u"    "_s);
    QList<QTextLayout::FormatRange> formats;
    for (const CodeSpan& span : code_spans(shown, language, in_comment)) {
        QTextLayout::FormatRange range;
        range.start = span.begin;
        range.length = span.length;
        range.format.setForeground(colour_of(span.role));
        formats << range;
    }
    const int first = index.data(ReadingRole::first_line).toInt();
    const int lines = static_cast<int>(shown.count(u'\n')) + 1;
    const QFontMetricsF metrics(font);
    const double gutter =
        metrics.horizontalAdvance(u'0') * std::max(3, static_cast<int>(std::log10(first + lines)) + 1);
    const double outer = std::min<double>(width - 2 * margin + 4, widest_code);
    const double x = margin - 2, text_x = x + gutter_pad + gutter + gutter_pad;
    double y = m_first ? 4 + 8 : 0;
    const double top = y;
    y += add(shown, font, theme.text, {text_x, y}, outer - (text_x - x) - 8, formats, true);
    m_numbers_right = x + gutter_pad + gutter;
    const QTextLayout& layout = *m_boxes.back().text;
    int number = first;
    for (int i = 0; i < layout.lineCount(); ++i) {
        const QTextLine line = layout.lineAt(i);
        const bool begins = line.textStart() == 0 || m_body[line.textStart() - 1] == QChar::LineSeparator;
        if (begins)
            m_numbers.push_back({QString::number(number++), top + line.y() + line.ascent()});
    }
    if (m_last)
        y += 8;
    m_fill = theme.window;
    m_line = theme.name == ThemeName::dark ? QColor() : theme.line;
    m_surface = {x, m_first ? 4.0 : 0.0, outer, y - (m_first ? 4 : 0)};
    if (m_first)
        m_copy = {x + outer - 30, 8, 24, 24};
    m_height = static_cast<int>(std::ceil(y)) + (m_last ? 8 : 0);
    m_surface.setHeight(m_height - (m_last ? 8 : 0) - m_surface.top());
}

void ReadingLayout::lay_out_prose(const QModelIndex& index, int width) {
    const Theme& theme = Theme::current();
    const bool thought = kind_of(index) == ReadingKind::thought;
    const Prose prose = prose_of(index.data().toString());
    QList<QTextLayout::FormatRange> formats;
    for (const ProseSpan& span : prose.spans) {
        QTextLayout::FormatRange range;
        range.start = span.begin;
        range.length = span.length;
        if (span.kind == ProseSpan::Kind::code) {
            range.format.setFont(mono_font(12), QTextCharFormat::FontPropertiesSpecifiedOnly);
        } else {
            range.format.setFontWeight(QFont::DemiBold);
        }
        formats << range;
    }
    const double x = thought ? margin + 12 : margin;
    const double room = std::min<double>(width - x - margin, widest_prose);
    const double top = thought ? (m_first ? 2 : 4) : 4;
    const double h = add(prose.text, text_font(13), thought ? theme.dim : theme.text, {x, top}, room, formats, true);
    m_height = static_cast<int>(std::ceil(top + h + (thought ? (m_last ? 10 : 2) : 6)));
    if (thought) {
        m_surface = {margin, m_first ? 2.0 : 0.0, 2, m_height - (m_first ? 2.0 : 0.0) - (m_last ? 8 : 0)};
        m_fill = theme.line;
    }
}

void ReadingLayout::lay_out_line(const QModelIndex& index, int width) {
    const Theme& theme = Theme::current();
    const ReadingKind kind = kind_of(index);
    const QString text = index.data().toString();
    double x = margin;
    const double room = width - margin;
    if (kind == ReadingKind::fold) {
        m_height = std::max(28, static_cast<int>(std::ceil(scaled(28))));
        m_chevron = {x - 6, (m_height - 24) / 2.0, 24, 24};
        add(text, text_font(12), theme.dim, {x + 20, (m_height - least_height(text_font(12))) / 2}, room - x - 20, {},
            false, true);
        return;
    }
    const bool verdict = kind == ReadingKind::verdict;
    const QFont font = verdict ? text_font(13, Weight::semibold) : text_font(12);
    const double top = verdict ? 8 : 4;
    if (verdict) {
        m_verdict = index.data(ReadingRole::verdict).toInt();
        m_level = index.data(ReadingRole::level).toInt();
        m_mark = {x + 6, top + least_height(font) / 2 + 1};
        x += 20;
    }
    const double h = add(text, font,
                         kind == ReadingKind::busy ? theme.accent
                         : verdict                 ? theme.text
                                                   : theme.dim,
                         {x, top}, std::min<double>(room - x, widest_prose), {}, true);
    m_height = static_cast<int>(std::ceil(top + h + (verdict ? 12 : 4)));
}

int ReadingLayout::estimate(const QModelIndex& index, int width) {
    const ReadingKind kind = kind_of(index);
    const double scale = text_scale();
    switch (kind) {
    case ReadingKind::heading:
        return static_cast<int>(std::max(32.0, 32 * scale));
    case ReadingKind::fold:
        return static_cast<int>(std::max(28.0, 28 * scale));
    case ReadingKind::note:
    case ReadingKind::busy:
        return static_cast<int>(26 * scale);
    case ReadingKind::verdict:
        return static_cast<int>(38 * scale);
    case ReadingKind::card:
    case ReadingKind::human:
    case ReadingKind::error:
        return static_cast<int>(96 * scale);
    case ReadingKind::code:
    case ReadingKind::prose:
    case ReadingKind::thought: {
        const QString text = index.data().toString();
        const double advance = (kind == ReadingKind::code ? 7.2 : 6.4) * scale;
        const int columns = std::max(8, static_cast<int>((std::min(width, widest_code) - 70) / advance));
        int lines = 0;
        for (const auto part : QStringView(text).split(u'\n'))
            lines += 1 + static_cast<int>(part.size()) / columns;
        return static_cast<int>(lines * 18.5 * scale) + 10;
    }
    }
    return 24;
}

int ReadingLayout::position_at(QPointF point) const {
    if (m_body_box < 0)
        return -1;
    const Box& box = m_boxes[static_cast<std::size_t>(m_body_box)];
    const QPointF inside = point - box.at;
    const QTextLayout& layout = *box.text;
    for (int i = 0; i < layout.lineCount(); ++i) {
        const QTextLine line = layout.lineAt(i);
        if (inside.y() < line.y() + line.height() * 1.16 || i + 1 == layout.lineCount())
            return line.xToCursor(inside.x());
    }
    return -1;
}

void ReadingLayout::paint(QPainter& painter, QPointF origin, const ReadingLook& look) const {
    const Theme& theme = Theme::current();
    const draw::Saved saved(painter);
    painter.translate(origin);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto kind = static_cast<ReadingKind>(m_kind);
    if (kind == ReadingKind::heading) {
        const QRectF whole(0, 0, m_width, m_height);
        const QColor fill = m_current ? theme.selection : look.hovered ? draw::hovered(theme, theme.panel) : QColor();
        if (fill.isValid())
            painter.fillRect(whole, fill);
        painter.fillRect(QRectF(0, 0, m_width, 1), theme.line);
        if (m_current)
            painter.fillRect(QRectF(0, 0, 2, m_height), theme.accent);
    }
    if (!m_surface.isEmpty()) {
        if (kind == ReadingKind::code) {
            // Pieces of one block join without a seam.
            const draw::Saved clipped(painter);
            QRectF box = m_surface;
            painter.setClipRect(box.adjusted(-1, -1, 1, 1));
            if (!m_first)
                box.setTop(box.top() - 20);
            if (!m_last)
                box.setBottom(box.bottom() + 20);
            painter.setClipRect(m_surface);
            draw::box(painter, box.toRect(), m_fill, m_line, 6);
        } else if (kind == ReadingKind::thought) {
            painter.fillRect(m_surface, m_fill);
        } else {
            draw::box(painter, m_surface.toRect(), m_fill, m_line, 7);
            if (m_edge.isValid()) {
                const draw::Saved clipped(painter);
                painter.setClipRect(QRectF(m_surface.left(), m_surface.top(), 3, m_surface.height()));
                draw::box(painter, m_surface.toRect(), m_edge, {}, 7);
            }
        }
    }
    if (!m_chevron.isEmpty())
        draw::chevron(painter, m_chevron, m_open ? draw::Direction::down : draw::Direction::right, theme.dim, 8);
    if (m_verdict >= 0)
        draw_mark(painter, static_cast<VerdictKind>(m_verdict), m_mark, 11, m_human);
    if (m_star)
        draw_star(painter, m_disc, 11, theme.text);
    if (!m_numbers.empty()) {
        painter.setFont(mono_font(12));
        painter.setPen(contrast(theme.faint, m_fill) >= 4.5 ? theme.faint : theme.dim);
        const QFontMetricsF metrics(painter.font());
        for (const Number& number : m_numbers)
            painter.drawText(QPointF(m_numbers_right - metrics.horizontalAdvance(number.text), number.baseline),
                             number.text);
    }
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        const Box& box = m_boxes[i];
        QList<QTextLayout::FormatRange> over;
        const bool body = static_cast<int>(i) == m_body_box;
        if (!look.found.isEmpty())
            for (qsizetype at = box.text->text().indexOf(look.found, 0, Qt::CaseInsensitive); at >= 0;
                 at = box.text->text().indexOf(look.found, at + look.found.size(), Qt::CaseInsensitive)) {
                QTextLayout::FormatRange range;
                range.start = static_cast<int>(at);
                range.length = static_cast<int>(look.found.size());
                range.format.setBackground(theme.accent);
                range.format.setForeground(theme.on_accent);
                over << range;
            }
        if (body && look.select_from >= 0 && look.select_to > look.select_from) {
            QTextLayout::FormatRange range;
            range.start = look.select_from;
            range.length = look.select_to - look.select_from;
            range.format.setBackground(theme.accent);
            range.format.setForeground(theme.on_accent);
            over << range;
        }
        painter.setPen(box.colour);
        box.text->draw(&painter, box.at, over);
    }
    if (!m_copy.isEmpty() && (look.hovered || look.cursor)) {
        draw::box(painter, m_copy.toRect(), theme.raised, theme.outline, 4);
        const double ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1;
        painter.drawPixmap(QPointF(m_copy.left() + 4, m_copy.top() + 4), icon_pixmap(u"copy"_s, 16, theme.text, ratio));
    }
    if (look.cursor)
        draw::focus_ring(painter, QRect(2, 1, m_width - 4, m_height - 2), 4);
}

} // namespace kf::ui
