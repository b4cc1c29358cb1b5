// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/follower.h"

#include "ui/control/feed_queue.h"
#include "ui/control/journal_source.h"

#include <QTimer>

namespace kf::ui {
namespace {

constexpr std::size_t events_a_read = 2048; // the reader reads a block of the file each time
constexpr auto poll_live = std::chrono::milliseconds(60);
constexpr auto poll_idle = std::chrono::milliseconds(500);

bool same(const LockInfo& a, const LockInfo& b) {
    return a.state == b.state && a.pid == b.pid && a.control_socket == b.control_socket;
}

} // namespace

Follower::Follower(RunStore& store, QObject* parent) : QObject(parent), m_store(store) {}

Follower::~Follower() {
    const std::shared_ptr<FeedQueue> queue = m_queue;
    stop();
    if (queue)
        queue->wait_for_thread(std::chrono::seconds(3));
}

void Follower::stop() {
    if (m_queue)
        m_queue->close();
    m_queue.reset();
    m_folder.clear();
    m_lock = {};
    m_caught_up = false;
}

void Follower::follow(const QString& place, const std::filesystem::path& runs) {
    stop();
    m_queue = FeedQueue::make(this, [this] { drain(); });
    m_queue->start_thread(
        [this, text = place.toStdString(), runs](FeedQueue& queue) { read(queue, this, text, runs); });
}

void Follower::drain() {
    if (const std::shared_ptr<FeedQueue> queue = m_queue; queue && !queue->drain(m_store))
        QTimer::singleShot(0, this, &Follower::drain);
}

// In the thread. `owner` is touched in calls only, which come while it has the queue.
void Follower::read(FeedQueue& queue, Follower* owner, const std::string& text, const std::filesystem::path& runs) {
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
    const std::shared_ptr<const SourceBlobs> files = *opened;
    const std::filesystem::path folder = source->folder;
    const bool packed = source->packed != nullptr;
    LockInfo lock = packed ? LockInfo() : lock_info(folder);
    queue.put_call([owner, lock, files, shown = QString::fromStdString(source->shown),
                    path = packed ? QString() : QString::fromStdString(folder.string())] {
        owner->start(shown, path, lock, files);
    });
    const auto remark = [&](const QString& said) { queue.put_call([owner, said] { owner->m_store.remark(said); }); };
    if (packed)
        for (const std::string& member : source->packed->skipped())
            remark(QStringLiteral("“%1” is no part of a run and was left out").arg(QString::fromStdString(member)));
    source = RunSource(); // the blobs keep what was unpacked
    bool at_end = false;
    for (int round = 0;; ++round) {
        auto events = reader->poll(events_a_read);
        if (!events) {
            queue.put_call([owner] { owner->reach_end(); });
            return fail(events.error());
        }
        if (!events->empty()) {
            if (!queue.put_events(std::move(*events), *files))
                return;
            continue;
        }
        if (!std::exchange(at_end, true)) {
            queue.put_call([owner] { owner->reach_end(); });
            if (lock.state != LockState::held && reader->torn_bytes() > 0)
                remark(QStringLiteral("the last line of the journal is incomplete: its %1 bytes are not shown, and a "
                                      "resumed run drops them")
                           .arg(reader->torn_bytes()));
        }
        if (packed)
            return; // nobody writes it
        const bool live = lock.state == LockState::held;
        if (!queue.wait(live ? poll_live : poll_idle))
            return;
        if (live && round % 4 != 0)
            continue;
        if (const LockInfo now = lock_info(folder); !same(now, lock)) {
            lock = now;
            // What was written before the lock was let go comes first.
            auto rest = reader->poll();
            if (rest && !queue.put_events(std::move(*rest), *files))
                return;
            queue.put_call([owner, now] { owner->set_lock(now); });
        }
        if (auto there = check_still_there(folder, reader->complete_bytes()); !there)
            return fail(there.error());
    }
}

void Follower::start(const QString& place, const QString& folder, const LockInfo& lock,
                     std::shared_ptr<const RunBlobs> blobs) {
    m_folder = folder;
    m_lock = lock;
    m_store.reset(lock.state == LockState::held ? RunMode::live : RunMode::ended, place, std::move(blobs));
    m_store.set_loading(true);
    m_store.set_lock(lock.state);
    Q_EMIT opened(place);
    Q_EMIT lock_changed(lock);
}

void Follower::reach_end() {
    m_caught_up = true;
    m_store.set_loading(false);
    Q_EMIT caught_up_with();
}

void Follower::set_lock(const LockInfo& lock) {
    m_lock = lock;
    m_store.set_mode(lock.state == LockState::held ? RunMode::live : RunMode::ended);
    m_store.set_lock(lock.state);
    Q_EMIT lock_changed(lock);
}

void Follower::fail(const Error& error) {
    m_store.set_loading(false);
    m_store.fail(error);
    Q_EMIT failed(error);
}

} // namespace kf::ui
