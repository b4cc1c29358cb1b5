// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/turn_model.h"

#include "core/base/level.h"
#include "core/render/figures.h"
#include "ui/models/words.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

// What is kept of a turn, so that painting never searches. Evaluations are kept by their place in TurnState, which
// only ever grows; the addresses of evaluations do not stay.
struct TurnModel::Node {
    int number = 0;
    int row = 0;
    int shown = -1;          // the evaluation that speaks for the turn
    int running = -1;        // the one in progress
    std::vector<int> points; // of a sweep, in the order in which they came
    std::unordered_map<std::string, int> point_rows;
    VerdictKind kind = VerdictKind::none;
};

namespace {

constexpr double last = std::numeric_limits<double>::infinity(); // what is unknown sorts behind all others

double time_or_last(double seconds) {
    return is_time(seconds) ? seconds : last;
}

double known_or_last(double value) {
    return std::isfinite(value) && value > 0 ? value : last;
}

const EvaluationState* at(const TurnState* turn, int place) {
    return turn && place >= 0 && static_cast<std::size_t>(place) < turn->evaluations.size()
               ? &turn->evaluations[static_cast<std::size_t>(place)]
               : nullptr;
}

int level_of(std::string_view level) {
    const auto parsed = parse_level(level);
    return parsed ? static_cast<int>(*parsed) : -1;
}

const Speedup* eager_of(const EvaluationState& evaluation) {
    const auto found = evaluation.vs_baselines.find("eager");
    return found == evaluation.vs_baselines.end() || !found->second.known() ? nullptr : &found->second;
}

bool is_figure(TurnColumn column) {
    switch (column) {
    case TurnColumn::time:
    case TurnColumn::against_champion:
    case TurnColumn::speed_against_eager:
    case TurnColumn::error:
    case TurnColumn::registers:
        return true;
    default:
        return false;
    }
}

TurnColumn column_of(const QModelIndex& index) {
    return static_cast<TurnColumn>(index.column());
}

constexpr int column_count = static_cast<int>(TurnColumn::count);

} // namespace

TurnModel::TurnModel(RunStore& store, QObject* parent) : QAbstractItemModel(parent), m_store(store) {
    connect(&store, &RunStore::was_reset, this, &TurnModel::rebuild);
    connect(&store, &RunStore::changed, this, &TurnModel::update);
    rebuild();
}

TurnModel::~TurnModel() = default;

void TurnModel::rebuild() {
    beginResetModel();
    m_nodes.clear();
    m_rows.clear();
    m_unit = time_unit(m_store.state());
    m_champion = m_store.state().champion() ? m_store.state().champion()->turn : -1;
    for (const auto& [number, turn] : m_store.state().turns) {
        auto node = std::make_unique<Node>();
        node->number = number;
        node->row = static_cast<int>(m_rows.size());
        refresh(*node, false);
        m_rows.push_back(node.get());
        m_nodes.emplace(number, std::move(node));
    }
    endResetModel();
}

void TurnModel::set_notes(const RunNotes* notes) {
    if (m_notes)
        m_notes->disconnect(this);
    m_notes = notes;
    if (notes)
        connect(notes, &RunNotes::changed, this, &TurnModel::note_changed);
    note_changed(-1);
}

void TurnModel::note_changed(int turn) {
    if (turn < 0) {
        if (!m_rows.empty())
            Q_EMIT dataChanged(createIndex(0, 0), createIndex(static_cast<int>(m_rows.size()) - 1, column_count - 1));
    } else if (const auto found = m_nodes.find(turn); found != m_nodes.end()) {
        const int row = found->second->row;
        Q_EMIT dataChanged(createIndex(row, 0), createIndex(row, column_count - 1));
    }
}

const TurnState* TurnModel::turn(const Node& node) const {
    const auto found = m_store.state().turns.find(node.number);
    return found == m_store.state().turns.end() ? nullptr : &found->second;
}

void TurnModel::update(const RunChanges& changes) {
    std::vector<int> added;
    for (const int number : changes.turns)
        if (!m_nodes.contains(number) && m_store.state().turns.contains(number))
            added.push_back(number);
    if (!added.empty())
        insert(added);
    std::vector<Node*> touched;
    for (const int number : changes.turns)
        if (const auto found = m_nodes.find(number);
            found != m_nodes.end() && !std::binary_search(added.begin(), added.end(), number)) {
            refresh(*found->second, true);
            touched.push_back(found->second.get());
        }
    if (changes.champion) {
        const ChampionState* champion = m_store.state().champion();
        const int now = champion ? champion->turn : -1;
        for (const int number : {m_champion, now})
            if (const auto found = m_nodes.find(number); found != m_nodes.end() && m_champion != now)
                touched.push_back(found->second.get());
        m_champion = now;
        if (champion)
            if (const QModelIndex point = index_of({now, champion->evaluation}); point.internalPointer())
                Q_EMIT dataChanged(point, point.siblingAtColumn(column_count - 1));
    }
    if (changes.header) // whether somebody is at it: running or interrupted
        for (const int number : m_store.state().unfinished_turns())
            if (const auto found = m_nodes.find(number); found != m_nodes.end())
                touched.push_back(found->second.get());
    update_unit();
    // Neighbours are told together.
    std::sort(touched.begin(), touched.end(), [](const Node* a, const Node* b) { return a->row < b->row; });
    for (std::size_t i = 0; i < touched.size();) {
        std::size_t end = i + 1;
        while (end < touched.size() && touched[end]->row - touched[end - 1]->row <= 1)
            ++end;
        Q_EMIT dataChanged(createIndex(touched[i]->row, 0), createIndex(touched[end - 1]->row, column_count - 1));
        i = end;
    }
}

// `numbers` in order. Rows that are neighbours come as one block; a turn that comes out of order moves those behind it.
void TurnModel::insert(const std::vector<int>& numbers) {
    for (std::size_t i = 0; i < numbers.size();) {
        const auto before = std::lower_bound(m_rows.begin(), m_rows.end(), numbers[i],
                                             [](const Node* node, int number) { return node->number < number; });
        const int row = static_cast<int>(before - m_rows.begin());
        const int limit = before == m_rows.end() ? std::numeric_limits<int>::max() : (*before)->number;
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end] < limit)
            ++end;
        std::vector<std::unique_ptr<Node>> nodes;
        for (std::size_t k = i; k < end; ++k) {
            auto node = std::make_unique<Node>();
            node->number = numbers[k];
            node->row = row + static_cast<int>(k - i);
            refresh(*node, false);
            nodes.push_back(std::move(node));
        }
        beginInsertRows({}, row, row + static_cast<int>(end - i) - 1);
        std::vector<Node*> raw;
        for (auto& node : nodes) {
            raw.push_back(node.get());
            m_nodes.emplace(node->number, std::move(node));
        }
        m_rows.insert(m_rows.begin() + row, raw.begin(), raw.end());
        for (std::size_t k = static_cast<std::size_t>(row) + raw.size(); k < m_rows.size(); ++k)
            m_rows[k]->row = static_cast<int>(k);
        endInsertRows();
        i = end;
    }
}

// Looks at the turn again. `told`: it is a row already, so that its new points are told.
void TurnModel::refresh(Node& node, bool told) {
    const TurnState* state = turn(node);
    if (!state)
        return;
    const EvaluationState* shown = shown_evaluation(m_store.state(), *state);
    node.shown = shown ? static_cast<int>(shown - state->evaluations.data()) : -1;
    node.kind = verdict_kind(*state, shown);
    node.running = !state->finished && !state->evaluations.empty() && !state->evaluations.back().done
                       ? static_cast<int>(state->evaluations.size()) - 1
                       : -1;
    if (state->author != "tuner")
        return;
    std::vector<int> fresh;
    for (std::size_t i = 0; i < state->evaluations.size(); ++i)
        if (state->evaluations[i].done && !node.point_rows.contains(state->evaluations[i].id))
            fresh.push_back(static_cast<int>(i));
    if (fresh.empty())
        return;
    const int first = static_cast<int>(node.points.size());
    if (told)
        beginInsertRows(createIndex(node.row, 0), first, first + static_cast<int>(fresh.size()) - 1);
    for (const int place : fresh) {
        node.point_rows.emplace(state->evaluations[static_cast<std::size_t>(place)].id,
                                static_cast<int>(node.points.size()));
        node.points.push_back(place);
    }
    if (told)
        endInsertRows();
}

void TurnModel::update_unit() {
    // The unit stays what the first measurement made it; only the decimals may grow.
    TimeUnit unit = time_unit(m_store.state());
    if (m_unit.known) {
        unit.decimals = unit.name == m_unit.name ? std::max(unit.decimals, m_unit.decimals) : unit.decimals;
    }
    if (unit == m_unit)
        return;
    const bool renamed = unit.name != m_unit.name;
    m_unit = unit;
    constexpr int column = static_cast<int>(TurnColumn::time);
    if (renamed)
        Q_EMIT headerDataChanged(Qt::Horizontal, column, column);
    if (m_rows.empty())
        return;
    Q_EMIT dataChanged(createIndex(0, column), createIndex(static_cast<int>(m_rows.size()) - 1, column));
    for (const Node* node : m_rows)
        if (!node->points.empty()) {
            const QModelIndex parent = createIndex(node->row, 0);
            Q_EMIT dataChanged(index(0, column, parent),
                               index(static_cast<int>(node->points.size()) - 1, column, parent));
        }
}

// A child's index holds its turn's node; a turn's index holds nothing.
QModelIndex TurnModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= column_count || row >= rowCount(parent))
        return {};
    if (!parent.isValid())
        return createIndex(row, column);
    return createIndex(row, column, m_rows[static_cast<std::size_t>(parent.row())]);
}

QModelIndex TurnModel::parent(const QModelIndex& child) const {
    const auto* node = static_cast<const Node*>(child.internalPointer());
    return child.isValid() && node ? createIndex(node->row, 0) : QModelIndex();
}

int TurnModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return static_cast<int>(m_rows.size());
    if (parent.internalPointer() || parent.column() != 0)
        return 0;
    return static_cast<int>(m_rows[static_cast<std::size_t>(parent.row())]->points.size());
}

int TurnModel::columnCount(const QModelIndex&) const {
    return column_count;
}

QVariant TurnModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= column_count)
        return {};
    const auto column = static_cast<TurnColumn>(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (is_figure(column) ? Qt::AlignRight : Qt::AlignLeft)));
    const bool tip = role == Qt::ToolTipRole;
    if (role != Qt::DisplayRole && !tip)
        return {};
    switch (column) {
    case TurnColumn::turn:
        return tip ? u"Number of the turn; a sweep's points are below it. ★ is promoted, ☆ is your star."_s : u"turn"_s;
    case TurnColumn::verdict:
        return tip ? u"What the judge found, against the champion of that time."_s : u"verdict"_s;
    case TurnColumn::time:
        return tip ? u"Median time of one call; lower is better."_s : u"median "_s + m_unit.name;
    case TurnColumn::against_champion:
        return tip ? u"Change of time against the champion of that moment; negative is faster. ± is half of the interval."_s
                   : u"vs champion"_s;
    case TurnColumn::speed_against_eager:
        return tip ? u"Speed against PyTorch eager; above 1 is faster."_s : u"speed vs eager"_s;
    case TurnColumn::error:
        return tip ? u"✓: every output is within the tolerance. Otherwise the largest error."_s : u"max error"_s;
    case TurnColumn::registers:
        return tip ? u"Registers a thread, and bytes that spill to memory."_s : u"regs / spill"_s;
    case TurnColumn::evidence:
        return tip ? u"How much evidence the figures rest on: screen, duel, certified, promoted."_s : u"evidence"_s;
    case TurnColumn::count:
        break;
    }
    return {};
}

QVariant TurnModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (is_figure(column_of(index)) ? Qt::AlignRight : Qt::AlignLeft)));
    if (const auto* owner = static_cast<const Node*>(index.internalPointer()))
        return point_data(*owner, index.row(), column_of(index), role);
    return turn_data(*m_rows[static_cast<std::size_t>(index.row())], column_of(index), role);
}

QVariant TurnModel::turn_data(const Node& node, TurnColumn column, int role) const {
    const TurnState* state = turn(node);
    if (!state)
        return {};
    const EvaluationState* shown = at(state, node.shown);
    const bool running =
        !state->finished && (m_store.status() == RunStatus::running || m_store.status() == RunStatus::stopping);
    switch (role) {
    case TurnRole::kind:
        return static_cast<int>(
            running && node.kind != VerdictKind::start && state->author == "tuner" ? VerdictKind::none : node.kind);
    case TurnRole::level:
        return state->mark == TurnMark::promoted ? static_cast<int>(Level::promote)
               : shown                           ? level_of(shown->level)
                                                 : -1;
    case TurnRole::turn_number:
        return node.number;
    case TurnRole::human:
        return state->author == "human";
    case TurnRole::star:
        return state->mark == TurnMark::promoted;
    case TurnRole::champion:
        return node.number == m_champion;
    case TurnRole::was_champion:
        return state->mark != TurnMark::none;
    case TurnRole::running:
        return running;
    case TurnRole::parent_turn:
        return m_store.state().turns.contains(state->parent) ? state->parent : -1;
    case TurnRole::points:
        return static_cast<int>(node.points.size());
    case TurnRole::note:
        return m_notes ? m_notes->note(node.number) : QString();
    case TurnRole::marked:
        return m_notes && m_notes->starred(node.number);
    case Qt::ToolTipRole:
        return turn_tooltip(node);
    case Qt::AccessibleTextRole:
        if (column == TurnColumn::turn)
            return turn_tooltip(node).replace(u'\n', u"; "_s);
        return turn_data(node, column, Qt::DisplayRole);
    default:
        break;
    }
    if (column == TurnColumn::turn) {
        if (role == TurnRole::sort)
            return static_cast<double>(node.number);
        if (role == Qt::DisplayRole) {
            const QString name = node.number == 0 ? u"start"_s : QString::number(node.number);
            return state->mark == TurnMark::promoted ? name + u" ★"_s : name;
        }
    }
    if (column == TurnColumn::verdict && (role == Qt::DisplayRole || role == TurnRole::sort)) {
        if (state->outcome == "infrastructure")
            return u"infrastructure"_s;
        if (state->outcome == "cancelled")
            return u"cancelled"_s;
        if (state->outcome == "duplicate")
            return state->text.empty() ? u"duplicate"_s : u"duplicate · "_s + plain(state->text);
        if (state->outcome == "no_candidate")
            return u"no candidate"_s;
        if (running && (!shown || state->author == "tuner")) {
            if (!node.points.empty())
                return u"running · %1"_s.arg(node.points.size() == 1 ? u"1 point"_s
                                                                     : u"%1 points"_s.arg(node.points.size()));
            const EvaluationState* now = at(state, node.running);
            return now ? progress_text(*now) : u"running"_s;
        }
        if (!shown)
            return state->finished ? u"no verdict"_s : u"interrupted"_s;
        if (node.kind == VerdictKind::start)
            return u"start kernel"_s;
    }
    if (column == TurnColumn::evidence && state->mark == TurnMark::promoted) {
        if (role == Qt::DisplayRole)
            return evidence_word("promote");
        if (role == TurnRole::sort)
            return static_cast<double>(Level::promote);
    }
    return shared_data(node, shown, column, role);
}

QVariant TurnModel::point_data(const Node& node, int point, TurnColumn column, int role) const {
    const TurnState* state = turn(node);
    const EvaluationState* evaluation = point < static_cast<int>(node.points.size())
                                            ? at(state, node.points[static_cast<std::size_t>(point)])
                                            : nullptr;
    if (!evaluation)
        return {};
    switch (role) {
    case TurnRole::kind:
        return static_cast<int>(verdict_kind(evaluation->verdict));
    case TurnRole::level:
        return level_of(evaluation->level);
    case TurnRole::turn_number:
        return node.number;
    case TurnRole::human:
    case TurnRole::star:
    case TurnRole::running:
        return false;
    case TurnRole::champion: {
        const ChampionState* champion = m_store.state().champion();
        return champion && champion->turn == node.number && champion->evaluation == evaluation->id;
    }
    case TurnRole::was_champion:
        return state->mark != TurnMark::none && node.shown == node.points[static_cast<std::size_t>(point)];
    case TurnRole::parent_turn:
        return node.number;
    case TurnRole::points:
        return 0;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: {
        if (role == Qt::AccessibleTextRole && column != TurnColumn::turn)
            return point_data(node, point, column, Qt::DisplayRole);
        QString text = u"Point %1 of turn %2"_s.arg(point + 1).arg(node.number);
        const auto add = [&](const QString& line) {
            if (!line.isEmpty())
                text += (role == Qt::ToolTipRole ? u"\n"_s : u"; "_s) + line;
        };
        add(QString::fromStdString(format_tunables(evaluation->tunables)));
        add(verdict_text(*evaluation, verdict_kind(evaluation->verdict), m_store.figures(node.number, evaluation->id)));
        add(evaluation->failed ? plain(evaluation->summary) : time_with_unit(evaluation->seconds_per_call, m_unit));
        if (time_or_last(evaluation->seconds_per_call) != last)
            add(change_text(evaluation->vs_champion));
        return text;
    }
    default:
        break;
    }
    if (column == TurnColumn::turn) {
        if (role == TurnRole::sort)
            return static_cast<double>(point);
        if (role == Qt::DisplayRole)
            return u"%1.%2"_s.arg(node.number).arg(point + 1);
    }
    if (column == TurnColumn::verdict && role == Qt::DisplayRole) {
        const QString verdict = shared_data(node, evaluation, column, role).toString();
        const QString values = QString::fromStdString(format_tunables(evaluation->tunables));
        return values.isEmpty() ? verdict : verdict + u" · "_s + values;
    }
    return shared_data(node, evaluation, column, role);
}

// What a turn and a point have in common: the figures of an evaluation, which may be null.
QVariant TurnModel::shared_data(const Node& node, const EvaluationState* evaluation, TurnColumn column,
                                int role) const {
    if (role == TurnRole::evaluation_id)
        return evaluation ? QString::fromStdString(evaluation->id) : QString();
    if (role != Qt::DisplayRole && role != TurnRole::sort && role != TurnRole::spills)
        return {};
    const bool sorts = role == TurnRole::sort;
    const EvaluationFigures* figures = evaluation ? m_store.figures(node.number, evaluation->id) : nullptr;
    if (role == TurnRole::spills)
        return figures && figures->registers >= 0 ? figures->spills : -1;
    const bool measured = evaluation && !evaluation->failed;
    // A stranger's journal may hold any number; what would follow from a time that is none is left out.
    const bool timed = measured && time_or_last(evaluation->seconds_per_call) != last;
    switch (column) {
    case TurnColumn::verdict:
        return evaluation ? verdict_text(*evaluation, verdict_kind(evaluation->verdict), figures) : QString();
    case TurnColumn::time:
        return sorts ? QVariant(measured ? time_or_last(evaluation->seconds_per_call) : last)
                     : QVariant(timed      ? time_text(evaluation->seconds_per_call, m_unit)
                                : measured ? u"–"_s
                                           : QString());
    case TurnColumn::against_champion:
        if (sorts)
            return timed && change_of(evaluation->vs_champion).known ? change_of(evaluation->vs_champion).percent
                                                                     : last;
        return timed ? change_text(evaluation->vs_champion) : QString();
    case TurnColumn::speed_against_eager: {
        const Speedup* eager = timed ? eager_of(*evaluation) : nullptr;
        return sorts ? QVariant(eager ? known_or_last(eager->estimate) : last)
                     : QVariant(eager ? speed_text(eager->estimate) : QString());
    }
    case TurnColumn::error:
        if (sorts)
            return !figures || !(figures->compared || figures->max_error > 0) ? last
                   : figures->correct                                         ? -1.0
                                      : std::min(figures->max_error, std::numeric_limits<double>::max());
        return figures ? error_text(*figures) : QString();
    case TurnColumn::registers:
        return sorts ? QVariant(figures && figures->registers >= 0 ? static_cast<double>(figures->registers) : last)
                     : QVariant(figures ? registers_text(*figures) : QString());
    case TurnColumn::evidence:
        return sorts ? QVariant(evaluation ? static_cast<double>(level_of(evaluation->level)) : -1.0)
                     : QVariant(evaluation ? evidence_text(*evaluation) : QString());
    case TurnColumn::turn:
    case TurnColumn::count:
        break;
    }
    return {};
}

QString TurnModel::turn_tooltip(const Node& node) const {
    const TurnState* state = turn(node);
    if (!state)
        return {};
    QString text = (node.number == 0 ? u"Start kernel"_s : u"Turn %1"_s.arg(node.number)) +
                   (state->author.empty() ? QString() : u" by "_s + author_word(state->author)) +
                   (state->strategy.empty() ? QString() : u" · "_s + plain(state->strategy).left(120));
    const auto add = [&](const QString& line) {
        if (!line.isEmpty())
            text += u'\n' + line;
    };
    const EvaluationState* shown = at(state, node.shown);
    add(turn_data(node, TurnColumn::verdict, Qt::DisplayRole).toString());
    if (shown && shown->failed)
        add(plain(shown->summary).left(200));
    if (shown && !shown->failed) {
        QString time = time_with_unit(shown->seconds_per_call, m_unit);
        const bool timed = time_or_last(shown->seconds_per_call) != last;
        if (const QString change = change_text(shown->vs_champion); timed && !change.isEmpty())
            time += u" · "_s + change + u" against the champion"_s;
        add(time);
        QStringList speeds;
        for (const auto& [name, speedup] : shown->vs_baselines)
            if (const QString speed = speed_text(speedup.estimate); timed && !speed.isEmpty() && speeds.size() < 4)
                speeds << speed + u" of "_s + baseline_word(name).left(40);
        add(speeds.join(u" · "_s));
    }
    if (shown) {
        QString evidence = turn_data(node, TurnColumn::evidence, Qt::DisplayRole).toString();
        if (const EvaluationFigures* figures = m_store.figures(node.number, shown->id)) {
            if (figures->rounds > 0)
                evidence += u" · %1 rounds"_s.arg(figures->rounds);
            if (figures->cases > 0)
                evidence +=
                    u" · %1 of %2 cases"_s.arg(figures->cases).arg(std::max(figures->cases, figures->cases_total));
        }
        add(evidence);
    } else {
        add(plain(state->text).left(200));
    }
    if (!node.points.empty())
        add(node.points.size() == 1 ? u"1 point"_s : u"%1 points"_s.arg(node.points.size()));
    if (m_notes && m_notes->starred(node.number))
        add(u"Starred by a person"_s);
    if (const QString note = m_notes ? m_notes->note(node.number) : QString(); !note.isEmpty())
        add(u"Note: "_s + (note.size() > 400 ? note.left(400) + u"…"_s : note));
    return text;
}

QModelIndex TurnModel::index_of(const Chosen& chosen) const {
    const auto found = m_nodes.find(chosen.turn);
    if (found == m_nodes.end())
        return {};
    const Node& node = *found->second;
    if (!chosen.evaluation.empty())
        if (const auto point = node.point_rows.find(chosen.evaluation); point != node.point_rows.end())
            return createIndex(point->second, 0, found->second.get());
    return createIndex(node.row, 0);
}

Chosen TurnModel::chosen_at(const QModelIndex& index) const {
    if (!index.isValid() || !checkIndex(index))
        return {};
    if (const auto* node = static_cast<const Node*>(index.internalPointer())) {
        const EvaluationState* evaluation = at(turn(*node), node->points[static_cast<std::size_t>(index.row())]);
        return {node->number, evaluation ? evaluation->id : std::string()};
    }
    return {m_rows[static_cast<std::size_t>(index.row())]->number, {}};
}

} // namespace kf::ui
