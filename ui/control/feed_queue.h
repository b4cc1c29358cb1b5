// SPDX-License-Identifier: GPL-3.0-or-later
// From a thread that reads a journal to the user interface that folds it: events and calls in one order, taken out in
// slices of a few milliseconds, so that a long journal never makes the window wait.
#pragma once

#include "ui/models/run_store.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace kf::ui {

class FeedQueue : public std::enable_shared_from_this<FeedQueue> {
public:
    // `ready` is called in the thread of `context` when there is something to drain. The owner closes the queue before
    // `context` goes.
    static std::shared_ptr<FeedQueue> make(QObject* context, std::function<void()> ready);

    // The thread's side. False: the queue is closed, the thread has to end. Waits while too much is ahead.
    bool put_events(std::vector<Event> events, const RunBlobs& blobs); // cut down by slim_event()
    bool put_call(std::function<void()> call);                         // in the user interface's thread
    bool wait(std::chrono::milliseconds time);                         // sleeps; woken by close() and wake()
    bool closed() const;
    // Runs `body(queue)` in a thread of its own, which keeps the queue alive.
    void start_thread(std::function<void(FeedQueue&)> body);

    // The user interface's side.
    // One slice into the store; false: more may be left, and `ready` is not called for it: the owner drains again after
    // what else waits in its thread. A call may close the queue.
    bool drain(RunStore& store);
    void close();
    void wake();
    // What was not taken out yet is dropped.
    void clear();
    // A thread must not outlive the program; but unpacking a large file may take longer than anybody wants to wait.
    void wait_for_thread(std::chrono::milliseconds time);

private:
    struct Item {
        std::vector<Event> events;
        std::function<void()> call; // when there are no events
    };
    FeedQueue(QObject* context, std::function<void()> ready) : m_context(context), m_ready(std::move(ready)) {}
    bool put(Item item);
    bool take(Item& item, std::vector<Event> spent);

    QObject* m_context; // guarded; null once closed
    std::function<void()> m_ready;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_running = false, m_woken = false;
    bool m_told = false; // a call of `ready` is on its way
    std::deque<Item> m_items;
    // Events that were folded: freeing many small values takes time that the user interface does not have.
    std::vector<std::vector<Event>> m_spent;
};

} // namespace kf::ui
