// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/prompt_pane.h"

#include "ui/docks/reading_view.h"
#include "ui/models/exchange_texts.h"
#include "ui/models/texts.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/search_field.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

PromptPane::PromptPane(const PaneContext& context, ExchangeStore& exchanges, QWidget* parent)
    : Pane(u"prompt"_s, u"Prompt"_s, u"prompt"_s, parent), m_context(context), m_exchanges(exchanges),
      m_model(new PromptModel(this)), m_empty(new EmptyState(u"prompt"_s, QString(), QString(), this)),
      m_body(new QWidget(this)), m_facts(new QLabel(m_body)), m_which(new QComboBox(m_body)),
      m_copy(new IconButton(u"copy"_s, u"Copy the whole prompt"_s, m_body)),
      m_search(new SearchField(u"Find in the prompt"_s, m_body)),
      m_view(new ReadingView(*m_model, u"Prompt"_s, m_body)) {
    m_stack = new QStackedLayout(this);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_body);
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 6, 0, 6);
    column->setSpacing(6);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 0, 12, 0);
    m_facts->setWordWrap(true);
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_facts->setFont(text_font(12));
    m_which->setAccessibleName(u"Which exchange of the turn"_s);
    m_which->setMinimumHeight(28);
    bar->addWidget(m_facts, 1);
    bar->addWidget(m_which);
    bar->addWidget(m_copy);
    column->addLayout(bar);
    auto* search = new QHBoxLayout;
    search->setContentsMargins(12, 0, 12, 0);
    search->addWidget(m_search);
    m_search->setAccessibleName(u"Find in the prompt"_s);
    m_search->hide();
    column->addLayout(search);
    column->addWidget(m_view, 1);
    const auto search_for = [this](bool forward) {
        m_view->set_found(m_search->text());
        m_found = m_model->find(m_search->text(), m_found, forward);
        m_search->set_result(m_search->text().isEmpty() ? QString()
                             : m_found < 0              ? u"not found"_s
                                                        : u"%1 places"_s.arg(m_model->count_of(m_search->text())));
        if (m_found >= 0) {
            m_view->set_cursor(m_found);
            m_view->show_row(m_found, true);
        }
    };
    connect(m_search, &SearchField::searched, this, [search_for] { search_for(true); });
    connect(m_search, &SearchField::next, this, [search_for] { search_for(true); });
    connect(m_search, &SearchField::previous, this, [search_for] { search_for(false); });
    connect(m_search, &SearchField::escaped, this, [this] {
        m_search->hide();
        m_view->set_found({});
        m_view->setFocus();
    });
    connect(m_copy, &QToolButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_model->text());
        m_context.notices.toast(u"Copied the prompt"_s);
    });
    connect(m_which, &QComboBox::activated, this, &PromptPane::show_exchange);
    connect(m_view, &ReadingView::heading_activated, m_model, &PromptModel::toggle);
    connect(m_view, &ReadingView::copied_text, this,
            [this](const QString& what) { m_context.notices.toast(u"Copied the %1"_s.arg(what)); });
    connect(m_empty, &EmptyState::action_triggered, this, [this] { Q_EMIT link_activated(u"pane:runs"_s); });
    connect(&context.selection, &Selection::current_changed, this, &PromptPane::refresh);
    connect(&context.store, &RunStore::was_reset, this, &PromptPane::refresh);
    connect(&context.store, &RunStore::changed, this, [this](const RunChanges& changes) {
        if (m_context.store.state().turns.size() <= 1 || changes.turns.contains(m_turn))
            refresh();
    });
    const auto of_turn = [this](int turn) {
        if (turn == m_turn)
            refresh();
    };
    connect(&exchanges, &ExchangeStore::changed, this, of_turn);
    connect(&exchanges, &ExchangeStore::body_loaded, this, of_turn);
    refresh();
}

void PromptPane::show_exchange(int exchange) {
    m_exchange = exchange;
    refresh();
}

void PromptPane::refresh() {
    const int turn = m_context.selection.current().turn;
    if (turn != m_turn)
        m_exchange = -1;
    m_turn = turn;
    const auto& list = m_exchanges.of_turn(turn);
    const auto empty = [this](const QString& sentence, const QString& action = {}) {
        m_model->show(nullptr);
        m_empty->set(u"prompt"_s, sentence, action);
        m_stack->setCurrentWidget(m_empty);
    };
    m_empty->set_busy(false);
    if (m_context.store.mode() == RunMode::none)
        return empty(u"No run is open, so there is no prompt."_s, u"Show the runs"_s);
    if (turn < 0)
        return empty(m_context.store.state().turns.empty() ? u"The run has no turn yet."_s
                                                           : u"Select a turn to see what its model was sent."_s);
    if (list.empty()) {
        const auto found = m_context.store.state().turns.find(turn);
        if (found != m_context.store.state().turns.end() && found->second.author == "model" && !found->second.finished)
            return empty(u"The prompt of turn %1 is shown when its reply is there."_s.arg(turn));
        return empty(turn == 0 ? u"The start kernel has no prompt: no model was asked."_s
                               : u"Turn %1 has no prompt: no model was asked."_s.arg(turn));
    }
    if (m_exchange < 0 || m_exchange >= static_cast<int>(list.size()))
        m_exchange = static_cast<int>(list.size()) - 1;
    const Exchange& one = list[static_cast<std::size_t>(m_exchange)];
    const auto body = m_exchanges.body(turn, static_cast<std::size_t>(m_exchange));
    {
        const QSignalBlocker quiet(m_which);
        m_which->clear();
        for (const Exchange& each : list)
            m_which->addItem(each.attempt > 1
                                 ? u"%1, attempt %2"_s.arg(each.repair ? u"repair"_s : u"first"_s).arg(each.attempt)
                             : each.repair ? u"repair"_s
                                           : u"first"_s);
        m_which->setCurrentIndex(m_exchange);
        m_which->setVisible(list.size() > 1);
    }
    if (!body) {
        empty(u"Reading the prompt of turn %1 …"_s.arg(turn));
        m_empty->set_busy(true);
        return;
    }
    if (!body->request)
        return empty(body->trouble.isEmpty() ? u"The journal keeps no prompt for turn %1."_s.arg(turn) : body->trouble);
    m_model->show(body->request);
    QStringList facts{u"Turn %1"_s.arg(turn), prompt_text(one, body->request.get())};
    if (!body->request->model.empty())
        facts << plain(body->request->model);
    if (body->request->temperature)
        facts << u"temperature %1"_s.arg(*body->request->temperature);
    if (body->request->reasoning != ReasoningEffort::automatic) {
        const std::string_view effort = to_string(body->request->reasoning);
        facts << u"reasoning "_s + QString::fromUtf8(effort.data(), static_cast<qsizetype>(effort.size()));
    }
    facts << u"at most %1 tokens of reply"_s.arg(count_text(body->request->max_tokens));
    if (!one.left_out.isEmpty())
        facts << u"left out: %1"_s.arg(one.left_out.join(u", "_s));
    facts.removeAll(QString());
    m_facts->setText(facts.join(u" · "_s));
    m_stack->setCurrentWidget(m_body);
    m_view->show_row(0);
}

QWidget* PromptPane::focus_target() {
    return m_stack->currentWidget() == m_body ? static_cast<QWidget*>(m_view)
                                              : static_cast<QWidget*>(m_empty->button());
}

void PromptPane::find() {
    m_search->show();
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

QString PromptPane::text_twin() const {
    return m_model->request() ? m_facts->text() + u"\n\n"_s + m_model->text() : m_empty->sentence();
}

Result<QByteArray> PromptPane::export_as(const QString& format) const {
    if (!m_model->request())
        return make_error("export-empty", "There is no prompt to export", "Select a turn that a model wrote");
    if (format == u"json"_s)
        return QByteArray::fromStdString(to_json(*m_model->request()).dump(2) + "\n");
    return (m_model->text() + u'\n').toUtf8();
}

} // namespace kf::ui
