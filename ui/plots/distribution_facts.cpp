// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/distribution_facts.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/style.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

DistributionFacts::DistributionFacts(QWidget* parent)
    : QWidget(parent), m_column(new QVBoxLayout(this)), m_button(new QPushButton(this)) {
    setObjectName(u"distribution_facts"_s);
    setAccessibleName(tr("Comparison in words"));
    m_column->setContentsMargins(12, 8, 12, 12);
    m_column->setSpacing(0);
    m_column->addWidget(m_button, 0, Qt::AlignLeft);
    m_column->addStretch(1);
    m_button->hide();
    connect(m_button, &QPushButton::clicked, this, &DistributionFacts::button_clicked);
}

QLabel* DistributionFacts::label(const QString& text, Look look) {
    auto* made = new QLabel(text, m_body);
    made->setTextFormat(Qt::PlainText); // what a journal says is never markup
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    const bool table = look == Look::figure || look == Look::what || look == Look::heading_a || look == Look::heading_b;
    made->setWordWrap(!table);
    if (look == Look::figure || look == Look::heading_a || look == Look::heading_b)
        made->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_labels.emplace_back(made, look);
    return made;
}

void DistributionFacts::show_data(const DistributionData& shown, const QString& invitation, const QString& button) {
    delete m_body;
    m_labels.clear();
    m_body = new QWidget(this);
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    if (!shown.headline.isEmpty())
        column->addWidget(label(shown.headline, Look::headline));
    if (!shown.reason.isEmpty())
        column->addWidget(label(shown.reason, Look::reason));
    if (!shown.rows.empty()) {
        column->addSpacing(6);
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(16);
        grid->setVerticalSpacing(3);
        const bool two = !shown.a.empty() && !shown.b.empty();
        int row = 0;
        if (two) {
            grid->addWidget(label(u"A "_s + shown.a.name, Look::heading_a), row, 1);
            grid->addWidget(label(u"B "_s + shown.b.name, Look::heading_b), row, 2);
            ++row;
        }
        for (const FigureRow& figures : shown.rows) {
            grid->addWidget(label(figures.what, Look::what), row, 0);
            if (two)
                grid->addWidget(label(figures.a, Look::figure), row, 1);
            grid->addWidget(label(figures.b.isEmpty() && !two ? figures.a : figures.b, Look::figure), row, 2);
            ++row;
        }
        grid->setColumnStretch(3, 1);
        column->addLayout(grid);
        column->addSpacing(6);
    }
    for (const TextLine& line : shown.lines)
        column->addWidget(label(line.text, line.tone == TextTone::caution ? Look::caution
                                           : line.tone == TextTone::plain ? Look::plain
                                                                          : Look::dim));
    if (!invitation.isEmpty()) {
        column->addSpacing(6);
        column->addWidget(label(invitation, Look::plain));
    }
    column->addSpacing(4);
    m_column->insertWidget(0, m_body);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    setAccessibleDescription(distribution_text(shown));
    restyle();
}

void DistributionFacts::restyle() {
    const Theme& theme = Theme::current();
    for (const auto& [one, look] : m_labels) {
        QColor colour = theme.dim;
        QFont font = text_font(12);
        switch (look) {
        case Look::headline:
            font = text_font(14, Weight::semibold);
            colour = theme.text;
            break;
        case Look::heading_a:
            break;
        case Look::heading_b:
            colour = theme.accent;
            break;
        case Look::figure:
            font = mono_font(12);
            colour = theme.text;
            break;
        case Look::plain:
            colour = theme.text;
            break;
        case Look::caution:
            colour = theme.stale;
            break;
        case Look::reason:
        case Look::what:
        case Look::dim:
            break;
        }
        one->setFont(font);
        QPalette palette = one->palette();
        palette.setColor(QPalette::WindowText, colour);
        one->setPalette(palette);
    }
}

void DistributionFacts::changeEvent(QEvent* event) {
    // A label's own palette change comes to the label, not here: no loop.
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange ||
        event->type() == QEvent::StyleChange)
        restyle();
    QWidget::changeEvent(event);
}

} // namespace kf::ui
