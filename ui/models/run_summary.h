// SPDX-License-Identifier: GPL-3.0-or-later
// A run in one line, for lists: read by a worker from its journal, and only again when that has grown.
#pragma once

#include "core/journal/projection.h"
#include "core/journal/reader.h"
#include "core/journal/run_folder.h"

#include <map>
#include <optional>
#include <string>

namespace kf::ui {

struct RunSummary {
    std::string folder, name; // name: of the folder
    std::string task;         // as the journal names it, else as the folder's name does
    std::string title, synthesizer, device;
    double started_at = 0;
    RunStatus status = RunStatus::empty;
    LockState lock = LockState::free;
    bool loaded = false; // false: the journal was not read yet
    bool paused = false;
    int turns = 0;      // begun
    int last_turn = -1; // the highest number
    int champion = -1;
    double champion_seconds = 0;
    double eager = 0;         // champion's speed against eager; 0: not known
    double against_start = 0; // and against the start kernel
    std::string trouble;      // why the journal cannot be read
    bool live() const { return lock == LockState::held; }
    // The figure that a list shows: against eager where that was measured.
    double best() const { return eager > 0 ? eager : against_start; }
    bool operator==(const RunSummary&) const = default;
};

RunSummary summarize(const RunEntry& entry, const RunState& state);

// Keeps what it has read. For one thread.
class RunScanner {
public:
    // What is known at once: all runs, those that were never read without figures.
    std::vector<RunSummary> list(const std::filesystem::path& runs);
    // Reads one run that is new or has changed; false when all is up to date.
    bool read_next();
    const RunSummary* find(const std::string& folder) const;
    // Of the last one that was read.
    const std::string& last_read() const { return m_last_read; }

private:
    struct Known {
        RunEntry entry;
        std::uintmax_t size = 0;
        std::filesystem::file_time_type changed{};
        bool fresh = false; // as of the last list()
        RunSummary summary;
        // Of a run that still grows: only what is new is read.
        std::optional<JournalReader> reader;
        RunState state;
    };
    void read(Known& known);

    std::map<std::string, Known> m_known;
    std::string m_last_read;
};

} // namespace kf::ui
