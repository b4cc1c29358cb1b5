// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/transcript_model.h"

#include "ui/models/exchange_texts.h"
#include "ui/models/transcript_parts.h"

#include <algorithm>
#include <limits>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr std::size_t most_open = 24; // turns; the oldest are closed
constexpr int most_told_singly = 64;
constexpr int pending_turn = std::numeric_limits<int>::max();

// "turn 11": as an order's effect says it.
int turn_named(const std::string& effect) {
    bool ok = false;
    const int number = QString::fromStdString(effect).section(u"turn "_s, 1).section(u' ', 0, 0).toInt(&ok);
    return ok ? number : -1;
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
    m_current = m_peeked = -1;
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

void TranscriptModel::peek(int number) {
    if (heading_of(number) < 0 || (number == m_peeked && is_open(number)))
        return;
    const int before = std::exchange(m_peeked, number);
    if (const auto found = m_open.find(before);
        found != m_open.end() && !found->second.by_hand && before != m_current) {
        m_open.erase(found);
        refresh(before);
    }
    m_open[number];
    refresh(number);
}

bool TranscriptModel::is_read(int number) const {
    const auto found = m_open.find(number);
    return found != m_open.end() && std::all_of(found->second.parts.begin(), found->second.parts.end(),
                                                [](const Part& part) { return part.filled; });
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
    if (const LiveReply* live = m_exchanges.live(); open && live && live->turn == number)
        absorb(*live, *open); // it was opened while the reply was on its way
    const std::vector<ReadingRow> fresh = rows_of(number, open);
    replace(first, count, fresh);
    touch(first, first);
    if (open) {
        const int last = last_row_of(number);
        if (row(last).kind == ReadingKind::verdict)
            touch(last, last);
    }
}

// What came of the reply since the last time, as rows: the last row of each part grows, new ones are added behind it.
TranscriptModel::LiveRows TranscriptModel::absorb(const LiveReply& live, Open& open) {
    if (open.live_part != live.part) {
        open.live = Part();
        open.live_part = live.part;
        open.live_reasoning = open.live_content = 0;
        open.live_reasoning_told = false;
    }
    LiveRows grew;
    grew.reasoning_from = open.live.reasoning.append(live.reasoning.mid(open.live_reasoning));
    grew.content_from = open.live.content.append(live.content.mid(open.live_content));
    grew.reasoning = live.reasoning.size() > open.live_reasoning;
    grew.content = live.content.size() > open.live_content;
    open.live_reasoning = live.reasoning.size();
    open.live_content = live.content.size();
    // Thought is seen while nothing else is there to see, and folds when the answer begins.
    if (!open.live_reasoning_told)
        open.live.reasoning_open = open.live.content.blocks().empty();
    return grew;
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
    const LiveRows grew = absorb(*live, found->second);
    refresh(live->turn);
    const int first = heading_of(live->turn), last = last_row_of(live->turn);
    for (int at = first; at >= 0 && at <= last; ++at) {
        const ReadingRow& one = row(at);
        if (one.section != live_section)
            continue;
        const bool grown = (one.kind == ReadingKind::thought && grew.reasoning &&
                            one.block == static_cast<int>(grew.reasoning_from)) ||
                           (one.part == content && grew.content && one.block == static_cast<int>(grew.content_from));
        if (grown || one.kind == ReadingKind::busy || (one.kind == ReadingKind::fold && grew.reasoning))
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

} // namespace kf::ui
