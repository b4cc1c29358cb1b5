// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/hint_line.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/key_cap.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int wide_enough = 320;
constexpr qsizetype longest = 4000; // of a hint; a prompt holds more, a line does not

QString cap() {
    return u"⏎ send with next turn"_s;
}

} // namespace

HintLine::HintLine(QWidget* parent) : QLineEdit(parent) {
    setObjectName(u"transcript.hint"_s);
    setAccessibleName(u"Hint for the next turn"_s);
    setMaxLength(static_cast<int>(longest));
    setMinimumHeight(34);
    connect(this, &QLineEdit::textChanged, this, &HintLine::fit);
    set_state(-1, u"No run is open"_s);
}

void HintLine::set_state(int next_turn, const QString& refusal) {
    if (next_turn == m_turn && refusal == m_refusal && !placeholderText().isEmpty())
        return;
    m_turn = next_turn;
    m_refusal = refusal;
    const QString to = next_turn >= 0 ? u"Hint for turn %1 …"_s.arg(next_turn) : u"Hint for the next turn …"_s;
    setPlaceholderText(refusal.isEmpty() ? to : refusal);
    setAccessibleName(next_turn >= 0 ? u"Hint for turn %1"_s.arg(next_turn) : u"Hint for the next turn"_s);
    setToolTip(refusal.isEmpty() ? u"Enter sends it; the model reads it word for word in its next prompt."_s : refusal);
    setReadOnly(!refusal.isEmpty() && text().isEmpty());
    fit();
    update();
}

bool HintLine::has_room() const {
    return m_refusal.isEmpty() && width() >= wide_enough;
}

void HintLine::fit() {
    setTextMargins(4, 0, has_room() ? static_cast<int>(key_cap_width(cap())) + 14 : 4, 0);
}

void HintLine::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (!has_room())
        return;
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const double wide = key_cap_width(cap());
    draw_key_cap(painter, QRectF(width() - wide - 8, 0, wide, height()), cap(), theme.dim, theme.line);
}

void HintLine::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        const QString said = text().trimmed();
        if (!m_refusal.isEmpty())
            Q_EMIT refused(m_refusal);
        else if (!said.isEmpty())
            Q_EMIT sent(said);
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        if (text().isEmpty())
            Q_EMIT left();
        clear();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void HintLine::changeEvent(QEvent* event) {
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fit();
}

} // namespace kf::ui
