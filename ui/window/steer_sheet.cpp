// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/steer_sheet.h"

#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr double as_provider = -0.05; // of a temperature: below what can be asked for

QLineEdit* hint_field() {
    auto* field = new QLineEdit;
    field->setPlaceholderText(u"What should it try? (may be left empty)"_s);
    field->setMaxLength(4000);
    return field;
}

} // namespace

SteerSheet::SteerSheet(QWidget* window)
    : Sheet(window, u"Steer the run"_s, 500), m_heading(new QLabel(panel())), m_lead(new QLabel(panel())),
      m_go(new QPushButton(panel())) {
    setObjectName(u"steer_sheet"_s);
    m_heading->setFont(text_font(15, Weight::semibold));
    m_lead->setWordWrap(true);
    m_lead->setForegroundRole(QPalette::PlaceholderText);
    auto* cancel = new QPushButton(u"Cancel"_s, panel());
    cancel->setAccessibleName(cancel->text());
    set_look(*m_go, ButtonLook::primary);
    m_go->setObjectName(u"steer.go"_s);
    m_go->setToolTip(u"Enter"_s);
    auto* row = new QHBoxLayout;
    row->addWidget(cancel);
    row->addStretch(1);
    row->addWidget(m_go);
    panel_layout()->addWidget(m_heading);
    panel_layout()->addWidget(m_lead);
    panel_layout()->addSpacing(6);
    panel_layout()->addLayout(row);
    connect(cancel, &QPushButton::clicked, this, &Sheet::close_sheet);
    connect(m_go, &QPushButton::clicked, this, [this] {
        const auto done = m_done;
        close_sheet();
        if (done)
            done();
    });
}

void SteerSheet::begin(const QString& heading, const QString& lead, const QString& button, std::function<void()> done) {
    delete m_form;
    m_form = new QWidget(panel());
    m_rows = new QFormLayout(m_form);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(8);
    m_rows->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    panel_layout()->insertWidget(2, m_form);
    m_heading->setText(heading);
    m_lead->setText(lead);
    m_go->setText(button);
    m_go->setAccessibleName(button);
    m_done = std::move(done);
}

QWidget* SteerSheet::add_field(const QString& name, const QString& label, QWidget* field) {
    field->setObjectName(u"steer."_s + name);
    field->setAccessibleName(label);
    field->setMinimumHeight(28);
    field->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* text = new QLabel(label, m_form);
    text->setBuddy(field);
    m_rows->addRow(text, field);
    return field;
}

void SteerSheet::finish(QWidget* first) {
    // Tab goes through the fields and then to the buttons.
    QWidget* last = nullptr;
    for (int row = 0; row < m_rows->rowCount(); ++row)
        if (QLayoutItem* item = m_rows->itemAt(row, QFormLayout::FieldRole)) {
            if (last)
                setTabOrder(last, item->widget());
            last = item->widget();
        }
    if (last)
        setTabOrder(last, m_go);
    m_form->show();
    open(first);
}

// Fields leave Enter to us.
void SteerSheet::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        event->accept();
        auto* button = qobject_cast<QAbstractButton*>(focusWidget());
        (button ? button : m_go)->click();
        return;
    }
    Sheet::keyPressEvent(event);
}

void SteerSheet::ask_fork(int turn) {
    auto* hint = hint_field();
    begin(turn == 0 ? u"Fork from the start kernel"_s : u"Fork from turn %1"_s.arg(turn),
          u"The model's next turn grows from it. What was found since stays in the run."_s, u"Fork"_s,
          [this, turn, hint] { Q_EMIT fork_wanted(turn, hint->text().trimmed()); });
    finish(add_field(u"hint"_s, u"Hint"_s, hint));
}

void SteerSheet::ask_edit(const QString& file_name) {
    auto* hint = hint_field();
    begin(u"Edit and continue"_s,
          u"%1 is judged on all its cases; then the model goes on from it."_s.arg(file_name.isEmpty() ? u"The draft"_s
                                                                                                      : file_name),
          u"Judge and continue"_s, [this, hint] { Q_EMIT edit_wanted(hint->text().trimmed()); });
    finish(add_field(u"hint"_s, u"Hint"_s, hint));
}

void SteerSheet::ask_model(const Json& present) {
    const QString now = QString::fromStdString(get_string(present, "model"));
    auto* model = new QLineEdit;
    auto* provider = new QLineEdit;
    auto* temperature = new QDoubleSpinBox;
    auto* reasoning = new QComboBox;
    begin(u"Change the model"_s, u"Holds from the next turn on; what is being written is finished first."_s,
          u"Change"_s, [this, present, model, provider, temperature, reasoning] {
              Json change = Json::object();
              const auto text = [&](const char* key, const QString& value) {
                  if (!value.isEmpty() && value.toStdString() != get_string(present, key))
                      change[key] = value.toStdString();
              };
              text("model", model->text().trimmed());
              text("provider", provider->text().trimmed());
              text("reasoning", reasoning->currentData().toString());
              const bool told = present.contains("temperature") && present["temperature"].is_number();
              if (temperature->value() < 0) {
                  if (told)
                      change["temperature"] = nullptr;
              } else if (!told || std::abs(get_double(present, "temperature") - temperature->value()) > 1e-9) {
                  change["temperature"] = temperature->value();
              }
              if (!change.empty())
                  Q_EMIT model_wanted(change);
          });
    model->setText(now);
    model->setPlaceholderText(u"as the provider names it"_s);
    model->selectAll();
    add_field(u"model"_s, u"Model"_s, model);
    provider->setText(QString::fromStdString(get_string(present, "provider")));
    provider->setPlaceholderText(u"an id or a URL"_s);
    add_field(u"provider"_s, u"Provider"_s, provider);
    temperature->setRange(as_provider, 2);
    temperature->setSingleStep(0.05);
    temperature->setDecimals(2);
    temperature->setSpecialValueText(u"as the provider has it"_s);
    temperature->setValue(present.contains("temperature") && present["temperature"].is_number()
                              ? get_double(present, "temperature")
                              : as_provider);
    add_field(u"temperature"_s, u"Temperature"_s, temperature);
    for (const auto& [value, label] : {std::pair(u"automatic"_s, u"As the model does"_s), std::pair(u"off"_s, u"Off"_s),
                                       std::pair(u"low"_s, u"Low"_s), std::pair(u"full"_s, u"Full"_s)})
        reasoning->addItem(label, value);
    const int at = reasoning->findData(QString::fromStdString(get_string(present, "reasoning")));
    reasoning->setCurrentIndex(std::max(0, at));
    add_field(u"reasoning"_s, u"Reasoning"_s, reasoning);
    finish(model);
}

void SteerSheet::ask_budgets(const Json& present) {
    auto* turns = new QSpinBox;
    auto* tokens = new QSpinBox;
    auto* money = new QDoubleSpinBox;
    auto* minutes = new QDoubleSpinBox;
    begin(
        u"Budgets of the run"_s,
        u"New totals, counted from the run's beginning. Below what is spent already, the run ends at its next turn."_s,
        u"Set"_s, [this, turns, tokens, money, minutes] {
            Q_EMIT budgets_wanted(Json{{"turns", turns->value()},
                                       {"tokens", tokens->value()},
                                       {"money", money->value()},
                                       {"minutes", minutes->value()}});
        });
    turns->setRange(0, 1'000'000);
    turns->setValue(static_cast<int>(std::clamp<std::int64_t>(get_int(present, "turns"), 0, 1'000'000)));
    tokens->setRange(0, 2'000'000'000);
    tokens->setSingleStep(10'000);
    tokens->setGroupSeparatorShown(true);
    tokens->setValue(static_cast<int>(std::clamp<std::int64_t>(get_int(present, "tokens"), 0, 2'000'000'000)));
    money->setRange(0, 1e6);
    money->setDecimals(2);
    money->setPrefix(u"$"_s);
    money->setValue(get_double(present, "money"));
    minutes->setRange(0, 1e6);
    minutes->setDecimals(1);
    minutes->setValue(get_double(present, "seconds") / 60);
    for (QAbstractSpinBox* box : {static_cast<QAbstractSpinBox*>(turns), static_cast<QAbstractSpinBox*>(tokens),
                                  static_cast<QAbstractSpinBox*>(money), static_cast<QAbstractSpinBox*>(minutes)})
        box->setSpecialValueText(u"no limit"_s);
    add_field(u"turns"_s, u"Turns"_s, turns);
    add_field(u"tokens"_s, u"Tokens"_s, tokens);
    add_field(u"money"_s, u"Money"_s, money);
    add_field(u"minutes"_s, u"Minutes"_s, minutes);
    finish(turns);
}

} // namespace kf::ui
