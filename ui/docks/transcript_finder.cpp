// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/transcript_finder.h"

#include "ui/models/background.h"

#include <QElapsedTimer>

#include <utility>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {
constexpr int slice_ms = 6; // of the window's time
} // namespace

TranscriptFinder::TranscriptFinder(RunStore& store, ExchangeStore& exchanges, TranscriptModel& model, QObject* parent)
    : QObject(parent), m_store(store), m_exchanges(exchanges), m_model(model) {
    m_gather.setInterval(0);
    connect(&m_gather, &QTimer::timeout, this, &TranscriptFinder::gather);
    connect(&store, &RunStore::was_reset, this, [this] { start({}, -1); });
    // Whatever is said while we look may hold them too.
    connect(&exchanges, &ExchangeStore::changed, this, [this](int turn) {
        if (!m_words.isEmpty())
            m_hits.insert(turn);
    });
    connect(&exchanges, &ExchangeStore::body_loaded, this, [this](int turn) {
        if (turn == m_reading && m_model.is_read(turn))
            step();
    });
}

TranscriptFinder::~TranscriptFinder() {
    if (m_given_up)
        *m_given_up = true;
}

void TranscriptFinder::start(const QString& words, int from_row) {
    if (m_given_up)
        *m_given_up = true;
    m_given_up.reset();
    m_gather.stop();
    m_words = words;
    m_hits.clear();
    m_said.clear();
    m_gathered = m_reading = -1;
    m_scanned = m_stepping = false;
    m_at_first = from_row <= 0 || from_row > m_model.rowCount();
    if (!m_at_first)
        m_at = m_model.row(from_row - 1);
    if (words.isEmpty()) {
        Q_EMIT told({});
        return;
    }
    m_forward = m_stepping = true;
    Q_EMIT told(u"searching …"_s);
    m_gather.start();
}

void TranscriptFinder::go(bool forward) {
    if (m_words.isEmpty())
        return;
    if (m_reading >= 0)
        return; // it is on its way to the place before this one
    m_forward = forward;
    m_stepping = true;
    if (m_scanned)
        step();
}

// What the rows say that are made here, a few turns at a time.
void TranscriptFinder::gather() {
    QElapsedTimer clock;
    clock.start();
    const auto& turns = m_store.state().turns;
    for (auto turn = turns.upper_bound(m_gathered); turn != turns.end(); ++turn) {
        if (clock.elapsed() > slice_ms)
            return;
        Said one{turn->first, m_model.closed_text(turn->first), {}};
        for (const Exchange& exchange : m_exchanges.of_turn(turn->first))
            one.exchanges.push_back(exchange.event);
        m_said.push_back(std::move(one));
        m_gathered = turn->first;
    }
    m_gather.stop();
    scan();
}

void TranscriptFinder::scan() {
    m_given_up = std::make_shared<std::atomic<bool>>(false);
    in_background(
        this,
        [said = std::move(m_said), words = m_words, blobs = m_store.blobs(), given_up = m_given_up] {
            std::set<int> hits;
            for (const Said& one : said) {
                bool hit = one.text.contains(words, Qt::CaseInsensitive);
                for (const ModelExchange& exchange : one.exchanges) {
                    if (hit || *given_up)
                        break;
                    ModelExchange only_reply = exchange;
                    only_reply.request.clear();
                    const ExchangeBody body = read_exchange(blobs.get(), only_reply);
                    hit = body.trouble.contains(words, Qt::CaseInsensitive);
                    if (body.reply)
                        hit = hit ||
                              QString::fromStdString(body.reply->reasoning).contains(words, Qt::CaseInsensitive) ||
                              QString::fromStdString(body.reply->content).contains(words, Qt::CaseInsensitive);
                }
                if (hit)
                    hits.insert(one.turn);
            }
            return hits;
        },
        [this, given_up = m_given_up](const std::set<int>& hits) {
            if (*given_up)
                return;
            m_hits.insert(hits.begin(), hits.end());
            m_scanned = true;
            if (m_stepping)
                step();
        });
    m_said.clear();
}

int TranscriptFinder::place() const {
    if (m_at_first)
        return -1;
    const int first = m_model.heading_of(m_at.turn), last = m_model.last_row_of(m_at.turn);
    for (int at = first; at >= 0 && at <= last; ++at)
        if (m_model.row(at) == m_at)
            return at;
    return first; // it was folded away
}

// Once round at most: headings are counted, for rows come and go as turns are opened.
void TranscriptFinder::step() {
    int at = place();
    if (const int read = std::exchange(m_reading, -1); read >= 0)
        at = m_forward ? m_model.heading_of(read) : m_model.last_row_of(read) + 1;
    const int rows = m_model.rowCount();
    if (rows == 0)
        return miss();
    const std::size_t turns = m_store.state().turns.size();
    for (std::size_t headings = 0; headings <= turns + 1;) {
        at += m_forward ? 1 : -1;
        if (at >= m_model.rowCount()) {
            at = 0;
            ++headings;
        } else if (at < 0) {
            at = m_model.rowCount() - 1;
            ++headings;
        }
        const ReadingRow row = m_model.row(at);
        if (row.kind == ReadingKind::heading) {
            ++headings;
            if (m_hits.contains(row.turn) && !m_model.is_open(row.turn)) {
                m_model.peek(row.turn);
                at = m_model.heading_of(row.turn);
                if (!m_forward)
                    at = m_model.last_row_of(row.turn) + 1; // its end comes before its heading
                if (m_forward && holds(m_model.line(at)))
                    return arrive(at);
                if (!m_model.is_read(row.turn)) {
                    m_reading = row.turn;
                    return;
                }
                if (!m_forward)
                    continue;
            }
        }
        if (row.kind == ReadingKind::fold && !m_model.data(m_model.index(at), ReadingRole::open).toBool() &&
            holds(m_model.data(m_model.index(at), ReadingRole::whole).toString())) {
            m_model.toggle(at);
            if (!m_forward) { // from the last thought
                while (at + 1 < m_model.rowCount() && m_model.row(at + 1).kind == ReadingKind::thought)
                    ++at;
                ++at;
                continue;
            }
        }
        if (holds(m_model.line(at)))
            return arrive(at);
    }
    miss();
}

void TranscriptFinder::arrive(int row) {
    m_at = m_model.row(row);
    m_at_first = false;
    m_stepping = false;
    const bool of_turn = m_store.state().turns.contains(m_at.turn);
    if (of_turn)
        m_hits.insert(m_at.turn);
    const auto count = m_hits.size();
    const QString where = !of_turn         ? u"a hint that waits"_s
                          : m_at.turn == 0 ? u"start kernel"_s
                                           : u"turn %1"_s.arg(m_at.turn);
    Q_EMIT found(row);
    Q_EMIT told(count <= 1 ? where : u"%1, in %2 turns"_s.arg(where).arg(static_cast<qulonglong>(count)));
}

void TranscriptFinder::miss() {
    m_stepping = false;
    Q_EMIT told(u"not found"_s);
}

} // namespace kf::ui
