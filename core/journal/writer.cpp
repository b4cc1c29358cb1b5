// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/writer.h"

#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/journal/reader.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace kf {
namespace fs = std::filesystem;
namespace {

Error system_error(const std::string& what, const fs::path& path, int number) {
    const bool full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    return make_error(full ? "journal-full" : "journal-unwritable", what + ": " + std::strerror(number),
                      full ? "free some space; the run can be resumed from what is written" : "",
                      Place{path.string(), 0, 0});
}

void sync_folder(const fs::path& folder) {
    const UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd)
        fsync(fd.get());
}

} // namespace

JournalWriter::JournalWriter(fs::path folder, const JournalOptions& options, RunLock lock, UniqueFd file,
                             std::int64_t size, std::int64_t sequence)
    : m_folder(std::move(folder)), m_options(options), m_lock(std::move(lock)), m_file(std::move(file)), m_size(size),
      m_sequence(sequence) {}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const fs::path& folder, const JournalOptions& options) {
    std::error_code error;
    fs::create_directories(folder / "blobs", error);
    if (error)
        return system_error("cannot make the run's folder", folder, error.value());
    auto lock = RunLock::take(folder, options.control_socket);
    if (!lock)
        return lock.error();
    const fs::path path = folder / "journal.jsonl";
    UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
    if (!file && errno == EEXIST)
        return make_error("journal-exists", "there is a journal already", "resume it, or choose another folder",
                          Place{path.string(), 0, 0});
    if (!file)
        return system_error("cannot make the journal", path, errno);
    if (options.flush_to_disk) {
        sync_folder(folder);
        sync_folder(folder.parent_path());
    }
    return std::unique_ptr<JournalWriter>(new JournalWriter(folder, options, std::move(*lock), std::move(file), 0, 0));
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::open_existing(const fs::path& folder,
                                                                    const JournalOptions& options) {
    const fs::path path = folder / "journal.jsonl";
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return make_error("journal-missing", "there is no journal in this folder", "name the folder of a run",
                          Place{path.string(), 0, 0});
    auto lock = RunLock::take(folder, options.control_socket);
    if (!lock)
        return lock.error();
    // Only with the lock in hand is the end of the file final.
    auto reader = JournalReader::open(folder);
    if (!reader)
        return reader.error();
    const auto events = reader->poll();
    if (!events)
        return events.error();
    if (const auto rest = reader->poll(); !rest) // a newer format, behind events that could be read
        return rest.error();
    std::int64_t sequence = 0;
    for (const Event& event : *events)
        sequence = std::max(sequence, event.sequence);
    UniqueFd file(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
    if (!file)
        return system_error("cannot open the journal for writing", path, errno);
    const auto size = static_cast<std::int64_t>(reader->complete_bytes());
    const auto torn = static_cast<std::int64_t>(reader->torn_bytes());
    if (torn > 0 && ftruncate(file.get(), size) != 0)
        return system_error("cannot drop the torn last line of the journal", path, errno);
    fs::create_directories(folder / "blobs", error);
    const std::int64_t lost_pid = lock->lost_pid();
    std::unique_ptr<JournalWriter> writer(
        new JournalWriter(folder, options, std::move(*lock), std::move(file), size, sequence));
    if (const auto said = writer->append(Resumed{torn, lost_pid}); !said)
        return said.error();
    return writer;
}

Result<std::int64_t> JournalWriter::append(EventType type, Json fields) {
    if (!fields.is_object())
        return make_error("event-invalid", "the fields of an event are an object");
    for (const char* reserved : {"v", "n", "t", "type"})
        if (fields.contains(reserved))
            return make_error("event-invalid", std::string("an event's field is called \"") + reserved + "\"");
    if (type == EventType::unreadable || type == EventType::unknown)
        return make_error("event-invalid", "an event of this type is never written");
    const std::lock_guard lock(m_mutex);
    Event event;
    event.sequence = m_sequence + 1;
    event.time = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    event.type = type;
    event.fields = std::move(fields);
    std::string line = format_event(event);
    if (line.size() > max_event_bytes)
        return make_error("event-too-large",
                          "an event of type " + std::string(to_string(type)) + " has " + std::to_string(line.size()) +
                              " bytes, at most " + std::to_string(max_event_bytes) + " are allowed",
                          "put its large part into a blob");
    line += '\n';
    if (Status written = write_line(line); !written)
        return written.error();
    ++m_sequence;
    if (m_options.flush_to_disk && is_durable(type) && fdatasync(m_file.get()) != 0)
        return make_error("journal-undurable",
                          std::string("the disk has not confirmed the journal: ") + std::strerror(errno),
                          "check the disk", Place{(m_folder / "journal.jsonl").string(), 0, 0});
    return m_sequence;
}

Status JournalWriter::take_back() {
    if (ftruncate(m_file.get(), m_size) != 0)
        return system_error("cannot take back half an event", m_folder / "journal.jsonl", errno);
    m_torn = false;
    return {};
}

Status JournalWriter::write_line(const std::string& line) {
    if (m_torn)
        if (Status status = take_back(); !status)
            return status;
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t n = write(m_file.get(), line.data() + written, line.size() - written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const int number = n == 0 ? ENOSPC : errno;
            m_torn = written > 0;
            if (m_torn) [[maybe_unused]]
                const Status taken = take_back(); // else the next event tries again
            return system_error("cannot write to the journal", m_folder / "journal.jsonl", number);
        }
        written += static_cast<std::size_t>(n);
    }
    m_size += static_cast<std::int64_t>(line.size());
    return {};
}

Result<std::string> JournalWriter::put_blob(std::string_view bytes) {
    std::string hash = sha256(bytes);
    const fs::path path = m_folder / "blobs" / hash;
    std::error_code error;
    if (const auto size = fs::file_size(path, error); !error && size == bytes.size())
        return hash;
    errno = 0;
    if (const Status written = write_file_atomic(path, bytes); !written) {
        const int number = errno;
        return make_error(number == ENOSPC || number == EDQUOT || number == EFBIG ? "journal-full"
                                                                                  : "journal-unwritable",
                          written.error().message, written.error().remedy, written.error().place);
    }
    return hash;
}

Status JournalWriter::set_control_socket(const std::string& path) {
    const std::lock_guard lock(m_mutex);
    return m_lock.set_control_socket(path);
}

std::int64_t JournalWriter::last_sequence() const {
    const std::lock_guard lock(m_mutex);
    return m_sequence;
}

} // namespace kf
