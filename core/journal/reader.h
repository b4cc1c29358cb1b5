// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a run's journal, whole or as it grows. Nothing in the file can make it fail but a newer format: a line that is
// no event becomes an event of type `unreadable`.
#pragma once

#include "core/base/unique_fd.h"
#include "core/journal/event.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kf {

class JournalReader {
public:
    // Errors: "journal-missing", "journal-unreadable".
    static Result<JournalReader> open(const std::filesystem::path& folder);

    // The complete events since the last call, in the file's order, at most `limit` of them (call again for the rest).
    // The last line is held back until its line feed is there; a writer may also take it back. Errors: "journal-newer"
    // (this call and all later ones), "journal-unreadable".
    Result<std::vector<Event>> poll(std::size_t limit = SIZE_MAX);

    // An event read again by its place, so that a projection need not hold large fields in memory. Errors:
    // "event-invalid" when the place is not that of an event, "journal-unreadable", "journal-newer".
    Result<Event> event_at(std::uint64_t offset, std::uint64_t bytes) const;

    // Bytes of all lines given so far; and bytes behind them that are no complete line, as of the last poll.
    std::uint64_t complete_bytes() const { return m_complete; }
    std::uint64_t torn_bytes() const { return m_torn; }

    // A blob's bytes. Errors: "blob-missing", "blob-corrupt" (its bytes do not fit its name), "too-large",
    // "blob-invalid" (that is no hash).
    Result<std::string> blob(const std::string& hash, std::size_t limit = std::size_t{256} << 20) const;
    const std::filesystem::path& folder() const { return m_folder; }

private:
    JournalReader(std::filesystem::path folder, UniqueFd file);
    void add(std::vector<Event>& events, std::string_view line, std::size_t bytes);

    std::filesystem::path m_folder;
    UniqueFd m_file;
    std::uint64_t m_complete = 0;
    std::uint64_t m_torn = 0;
    std::int64_t m_line = 0;
    std::optional<Error> m_refused;
};

} // namespace kf
