// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/log_pane.h"

#include "ui/docks/background.h"
#include "ui/docks/tables.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

constexpr std::size_t most_event_bytes = 200'000; // of an event that is shown

struct Look {
    QString icon;
    QColor colour;
};

Look look_of(LogSeverity severity) {
    const Theme& theme = Theme::current();
    switch (severity) {
    case LogSeverity::error:
        return {QStringLiteral("error"), theme.error};
    case LogSeverity::warning:
        return {QStringLiteral("warning"), theme.inconclusive};
    case LogSeverity::info: // most lines: an icon for each would only be noise
    case LogSeverity::detail:
        return {QString(), theme.faint};
    }
    return {};
}

// Times and numbers align; the text carries its severity as an icon.
class LogDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const auto severity = static_cast<LogSeverity>(index.data(LogRole::severity).toInt());
        const Theme& theme = Theme::current();
        if (index.column() != static_cast<int>(LogColumn::text)) {
            option->font = mono_font(12);
            option->palette.setColor(QPalette::Text, theme.dim);
            option->palette.setColor(QPalette::HighlightedText, theme.dim);
            return;
        }
        const Look look = look_of(severity);
        option->decorationSize = QSize(16, 16);
        option->features |= QStyleOptionViewItem::HasDecoration;
        QPixmap pixmap(16, 16);
        pixmap.fill(Qt::transparent);
        if (!look.icon.isEmpty())
            pixmap = icon_pixmap(look.icon, 16, look.colour, option->widget ? option->widget->devicePixelRatioF() : 1);
        option->icon = QIcon(pixmap);
        if (severity == LogSeverity::detail) {
            option->palette.setColor(QPalette::Text, theme.dim);
            option->palette.setColor(QPalette::HighlightedText, theme.dim);
        }
        option->textElideMode = Qt::ElideRight;
    }
};

} // namespace

LogPane::LogPane(const PaneContext& context, QWidget* parent)
    : Pane(QStringLiteral("log"), QStringLiteral("Log"), QStringLiteral("log"), parent), m_context(context),
      m_model(new LogModel(context.store, this)), m_filter(new LogFilter(this)),
      m_least(new Segmented(
          {QStringLiteral("All"), QStringLiteral("Info"), QStringLiteral("Warnings"), QStringLiteral("Errors")}, this)),
      m_search(new SearchField(QStringLiteral("Search the log"), this)),
      m_details(new IconButton(QStringLiteral("info"), QStringLiteral("Show the whole event"), this)),
      m_splitter(new QSplitter(Qt::Vertical, this)), m_table(new QTableView(this)), m_event(new QPlainTextEdit(this)),
      m_pill(new QPushButton(m_table)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 6);
    column->setSpacing(6);
    auto* bar = new QHBoxLayout;
    bar->addWidget(m_least);
    bar->addWidget(m_search, 1);
    bar->addStretch(0);
    bar->addWidget(m_details);
    column->addLayout(bar);
    m_stack = new QStackedLayout;
    column->addLayout(m_stack, 1);
    m_empty = new EmptyState(QStringLiteral("log"), QString(), QString(), this);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_splitter);
    m_least->setAccessibleName(QStringLiteral("Least severity"));
    m_least->set_index(1);
    m_search->setAccessibleName(QStringLiteral("Search the log"));
    m_search->setMaximumWidth(320);
    m_details->setCheckable(true);

    m_filter->setSourceModel(m_model);
    m_table->setModel(m_filter);
    set_up_table(*m_table, QStringLiteral("Log"), [this](QMenu& menu, const QModelIndex& index) {
        if (!index.isValid())
            return;
        menu.addAction(icon(QStringLiteral("info")), QStringLiteral("Show the whole event"), this,
                       [this, row = QPersistentModelIndex(index)] {
                           m_table->setCurrentIndex(row);
                           show_event(true);
                       });
        if (const int turn = index.data(LogRole::turn_number).toInt(); turn >= 0)
            menu.addAction(icon(QStringLiteral("timeline")), QStringLiteral("Select turn %1").arg(turn), this,
                           [this, turn] {
                               m_context.selection.select({turn, {}});
                           });
    });
    m_table->setItemDelegate(new LogDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    QHeaderView* header = m_table->horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(true);
    const QFontMetrics figures(mono_font(12));
    m_table->setColumnWidth(static_cast<int>(LogColumn::time),
                            figures.horizontalAdvance(QStringLiteral("00:00:00.0")) + 20);
    m_table->setColumnWidth(static_cast<int>(LogColumn::turn), figures.horizontalAdvance(QStringLiteral("00000")) + 20);
    m_table->viewport()->installEventFilter(this);
    m_table->installEventFilter(this);

    m_event->setReadOnly(true);
    m_event->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_event->setAccessibleName(QStringLiteral("The whole event"));
    m_event->setFrameShape(QFrame::NoFrame);
    m_event->setTabChangesFocus(true);
    m_event->hide();
    m_splitter->addWidget(m_table);
    m_splitter->addWidget(m_event);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setChildrenCollapsible(false);

    m_pill->setText(QStringLiteral("Jump to latest"));
    m_pill->setIcon(icon(QStringLiteral("chevron-down")));
    set_look(*m_pill, ButtonLook::primary);
    m_pill->hide();

    connect(m_pill, &QPushButton::clicked, this, &LogPane::jump_to_latest);
    connect(m_details, &QToolButton::clicked, this, &LogPane::show_event);
    connect(m_least, &Segmented::index_changed, this, &LogPane::set_least);
    connect(m_search, &SearchField::searched, this, [this](const QString& text) {
        m_filter->set_search(text);
        m_search->set_result(text.isEmpty() ? QString() : QString::number(m_filter->rowCount()));
        refresh();
    });
    connect(m_search, &SearchField::escaped, this, [this] { m_table->setFocus(); });
    connect(m_search, &SearchField::next, this, [this] { m_table->setFocus(); });
    connect(m_empty, &EmptyState::action_triggered, this, [this] {
        if (m_model->rowCount() > 0) {
            m_search->clear();
            m_filter->set_search({});
            m_least->set_index(0);
            set_least(0);
        } else {
            Q_EMIT link_activated(QStringLiteral("pane:runs"));
        }
    });
    connect(m_table->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        m_follow = at_bottom();
        if (m_follow)
            m_missed = 0;
        place_pill();
    });
    // The range grows after the rows are there; only then is the new bottom known.
    connect(m_table->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
        if (m_follow)
            m_table->scrollToBottom();
        place_pill();
    });
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int first, int last) {
        if (!m_follow)
            m_missed += last - first + 1;
        refresh();
    });
    connect(m_filter, &QAbstractItemModel::rowsRemoved, this, &LogPane::refresh);
    connect(m_filter, &QAbstractItemModel::modelReset, this, [this] {
        m_follow = true;
        m_missed = 0;
        m_event->clear();
        refresh();
    });
    connect(&context.store, &RunStore::was_reset, this, &LogPane::refresh);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LogPane::read_event);
    connect(m_table, &QAbstractItemView::activated, this, [this] { show_event(true); });
    set_least(1);
}

void LogPane::set_least(int index) {
    m_filter->set_least(static_cast<LogSeverity>(std::clamp(index, 0, 3)));
    refresh();
}

bool LogPane::at_bottom() const {
    const QScrollBar* bar = m_table->verticalScrollBar();
    return bar->value() >= bar->maximum() - 2;
}

void LogPane::jump_to_latest() {
    m_follow = true;
    m_missed = 0;
    m_table->scrollToBottom();
    place_pill();
    m_table->setFocus();
}

void LogPane::refresh() {
    if (m_filter->rowCount() > 0) {
        m_stack->setCurrentWidget(m_splitter);
        if (m_follow)
            m_table->scrollToBottom();
    } else {
        const int lines = m_model->rowCount();
        if (lines > 0)
            m_empty->set(QStringLiteral("filter"), QStringLiteral("No line of the log fits the filter."),
                         QStringLiteral("Show all %1 lines").arg(lines));
        else if (m_context.store.mode() == RunMode::none)
            m_empty->set(QStringLiteral("log"), QStringLiteral("No run is open, so there is no log."),
                         QStringLiteral("Show the runs"));
        else
            m_empty->set(QStringLiteral("log"), QStringLiteral("Nothing has happened in this run yet."),
                         QStringLiteral("Show the runs"));
        m_stack->setCurrentWidget(m_empty);
    }
    place_pill();
}

void LogPane::place_pill() {
    const bool show = !m_follow && m_filter->rowCount() > 0;
    m_pill->setVisible(show);
    if (!show)
        return;
    m_pill->setText(m_missed > 0 ? QStringLiteral("Jump to latest · %1 new").arg(m_missed)
                                 : QStringLiteral("Jump to latest"));
    const QSize size = m_pill->sizeHint();
    m_pill->setGeometry((m_table->viewport()->width() - size.width()) / 2, m_table->height() - size.height() - 8,
                        size.width(), size.height());
    m_pill->raise();
}

void LogPane::show_event(bool show) {
    m_details->setChecked(show);
    m_event->setVisible(show);
    if (show)
        read_event();
}

QModelIndex LogPane::source_of(const QModelIndex& index) const {
    return m_filter->mapToSource(index);
}

void LogPane::read_event() {
    if (m_event->isHidden())
        return;
    m_event->setFont(mono_font(12));
    const QModelIndex row = source_of(m_table->currentIndex());
    const std::uint64_t request = ++m_request;
    if (!row.isValid()) {
        m_event->setPlainText(QStringLiteral("Choose a line to see its whole event."));
        return;
    }
    const EventPlace place = m_model->place(row.row());
    const auto blobs = m_context.store.blobs();
    if (!blobs || place.bytes == 0) {
        m_event->setPlainText(QStringLiteral("This line stands in no journal:\n") + m_model->line(row.row()));
        return;
    }
    in_background(
        this,
        [blobs, place]() -> QString {
            auto event = blobs->event_at(place);
            if (!event)
                return QString::fromStdString(to_string(event.error()));
            Json json{{"type", event->type_name}, {"n", event->sequence}, {"t", event->time}};
            for (const auto& [name, value] : event->fields.items())
                json[name] = value;
            std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
            if (text.size() > most_event_bytes)
                text = text.substr(0, most_event_bytes) + "\n… cut: the event has " + std::to_string(text.size()) +
                       " bytes";
            return QString::fromStdString(text);
        },
        [this, request](const QString& text) {
            if (request == m_request)
                m_event->setPlainText(text);
        });
}

QString LogPane::text_twin() const {
    const int rows = m_filter->rowCount();
    if (rows == 0)
        return m_empty->sentence();
    constexpr int most = 200;
    QStringList lines;
    if (rows > most)
        lines << QStringLiteral("%1 lines, the last %2:").arg(rows).arg(most);
    for (int row = std::max(0, rows - most); row < rows; ++row)
        lines << m_model->line(source_of(m_filter->index(row, 0)).row());
    return lines.join(QLatin1Char('\n'));
}

Result<QByteArray> LogPane::export_as(const QString& format) const {
    if (m_filter->rowCount() == 0)
        return make_error("export-empty", "There are no lines to export", "Open a run or clear the filter");
    if (format == QLatin1String("txt")) {
        QByteArray text;
        for (int row = 0; row < m_filter->rowCount(); ++row)
            text += m_model->line(source_of(m_filter->index(row, 0)).row()).toUtf8() + '\n';
        return text;
    }
    if (const auto table = parse_table_format(format))
        return table_of(*m_filter, *table);
    return Pane::export_as(format);
}

QWidget* LogPane::focus_target() {
    return m_filter->rowCount() > 0 ? static_cast<QWidget*>(m_table) : m_empty->button();
}

void LogPane::find() {
    m_search->setFocus();
    m_search->selectAll();
}

bool LogPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        place_pill();
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape && !m_event->isHidden()) {
            show_event(false);
            return true;
        }
        if (key->key() == Qt::Key_End) { // the newest line, and what follows it
            jump_to_latest();
            if (m_filter->rowCount() > 0)
                m_table->setCurrentIndex(m_filter->index(m_filter->rowCount() - 1, 0));
            return true;
        }
    }
    return Pane::eventFilter(watched, event);
}

} // namespace kf::ui
