// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/handshake.h"

namespace kf {
namespace {

Error invalid(const std::string& message) {
    return make_error("handshake-invalid", "the evaluator's handshake is not valid: " + message,
                      "use an evaluator of the same release");
}

Error missing(const std::string& why, const HandshakeReader& reader) {
    std::string message = "no evaluator answered: " + why;
    if (!reader.banner().empty())
        message += "; the last line that came was \"" + reader.banner().back() + "\"";
    return make_error("handshake-missing", message, "run the launcher command by hand and look at what it prints");
}

} // namespace

std::string printable(std::string_view bytes, std::size_t limit) {
    const bool cut = bytes.size() > limit;
    // dump() replaces invalid UTF-8; its escapes show control bytes.
    std::string text = Json(std::string(bytes.substr(0, limit))).dump(-1, ' ', false, Json::error_handler_t::replace);
    text = text.substr(1, text.size() - 2);
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\'))
            ++i;
        plain += text[i] == '\x7f' ? '?' : text[i];
    }
    return cut ? plain + "…" : plain;
}

std::string format_handshake(const Handshake& handshake) {
    Json object = handshake.extra.is_object() ? handshake.extra : Json::object();
    object["protocol"] = {{"min", handshake.protocol.min}, {"max", handshake.protocol.max}};
    object["build"] = handshake.build;
    object["pid"] = handshake.pid;
    object["devices"] = handshake.devices;
    return std::string(handshake_prefix) + dump_line(object);
}

Result<Handshake> parse_handshake(std::string_view line) {
    if (line.substr(0, handshake_prefix.size()) != handshake_prefix)
        return invalid("the line does not start with the prefix");
    line.remove_prefix(handshake_prefix.size());
    if (line.find('\0') != std::string_view::npos)
        return invalid("it contains a NUL byte");
    auto parsed = parse_json(line, {}, max_line_bytes);
    if (!parsed)
        return invalid(to_string(parsed.error()));
    const Json& object = *parsed;
    if (!object.is_object())
        return invalid("it is not a JSON object");
    const Json& range = get_member(object, "protocol");
    const std::int64_t min = get_int(range, "min", -1);
    const std::int64_t max = get_int(range, "max", -1);
    if (min < 1 || max < min || max > 1'000'000)
        return invalid("it does not say which protocols the evaluator speaks");
    Handshake handshake;
    handshake.protocol = {static_cast<int>(min), static_cast<int>(max)};
    handshake.build = get_string(object, "build");
    handshake.pid = get_int(object, "pid");
    const Json& devices = get_member(object, "devices");
    if (!devices.is_array() && !devices.is_null())
        return invalid("\"devices\" is not a list");
    for (const Json& device : devices) {
        if (!device.is_object())
            return invalid("a device is not an object");
        handshake.devices.push_back(device);
    }
    handshake.extra = object;
    for (const char* key : {"protocol", "build", "pid", "devices"})
        handshake.extra.erase(key);
    return handshake;
}

Result<int> negotiate(ProtocolRange ours, ProtocolRange theirs, const std::string& their_build) {
    const auto text = [](ProtocolRange range) {
        return range.min == range.max ? std::to_string(range.min)
                                      : std::to_string(range.min) + " to " + std::to_string(range.max);
    };
    const int common = std::min(ours.max, theirs.max);
    if (common >= ours.min && common >= theirs.min)
        return common;
    const bool they_are_newer = theirs.min > ours.max;
    return make_error("protocol-mismatch",
                      "this program speaks protocol " + text(ours) + ", the other side" +
                          (their_build.empty() ? "" : " (" + printable(their_build, 80) + ")") + " speaks " +
                          text(theirs),
                      they_are_newer ? "update this program" : "update the evaluator");
}

Result<bool> HandshakeReader::feed(std::string_view line) {
    if (!line.empty() && line.back() == '\r') // a terminal on the way
        line.remove_suffix(1);
    if (const std::size_t at = line.find(handshake_prefix); at != std::string_view::npos) {
        auto handshake = parse_handshake(line.substr(at));
        if (handshake) {
            // A prompt without a line feed may stand before it.
            if (at > 0)
                m_banner.push_back(printable(line.substr(0, at)));
            m_handshake = std::move(*handshake);
            return true;
        }
        if (at == 0)
            return handshake.error();
    }
    m_banner_bytes += line.size();
    if (m_banner.size() >= m_limits.banner_lines || m_banner_bytes > m_limits.banner_bytes)
        return missing("more than " + std::to_string(m_limits.banner_lines) + " lines or " +
                           std::to_string(m_limits.banner_bytes) + " bytes came before a handshake",
                       *this);
    m_banner.push_back(printable(line, 1000));
    return false;
}

Result<Greeting> read_handshake(FdChannel& channel, Deadline deadline, ProtocolRange ours, HandshakeLimits limits,
                                std::vector<std::string>* banner) {
    HandshakeReader reader(limits);
    const auto read = [&]() -> Result<Greeting> {
        for (;;) {
            const auto line = channel.read_line(deadline);
            if (!line && line.error().code == "channel-closed")
                return missing("the launcher ended", reader);
            if (!line && line.error().code == "channel-timeout")
                return missing("none came in time", reader);
            if (!line)
                return line.error();
            const auto done = reader.feed(*line);
            if (!done)
                return done.error();
            if (!*done)
                continue;
            const auto protocol = negotiate(ours, reader.handshake().protocol, reader.handshake().build);
            if (!protocol)
                return protocol.error();
            return Greeting{reader.handshake(), *protocol};
        }
    };
    auto greeting = read();
    if (banner)
        *banner = reader.banner();
    return greeting;
}

} // namespace kf
