// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

QLabel* make_text(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    label->setOpenExternalLinks(false);
    // Keyboard focus only where there is a link to reach.
    label->setFocusPolicy(Qt::ClickFocus);
    label->hide();
    return label;
}

} // namespace

QString escaped(const QString& text) {
    QString html = text.toHtmlEscaped();
    html.replace(u'\n', QStringLiteral("<br>"));
    return html;
}

QString link_text(const QString& text, const QString& target) {
    return QStringLiteral("<a href=\"%1\" style=\"text-decoration:none\">%2</a>")
        .arg(target.toHtmlEscaped(), escaped(text));
}

Card::Card(const QString& title, QWidget* parent) : QFrame(parent) {
    m_column = new QVBoxLayout(this);
    m_column->setContentsMargins(12, 6, 8, 11);
    m_column->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    m_title_label = new QLabel(this);
    m_title_label->setTextFormat(Qt::RichText);
    m_title_label->setWordWrap(true);
    m_title_label->setMinimumHeight(24);
    head->addWidget(m_title_label, 1);
    m_copy = new IconButton(QStringLiteral("copy"), tr("Copy this card"), this);
    m_copy->setFocusPolicy(Qt::NoFocus); // the card itself takes Ctrl+C
    QSizePolicy keep = m_copy->sizePolicy();
    keep.setRetainSizeWhenHidden(true);
    m_copy->setSizePolicy(keep);
    m_copy->hide();
    head->addWidget(m_copy, 0, Qt::AlignTop);
    m_column->addLayout(head);
    m_text = make_text(this);
    m_column->addWidget(m_text);
    m_note = make_text(this);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_column->addWidget(m_note);
    connect(m_text, &QLabel::linkActivated, this, &Card::link_activated);
    connect(m_copy, &QToolButton::clicked, this, &Card::copy);
    setFocusPolicy(Qt::StrongFocus);
    restyle();
    set_title(title);
}

void Card::set_title(const QString& title) {
    m_title = title;
    show_title();
}

void Card::set_subtitle(const QString& subtitle) {
    m_subtitle = subtitle;
    show_title();
}

void Card::show_title() {
    QString html = QStringLiteral("<b style=\"font-weight:600\">%1</b>").arg(escaped(m_title));
    if (!m_subtitle.isEmpty())
        html += QStringLiteral(" · ") + escaped(m_subtitle);
    m_title_label->setText(html);
    refresh_name();
}

void Card::set_text(const QString& plain) {
    m_text->setTextFormat(Qt::PlainText);
    m_text->setText(plain);
    m_text->setFocusPolicy(Qt::ClickFocus);
    m_text->setVisible(!plain.isEmpty());
    refresh_name();
}

void Card::set_rich_text(const QString& html) {
    m_text->setTextFormat(Qt::RichText);
    m_text->setText(html);
    m_text->setFocusPolicy(html.contains(QLatin1String("<a ")) ? Qt::StrongFocus : Qt::ClickFocus);
    m_text->setVisible(!html.isEmpty());
    refresh_name();
}

void Card::set_note(const QString& plain) {
    m_note->setText(plain);
    m_note->setVisible(!plain.isEmpty());
    refresh_name();
}

QPushButton* Card::add_action(const QString& text, const QString& tool_tip) {
    auto* button = new QPushButton(text, this);
    button->setToolTip(tool_tip);
    if (!m_actions) {
        m_actions = new FlowLayout;
        m_actions->setContentsMargins(0, 5, 0, 0);
        m_column->addLayout(m_actions);
    }
    m_actions->addWidget(button);
    return button;
}

void Card::add_widget(QWidget* widget) {
    m_column->insertWidget(m_column->count() - (m_actions ? 1 : 0), widget);
}

void Card::set_edge(const QColor& colour) {
    m_edge = colour;
    update();
}

void Card::set_emphasis(bool emphasis) {
    m_emphasis = emphasis;
    update();
}

QString Card::title() const {
    return m_title;
}

QString Card::text() const {
    QStringList lines;
    if (!m_title.isEmpty())
        lines << (m_subtitle.isEmpty() ? m_title : m_title + QStringLiteral(" · ") + m_subtitle);
    if (!m_text->text().isEmpty())
        lines << (m_text->textFormat() == Qt::RichText ? QTextDocumentFragment::fromHtml(m_text->text()).toPlainText()
                                                       : m_text->text());
    if (!m_note->text().isEmpty())
        lines << m_note->text();
    return lines.join(u'\n');
}

void Card::copy() const {
    QGuiApplication::clipboard()->setText(text());
}

void Card::refresh_name() {
    setAccessibleName(m_title);
    setAccessibleDescription(text());
}

void Card::restyle() {
    m_title_label->setFont(text_font(12));
    m_title_label->setForegroundRole(QPalette::PlaceholderText);
    m_text->setFont(text_font(13));
    m_note->setFont(text_font(12));
}

void Card::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setBrush(m_emphasis ? theme.selection : theme.raised);
    painter.setPen(QPen(theme.line, 1));
    painter.drawRoundedRect(box, 6, 6);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    }
    if (m_edge.isValid()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_edge);
        painter.setClipRect(QRectF(0, 0, 3, height()));
        painter.drawRoundedRect(QRectF(rect()), 6, 6);
    }
}

void Card::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    connect(menu.addAction(tr("Copy card")), &QAction::triggered, this, &Card::copy);
    menu.exec(event->globalPos());
}

void Card::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange)
        restyle();
    QFrame::changeEvent(event);
}

void Card::enterEvent(QEnterEvent* event) {
    m_copy->show();
    QFrame::enterEvent(event);
}

void Card::leaveEvent(QEvent* event) {
    m_copy->setVisible(hasFocus());
    QFrame::leaveEvent(event);
}

void Card::focusInEvent(QFocusEvent* event) {
    m_copy->show();
    QFrame::focusInEvent(event);
    update();
}

void Card::focusOutEvent(QFocusEvent* event) {
    m_copy->setVisible(underMouse());
    QFrame::focusOutEvent(event);
    update();
}

void Card::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        copy();
    else
        QFrame::keyPressEvent(event);
}

} // namespace kf::ui
