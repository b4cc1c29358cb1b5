// SPDX-License-Identifier: GPL-3.0-or-later
// Where a shown run is read from: a run's folder, or a .kfrun file that is unpacked aside. All of this is for worker
// threads; nothing here touches the user interface.
#pragma once

#include "core/journal/packed_run.h"
#include "core/journal/reader.h"
#include "ui/models/run_store.h"

#include <memory>

namespace kf::ui {

// A run that can be read. The unpacked folder goes with the last copy.
struct RunSource {
    std::filesystem::path folder; // what is read
    std::string shown;            // what a person named: folder or file
    std::shared_ptr<const PackedRun> packed;
};

// `text`: a folder, a .kfrun file, or what `kernelforge` takes for a run (its name, the beginning of it, "last") below
// `runs`. Errors: those of PackedRun and find_run, "journal-missing".
Result<RunSource> find_source(const std::string& text, const std::filesystem::path& runs);

// Reads blobs and single events with a descriptor of its own. Only JournalReader's const functions are used, and they
// read by position: any number of threads may ask at the same time, also while the journal grows.
class SourceBlobs final : public RunBlobs {
public:
    static Result<std::shared_ptr<const SourceBlobs>> open(const RunSource& source);
    Result<std::string> blob(const std::string& hash) const override { return m_reader.blob(hash); }
    Result<Event> event_at(const EventPlace& place) const override {
        return m_reader.event_at(place.offset, place.bytes);
    }

private:
    SourceBlobs(RunSource source, JournalReader reader) : m_source(std::move(source)), m_reader(std::move(reader)) {}
    RunSource m_source; // keeps what was unpacked
    JournalReader m_reader;
};

// What the user interface folds need not carry what only a detail view reads: an evaluation's `result` is cut down, and
// where it is a blob its figures are put in.
void slim_event(Event& event, const RunBlobs& blobs);

// Whether the journal that is being read is still the one in the folder. Errors: "run-removed", "journal-cut".
Status check_still_there(const std::filesystem::path& folder, std::uint64_t complete_bytes);

} // namespace kf::ui
