// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/reader.h"

#include "core/base/files.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace kf {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

bool is_hash(std::string_view text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

} // namespace

JournalReader::JournalReader(fs::path folder, UniqueFd file) : m_folder(std::move(folder)), m_file(std::move(file)) {}

Result<JournalReader> JournalReader::open(const fs::path& folder) {
    const fs::path path = folder / "journal.jsonl";
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file)
        return make_error(errno == ENOENT || errno == ENOTDIR ? "journal-missing" : "journal-unreadable",
                          std::string("cannot read the journal: ") + std::strerror(errno), "name the folder of a run",
                          Place{path.string(), 0, 0});
    struct stat info {};
    if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return make_error("journal-unreadable", "the journal is not a regular file", {}, Place{path.string(), 0, 0});
    return JournalReader(folder, std::move(file));
}

void JournalReader::add(std::vector<Event>& events, std::string_view line, std::size_t bytes) {
    ++m_line;
    if (bytes > max_event_bytes) {
        events.push_back(unreadable_event(
            m_line, "the line is longer than " + std::to_string(max_event_bytes) + " bytes", line, bytes));
        return;
    }
    auto event = parse_event(line);
    if (event) {
        event->line = m_line;
        event->offset = m_complete;
        event->bytes = bytes;
        events.push_back(std::move(*event));
    } else if (event.error().code == "journal-newer") {
        m_refused = event.error();
        m_refused->place = Place{(m_folder / "journal.jsonl").string(), static_cast<int>(m_line), 0};
    } else {
        events.push_back(unreadable_event(m_line, event.error().message, line, bytes));
    }
}

Result<std::vector<Event>> JournalReader::poll(std::size_t limit) {
    std::vector<Event> events;
    // The incomplete last line is read again each time, never kept: a writer that resumes takes it back and writes
    // another in its place. Of an overlong line only the beginning is held in memory.
    std::string held;
    std::uint64_t held_bytes = 0;
    // As large as what is there to read: a live journal is polled often and grows by a line.
    struct stat info {};
    const std::uint64_t size = fstat(m_file.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
    std::string block(std::clamp<std::uint64_t>(size > m_complete ? size - m_complete : 0, 4096, block_bytes), '\0');
    while (!m_refused && events.size() < limit) {
        const ssize_t n = pread(m_file.get(), block.data(), block.size(), static_cast<off_t>(m_complete + held_bytes));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return make_error("journal-unreadable", std::string("cannot read the journal: ") + std::strerror(errno), {},
                              Place{(m_folder / "journal.jsonl").string(), 0, 0});
        if (n == 0)
            break;
        std::string_view rest(block.data(), static_cast<std::size_t>(n));
        while (!rest.empty() && !m_refused && events.size() < limit) {
            const std::size_t end = rest.find('\n');
            const std::string_view piece = rest.substr(0, end);
            const bool alone = held_bytes == 0 && end != std::string_view::npos; // the usual case needs no copy
            if (!alone && held.size() <= max_event_bytes)
                held.append(piece.substr(0, max_event_bytes + 1 - held.size()));
            if (end == std::string_view::npos) {
                held_bytes += piece.size();
                break;
            }
            const std::uint64_t bytes = held_bytes + piece.size();
            add(events, alone ? piece : std::string_view(held), bytes);
            if (!m_refused)
                m_complete += bytes + 1;
            held.clear();
            held_bytes = 0;
            rest.remove_prefix(end + 1);
        }
    }
    m_torn = held_bytes;
    if (m_refused && events.empty())
        return *m_refused;
    return events;
}

Result<Event> JournalReader::event_at(std::uint64_t offset, std::uint64_t bytes) const {
    if (bytes == 0 || bytes > max_event_bytes)
        return make_error("event-invalid", "no event has " + std::to_string(bytes) + " bytes");
    std::string line(bytes, '\0');
    std::size_t filled = 0;
    while (filled < line.size()) {
        const ssize_t n =
            pread(m_file.get(), line.data() + filled, line.size() - filled, static_cast<off_t>(offset + filled));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return make_error("journal-unreadable", std::string("cannot read the journal: ") + std::strerror(errno));
        if (n == 0)
            return make_error("event-invalid", "the journal ends before this event does");
        filled += static_cast<std::size_t>(n);
    }
    auto event = parse_event(line);
    if (event) {
        event->offset = offset;
        event->bytes = bytes;
    }
    return event;
}

Result<std::string> JournalReader::blob(const std::string& hash, std::size_t limit) const {
    if (!is_hash(hash))
        return make_error("blob-invalid", "a blob is named by 64 lower-case hexadecimal digits");
    auto bytes = read_file(m_folder / "blobs" / hash, limit);
    if (!bytes) {
        const std::string& code = bytes.error().code;
        return make_error(code == "file-too-large" ? "too-large" : "blob-missing", bytes.error().message,
                          bytes.error().remedy, bytes.error().place);
    }
    if (sha256(std::string_view(*bytes)) != hash)
        return make_error("blob-corrupt", "the blob's bytes do not fit its name", "restore it from a copy of the run",
                          Place{(m_folder / "blobs" / hash).string(), 0, 0});
    return bytes;
}

} // namespace kf
