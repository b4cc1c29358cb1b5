// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of the transcript say.
#include "ui/models/exchange_texts.h"
#include "ui/models/transcript_model.h"
#include "ui/models/transcript_parts.h"

#include <QElapsedTimer>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

int find_level(const QVariant& level) {
    return level.isValid() ? level.toInt() : -1;
}

} // namespace

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
        if (state && !state->text.empty() && !parts.front().contains(plain(state->text)))
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
    const double waited = live->elapsed_s >= 0
                              ? live->elapsed_s
                              : static_cast<double>(clock.msecsSinceReference() - live->began_ms) / 1000;
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

QString TranscriptModel::closed_text(int number) const {
    Open unread;
    unread.parts.resize(m_exchanges.of_turn(number).size());
    QStringList lines;
    for (const ReadingRow& row : rows_of(number, &unread))
        if (row.kind != ReadingKind::busy)
            lines << line_of(row);
    return lines.join(u'\n');
}

} // namespace kf::ui
