// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/replay_source.h"

#include "ui/control/feed_queue.h"
#include "ui/control/journal_source.h"
#include "ui/control/replay_words.h"
#include "ui/models/background.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

namespace kf::ui {
namespace {

constexpr int frame_ms = 33;
constexpr auto forever = std::chrono::hours(1);
constexpr std::size_t events_a_scan = 2048;
constexpr std::size_t events_a_read = 256;

} // namespace

// Where every event stands and when it is due. The events themselves are read again: a journal can be larger than
// anybody wants to hold in memory.
struct ReplaySource::Recording {
    struct Entry {
        std::uint64_t offset = 0, bytes = 0;
    };
    std::vector<double> due; // seconds; never falls
    std::vector<Entry> entries;
    std::map<std::size_t, Event> unreadable; // these cannot be read again
    std::vector<ReplayMark> marks;
    ReplayWords words;
    LockState lock = LockState::free; // as it is now: how the recorded run ended

    double duration() const { return due.empty() ? 0 : due.back(); }
    // How many events are due.
    std::size_t count_at(double seconds) const {
        return static_cast<std::size_t>(std::upper_bound(due.begin(), due.end(), seconds) - due.begin());
    }
    // While it is scanned.
    double last_time = 0;
    std::set<std::int64_t> crowned;
    void add(const Event& event);
};

// How many events the thread shall have given.
struct ReplaySource::Orders {
    std::atomic<std::size_t> up_to = 0;
};

void ReplaySource::Recording::add(const Event& event) {
    double at = due.empty() ? 0 : due.back();
    if (event.type == EventType::unreadable) {
        unreadable.emplace(due.size(), event);
    } else if (std::isfinite(event.time)) {
        const double gap = last_time > 0 ? std::max(0.0, event.time - last_time) : 0;
        if (event.type == EventType::model_exchange)
            at = words.add(event, due.size(), at, gap, longest_gap_s);
        else
            at += std::min(gap, longest_gap_s);
        last_time = event.time;
    }
    due.push_back(at);
    entries.push_back({event.offset, event.bytes});
    const std::int64_t turn = get_int(event.fields, "turn");
    if (event.type == EventType::champion) // told before the turn's end
        crowned.insert(turn);
    if (event.type == EventType::turn_finished)
        marks.push_back({at, static_cast<int>(std::clamp<std::int64_t>(turn, 0, 1 << 30)), crowned.contains(turn),
                         get_string(event.fields, "outcome") == "failed"});
}

ReplaySource::ReplaySource(RunStore& store, QObject* parent) : QObject(parent), m_store(store) {
    m_timer.setInterval(frame_ms);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &ReplaySource::tick);
}

ReplaySource::~ReplaySource() {
    const std::shared_ptr<FeedQueue> queue = m_queue;
    stop();
    if (queue)
        queue->wait_for_thread(std::chrono::seconds(3));
}

void ReplaySource::open(const QString& place, const std::filesystem::path& runs, double speed) {
    stop();
    set_speed(speed);
    m_queue = FeedQueue::make(this, [this] { drain(); });
    m_queue->start_thread(
        [this, text = place.toStdString(), runs](FeedQueue& queue) { scan(queue, this, text, runs); });
}

void ReplaySource::stop() {
    m_timer.stop();
    if (m_queue)
        m_queue->close();
    m_queue.reset();
    m_orders.reset();
    m_recording.reset();
    m_blobs.reset();
    m_position = 0;
    m_asked = m_given = 0;
    m_words = {};
    set_playing(false);
}

void ReplaySource::drain() {
    if (const std::shared_ptr<FeedQueue> queue = m_queue; queue && !queue->drain(m_store))
        QTimer::singleShot(0, this, &ReplaySource::drain);
}

// In a thread; `owner` is touched in calls only.
void ReplaySource::scan(FeedQueue& queue, ReplaySource* owner, const std::string& text,
                        const std::filesystem::path& runs) {
    const auto fail = [&](const Error& error) { queue.put_call([owner, error] { owner->fail(error); }); };
    auto source = find_source(text, runs);
    if (!source)
        return fail(source.error());
    auto opened = SourceBlobs::open(*source);
    if (!opened)
        return fail(opened.error());
    auto reader = JournalReader::open(source->folder);
    if (!reader)
        return fail(reader.error());
    auto recording = std::make_shared<Recording>();
    if (!source->packed)
        recording->lock = lock_info(source->folder).state;
    std::optional<Error> refused;
    while (!queue.closed()) {
        auto events = reader->poll(events_a_scan);
        if (!events)
            refused = events.error();
        if (!events || events->empty())
            break;
        for (const Event& event : *events)
            recording->add(event);
    }
    if (recording->due.size() == recording->unreadable.size())
        return fail(refused ? *refused
                            : make_error("journal-unreadable", "there is no event in this journal that can be read",
                                         "open another run", Place{source->shown, 0, 0}));
    queue.put_call([owner, shown = QString::fromStdString(source->shown), recording, blobs = *opened] {
        owner->start(shown, recording, blobs);
    });
    if (refused)
        fail(*refused);
}

// In another thread: the events as they become due.
void ReplaySource::deliver(FeedQueue& queue, ReplaySource* owner, const Orders& orders, const Recording& recording,
                           const RunBlobs& blobs) {
    for (std::size_t given = 0; !queue.closed();) {
        const std::size_t up_to = std::min(orders.up_to.load(), recording.entries.size());
        if (given >= up_to) {
            queue.wait(forever);
            continue;
        }
        std::vector<Event> events;
        for (; given < up_to && events.size() < events_a_read; ++given) {
            if (const auto kept = recording.unreadable.find(given); kept != recording.unreadable.end()) {
                events.push_back(kept->second);
                continue;
            }
            const Recording::Entry& entry = recording.entries[given];
            auto event = blobs.event_at({0, 0, entry.offset, entry.bytes});
            events.push_back(event ? std::move(*event) : unreadable_event(0, event.error().message, "", entry.bytes));
        }
        if (!queue.put_events(std::move(events), blobs))
            return;
        if (given == up_to)
            queue.put_call([owner, given] { owner->catch_up(given); });
    }
}

void ReplaySource::catch_up(std::size_t given) {
    m_given = given;
    m_store.set_loading(false);
    m_store.set_lock(given == m_recording->entries.size() ? m_recording->lock : LockState::held);
    show_words();
}

// What is being written at this position, once the store knows everything before it.
void ReplaySource::show_words() {
    if (!m_recording || m_given != m_asked)
        return;
    const RecordedReply* one = m_recording->words.at(m_position, m_asked);
    if (!one) {
        if (std::exchange(m_words.shown, false))
            Q_EMIT reply_moved({});
        return;
    }
    if (m_words.event != one->event) {
        m_words = {one->event, nullptr, m_words.shown};
        in_background(
            this,
            [blobs = m_blobs, hash = one->hash]() -> std::shared_ptr<const ChatReply> {
                const auto text = blobs->blob(hash);
                const Json json = text ? Json::parse(*text, nullptr, false) : Json();
                auto reply = chat_reply_from_json(json);
                return reply ? std::make_shared<const ChatReply>(std::move(*reply)) : nullptr;
            },
            [this, recording = m_recording, event = one->event](std::shared_ptr<const ChatReply> reply) {
                if (recording != m_recording || event != m_words.event)
                    return;
                m_words.reply = std::move(reply); // one that cannot be read is told with its event
                show_words();
            });
        return;
    }
    if (!m_words.reply)
        return;
    m_words.shown = true;
    Q_EMIT reply_moved({one->turn, one->exchange, one->attempt, QString::fromStdString(one->model), m_words.reply,
                        one->elapsed_at(m_position)});
}

void ReplaySource::start(const QString& place, std::shared_ptr<const Recording> recording,
                         std::shared_ptr<const RunBlobs> blobs) {
    m_place = place;
    m_recording = std::move(recording);
    m_blobs = std::move(blobs);
    begin_store();
    Q_EMIT opened(place);
    Q_EMIT duration_changed(duration());
    move_to(0);
    play();
}

// From the first event. A queue of its own, so that nothing of what was on its way before can arrive.
void ReplaySource::begin_store() {
    const std::shared_ptr<FeedQueue> before = std::exchange(m_queue, FeedQueue::make(this, [this] { drain(); }));
    m_orders = std::make_shared<Orders>();
    m_asked = m_given = 0;
    m_store.reset(RunMode::replay, m_place, m_blobs);
    m_store.set_lock(LockState::held); // it is seen as it was seen live
    m_queue->start_thread([this, orders = m_orders, recording = m_recording, blobs = m_blobs](FeedQueue& queue) {
        deliver(queue, this, *orders, *recording, *blobs);
    });
    before->close();
}

double ReplaySource::duration() const {
    return m_recording ? m_recording->duration() : 0;
}

bool ReplaySource::at_end() const {
    return m_recording && m_asked >= m_recording->due.size();
}

const std::vector<ReplayMark>& ReplaySource::marks() const {
    static const std::vector<ReplayMark> none;
    return m_recording ? m_recording->marks : none;
}

void ReplaySource::set_speed(double speed) {
    const double limited = std::isfinite(speed) && speed > 0 ? std::clamp(speed, slowest, fastest) : 8;
    if (limited == m_speed)
        return;
    m_speed = limited;
    Q_EMIT speed_changed(m_speed);
}

void ReplaySource::set_playing(bool playing) {
    if (playing)
        m_clock.start();
    if (playing == m_playing)
        return;
    m_playing = playing;
    if (playing)
        m_timer.start();
    else
        m_timer.stop();
    Q_EMIT playing_changed(playing);
}

void ReplaySource::play() {
    if (!m_recording)
        return;
    if (at_end())
        seek(0);
    set_playing(true);
}

void ReplaySource::pause() {
    set_playing(false);
}

void ReplaySource::tick() {
    const double seconds = static_cast<double>(m_clock.nsecsElapsed()) * 1e-9;
    m_clock.start();
    // After a long stall (a suspended machine) it goes on where it was.
    move_to(m_position + std::min(seconds, 1.0) * m_speed);
}

void ReplaySource::move_to(double seconds) {
    if (!m_recording)
        return;
    const double to = std::clamp(std::isfinite(seconds) ? seconds : 0.0, 0.0, duration());
    const std::size_t count = m_recording->count_at(to);
    const bool was_at_end = at_end();
    if (count < m_asked) {
        begin_store();
        m_store.set_loading(count > 2000); // read forward fast
    }
    if (count > m_asked || m_asked == 0) {
        m_asked = count;
        m_orders->up_to = count;
        m_queue->wake();
    }
    if (to != m_position) {
        m_position = to;
        Q_EMIT position_changed(m_position);
    }
    show_words();
    if (at_end() && !was_at_end) {
        set_playing(false);
        Q_EMIT finished();
    }
}

void ReplaySource::seek(double seconds) {
    move_to(seconds);
    if (m_playing)
        m_clock.start();
}

void ReplaySource::step(bool forward) {
    if (!m_recording)
        return;
    set_playing(false);
    // Marks can share an instant: what counts is that the position moves.
    constexpr double moved = 1e-9;
    double to = forward ? duration() : 0;
    for (const ReplayMark& mark : m_recording->marks) {
        if (forward && mark.seconds > m_position + moved) {
            to = mark.seconds;
            break;
        }
        if (!forward && mark.seconds < m_position - moved)
            to = mark.seconds;
    }
    move_to(to);
}

void ReplaySource::fail(const Error& error) {
    m_store.fail(error);
    Q_EMIT failed(error);
}

} // namespace kf::ui
