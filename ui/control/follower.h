// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a run's journal into a RunStore: a thread reads and parses, the user interface folds small slices. A journal
// that grows is polled; the lock tells whether somebody writes it.
#pragma once

#include "core/journal/lock.h"
#include "ui/models/run_store.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>

namespace kf::ui {

class FeedQueue;

class Follower : public QObject {
    Q_OBJECT
public:
    explicit Follower(RunStore& store, QObject* parent = nullptr);
    ~Follower() override;

    // Lets go of what was followed, resets the store once the run was found, and reads it. A folder, a .kfrun file, or
    // a run's name below `runs`. Whatever goes wrong comes as RunStore::failed and `failed`.
    void follow(const QString& place, const std::filesystem::path& runs);
    void stop();
    bool active() const { return m_queue != nullptr; }
    // Of the followed run; "" for a file and when nothing is followed.
    const QString& folder() const { return m_folder; }
    const LockInfo& lock() const { return m_lock; }
    // All that was in the journal when it was opened is in the store.
    bool caught_up() const { return m_caught_up; }

Q_SIGNALS:
    void opened(const QString& place);
    void lock_changed(const kf::LockInfo& lock);
    void caught_up_with();
    void failed(const kf::Error& error);

private:
    static void read(FeedQueue& queue, Follower* owner, const std::string& text, const std::filesystem::path& runs);
    void start(const QString& place, const QString& folder, const LockInfo& lock,
               std::shared_ptr<const RunBlobs> blobs);
    void drain();
    void reach_end();
    void set_lock(const LockInfo& lock);
    void fail(const Error& error);

    RunStore& m_store;
    std::shared_ptr<FeedQueue> m_queue;
    QString m_folder;
    LockInfo m_lock;
    bool m_caught_up = false;
};

} // namespace kf::ui
