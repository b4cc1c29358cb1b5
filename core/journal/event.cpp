// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/event.h"

#include <array>

namespace kf {
namespace {

constexpr std::array<std::string_view, 18> names = {
    "run_started",    "turn_started", "turn_finished", "candidate",      "stage",      "evaluation",
    "model_exchange", "steering",     "champion",      "training",       "budget",     "note",
    "resumed",        "stop",         "run_finished",  "infrastructure", "unreadable", "unknown"};

// A double holds every integer up to here, so that readers in other languages agree.
constexpr std::int64_t max_sequence = std::int64_t{1} << 53;

Error invalid(std::string reason) {
    return make_error("event-invalid", std::move(reason));
}

} // namespace

std::string_view to_string(EventType type) {
    return names[static_cast<std::size_t>(type)];
}

EventType event_type_from_string(std::string_view name) {
    // A line that calls itself "unreadable" is a type that this build does not know: only a reader makes such events.
    for (std::size_t i = 0; i < static_cast<std::size_t>(EventType::unreadable); ++i)
        if (names[i] == name)
            return static_cast<EventType>(i);
    return EventType::unknown;
}

bool is_durable(EventType type) {
    switch (type) {
    case EventType::run_started:
    case EventType::turn_started:
    case EventType::turn_finished:
    case EventType::evaluation:
    case EventType::model_exchange:
    case EventType::steering:
    case EventType::champion:
    case EventType::training:
    case EventType::resumed:
    case EventType::stop:
    case EventType::run_finished:
        return true;
    default:
        return false;
    }
}

Result<Event> parse_event(std::string_view line) {
    // The JSON library takes a NUL byte for the end of its input and would accept what stands before it.
    if (line.find('\0') != std::string_view::npos)
        return invalid("the line contains a NUL byte");
    auto parsed = parse_json(line, {}, max_event_bytes);
    if (!parsed)
        return invalid(parsed.error().message);
    Json& object = *parsed;
    if (!object.is_object())
        return invalid("the line is not a JSON object");
    const Json& version = get_member(object, "v");
    if (!version.is_number_unsigned() || version.get<std::uint64_t>() < 1)
        return invalid("\"v\" is not a version");
    if (version.get<std::uint64_t>() > std::uint64_t{journal_version})
        return make_error("journal-newer",
                          "this journal has format " + version.dump() + ", this program reads formats up to " +
                              std::to_string(journal_version),
                          "open it with a newer release of KernelForge");
    const Json& sequence = get_member(object, "n");
    const Json& type = get_member(object, "type");
    if (!sequence.is_number_integer() || get_int(object, "n") < 1 || get_int(object, "n") > max_sequence)
        return invalid("\"n\" is not a sequence number");
    if (!type.is_string() || type.get_ref<const std::string&>().empty())
        return invalid("\"type\" is missing");
    Event event;
    event.sequence = get_int(object, "n");
    event.time = get_double(object, "t");
    event.type_name = type.get<std::string>();
    event.type = event_type_from_string(event.type_name);
    for (const char* key : {"v", "n", "t", "type"})
        object.erase(key);
    event.fields = std::move(object);
    return event;
}

std::string format_event(const Event& event) {
    Json object = event.fields.is_object() ? event.fields : Json::object();
    object["v"] = journal_version;
    object["n"] = event.sequence;
    object["t"] = event.time;
    object["type"] = event.type_name.empty() ? std::string(to_string(event.type)) : event.type_name;
    return dump_line(object);
}

Event unreadable_event(std::int64_t line, std::string reason, std::string_view text, std::size_t bytes) {
    Event event;
    event.type = EventType::unreadable;
    event.type_name = "unreadable";
    event.line = line;
    std::string excerpt(text.substr(0, 200));
    for (char& c : excerpt)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e)
            c = '?';
    event.fields = {{"line", line}, {"reason", std::move(reason)}, {"text", std::move(excerpt)}, {"bytes", bytes}};
    return event;
}

} // namespace kf
