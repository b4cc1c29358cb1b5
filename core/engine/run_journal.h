// SPDX-License-Identifier: GPL-3.0-or-later
// The run's own view of its journal: every event that is written is read back at once into the same projection that
// live view, replay and resume use, so that the run can never believe something that its journal does not say.
#pragma once

#include "core/journal/projection.h"
#include "core/journal/reader.h"
#include "core/journal/writer.h"

#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace kf {

// The journal cannot be written any more (disk full, read-only): the run has to end, and what is written stays.
class JournalFailure : public std::runtime_error {
public:
    explicit JournalFailure(Error error) : std::runtime_error(error.message), m_error(std::move(error)) {}
    const Error& error() const { return m_error; }

private:
    Error m_error;
};

class RunJournal {
public:
    // Errors: those of JournalWriter and JournalReader.
    static Result<std::unique_ptr<RunJournal>> create(const std::filesystem::path& folder,
                                                      const std::string& control_socket);
    static Result<std::unique_ptr<RunJournal>> reopen(const std::filesystem::path& folder,
                                                      const std::string& control_socket);

    // Throws JournalFailure: no caller could go on.
    template<class T> void append(const T& value) { append(T::type, to_fields(value)); }
    void append(EventType type, Json fields);
    std::string put_blob(std::string_view bytes);
    std::string blob(const std::string& hash) const; // throws JournalFailure when it is missing

    // An event read again, with the fields that the projection leaves in the file.
    Result<Event> event_at(const EventPlace& place) const { return m_reader.event_at(place.offset, place.bytes); }

    // Only the run's thread changes it; others take a copy.
    const RunState& state() const { return m_state; }
    RunState snapshot() const;
    // The same without the copy; `look` must be quick.
    template<class Look> auto look_at(Look look) const {
        const std::lock_guard lock(m_mutex);
        return look(m_state);
    }
    const std::filesystem::path& folder() const { return m_writer->folder(); }
    Status set_control_socket(const std::string& path) { return m_writer->set_control_socket(path); }
    // Told after each event, from the run's thread.
    void on_event(std::function<void(const Event&)> listener) { m_listener = std::move(listener); }

private:
    RunJournal(std::unique_ptr<JournalWriter> writer, JournalReader reader)
        : m_writer(std::move(writer)), m_reader(std::move(reader)) {}
    void catch_up();

    std::unique_ptr<JournalWriter> m_writer;
    JournalReader m_reader;
    mutable std::mutex m_mutex;
    RunState m_state;
    std::function<void(const Event&)> m_listener;
};

} // namespace kf
