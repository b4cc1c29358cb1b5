// SPDX-License-Identifier: GPL-3.0-or-later
// One event of a run's journal: a line {"v": 1, "n": sequence, "t": unix seconds, "type": "...", ...fields}. Unknown
// fields and unknown types are kept as they came; event_types.h has typed views of the known ones.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kf {

// Major version of the format. A reader refuses a newer one; fields and types may be added without raising it.
inline constexpr int journal_version = 1;
// The longest line, without its line feed. Larger things are blobs.
inline constexpr std::size_t max_event_bytes = std::size_t{1} << 20;

enum class EventType {
    run_started,
    turn_started,
    turn_finished,
    candidate,
    stage,
    evaluation,
    model_exchange,
    steering,
    champion,
    training,
    budget,
    note,
    resumed,
    stop,
    run_finished,
    infrastructure,
    unreadable, // never written: a reader's stand-in for a line that is no event
    unknown,    // of a newer program; `type` has its name
};

std::string_view to_string(EventType type);
EventType event_type_from_string(std::string_view name);

// Whether the journal is flushed to the disk after an event of this type: those that cost money or device time to
// repeat, and those that a resumed run builds upon.
bool is_durable(EventType type);

struct Event {
    std::int64_t sequence = 0; // counts from 1; 0: unreadable
    double time = 0;           // unix seconds
    EventType type = EventType::unknown;
    std::string type_name;
    Json fields = Json::object(); // all but v, n, t, type
    // Where it stands in the journal: line from 1 (0: not read from a file), first byte and length without line feed.
    std::int64_t line = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

// Error: "journal-newer" for a newer major version, which the caller must not treat as damage; "event-invalid" for
// everything else that is no event.
Result<Event> parse_event(std::string_view line);
std::string format_event(const Event& event); // without line feed

// What stands for a line that is no event. fields: {line, reason, text (its printable beginning), bytes}.
Event unreadable_event(std::int64_t line, std::string reason, std::string_view text, std::size_t bytes);

} // namespace kf
