// SPDX-License-Identifier: GPL-3.0-or-later
// A window's worth of objects around one fixture run, without a window.
#pragma once

#include "core/journal/reader.h"
#include "tests/scenes/fixtures/fixtures.h"
#include "ui/control/journal_source.h"
#include "ui/control/run_controller.h"
#include "ui/widgets/pane.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <gtest/gtest.h>

#include <functional>

namespace kf::ui {

class Bench {
public:
    Bench() : controller(store), context{store, selection, controller, notices} {
        QObject::connect(&notices, &Notices::toasted, &notices, [this](const QString& text) { toasts << text; });
    }

    // Opens a fixture run; events up to `last_sequence` only, if given.
    void open(std::string_view name, std::int64_t last_sequence = 0) {
        auto made = scenes::make_fixture(name, home.path().toStdString());
        ASSERT_TRUE(made) << to_string(made.error());
        fixture = std::move(*made);
        open_folder(fixture.folder, fixture.lock != nullptr, last_sequence);
    }
    void open_folder(const std::filesystem::path& folder, bool alive, std::int64_t last_sequence = 0) {
        auto blobs = SourceBlobs::open(RunSource{folder, folder.string(), nullptr});
        ASSERT_TRUE(blobs) << to_string(blobs.error());
        store.reset(alive ? RunMode::live : RunMode::ended, QString::fromStdString(folder.string()), *blobs);
        store.set_lock(alive ? LockState::held : LockState::free);
        auto reader = JournalReader::open(folder);
        ASSERT_TRUE(reader) << to_string(reader.error());
        if (auto events = reader->poll()) {
            std::vector<Event> shown;
            for (Event& event : *events)
                if (last_sequence == 0 || event.sequence <= last_sequence)
                    shown.push_back(std::move(event));
            store.apply(shown);
        }
        store.flush();
    }

    // Turns the event loop until it holds; false when it does not within a few seconds.
    static bool wait_for(const std::function<bool()>& what) {
        QElapsedTimer timer;
        timer.start();
        while (!what()) {
            if (timer.elapsed() > 20'000)
                return false;
            QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        }
        return true;
    }

    QTemporaryDir home;
    RunStore store;
    Selection selection;
    RunController controller;
    Notices notices;
    PaneContext context;
    QStringList toasts;
    scenes::Fixture fixture;
};

} // namespace kf::ui
