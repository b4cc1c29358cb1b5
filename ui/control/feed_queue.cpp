// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/feed_queue.h"

#include "ui/control/journal_source.h"

#include <QElapsedTimer>

#include <thread>

namespace kf::ui {
namespace {

constexpr std::size_t events_a_piece = 64; // what is folded between two looks at the clock
constexpr std::size_t pieces_ahead = 64;   // the thread waits when the user interface is so far behind
constexpr std::size_t most_events_a_slice = 2000;
constexpr qint64 slice_ns = 8'000'000;

} // namespace

std::shared_ptr<FeedQueue> FeedQueue::make(QObject* context, std::function<void()> ready) {
    return std::shared_ptr<FeedQueue>(new FeedQueue(context, std::move(ready)));
}

bool FeedQueue::put(Item item) {
    std::vector<std::vector<Event>> spent; // freed behind the lock
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return !m_context || m_items.size() < pieces_ahead; });
    if (!m_context)
        return false;
    spent.swap(m_spent);
    m_items.push_back(std::move(item));
    // The context lives: its owner closes the queue, under this lock, before it goes.
    if (!std::exchange(m_told, true))
        QMetaObject::invokeMethod(
            m_context,
            [self = weak_from_this()] {
                if (const auto queue = self.lock(); queue && !queue->closed())
                    queue->m_ready();
            },
            Qt::QueuedConnection);
    return true;
}

bool FeedQueue::put_events(std::vector<Event> events, const RunBlobs& blobs) {
    for (std::size_t first = 0; first < events.size(); first += events_a_piece) {
        const auto begin = events.begin() + static_cast<std::ptrdiff_t>(first);
        const auto count = static_cast<std::ptrdiff_t>(std::min(events_a_piece, events.size() - first));
        std::vector<Event> piece(std::make_move_iterator(begin), std::make_move_iterator(begin + count));
        for (Event& event : piece)
            slim_event(event, blobs);
        if (!put({std::move(piece), {}}))
            return false;
    }
    return !closed();
}

bool FeedQueue::put_call(std::function<void()> call) {
    return put({{}, std::move(call)});
}

bool FeedQueue::wait(std::chrono::milliseconds time) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, time, [&] { return !m_context || m_woken; });
    m_woken = false;
    return m_context != nullptr;
}

bool FeedQueue::closed() const {
    const std::lock_guard lock(m_mutex);
    return !m_context;
}

void FeedQueue::start_thread(std::function<void(FeedQueue&)> body) {
    m_running = true;
    std::thread([self = shared_from_this(), body = std::move(body)]() mutable {
        body(*self);
        body = nullptr; // what it holds goes before the thread is said to be done
        const std::lock_guard lock(self->m_mutex);
        self->m_running = false;
        self->m_changed.notify_all();
    }).detach();
}

bool FeedQueue::take(Item& item, std::vector<Event> spent) {
    const std::lock_guard lock(m_mutex);
    if (!spent.empty())
        m_spent.push_back(std::move(spent));
    // Only now: calls that come while there is still something left would each take a slice, one after the other.
    if (m_items.empty() || !m_context) {
        m_told = false;
        return false;
    }
    item = std::move(m_items.front());
    m_items.pop_front();
    m_changed.notify_all();
    return true;
}

bool FeedQueue::drain(RunStore& store) {
    const auto self = shared_from_this(); // a call may let go of the queue
    QElapsedTimer clock;
    clock.start();
    Item item;
    for (std::size_t events = 0; take(item, std::exchange(item.events, {}));) {
        if (item.call)
            std::exchange(item.call, nullptr)();
        else
            store.apply(item.events);
        if (closed())
            return true;
        events += item.events.size();
        if (events >= most_events_a_slice || clock.nsecsElapsed() > slice_ns)
            return false;
    }
    return true;
}

void FeedQueue::close() {
    const std::lock_guard lock(m_mutex);
    m_context = nullptr;
    m_changed.notify_all();
}

void FeedQueue::wake() {
    const std::lock_guard lock(m_mutex);
    m_woken = true;
    m_changed.notify_all();
}

void FeedQueue::clear() {
    std::deque<Item> dropped;
    const std::lock_guard lock(m_mutex);
    dropped.swap(m_items);
    m_changed.notify_all();
}

void FeedQueue::wait_for_thread(std::chrono::milliseconds time) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, time, [&] { return !m_running; });
}

} // namespace kf::ui
