// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/state_line.h"

#include "ui/widgets/chip.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/style.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace kf::ui {
namespace {

QToolButton* key_button(const QString& text, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(text);
    button->setAccessibleDescription(tip);
    button->setMinimumHeight(24);
    set_look(*button, ButtonLook::flat);
    return button;
}

} // namespace

StateLine::StateLine(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QStringLiteral("State of the source"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 0, 10, 0);
    row->setSizeConstraint(QLayout::SetNoConstraint);
    row->setSpacing(8);
    m_bench = key_button(QStringLiteral("F5 bench"),
                         QStringLiteral("Screen this source: compile, check the smallest case, six short rounds. "
                                        "Ctrl+F5 certifies."),
                         this);
    m_compile = key_button(QStringLiteral("Ctrl+⏎ compile"), QStringLiteral("Compile only, run nothing"), this);
    m_take = key_button(QStringLiteral("Take into draft"),
                        QStringLiteral("Put this text into the draft; Ctrl+Z there takes it back"), this);
    m_plots = new ElidedLabel({}, this, Qt::ElideRight);
    m_between = new QLabel(QStringLiteral("·"), this);
    m_between->setForegroundRole(QPalette::PlaceholderText);
    m_between->setAccessibleName(QStringLiteral("and"));
    m_state = new ElidedLabel({}, this, Qt::ElideRight);
    m_chip = new Chip(this);
    m_issues = new QPushButton(QStringLiteral("Issues"), this);
    m_issues->setToolTip(QStringLiteral("Show what is wrong"));
    m_issues->setAccessibleName(QStringLiteral("Show issues"));
    set_look(*m_issues, ButtonLook::link);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_take), static_cast<QWidget*>(m_bench), static_cast<QWidget*>(m_compile),
          static_cast<QWidget*>(m_plots), static_cast<QWidget*>(m_between), static_cast<QWidget*>(m_state),
          static_cast<QWidget*>(m_chip), static_cast<QWidget*>(m_issues)})
        row->addWidget(widget, 0, Qt::AlignVCenter);
    m_plots->hide();
    m_between->hide();
    m_state->hide();
    m_chip->hide();
    m_issues->hide();
    m_take->hide();
    connect(m_bench, &QToolButton::clicked, this, &StateLine::bench_wanted);
    connect(m_compile, &QToolButton::clicked, this, &StateLine::compile_wanted);
    connect(m_take, &QToolButton::clicked, this, &StateLine::take_wanted);
    connect(m_issues, &QPushButton::clicked, this, &StateLine::issues_wanted);
}

void StateLine::show_desk(const BenchDesk& desk) {
    const bool answered = desk.phase() == BenchDesk::Phase::answered;
    const bool failed = desk.phase() == BenchDesk::Phase::failed && desk.error();
    const QString waiting = desk.waiting_text();
    if (failed) {
        m_state->set_tone(ElidedLabel::Tone::error);
        m_state->set_text(QStringLiteral("not measured: ") + QString::fromStdString(desk.error()->message));
        m_state->setToolTip(QString::fromStdString(desk.error()->message + ". " + desk.error()->remedy));
    } else {
        m_state->set_tone(ElidedLabel::Tone::dim);
        m_state->set_text(waiting);
    }
    m_state->setVisible(failed || !waiting.isEmpty());
    separate();
    m_chip->setVisible(answered);
    m_issues->setVisible(answered && desk.result().leads_to_issues);
    if (answered) {
        m_chip->set_verdict(desk.result().kind, desk.result().text);
        m_chip->set_progress(desk.result().leads_to_issues ? -1 : desk.result().progress);
        m_chip->setToolTip(desk.result().detail);
    }
}

void StateLine::show_plots(const QString& text, bool stale) {
    m_plots->set_tone(stale ? ElidedLabel::Tone::caution : ElidedLabel::Tone::dim);
    m_plots->set_text(text);
    m_plots->setVisible(!text.isEmpty());
    separate();
}

void StateLine::separate() {
    m_between->setVisible(!m_plots->isHidden() && !m_state->isHidden());
}

void StateLine::set_read_only(bool read_only) {
    m_read_only = read_only;
    m_take->setVisible(read_only);
}

// What is said first: the state; then the way into the draft; then the two keys, which are also in every menu.
void StateLine::fit(int room) {
    m_bench->setVisible(true);
    m_compile->setVisible(!m_read_only);
    if (sizeHint().width() > room)
        m_compile->setVisible(false);
    if (sizeHint().width() > room)
        m_bench->setVisible(false);
}

QString StateLine::text() const {
    QStringList parts;
    for (const ElidedLabel* label : {m_plots, m_state})
        if (!label->isHidden())
            parts.append(label->text());
    if (!m_chip->isHidden())
        parts.append(m_chip->text());
    return parts.join(QStringLiteral(" · "));
}

} // namespace kf::ui
