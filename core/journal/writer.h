// SPDX-License-Identifier: GPL-3.0-or-later
// The one writer of a run's journal. An event is one line and one write(); what cannot be written whole is taken back,
// so that the file ends with a complete line after every failure, a full disk included.
#pragma once

#include "core/journal/event_types.h"
#include "core/journal/lock.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace kf {

struct JournalOptions {
    std::string control_socket; // path, for those who want to steer the run
    bool flush_to_disk = true;  // off only for tests and converters: a power cut may then lose the last events
};

// Thread-safe.
class JournalWriter {
public:
    // A new journal; makes the folder when it is missing. Errors: "journal-exists", "journal-locked",
    // "journal-unwritable".
    static Result<std::unique_ptr<JournalWriter>> create(const std::filesystem::path& folder,
                                                         const JournalOptions& options = {});
    // Goes on with a journal. A torn last line is dropped; a `resumed` event says how many bytes that were.
    // Errors: "journal-missing", "journal-locked", "journal-newer", "journal-unreadable", "journal-unwritable".
    static Result<std::unique_ptr<JournalWriter>> open_existing(const std::filesystem::path& folder,
                                                                const JournalOptions& options = {});

    // Gives the event's sequence number. `fields` must not contain v, n, t, type. Errors:
    //   "event-too-large"    above max_event_bytes: put the large part into a blob
    //   "event-invalid"      fields is not an object or uses a reserved name
    //   "journal-full"       no space (disk or quota): nothing of the event is in the file; try again when there is
    //   "journal-unwritable" read-only or failing disk, likewise
    //   "journal-undurable"  the event is in the file, but the disk has not confirmed it
    Result<std::int64_t> append(EventType type, Json fields);
    template<class T> Result<std::int64_t> append(const T& value) { return append(T::type, to_fields(value)); }

    // Stores the bytes as blobs/<sha256> unless they are there already; durable before this returns, so that an event
    // never names a blob that is missing. Errors: "journal-full", "journal-unwritable".
    Result<std::string> put_blob(std::string_view bytes);

    Status set_control_socket(const std::string& path);
    const std::filesystem::path& folder() const { return m_folder; }
    std::int64_t last_sequence() const;

private:
    JournalWriter(std::filesystem::path folder, const JournalOptions& options, RunLock lock, UniqueFd file,
                  std::int64_t size, std::int64_t sequence);
    Status write_line(const std::string& line);
    Status take_back();

    const std::filesystem::path m_folder;
    const JournalOptions m_options;
    mutable std::mutex m_mutex;
    RunLock m_lock;
    UniqueFd m_file;
    std::int64_t m_size = 0; // bytes of complete lines
    std::int64_t m_sequence = 0;
    bool m_torn = false; // bytes behind m_size could not be taken back yet
};

} // namespace kf
