// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/run_journal.h"

namespace kf {
namespace {

Result<std::unique_ptr<JournalWriter>> open_writer(const std::filesystem::path& folder,
                                                   const std::string& control_socket, bool fresh) {
    JournalOptions options;
    options.control_socket = control_socket;
    return fresh ? JournalWriter::create(folder, options) : JournalWriter::open_existing(folder, options);
}

} // namespace

Result<std::unique_ptr<RunJournal>> RunJournal::create(const std::filesystem::path& folder,
                                                       const std::string& control_socket) {
    auto writer = open_writer(folder, control_socket, true);
    if (!writer)
        return writer.error();
    auto reader = JournalReader::open(folder);
    if (!reader)
        return reader.error();
    return std::unique_ptr<RunJournal>(new RunJournal(std::move(*writer), std::move(*reader)));
}

Result<std::unique_ptr<RunJournal>> RunJournal::reopen(const std::filesystem::path& folder,
                                                       const std::string& control_socket) {
    auto writer = open_writer(folder, control_socket, false);
    if (!writer)
        return writer.error();
    auto reader = JournalReader::open(folder);
    if (!reader)
        return reader.error();
    auto journal = std::unique_ptr<RunJournal>(new RunJournal(std::move(*writer), std::move(*reader)));
    try {
        journal->catch_up();
    } catch (const JournalFailure& failure) {
        return failure.error();
    }
    return journal;
}

void RunJournal::append(EventType type, Json fields) {
    auto written = m_writer->append(type, std::move(fields));
    if (!written)
        throw JournalFailure(written.error());
    catch_up();
}

void RunJournal::catch_up() {
    auto events = m_reader.poll();
    if (!events)
        throw JournalFailure(events.error());
    {
        const std::lock_guard lock(m_mutex);
        m_state.apply(*events);
    }
    if (m_listener)
        for (const Event& event : *events)
            m_listener(event);
}

std::string RunJournal::put_blob(std::string_view bytes) {
    auto hash = m_writer->put_blob(bytes);
    if (!hash)
        throw JournalFailure(hash.error());
    return *hash;
}

std::string RunJournal::blob(const std::string& hash) const {
    auto bytes = m_reader.blob(hash);
    if (!bytes)
        throw JournalFailure(bytes.error());
    return std::move(*bytes);
}

RunState RunJournal::snapshot() const {
    const std::lock_guard lock(m_mutex);
    return m_state;
}

} // namespace kf
