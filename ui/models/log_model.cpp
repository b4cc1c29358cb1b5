// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include "core/render/figures.h"
#include "core/render/marks.h"
#include "ui/models/texts.h"

#include <QDateTime>

#include <cmath>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

std::string quoted(const std::string& text) {
    return text.empty() ? text : " “" + text + "”";
}

std::string steering_text(const Steering& told) {
    std::string text = (told.who.empty() ? "somebody" : told.who) + ": " + told.what;
    text += quoted(get_string(told.data, "text"));
    if (const std::string when = get_string(told.data, "when"); !when.empty())
        text += when == "after_turn" ? " after this turn" : " " + when;
    if (const std::string file = get_string(told.data, "file_name"); !file.empty())
        text += " " + file;
    if (const std::string level = get_string(told.data, "level"); !level.empty())
        text += " (" + level + ")";
    if (told.what == "pin" || told.what == "fork")
        text += " turn " + std::to_string(get_int(told.data, "turn", -1));
    return told.effect.empty() ? text : text + " → " + told.effect;
}

} // namespace

LogModel::LogModel(RunStore& store, QObject* parent) : QAbstractTableModel(parent) {
    connect(&store, &RunStore::was_reset, this, [this] {
        beginResetModel();
        m_lines.clear();
        endResetModel();
    });
    connect(&store, &RunStore::events_applied, this, &LogModel::add);
}

bool LogModel::make_line(const Event& event, Line& line) {
    const Json& fields = event.fields;
    line.place = {event.sequence, event.time, event.offset, event.bytes};
    line.time = event.time;
    line.type = event.type;
    const std::int64_t turn = get_int(fields, "turn", -1);
    line.turn = turn >= 0 && turn <= std::numeric_limits<int>::max() ? static_cast<int>(turn) : -1;
    std::string& text = line.text;
    switch (event.type) {
    case EventType::run_started: {
        line.turn = -1;
        text = "run " + get_string(fields, "run") + " of " + get_string(fields, "task");
        if (const std::string device = get_string(get_member(fields, "device"), "name"); !device.empty())
            text += " on " + device;
        break;
    }
    case EventType::turn_started: {
        const auto told = from_fields<TurnStarted>(fields);
        text = told.turn == 0 ? "start kernel" : "turn begins";
        if (!told.author.empty())
            text += ", by " + told.author;
        if (!told.strategy.empty())
            text += " · " + told.strategy;
        text += quoted(told.hint);
        break;
    }
    case EventType::turn_finished: {
        const auto told = from_fields<TurnFinished>(fields);
        text = "turn ended: " + (told.outcome.empty()        ? "no outcome"
                                 : told.outcome == "verdict" ? "judged"
                                                             : told.outcome);
        if (!told.text.empty())
            text += " · " + told.text;
        line.severity = told.outcome == "infrastructure" ? LogSeverity::warning : LogSeverity::info;
        break;
    }
    case EventType::candidate: {
        const auto told = from_fields<CandidateEvent>(fields);
        line.severity = LogSeverity::detail;
        text = "candidate " + (told.file_name.empty() ? told.source.substr(0, 12) : told.file_name);
        if (!told.note.empty())
            text += " · " + told.note;
        break;
    }
    case EventType::evaluation: {
        line.severity = LogSeverity::detail;
        EvaluationState state;
        state.done = true;
        state.verdict = get_string(fields, "verdict");
        state.level = get_string(fields, "level");
        state.seconds_per_call = get_double(fields, "seconds_per_call");
        state.vs_champion = Speedup::from_json(get_member(fields, "vs_champion"));
        state.summary = get_string(fields, "summary");
        text = one_line(state);
        if (const std::string values = format_tunables(get_member(fields, "tunables")); !values.empty())
            text += " · " + values;
        break;
    }
    case EventType::champion: {
        const auto told = from_fields<ChampionEvent>(fields);
        text = (told.level == "promote" ? "promoted" : "new champion") + (told.why.empty() ? "" : " · " + told.why);
        if (told.seconds_per_call > 0)
            text += " · " + format_seconds(told.seconds_per_call);
        break;
    }
    case EventType::steering:
        line.turn = -1;
        text = steering_text(from_fields<Steering>(fields));
        break;
    case EventType::note: {
        const auto told = from_fields<Note>(fields);
        text = told.text;
        line.severity = told.level == "warning" ? LogSeverity::warning
                        : told.level == "error" ? LogSeverity::error
                                                : LogSeverity::info;
        break;
    }
    case EventType::infrastructure: {
        const auto told = from_fields<Infrastructure>(fields);
        text = (told.where.empty() ? "" : told.where + ": ") + told.what + (told.retry ? " · tried again" : "");
        line.severity = LogSeverity::warning;
        break;
    }
    case EventType::resumed: {
        const auto told = from_fields<Resumed>(fields);
        text = "the run goes on";
        if (told.previous_pid > 0)
            text += ": its writer " + std::to_string(told.previous_pid) + " was lost";
        if (told.torn_bytes > 0)
            text += ", " + std::to_string(told.torn_bytes) + " bytes of an incomplete line were dropped";
        line.severity = told.previous_pid > 0 ? LogSeverity::warning : LogSeverity::info;
        break;
    }
    case EventType::stop: {
        const auto told = from_fields<Stop>(fields);
        text = "stops: " + (told.text.empty() ? told.reason : told.text);
        line.severity =
            told.reason == "infrastructure" || told.reason == "journal" ? LogSeverity::error : LogSeverity::info;
        break;
    }
    case EventType::run_finished: {
        const auto told = from_fields<RunFinished>(fields);
        line.turn = -1;
        text = "run ended" + (told.summary.empty() ? "" : ": " + told.summary);
        break;
    }
    case EventType::model_exchange: {
        const auto told = from_fields<ModelExchange>(fields);
        text = told.model + ": " + std::to_string(told.tokens_in) + " tokens in, " + std::to_string(told.tokens_out) +
               " out";
        line.severity = LogSeverity::detail;
        if (!told.error.empty()) {
            text += " · " + told.error;
            line.severity = LogSeverity::warning;
        }
        break;
    }
    case EventType::training: {
        const auto told = from_fields<Training>(fields);
        text = "training step " + std::to_string(told.step);
        line.severity = LogSeverity::detail;
        break;
    }
    case EventType::budget:
        if (const std::string name = get_string(fields, "exhausted"); !name.empty()) {
            text = "budget used up: " + name;
            break;
        }
        return false;
    case EventType::unreadable:
        line.turn = -1;
        text = "line " + std::to_string(get_int(fields, "line")) +
               " of the journal cannot be read: " + get_string(fields, "reason");
        line.severity = LogSeverity::warning;
        break;
    case EventType::unknown:
        text = "event of a newer program: " + event.type_name;
        line.severity = LogSeverity::detail;
        break;
    case EventType::stage:
        return false;
    }
    text = plain_text(text);
    constexpr std::size_t longest = 2000;
    if (text.size() > longest)
        text = elide_end(text, static_cast<int>(longest));
    return true;
}

void LogModel::add(const std::vector<Event>& events) {
    std::vector<Line> fresh;
    for (const Event& event : events)
        if (Line line; make_line(event, line))
            fresh.push_back(std::move(line));
    if (fresh.empty())
        return;
    if (fresh.size() > most_lines)
        fresh.erase(fresh.begin(), fresh.end() - most_lines);
    const std::size_t total = m_lines.size() + fresh.size();
    if (total > most_lines) {
        // More than is needed, so that a full log does not lose its first row with every event.
        const auto gone =
            std::min<std::size_t>(m_lines.size(), std::max<std::size_t>(total - most_lines, most_lines / 20));
        beginRemoveRows({}, 0, static_cast<int>(gone) - 1);
        m_lines.erase(m_lines.begin(), m_lines.begin() + static_cast<std::ptrdiff_t>(gone));
        endRemoveRows();
    }
    const int first = static_cast<int>(m_lines.size());
    beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
    std::move(fresh.begin(), fresh.end(), std::back_inserter(m_lines));
    endInsertRows();
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(LogColumn::count);
}

QString LogModel::time_text(double time) const {
    if (!(time > 0) || time > 1e11)
        return {};
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(time * 1000));
    return when.toString(u"HH:mm:ss"_s);
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Line& one = m_lines[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (static_cast<LogColumn>(index.column())) {
        case LogColumn::time:
            return time_text(one.time);
        case LogColumn::turn:
            return one.turn < 0 ? QString() : QString::number(one.turn);
        case LogColumn::text:
            return QString::fromStdString(one.text);
        case LogColumn::count:
            break;
        }
        return {};
    case Qt::ToolTipRole:
        if (!(one.time > 0) || one.time > 1e11)
            return QString::fromStdString(one.text);
        return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(one.time * 1000)).toString(Qt::ISODateWithMs) +
               u'\n' + QString::fromStdString(one.text);
    case Qt::AccessibleTextRole:
        return line(index.row());
    case LogRole::severity:
        return static_cast<int>(one.severity);
    case LogRole::turn_number:
        return one.turn;
    case LogRole::time:
        return one.time;
    case LogRole::type:
        return QString::fromUtf8(to_string(one.type).data(), static_cast<qsizetype>(to_string(one.type).size()));
    default:
        return {};
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<LogColumn>(section)) {
    case LogColumn::time:
        return u"time"_s;
    case LogColumn::turn:
        return u"turn"_s;
    case LogColumn::text:
        return u"what happened"_s;
    case LogColumn::count:
        break;
    }
    return {};
}

QString LogModel::line(int row) const {
    const Line& one = m_lines[static_cast<std::size_t>(row)];
    QString text = time_text(one.time);
    if (one.turn >= 0)
        text += u"  turn %1"_s.arg(one.turn);
    return text + u"  "_s + QString::fromStdString(one.text);
}

LogFilter::LogFilter(QObject* parent) : QSortFilterProxyModel(parent) {}

void LogFilter::set_least(LogSeverity severity) {
    if (severity == m_least)
        return;
    m_least = severity;
    invalidateRowsFilter();
}

void LogFilter::set_search(const QString& words) {
    QStringList list = words.split(u' ', Qt::SkipEmptyParts);
    if (list == m_words)
        return;
    m_words = std::move(list);
    invalidateRowsFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = sourceModel()->index(row, static_cast<int>(LogColumn::text), parent);
    if (index.data(LogRole::severity).toInt() < static_cast<int>(m_least))
        return false;
    if (m_words.isEmpty())
        return true;
    const QString text =
        index.data().toString() + u' ' + index.siblingAtColumn(static_cast<int>(LogColumn::turn)).data().toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace kf::ui
