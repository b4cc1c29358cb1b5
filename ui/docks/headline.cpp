// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/headline.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/chip.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int unrest_ms = 100; // changes closer than this are shown together

constexpr int margin = 12, gap = 10, line_gap = 3;

// One word of the detail line, or the evidence disc before its word.
struct Word {
    QString text;
    bool strong = false;
    std::optional<Level> disc;
};

} // namespace

// A turn without a figure is told in words, in the figure's place.
QFont heading_font() {
    return text_font(15, Weight::semibold);
}

QString capital(QString text) {
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

// Where everything stands at a width.
struct Headline::Layout {
    struct Piece {
        QPointF at; // baseline
        Word word;
    };
    QRectF figure, chip;
    QPointF words, second; // baselines; null when not drawn
    std::vector<QString> words_lines;
    std::vector<Piece> pieces;
    double height = 0;
};

Headline::Headline(const PaneContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_chip(new Chip(this)) {
    setObjectName(QStringLiteral("headline"));
    setFocusPolicy(Qt::TabFocus);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &Headline::refresh);
    const auto soon = [this] {
        if (!m_soon.isActive())
            m_soon.start(m_refreshed.isValid() && m_refreshed.elapsed() < unrest_ms ? unrest_ms : 0);
    };
    connect(&context.store, &RunStore::changed, this, soon);
    connect(&context.store, &RunStore::was_reset, this, soon);
    connect(&context.selection, &Selection::current_changed, this, [this, soon] {
        if (m_refreshed.isValid() && m_refreshed.elapsed() < unrest_ms)
            soon();
        else
            refresh();
    });
    refresh();
}

QFont Headline::figure_font() const {
    return text_font(m_compact ? 20 : 34, Weight::bold);
}

void Headline::set_compact(bool compact) {
    m_compact = compact;
    updateGeometry();
    place_chip();
    update();
}

void Headline::refresh() {
    m_refreshed.start();
    const RunState& state = m_context.store.state();
    const Chosen chosen = m_context.selection.current();
    std::shared_ptr<const Evaluation> whole;
    if (const EvaluationState* one = chosen_evaluation(state, chosen))
        if (auto read = m_context.store.evaluation(chosen.turn, one->id))
            whole = *read;
    RunStatus status = m_context.store.status();
    if (status == RunStatus::empty && m_context.store.mode() == RunMode::ended)
        status = RunStatus::finished; // a run without an event is open all the same
    m_data = make_headline(state, status, chosen, whole.get());
    m_chip->setVisible(!m_data.verdict_word.isEmpty());
    if (!m_data.verdict_word.isEmpty())
        m_chip->set_verdict(m_data.verdict, m_data.verdict_word);
    setAccessibleName(QStringLiteral("Headline: ") +
                      (m_data.has_figure() ? m_data.figure + QLatin1Char(' ') : QString()) + m_data.words);
    setAccessibleDescription(m_data.text());
    updateGeometry();
    place_chip();
    update();
}

Headline::Layout Headline::arrange(int width) const {
    Layout layout;
    const QFontMetricsF big(figure_font()), small(text_font(12)), strong(text_font(12, Weight::semibold));
    const double right = std::max(width - margin, margin + 40);
    double y = m_compact ? 6 : margin - 4;
    const bool figure = m_data.has_figure();
    const double figure_width = figure ? big.horizontalAdvance(m_data.figure) : 0;
    const QFontMetricsF head(figure ? small : QFontMetricsF(heading_font()));
    const double head_height = figure ? big.height() : std::max(head.height(), 24.0);
    layout.figure = QRectF(margin, y, figure_width, head_height);
    const QSize chip = m_data.verdict_word.isEmpty() ? QSize(0, 0) : m_chip->sizeHint();
    const double chip_space = chip.isEmpty() ? 0 : chip.width() + gap;
    const double baseline = figure ? y + big.ascent() : y + (head_height - head.height()) / 2 + head.ascent();
    const double line = small.height() + 1;
    const double words_x = figure ? margin + figure_width + gap : margin;
    // Beside the figure where there is room, else in the line below.
    const double room = right - chip_space - words_x;
    const bool words_beside = !m_compact && head.horizontalAdvance(capital(m_data.words)) <= room;
    const bool second_beside =
        words_beside && figure && !m_data.second.isEmpty() && small.horizontalAdvance(m_data.second) <= room;
    layout.chip = QRectF(right - chip.width(), y + (head_height - chip.height()) / 2, chip.width(), chip.height());
    y += m_compact ? 0 : head_height;
    if (words_beside)
        layout.words = {words_x, second_beside ? baseline - line : baseline};
    if (second_beside)
        layout.second = {words_x, baseline};
    // In one line with the figure: the words begin behind it, on its baseline, and end before the chip.
    y = m_compact ? baseline - small.ascent() : y + line_gap;

    std::vector<Word> words;
    const auto add = [&](const QString& text, bool is_strong) {
        // An interval stays on one line.
        QString kept = text;
        if (text.contains(QLatin1Char('[')))
            kept.replace(QStringLiteral(", "), QStringLiteral(",\u00a0"));
        for (const QString& word : kept.split(QLatin1Char(' '), Qt::SkipEmptyParts))
            words.push_back({word, is_strong, {}});
    };
    const auto separate = [&] {
        if (!words.empty())
            words.push_back({QStringLiteral("·"), false, {}});
    };
    if (!words_beside)
        add(figure ? m_data.words : capital(m_data.words), !figure);
    if (!second_beside && !m_data.second.isEmpty()) {
        separate();
        add(m_data.second, false);
    }
    if (!m_data.turn.isEmpty()) {
        separate();
        QString turn = m_data.turn;
        turn[0] = turn[0].toUpper();
        add(turn, true);
    }
    for (const QString& detail : m_data.details) {
        separate();
        add(detail, false);
    }
    if (m_data.level) {
        separate();
        words.push_back({evidence_word(*m_data.level), false, m_data.level});
    }
    double x = m_compact ? words_x : margin;
    double line_end = m_compact ? right - chip_space : right;
    const double space = small.horizontalAdvance(QLatin1Char(' '));
    const double disc = small.ascent();
    const auto advance_of = [&](const Word& word) {
        return (word.strong ? strong : small).horizontalAdvance(word.text) + (word.disc ? disc + 3 : 0);
    };
    const QString separator = QStringLiteral("·");
    for (std::size_t k = 0; k < words.size(); ++k) {
        const Word& word = words[k];
        double advance = advance_of(word);
        // A separator stands between two words of one line: none begins or ends one.
        const bool separates = word.text == separator && k + 1 < words.size();
        if (separates)
            advance += space + advance_of(words[k + 1]);
        if (x > margin && x + advance > line_end) {
            x = margin;
            y += line + 2;
            line_end = right;
            if (separates)
                continue;
        }
        layout.pieces.push_back({{x, y + small.ascent()}, word});
        x += advance_of(word) + space;
    }
    if (!words.empty())
        y += line;
    layout.height = m_compact ? std::max(y + 6, layout.figure.bottom() + 6) : y + margin - 2;
    return layout;
}

int Headline::heightForWidth(int width) const {
    return static_cast<int>(std::ceil(arrange(width).height));
}

QSize Headline::sizeHint() const {
    return {320, heightForWidth(320)};
}

QSize Headline::minimumSizeHint() const {
    return {180, heightForWidth(4000)}; // one line; what a width needs is told by heightForWidth
}

void Headline::place_chip() {
    m_chip->setGeometry(arrange(width()).chip.toRect());
}

void Headline::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    const Layout layout = arrange(width());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.panel);
    const bool figure = m_data.has_figure();
    painter.setPen(theme.text);
    if (figure) {
        painter.setFont(figure_font());
        painter.drawText(QPointF(layout.figure.left(), layout.figure.top() + QFontMetricsF(figure_font()).ascent()),
                         m_data.figure);
    } else if (!layout.words.isNull()) {
        painter.setFont(heading_font());
        painter.drawText(layout.words, capital(m_data.words));
    }
    const QFont small = text_font(12), strong = text_font(12, Weight::semibold);
    painter.setFont(small);
    painter.setPen(theme.dim);
    if (figure && !layout.words.isNull())
        painter.drawText(layout.words, m_data.words);
    if (!layout.second.isNull())
        painter.drawText(layout.second, m_data.second);
    const QFontMetricsF metrics(small);
    for (const Layout::Piece& piece : layout.pieces) {
        QPointF at = piece.at;
        if (piece.word.disc) {
            const double size = metrics.ascent() * 0.85;
            draw_evidence(painter, *piece.word.disc, at + QPointF(metrics.ascent() / 2, -metrics.capHeight() / 2),
                          size);
            at.rx() += metrics.ascent() + 3;
        }
        painter.setFont(piece.word.strong ? strong : small);
        painter.setPen(piece.word.strong ? theme.text : theme.dim);
        painter.drawText(at, piece.word.text);
    }
    if (m_compact)
        painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 4, 4);
    }
}

void Headline::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place_chip();
}

void Headline::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        updateGeometry();
        place_chip();
        update();
    }
}

void Headline::copy() const {
    QApplication::clipboard()->setText(m_data.text());
}

void Headline::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        copy();
    else
        QWidget::keyPressEvent(event);
}

void Headline::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(icon(QStringLiteral("copy")), QStringLiteral("Copy"), this, &Headline::copy);
    menu.exec(event->reason() == QContextMenuEvent::Keyboard ? mapToGlobal(rect().center()) : event->globalPos());
}

} // namespace kf::ui
