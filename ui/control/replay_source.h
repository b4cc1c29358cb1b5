// SPDX-License-Identifier: GPL-3.0-or-later
// Feeds a recorded run into a RunStore as it was seen live: by the time stamps of its journal, at any speed, with gaps
// of more than ten seconds shortened. The store's mode stays `replay` to the end, and everything comes through the same
// fold as live; a model's reply is told piece by piece before its event comes (replay_words.h). Seconds here are on the
// shortened axis, 0 is the first event.
#pragma once

#include "core/journal/lock.h"
#include "ui/models/exchange_store.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <vector>

namespace kf::ui {

class FeedQueue;

// A turn's end, for a scrubber: where to stop at, and what to draw there.
struct ReplayMark {
    double seconds = 0;
    int turn = 0;
    bool champion = false;
    bool failed = false;
};

class ReplaySource : public QObject {
    Q_OBJECT
public:
    static constexpr double slowest = 0.25, fastest = 64, longest_gap_s = 10;

    explicit ReplaySource(RunStore& store, QObject* parent = nullptr);
    ~ReplaySource() override;

    // As Follower::follow; plays at once. Errors come as RunStore::failed and `failed`.
    void open(const QString& place, const std::filesystem::path& runs, double speed);
    void stop();
    bool active() const { return m_queue != nullptr; }

    bool playing() const { return m_playing; }
    double speed() const { return m_speed; }
    double position() const { return m_position; }
    double duration() const;
    bool at_end() const;
    // In order of time.
    const std::vector<ReplayMark>& marks() const;

    void set_speed(double speed); // limited to slowest … fastest
    void play();                  // from the beginning when it is at its end
    void pause();
    // To the end of the next turn (or of the one before); pauses.
    void step(bool forward = true);
    // Goes on playing if it did. Going back begins anew and runs forward fast.
    void seek(double seconds);

Q_SIGNALS:
    void opened(const QString& place);
    void position_changed(double seconds);
    void duration_changed(double seconds);
    void playing_changed(bool playing);
    void speed_changed(double speed);
    void finished(); // the end was reached
    // What the model writes at this position; without a reply: nothing any more.
    void reply_moved(const kf::ui::ReplayedReply& reply);
    void failed(const kf::Error& error);

private:
    struct Recording;
    struct Orders;

    static void scan(FeedQueue& queue, ReplaySource* owner, const std::string& text, const std::filesystem::path& runs);
    static void deliver(FeedQueue& queue, ReplaySource* owner, const Orders& orders, const Recording& recording,
                        const RunBlobs& blobs);
    void catch_up(std::size_t given);
    void show_words();
    void start(const QString& place, std::shared_ptr<const Recording> recording, std::shared_ptr<const RunBlobs> blobs);
    void begin_store();
    void drain();
    void tick();
    void move_to(double seconds);
    void set_playing(bool playing);
    void fail(const Error& error);

    RunStore& m_store;
    std::shared_ptr<FeedQueue> m_queue;
    std::shared_ptr<Orders> m_orders;
    std::shared_ptr<const Recording> m_recording;
    std::shared_ptr<const RunBlobs> m_blobs;
    QString m_place;
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_speed = 8, m_position = 0;
    std::size_t m_asked = 0, m_given = 0; // events: that were asked for, that the store has
    struct Words {
        std::size_t event = static_cast<std::size_t>(-1);
        std::shared_ptr<const ChatReply> reply; // null: it is being read, or cannot be
        bool shown = false;
    } m_words;
    bool m_playing = false;
};

} // namespace kf::ui
