// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_store.h"

#include "core/render/marks.h"

#include <QDateTime>

#include <limits>
#include <list>
#include <tuple>

namespace kf::ui {
namespace {

constexpr int tick_ms = 33;
constexpr int loading_tick_ms = 200;
constexpr std::size_t kept_evaluations = 64;

// As the projection reads it: a number that is none, or too large, is the default.
int turn_of(const Event& event, int fallback = 0) {
    const std::int64_t number = get_int(event.fields, "turn", fallback);
    return number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max()
               ? static_cast<int>(number)
               : fallback;
}

} // namespace

// The evaluations that were read last.
class RunStore::Cache {
public:
    using Value = std::shared_ptr<const Evaluation>;
    // Where its event stands: an evaluation may be judged again, or told again with all of its cases.
    using Key = std::tuple<int, std::string, std::int64_t, std::uint64_t>; // turn, id, sequence, offset
    Value find(const Key& key) {
        for (auto it = m_entries.begin(); it != m_entries.end(); ++it)
            if (it->first == key) {
                m_entries.splice(m_entries.begin(), m_entries, it);
                return it->second;
            }
        return nullptr;
    }
    void put(Key key, Value value) {
        m_entries.emplace_front(std::move(key), std::move(value));
        if (m_entries.size() > kept_evaluations)
            m_entries.pop_back();
    }
    void clear() { m_entries.clear(); }

private:
    std::list<std::pair<Key, Value>> m_entries;
};

RunStore::RunStore(QObject* parent) : QObject(parent), m_cache(std::make_unique<Cache>()) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(tick_ms);
    connect(&m_timer, &QTimer::timeout, this, &RunStore::flush);
}

RunStore::~RunStore() = default;

void RunStore::reset(RunMode mode, const QString& place, std::shared_ptr<const RunBlobs> blobs) {
    m_state = RunState();
    m_lock = LockState::free;
    m_mode = mode;
    m_place = place;
    m_blobs = std::move(blobs);
    m_pending = {};
    m_timer.stop();
    m_cache->clear();
    m_figures.clear();
    Q_EMIT was_reset();
    set_loading(false);
}

void RunStore::apply(const std::vector<Event>& events) {
    if (events.empty())
        return;
    for (const Event& event : events) {
        m_state.apply(event);
        note(event);
    }
    Q_EMIT events_applied(events);
    if (!m_pending.empty() && !m_timer.isActive())
        m_timer.start();
}

void RunStore::note(const Event& event) {
    switch (event.type) {
    case EventType::turn_started:
    case EventType::turn_finished:
    case EventType::candidate:
    case EventType::stage:
    case EventType::model_exchange:
        m_pending.turns.insert(turn_of(event));
        break;
    case EventType::evaluation:
        m_pending.turns.insert(turn_of(event));
        m_figures[turn_of(event)][get_string(event.fields, "evaluation")] = evaluation_figures(event.fields);
        break;
    case EventType::champion:
        m_pending.champion = true;
        m_pending.turns.insert(turn_of(event));
        break;
    case EventType::infrastructure:
        m_pending.notes = true;
        if (const int turn = turn_of(event, -1); turn >= 0)
            m_pending.turns.insert(turn);
        break;
    case EventType::note:
    case EventType::training:
    case EventType::unreadable:
    case EventType::unknown:
        m_pending.notes = true;
        break;
    case EventType::steering:
        m_pending.notes = true;
        m_pending.header = true;
        break;
    case EventType::run_started:
    case EventType::budget:
    case EventType::resumed:
    case EventType::stop:
    case EventType::run_finished:
        m_pending.header = true;
        break;
    }
}

void RunStore::set_lock(LockState lock) {
    if (lock == m_lock)
        return;
    m_lock = lock;
    m_pending.header = true;
    if (!m_timer.isActive())
        m_timer.start();
}

void RunStore::set_mode(RunMode mode) {
    if (mode == m_mode)
        return;
    m_mode = mode;
    m_pending.header = true;
    if (!m_timer.isActive())
        m_timer.start();
}

void RunStore::set_loading(bool loading) {
    if (loading == m_loading)
        return;
    m_loading = loading;
    m_timer.setInterval(loading ? loading_tick_ms : tick_ms);
    if (!loading)
        flush();
    Q_EMIT loading_changed(loading);
}

void RunStore::remark(const QString& text, bool warning) {
    Event event;
    event.type = EventType::note;
    event.type_name = to_string(EventType::note);
    event.time = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
    event.fields = to_fields(Note{warning ? "warning" : "info", text.toStdString(), -1});
    Q_EMIT events_applied({event});
}

void RunStore::flush() {
    m_timer.stop();
    if (m_pending.empty())
        return;
    const RunChanges told = std::exchange(m_pending, {});
    Q_EMIT changed(told);
}

Result<std::shared_ptr<const Evaluation>> RunStore::evaluation(int turn, const std::string& id) const {
    const auto found = m_state.turns.find(turn);
    if (found == m_state.turns.end())
        return make_error("evaluation-missing", "there is no turn " + std::to_string(turn));
    for (const EvaluationState& one : found->second.evaluations) {
        if (one.id != id || !one.done)
            continue;
        const Cache::Key key{turn, id, one.place.sequence, one.place.offset};
        if (auto known = m_cache->find(key))
            return known;
        if (!m_blobs)
            return make_error("evaluation-missing", "this run has no journal to read from");
        auto event = m_blobs->event_at(one.place);
        if (!event)
            return event.error();
        const auto fields = from_fields<EvaluationEvent>(event->fields);
        Json json = fields.result;
        if (!fields.result_blob.empty()) {
            auto text = m_blobs->blob(fields.result_blob);
            if (!text)
                return text.error();
            json = Json::parse(*text, nullptr, false);
        }
        auto read = evaluation_from_json(json);
        if (!read)
            return read.error();
        auto value = std::make_shared<const Evaluation>(std::move(*read));
        m_cache->put(key, value);
        return std::shared_ptr<const Evaluation>(value);
    }
    return make_error("evaluation-missing", "turn " + std::to_string(turn) + " has no such evaluation that is done");
}

Result<std::shared_ptr<const Evaluation>> RunStore::evaluation(int turn) const {
    const auto found = m_state.turns.find(turn);
    if (found == m_state.turns.end())
        return make_error("evaluation-missing", "there is no turn " + std::to_string(turn));
    const EvaluationState* shown = shown_evaluation(m_state, found->second);
    if (!shown)
        return make_error("evaluation-missing", "turn " + std::to_string(turn) + " has no evaluation that is done");
    return evaluation(turn, shown->id);
}

const EvaluationFigures* RunStore::figures(int turn, const std::string& id) const {
    const auto of_turn = m_figures.find(turn);
    if (of_turn == m_figures.end())
        return nullptr;
    const auto found = of_turn->second.find(id);
    return found == of_turn->second.end() ? nullptr : &found->second;
}

Result<std::string> RunStore::blob(const std::string& hash) const {
    if (!m_blobs)
        return make_error("blob-missing", "this run has no files");
    return m_blobs->blob(hash);
}

Result<std::string> RunStore::source(int turn) const {
    const auto found = m_state.turns.find(turn);
    if (found == m_state.turns.end() || found->second.source.empty())
        return make_error("blob-missing", "turn " + std::to_string(turn) + " has no source");
    return blob(found->second.source);
}

} // namespace kf::ui
