// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/issues_pane.h"

#include "ui/docks/tables.h"
#include "ui/models/headline_data.h"
#include "ui/models/texts.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

const QString turn_producer = QStringLiteral("turn");

// The severity's icon in its colour before the message.
class SeverityDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const QString severity = index.data(IssueRole::severity).toString();
        const Theme& theme = Theme::current();
        const bool error = severity == QLatin1String("error"), warning = severity == QLatin1String("warning");
        const double ratio = option->widget ? option->widget->devicePixelRatioF() : 1;
        option->icon = QIcon(icon_pixmap(error     ? QStringLiteral("error")
                                         : warning ? QStringLiteral("warning")
                                                   : QStringLiteral("info"),
                                         16,
                                         error     ? theme.error
                                         : warning ? theme.inconclusive
                                                   : theme.dim,
                                         ratio));
        option->decorationSize = QSize(16, 16);
        option->features |= QStyleOptionViewItem::HasDecoration;
    }
};

} // namespace

IssueFilter::IssueFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(IssueRole::sort);
    setDynamicSortFilter(true);
    sort(0);
}

void IssueFilter::set_severity(const QString& severity) {
    m_severity = severity;
    invalidateFilter();
}

void IssueFilter::set_search(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool IssueFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (!m_severity.isEmpty() && index.data(IssueRole::severity).toString() != m_severity)
        return false;
    if (m_words.isEmpty())
        return true;
    QString text;
    for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
        text += index.siblingAtColumn(column).data().toString() + QLatin1Char(' ');
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

std::vector<Issue> issues_of(const Evaluation& evaluation, int turn) {
    std::vector<Issue> issues;
    if (!evaluation.failure)
        return issues;
    const Failure& failure = *evaluation.failure;
    for (const Diagnostic& one : failure.diagnostics)
        issues.push_back({turn_producer,
                          plain(one.severity),
                          plain(one.place.file),
                          std::max(0, one.place.line),
                          std::max(0, one.place.column),
                          plain(one.message),
                          {},
                          turn});
    if (issues.empty() && failure.source.line > 0)
        issues.push_back({turn_producer,
                          QStringLiteral("error"),
                          plain(failure.source.file),
                          failure.source.line,
                          std::max(0, failure.source.column),
                          plain(failure.message),
                          {},
                          turn});
    if (!issues.empty())
        issues.front().remedy = plain(failure.remedy);
    return issues;
}

IssuesPane::IssuesPane(const PaneContext& context, IssueModel& issues, QWidget* parent)
    : Pane(QStringLiteral("issues"), QStringLiteral("Issues"), QStringLiteral("issues"), parent), m_context(context),
      m_issues(issues), m_filter(new IssueFilter(this)),
      m_severity(new Segmented(
          {QStringLiteral("All"), QStringLiteral("Errors"), QStringLiteral("Warnings"), QStringLiteral("Notes")},
          this)),
      m_search(new SearchField(QStringLiteral("Filter issues"), this)), m_table(new QTableView(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 6);
    column->setSpacing(6);
    auto* bar = new QHBoxLayout;
    bar->addWidget(m_severity);
    bar->addWidget(m_search, 1);
    column->addLayout(bar);
    m_stack = new QStackedLayout;
    column->addLayout(m_stack, 1);
    m_severity->setAccessibleName(QStringLiteral("Severity"));
    m_search->setAccessibleName(QStringLiteral("Filter issues"));
    m_search->setMaximumWidth(320);
    bar->addStretch(0);

    m_filter->setSourceModel(&issues);
    m_table->setModel(m_filter);
    set_up_table(*m_table, QStringLiteral("Issues"), [this](QMenu& menu, const QModelIndex& index) {
        if (index.isValid() && index.data(IssueRole::line).toInt() > 0)
            menu.addAction(icon(QStringLiteral("editor")), QStringLiteral("Go to line"), this,
                           [this, row = QPersistentModelIndex(index)] { go_to(row); });
    });
    m_table->setItemDelegateForColumn(static_cast<int>(IssueColumn::message), new SeverityDelegate(m_table));
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(static_cast<int>(IssueColumn::message), QHeaderView::Stretch);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_empty = new EmptyState(QStringLiteral("check"), QString(), QString(), this);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_table);

    connect(m_table, &QAbstractItemView::activated, this, &IssuesPane::go_to);
    connect(m_severity, &Segmented::index_changed, this, [this](int index) {
        constexpr const char* names[] = {"", "error", "warning", "note"};
        m_filter->set_severity(QString::fromLatin1(names[std::clamp(index, 0, 3)]));
        refresh();
    });
    connect(m_search, &SearchField::searched, this, [this](const QString& text) {
        m_filter->set_search(text);
        refresh();
    });
    connect(m_search, &SearchField::next, this, [this] { step(true); });
    connect(m_search, &SearchField::previous, this, [this] { step(false); });
    connect(m_search, &SearchField::escaped, this, [this] { m_table->setFocus(); });
    connect(m_empty, &EmptyState::action_triggered, this, [this] {
        if (m_filter->active())
            clear_filter();
        else
            Q_EMIT link_activated(QStringLiteral("pane:editor"));
    });
    connect(&issues, &QAbstractItemModel::modelReset, this, &IssuesPane::refresh);
    connect(&issues, &QAbstractItemModel::rowsInserted, this, &IssuesPane::refresh);
    connect(&issues, &QAbstractItemModel::rowsRemoved, this, &IssuesPane::refresh);
    connect(&issues, &QAbstractItemModel::dataChanged, this, &IssuesPane::refresh);
    connect(&context.selection, &Selection::current_changed, this, &IssuesPane::read_turn);
    connect(&context.store, &RunStore::was_reset, this, &IssuesPane::read_turn);
    connect(&context.store, &RunStore::changed, this, [this](const RunChanges& changes) {
        if (changes.turns.contains(m_context.selection.current().turn))
            read_turn();
    });
    read_turn();
}

void IssuesPane::read_turn() {
    const RunState& state = m_context.store.state();
    const Chosen chosen = m_context.selection.current();
    std::vector<Issue> found;
    if (const EvaluationState* one = chosen_evaluation(state, chosen); one && one->failed)
        if (auto whole = m_context.store.evaluation(chosen.turn, one->id))
            found = issues_of(**whole, chosen.turn);
    m_issues.set_issues(turn_producer, std::move(found));
    refresh();
}

void IssuesPane::refresh() {
    const int count = m_issues.rowCount();
    set_badge(count == 0 ? QString() : QString::number(count));
    // A draft that went wrong wants to be seen. A failed turn was chosen by the person: what it brings stays quiet.
    int errors = 0;
    for (int row = 0; row < count; ++row)
        errors +=
            m_issues.issue(row).severity == QLatin1String("error") && m_issues.issue(row).producer != turn_producer;
    if (errors > 0 && m_errors == 0)
        Q_EMIT wants_attention();
    m_errors = errors;
    const int turn = m_context.selection.current().turn;
    if (m_filter->rowCount() > 0) {
        m_stack->setCurrentWidget(m_table);
        if (!m_table->currentIndex().isValid())
            m_table->setCurrentIndex(m_filter->index(0, 0));
    } else {
        if (count > 0)
            m_empty->set(QStringLiteral("filter"),
                         count == 1 ? QStringLiteral("The filter hides the only issue.")
                                    : QStringLiteral("The filter hides all %1 issues.").arg(count),
                         QStringLiteral("Clear the filter"));
        else
            m_empty->set(QStringLiteral("check"),
                         turn < 0    ? QStringLiteral("No issues.")
                         : turn == 0 ? QStringLiteral("No issues in the start kernel.")
                                     : QStringLiteral("No issues in turn %1.").arg(turn),
                         QStringLiteral("Show the editor"));
        m_stack->setCurrentWidget(m_empty);
    }
    setAccessibleDescription(text_twin());
}

void IssuesPane::clear_filter() {
    m_severity->set_index(0);
    m_search->clear();
    m_filter->set_severity({});
    m_filter->set_search({});
    refresh();
    m_table->setFocus();
}

void IssuesPane::go_to(const QModelIndex& index) {
    if (!index.isValid())
        return;
    const int line = index.data(IssueRole::line).toInt(), column = index.data(IssueRole::column).toInt();
    if (line <= 0)
        return;
    Q_EMIT link_activated(column > 0 ? QStringLiteral("line:%1:%2").arg(line).arg(column)
                                     : QStringLiteral("line:%1").arg(line));
}

void IssuesPane::step(bool forward) {
    const int rows = m_filter->rowCount();
    if (rows == 0)
        return;
    const QModelIndex current = m_table->currentIndex();
    const int from = current.isValid() ? current.row() : (forward ? -1 : rows);
    const QModelIndex to = m_filter->index(((forward ? from + 1 : from - 1) + rows) % rows, 0);
    m_table->setCurrentIndex(to);
    m_table->scrollTo(to);
    go_to(to);
}

QString IssuesPane::text_twin() const {
    if (m_filter->rowCount() == 0)
        return m_empty->sentence();
    QStringList lines;
    for (int row = 0; row < m_filter->rowCount(); ++row)
        lines << m_filter->index(row, 0).data(Qt::AccessibleTextRole).toString();
    return lines.join(QLatin1Char('\n'));
}

Result<QByteArray> IssuesPane::export_as(const QString& format) const {
    if (m_filter->rowCount() == 0)
        return make_error("export-empty", "There are no issues to export", "");
    if (const auto table = parse_table_format(format))
        return table_of(*m_filter, *table);
    return Pane::export_as(format);
}

QWidget* IssuesPane::focus_target() {
    return m_filter->rowCount() > 0 ? static_cast<QWidget*>(m_table) : m_empty->button();
}

void IssuesPane::find() {
    m_search->setFocus();
    m_search->selectAll();
}

} // namespace kf::ui
