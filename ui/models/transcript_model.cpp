// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/transcript_model.h"

#include "ui/models/exchange_texts.h"

#include <QElapsedTimer>

#include <algorithm>
#include <limits>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr std::size_t most_open = 24; // turns; the oldest are closed
constexpr int most_told_singly = 64;
constexpr int pending_turn = std::numeric_limits<int>::max();
constexpr int live_section = 1'000'000;

// What a row is within its section.
enum Part_number {
    heading,
    hint,
    again,
    sent,
    fold,
    thought,
    content,
    cut_off,
    none_in_it,
    error,
    trouble,
    busy,
    cost,
    no_exchange,
    verdict,
    pending
};

// "turn 11": as an order's effect says it.
int turn_named(const std::string& effect) {
    bool ok = false;
    const int number = QString::fromStdString(effect).section(u"turn "_s, 1).section(u' ', 0, 0).toInt(&ok);
    return ok ? number : -1;
}

int find_level(const QVariant& level) {
    return level.isValid() ? level.toInt() : -1;
}

} // namespace

TranscriptModel::TranscriptModel(RunStore& store, ExchangeStore& exchanges, TurnModel& turns, QObject* parent)
    : ReadingModel(parent), m_store(store), m_exchanges(exchanges), m_turns(turns) {
    connect(&store, &RunStore::was_reset, this, &TranscriptModel::rebuild);
    connect(&store, &RunStore::changed, this, &TranscriptModel::update);
    connect(&exchanges, &ExchangeStore::changed, this, [this](int turn) {
        if (is_open(turn))
            refresh(turn);
    });
    connect(&exchanges, &ExchangeStore::body_loaded, this, [this](int turn) {
        if (is_open(turn))
            refresh(turn);
    });
    connect(&exchanges, &ExchangeStore::live_changed, this, &TranscriptModel::take_live);
    connect(&turns, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex& from, const QModelIndex& to) {
        if (from.parent().isValid())
            return;
        // The words of a turn's verdict come from there; it may be told after us.
        if (to.row() - from.row() > most_told_singly) {
            touch(0, rowCount() - 1);
            return;
        }
        for (int at = from.row(); at <= to.row(); ++at) {
            const int number = m_turns.index(at, 0).data(TurnRole::turn_number).toInt();
            const int first = heading_of(number);
            if (first >= 0) {
                touch(first, first);
                if (is_open(number))
                    touch(last_row_of(number), last_row_of(number));
            }
        }
    });
    m_tick.setInterval(1000);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        const LiveReply* live = m_exchanges.live();
        if (live && is_open(live->turn))
            for (int at = heading_of(live->turn); at >= 0 && at <= last_row_of(live->turn); ++at)
                if (row(at).kind == ReadingKind::busy)
                    touch(at, at);
    });
    rebuild();
}

const TurnState* TranscriptModel::turn(int number) const {
    const auto found = m_store.state().turns.find(number);
    return found == m_store.state().turns.end() ? nullptr : &found->second;
}

void TranscriptModel::rebuild() {
    m_open.clear();
    m_pending.clear();
    m_current = -1;
    m_seen_steering = 0;
    std::vector<ReadingRow> rows;
    rows.reserve(m_store.state().turns.size());
    for (const auto& [number, one] : m_store.state().turns)
        rows.push_back({ReadingKind::heading, number, 0, heading, -1});
    reset(std::move(rows));
    refresh_pending();
}

int TranscriptModel::heading_of(int number) const {
    const auto found = std::lower_bound(rows().begin(), rows().end(), number,
                                        [](const ReadingRow& row, int wanted) { return row.turn < wanted; });
    return found == rows().end() || found->turn != number ? -1 : static_cast<int>(found - rows().begin());
}

int TranscriptModel::last_row_of(int number) const {
    const auto behind = std::upper_bound(rows().begin(), rows().end(), number,
                                         [](int wanted, const ReadingRow& row) { return wanted < row.turn; });
    return behind == rows().begin() || std::prev(behind)->turn != number
               ? -1
               : static_cast<int>(behind - rows().begin()) - 1;
}

int TranscriptModel::next_turn() const {
    const auto& turns = m_store.state().turns;
    if (turns.empty())
        return 1;
    const auto& [number, last] = *turns.rbegin();
    // A turn that has not been sent yet could still take a hint; nobody outside can tell, so it is the next one.
    return number + 1;
}

void TranscriptModel::update(const RunChanges& changes) {
    // Neighbouring new turns come as one block.
    std::vector<ReadingRow> fresh;
    int at = -1;
    const auto insert = [&] {
        if (!fresh.empty())
            replace(at, 0, fresh);
        fresh.clear();
    };
    for (const int number : changes.turns) {
        if (!turn(number))
            continue;
        if (heading_of(number) >= 0) {
            refresh(number);
            continue;
        }
        const auto place = std::lower_bound(rows().begin(), rows().end(), number,
                                            [](const ReadingRow& row, int wanted) { return row.turn < wanted; });
        const int where = static_cast<int>(place - rows().begin());
        if (where != at)
            insert();
        at = where;
        fresh.push_back({ReadingKind::heading, number, 0, heading, -1});
    }
    insert();
    for (const int number : changes.turns)
        if (is_open(number))
            refresh(number);
    if (changes.notes || changes.header || !changes.turns.empty())
        refresh_pending();
}

void TranscriptModel::set_current(int number) {
    if (number == m_current)
        return;
    const int before = std::exchange(m_current, number);
    if (const auto found = m_open.find(before); found != m_open.end() && !found->second.by_hand) {
        m_open.erase(found);
        refresh(before);
    } else if (before >= 0) {
        refresh(before);
    }
    if (number >= 0 && heading_of(number) >= 0 && !is_open(number))
        m_open[number];
    refresh(number);
}

void TranscriptModel::set_open(int number, bool open) {
    if (heading_of(number) < 0)
        return;
    if (open) {
        m_open[number].by_hand = true;
        while (m_open.size() > most_open) {
            const auto oldest = std::find_if(m_open.begin(), m_open.end(), [&](const auto& one) {
                return one.first != number && one.first != m_current;
            });
            const int closed = oldest->first;
            m_open.erase(oldest);
            refresh(closed);
        }
    } else {
        m_open.erase(number);
    }
    refresh(number);
}

void TranscriptModel::toggle(int at) {
    const ReadingRow one = row(at);
    if (one.kind == ReadingKind::heading) {
        set_open(one.turn, !is_open(one.turn));
    } else if (one.kind == ReadingKind::fold) {
        const auto found = m_open.find(one.turn);
        if (found == m_open.end())
            return;
        Open& open = found->second;
        Part* part = one.section == live_section ? &open.live : &open.parts[static_cast<std::size_t>(one.section)];
        part->reasoning_open = !part->reasoning_open;
        if (one.section == live_section)
            open.live_reasoning_told = true;
        refresh(one.turn);
        touch(at, at);
    }
}

void TranscriptModel::fill(int number, Open& open) {
    const auto& list = m_exchanges.of_turn(number);
    open.parts.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        Part& part = open.parts[i];
        if (part.filled)
            continue;
        part.body = m_exchanges.body(number, i);
        if (!part.body)
            continue;
        part.filled = true;
        if (part.body->reply) {
            part.reasoning.set(QString::fromStdString(part.body->reply->reasoning).trimmed());
            part.content.set(QString::fromStdString(part.body->reply->content));
        }
    }
}

// A reply is being written, or is to be.
bool TranscriptModel::is_writing(int number) const {
    if (const LiveReply* live = m_exchanges.live(); live && live->turn == number)
        return true;
    const TurnState* state = turn(number);
    return state && state->author == "model" && !state->finished && state->candidates == 0 &&
           (m_store.status() == RunStatus::running || m_store.status() == RunStatus::stopping) &&
           (m_exchanges.of_turn(number).empty());
}

std::vector<ReadingRow> TranscriptModel::rows_of(int number, Open* open) const {
    std::vector<ReadingRow> made{{ReadingKind::heading, number, 0, heading, -1}};
    const TurnState* state = turn(number);
    if (!open || !state)
        return made;
    const auto add = [&](ReadingKind kind, int section, int part, int block = -1) {
        made.push_back({kind, number, section, part, block});
    };
    const auto add_reply = [&](const Part& part, int section) {
        if (!part.reasoning.blocks().empty()) {
            add(ReadingKind::fold, section, fold);
            if (part.reasoning_open)
                for (std::size_t i = 0; i < part.reasoning.blocks().size(); ++i)
                    add(ReadingKind::thought, section, thought, static_cast<int>(i));
        }
        for (std::size_t i = 0; i < part.content.blocks().size(); ++i)
            add(part.content.blocks()[i].code ? ReadingKind::code : ReadingKind::prose, section, content,
                static_cast<int>(i));
    };
    if (!state->hint.empty())
        add(ReadingKind::human, 0, hint);
    const auto& list = m_exchanges.of_turn(number);
    for (std::size_t i = 0; i < list.size() && i < open->parts.size(); ++i) {
        const Exchange& one = list[i];
        const Part& part = open->parts[i];
        const int section = static_cast<int>(i);
        add(ReadingKind::card, section, one.repair ? again : sent);
        if (!part.filled)
            add(ReadingKind::busy, section, busy);
        else if (!part.body->trouble.isEmpty())
            add(ReadingKind::error, section, trouble);
        if (!one.failure.empty() || !one.event.error.empty())
            add(ReadingKind::error, section, error);
        add_reply(part, section);
        if (one.finish_reason == "length" || (part.body && part.body->reply && part.body->reply->cut()))
            add(ReadingKind::note, section, cut_off);
        if (!one.no_candidate.empty())
            add(ReadingKind::error, section, none_in_it);
        if (!cost_text(one).isEmpty())
            add(ReadingKind::note, section, cost);
    }
    if (is_writing(number)) {
        add_reply(open->live, live_section);
        add(ReadingKind::busy, live_section, busy);
    } else if (list.empty()) {
        add(ReadingKind::note, 0, no_exchange);
    }
    if (state->finished || !state->evaluations.empty())
        add(ReadingKind::verdict, 0, verdict);
    return made;
}

void TranscriptModel::refresh(int number) {
    const int first = heading_of(number);
    if (first < 0)
        return;
    const int count = last_row_of(number) - first + 1;
    const auto found = m_open.find(number);
    Open* open = found == m_open.end() ? nullptr : &found->second;
    if (!open && number == m_current) // it came after it was chosen
        open = &m_open[number];
    if (open)
        fill(number, *open);
    const std::vector<ReadingRow> fresh = rows_of(number, open);
    replace(first, count, fresh);
    touch(first, first);
    if (open) {
        const int last = last_row_of(number);
        if (row(last).kind == ReadingKind::verdict)
            touch(last, last);
    }
}

void TranscriptModel::take_live() {
    const LiveReply* live = m_exchanges.live();
    if (!live) {
        m_tick.stop();
        for (auto& [number, open] : m_open)
            if (open.live_part != 0) {
                // What was unfolded while it came stays so.
                const bool unfolded = open.live_reasoning_told && open.live.reasoning_open;
                open.live = Part();
                open.live_part = 0;
                open.live_reasoning = open.live_content = 0;
                fill(number, open);
                if (unfolded && !open.parts.empty())
                    open.parts.back().reasoning_open = true;
                refresh(number);
                break;
            }
        return;
    }
    if (!m_tick.isActive())
        m_tick.start();
    const auto found = m_open.find(live->turn);
    if (found == m_open.end()) {
        const int first = heading_of(live->turn);
        if (first >= 0)
            touch(first, first);
        return;
    }
    Open& open = found->second;
    if (open.live_part != live->part) {
        open.live = Part();
        open.live_part = live->part;
        open.live_reasoning = open.live_content = 0;
        open.live_reasoning_told = false;
    }
    // The last row of each part grows; new ones are added behind it.
    const std::size_t reasoning_from = open.live.reasoning.append(live->reasoning.mid(open.live_reasoning));
    const std::size_t content_from = open.live.content.append(live->content.mid(open.live_content));
    const bool more_reasoning = live->reasoning.size() > open.live_reasoning,
               more_content = live->content.size() > open.live_content;
    open.live_reasoning = live->reasoning.size();
    open.live_content = live->content.size();
    // Thought is seen while nothing else is there to see, and folds when the answer begins.
    if (!open.live_reasoning_told)
        open.live.reasoning_open = open.live.content.blocks().empty();
    refresh(live->turn);
    const int first = heading_of(live->turn), last = last_row_of(live->turn);
    for (int at = first; at >= 0 && at <= last; ++at) {
        const ReadingRow& one = row(at);
        if (one.section != live_section)
            continue;
        const bool grown =
            (one.kind == ReadingKind::thought && more_reasoning && one.block == static_cast<int>(reasoning_from)) ||
            (one.part == content && more_content && one.block == static_cast<int>(content_from));
        if (grown || one.kind == ReadingKind::busy || (one.kind == ReadingKind::fold && more_reasoning))
            touch(at, at);
    }
}

void TranscriptModel::refresh_pending() {
    // A hint waits until a turn that began after it carries it.
    std::vector<PendingHint> waiting;
    const RunState& state = m_store.state();
    if (m_store.status() == RunStatus::running || m_store.status() == RunStatus::stopping)
        for (const Steering& one : state.steering) {
            if (one.what == "hint")
                waiting.push_back({plain(get_string(one.data, "text")), plain(one.who), turn_named(one.effect)});
        }
    // Each turn's hint is made of those that it took; they are taken in the order in which they came.
    for (auto turn = state.turns.rbegin(); turn != state.turns.rend() && !waiting.empty(); ++turn)
        if (!turn->second.hint.empty()) {
            const QString taken = plain(turn->second.hint);
            for (std::size_t i = waiting.size(); i-- > 0;)
                if (taken.contains(waiting[i].text)) {
                    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                    break;
                }
        }
    for (PendingHint& one : waiting)
        if (one.turn < 0 && !state.turns.empty())
            one.turn = next_turn();
    const int first =
        static_cast<int>(std::lower_bound(rows().begin(), rows().end(), pending_turn,
                                          [](const ReadingRow& row, int wanted) { return row.turn < wanted; }) -
                         rows().begin());
    std::vector<ReadingRow> fresh;
    for (std::size_t i = 0; i < waiting.size(); ++i)
        fresh.push_back({ReadingKind::human, pending_turn, static_cast<int>(i), pending, -1});
    m_pending = std::move(waiting);
    replace(first, rowCount() - first, fresh);
    touch(first, rowCount() - 1);
}

const TranscriptModel::Part* TranscriptModel::part_of(const ReadingRow& row) const {
    const auto found = m_open.find(row.turn);
    if (found == m_open.end())
        return nullptr;
    if (row.section == live_section)
        return &found->second.live;
    const auto section = static_cast<std::size_t>(row.section);
    return section < found->second.parts.size() ? &found->second.parts[section] : nullptr;
}

QVariant TranscriptModel::heading_data(int number, int role) const {
    const TurnState* state = turn(number);
    const QModelIndex index = m_turns.index_of({number, {}});
    if (!state)
        return {};
    switch (role) {
    case ReadingRole::title:
        return number == 0 ? u"Start kernel"_s : u"Turn %1"_s.arg(number);
    case Qt::DisplayRole: {
        const QString strategy = plain(state->strategy);
        return strategy.isEmpty() || number == 0
                   ? (state->author == "model" || number == 0 ? QString() : author_word(state->author))
                   : strategy;
    }
    case ReadingRole::detail: {
        if (const LiveReply* live = m_exchanges.live(); live && live->turn == number)
            return live->phase == u"content"_s || live->phase == u"ended"_s ? u"writing …"_s
                   : live->phase == u"reasoning"_s                          ? u"thinking …"_s
                                                                            : u"waiting …"_s;
        if (is_writing(number))
            return u"asking …"_s;
        return index.siblingAtColumn(static_cast<int>(TurnColumn::verdict)).data();
    }
    case ReadingRole::verdict:
        return is_writing(number) ? QVariant(static_cast<int>(VerdictKind::none)) : index.data(TurnRole::kind);
    case ReadingRole::open:
        return is_open(number);
    case ReadingRole::current:
        return number == m_current;
    case ReadingRole::human:
        return state->author == "human";
    case ReadingRole::star:
        return state->mark == TurnMark::promoted;
    default:
        return {};
    }
}

QVariant TranscriptModel::verdict_data(int number, int role) const {
    const QModelIndex index = m_turns.index_of({number, {}});
    const auto cell = [&](TurnColumn column) {
        return index.siblingAtColumn(static_cast<int>(column)).data().toString();
    };
    switch (role) {
    case Qt::DisplayRole: {
        QStringList parts{cell(TurnColumn::verdict)};
        if (const QString change = cell(TurnColumn::against_champion); !change.isEmpty())
            parts << change;
        if (const QString time = cell(TurnColumn::time); !time.isEmpty())
            parts << time + u' ' + m_turns.unit().name;
        if (const QString evidence = cell(TurnColumn::evidence); !evidence.isEmpty())
            parts << evidence;
        const TurnState* state = turn(number);
        if (state && !state->text.empty() && parts.front() != plain(state->text))
            parts << plain(state->text);
        parts.removeAll(QString());
        return parts.join(u" · "_s);
    }
    case ReadingRole::verdict:
        return index.data(TurnRole::kind);
    case ReadingRole::level:
        return find_level(index.data(TurnRole::level));
    case ReadingRole::human: {
        const TurnState* state = turn(number);
        return state && state->author == "human";
    }
    default:
        return {};
    }
}

QVariant TranscriptModel::sent_data(const ReadingRow& row, int role) const {
    const auto& list = m_exchanges.of_turn(row.turn);
    const auto section = static_cast<std::size_t>(row.section);
    if (section >= list.size())
        return {};
    const Exchange& one = list[section];
    const Part* part = part_of(row);
    switch (role) {
    case ReadingRole::title: {
        const QString to = one.event.model.empty() ? u"the model"_s : plain(one.event.model);
        return row.part == again ? u"Asked again"_s
               : one.attempt > 1 ? u"Sent to %1, attempt %2"_s.arg(to).arg(one.attempt)
                                 : u"Sent to %1"_s.arg(to);
    }
    case Qt::DisplayRole: {
        if (row.part == again) {
            for (std::size_t i = section; i-- > 0;)
                if (!list[i].no_candidate.empty())
                    return u"The reply held no candidate: %1"_s.arg(plain(list[i].no_candidate));
            return u"The reply held no candidate."_s;
        }
        const TurnState* state = turn(row.turn);
        if (!state)
            return {};
        QStringList sentences;
        if (state->parent >= 0) {
            const QModelIndex parent = m_turns.index_of({state->parent, {}});
            const QString words = parent.siblingAtColumn(static_cast<int>(TurnColumn::verdict)).data().toString();
            const QString change =
                parent.siblingAtColumn(static_cast<int>(TurnColumn::against_champion)).data().toString();
            const QString name = state->parent == 0 ? u"the start kernel"_s : u"turn %1"_s.arg(state->parent);
            sentences << (!parent.isValid() ? u"Grows from turn %1, which is missing."_s.arg(state->parent)
                          : state->parent == 0 || words.isEmpty() ? u"Grows from %1."_s.arg(name)
                          : change.isEmpty()                      ? u"Grows from %1, which was %2."_s.arg(name, words)
                                             : u"Grows from %1, which was %2 (%3)."_s.arg(name, words, change));
        }
        if (!state->strategy.empty())
            sentences << u"Strategy: %1."_s.arg(plain(state->strategy));
        return sentences.join(u' ');
    }
    case ReadingRole::note: {
        QStringList parts{prompt_text(one, part && part->body ? part->body->request.get() : nullptr)};
        if (!one.left_out.isEmpty())
            parts << u"left out: %1"_s.arg(one.left_out.join(u", "_s));
        parts.removeAll(QString());
        return parts.join(u" · "_s);
    }
    case ReadingRole::link:
        return one.event.request.empty() ? QString() : u"prompt:%1:%2"_s.arg(row.turn).arg(row.section);
    case ReadingRole::link_text:
        return u"Show the prompt"_s;
    default:
        return {};
    }
}

QVariant TranscriptModel::block_data(const ReadingRow& row, const ReplyBlocks& blocks, int role) const {
    const auto at = static_cast<std::size_t>(row.block);
    if (row.block < 0 || at >= blocks.blocks().size())
        return {};
    const ReplyBlock& block = blocks.blocks()[at];
    const bool thoughts = row.kind == ReadingKind::thought;
    switch (role) {
    case Qt::DisplayRole:
        return blocks.text_of(at);
    case ReadingRole::first:
        return thoughts ? at == 0 : block.first;
    case ReadingRole::last:
        return thoughts ? at + 1 == blocks.blocks().size()
                        : block.last || at + 1 == blocks.blocks().size() || !blocks.blocks()[at + 1].code ||
                              blocks.blocks()[at + 1].first;
    case ReadingRole::first_line:
        return block.first_line;
    case ReadingRole::language:
        return block.language;
    case ReadingRole::in_comment:
        return block.in_comment;
    case ReadingRole::whole:
        return block.code ? blocks.code_of(at) : blocks.text();
    default:
        return {};
    }
}

QString TranscriptModel::live_text() const {
    const LiveReply* live = m_exchanges.live();
    if (!live)
        return u"Asking the model …"_s;
    QElapsedTimer clock;
    clock.start();
    const double waited = static_cast<double>(clock.msecsSinceReference() - live->began_ms) / 1000;
    QStringList parts;
    if (live->phase == u"retrying"_s)
        parts << u"waiting to try again"_s;
    else if (live->phase == u"ended"_s)
        parts << u"the reply is there"_s;
    else if (live->first_token_s < 0)
        parts << u"waiting for the first token"_s << u"%1 s"_s.arg(waited, 0, 'f', 0);
    else
        parts << (live->phase == u"reasoning"_s ? u"thinking"_s : u"writing"_s);
    if (live->attempt > 1)
        parts << u"attempt %1"_s.arg(live->attempt);
    if (live->tokens_per_s > 0)
        parts << u"about %1 tok/s"_s.arg(live->tokens_per_s, 0, 'f', 0);
    return parts.join(u" · "_s);
}

QVariant TranscriptModel::row_data(const ReadingRow& row, int role) const {
    switch (row.part) {
    case heading:
        return heading_data(row.turn, role);
    case verdict:
        return verdict_data(row.turn, role);
    case sent:
    case again:
        return sent_data(row, role);
    case thought:
        if (const Part* part = part_of(row))
            return block_data(row, part->reasoning, role);
        return {};
    case content:
        if (const Part* part = part_of(row))
            return block_data(row, part->content, role);
        return {};
    default:
        break;
    }
    const auto& list = m_exchanges.of_turn(row.turn);
    const auto section = static_cast<std::size_t>(row.section);
    const Exchange* one = section < list.size() ? &list[section] : nullptr;
    const TurnState* state = turn(row.turn);
    const Part* part = part_of(row);
    switch (row.part) {
    case hint:
        return role == ReadingRole::title && state ? QVariant(u"Hint from a person"_s)
               : role == Qt::DisplayRole && state  ? QVariant(plain(state->hint))
                                                   : QVariant();
    case pending:
        if (section >= m_pending.size())
            return {};
        return role == ReadingRole::title
                   ? QVariant(m_pending[section].turn >= 0 ? u"Hint for turn %1"_s.arg(m_pending[section].turn)
                                                           : u"Hint for the next turn"_s)
               : role == Qt::DisplayRole   ? QVariant(m_pending[section].text)
               : role == ReadingRole::note ? QVariant(u"Waits; it goes into the next prompt."_s)
                                           : QVariant();
    case fold:
        if (role == ReadingRole::open)
            return part && part->reasoning_open;
        if (role == Qt::DisplayRole) {
            if (part && part->body && part->body->reply)
                return reasoning_text(one, *part->body->reply);
            if (const LiveReply* live = m_exchanges.live())
                return u"reasoning, about %1 tokens"_s.arg(
                    count_text(estimated_tokens(static_cast<std::size_t>(live->reasoning.size()))));
        }
        if (role == ReadingRole::whole && part)
            return part->reasoning.text();
        return {};
    case cut_off:
        return role == Qt::DisplayRole
                   ? QVariant(u"The reply was cut off at the limit of its tokens; allow more in the settings."_s)
                   : QVariant();
    case none_in_it:
        if (!one)
            return {};
        return role == ReadingRole::title ? QVariant(u"No candidate in this reply"_s)
               : role == Qt::DisplayRole  ? QVariant(plain(one->no_candidate))
                                          : QVariant();
    case error: {
        if (!one)
            return {};
        const ExchangeError what = exchange_error(*one);
        return role == ReadingRole::title  ? QVariant(what.title)
               : role == Qt::DisplayRole   ? QVariant(what.text)
               : role == ReadingRole::note ? QVariant(what.remedy)
                                           : QVariant();
    }
    case trouble:
        return role == ReadingRole::title  ? QVariant(u"This exchange cannot be shown in full"_s)
               : role == Qt::DisplayRole   ? QVariant(part && part->body ? part->body->trouble : QString())
               : role == ReadingRole::note ? QVariant(u"Its figures below stand in the journal itself."_s)
                                           : QVariant();
    case busy:
        return role != Qt::DisplayRole       ? QVariant()
               : row.section == live_section ? QVariant(live_text())
                                             : QVariant(u"Reading what was written …"_s);
    case cost:
        return role == Qt::DisplayRole && one ? QVariant(cost_text(*one)) : QVariant();
    case no_exchange:
        if (role != Qt::DisplayRole || !state)
            return {};
        return state->author == "model"
                   ? QVariant(u"The journal holds no exchange with the model for this turn."_s)
                   : QVariant(row.turn == 0 ? u"The start kernel; no model was asked."_s
                                            : u"Written by %1; no model was asked."_s.arg(author_word(state->author)));
    default:
        return {};
    }
}

QString TranscriptModel::text_of(int number) const {
    QStringList lines;
    for (int at = heading_of(number); at >= 0 && at <= last_row_of(number); ++at)
        lines << line(at);
    return lines.join(u'\n');
}

} // namespace kf::ui
