// SPDX-License-Identifier: GPL-3.0-or-later
// The two texts of an autopsy. The one for the model draws a held-out failure from class, stage, pattern and the rules'
// fixed texts alone: everything with figures is left out by construction, not filtered.
#include "core/autopsy/autopsy.h"
#include "core/autopsy/rules.h"

#include <algorithm>

namespace kf {
namespace {

// At most `limit` bytes of one line: control characters become blanks, and a cut never splits a UTF-8 sequence.
std::string one_line(std::string text, std::size_t limit) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    if (text.size() <= limit)
        return text;
    std::size_t end = limit - 3; // the ellipsis takes three bytes
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end) + "…";
}

class Lines {
public:
    Lines(std::size_t max_lines, std::size_t max_line, std::size_t max_bytes)
        : m_max_lines(max_lines), m_max_line(max_line), m_max_bytes(max_bytes) {}

    // False when the text is full.
    bool add(const std::string& line) {
        if (m_count >= m_max_lines)
            return false;
        const std::string cut = one_line(line, m_max_line) + "\n";
        if (m_text.size() + cut.size() > m_max_bytes)
            return false;
        m_text += cut;
        ++m_count;
        return true;
    }
    std::string take() { return std::move(m_text); }

private:
    std::size_t m_max_lines, m_max_line, m_max_bytes, m_count = 0;
    std::string m_text;
};

std::string sure(double confidence) {
    return confidence >= 0.7 ? "likely" : confidence >= 0.4 ? "possible" : "perhaps";
}

std::string head(const Autopsy& autopsy) {
    std::string text = autopsy.verdict;
    if (autopsy.stage)
        text += " at " + std::string(to_string(*autopsy.stage));
    if (!autopsy.place.empty())
        text += ", " + autopsy.place;
    if (autopsy.pattern != Pattern::none)
        text += ", pattern " + std::string(to_string(autopsy.pattern));
    return text;
}

template<class Container, class F> void add_some(Lines& lines, const Container& items, std::size_t limit, F format) {
    std::size_t shown = 0;
    for (const auto& item : items) {
        if (shown++ >= limit)
            return;
        lines.add(format(item));
    }
}

std::string evidence_text(const EvidenceRef& ref) {
    if (ref.target.empty() || ref.kind == EvidenceRef::Kind::metric)
        return ref.target.empty() ? ref.text : ref.target + ": " + ref.text;
    return ref.target + ": " + ref.text;
}

} // namespace

std::string render_text(const Autopsy& autopsy) {
    Lines lines(20, 159, 1u << 16);
    lines.add(head(autopsy));
    lines.add(autopsy.headline);
    if (autopsy.held_out)
        lines.add("(on a held-out case: the model is not shown these figures)");
    add_some(lines, autopsy.evidence, 8, [](const EvidenceRef& ref) { return "  " + evidence_text(ref); });
    add_some(lines, autopsy.causes, 3,
             [](const Cause& cause) { return sure(cause.confidence) + " cause: " + cause.what; });
    add_some(lines, autopsy.tries, 3, [](const std::string& attempt) { return "try: " + attempt; });
    add_some(lines, autopsy.unknowns, 3, [](const std::string& what) { return "not known: " + what; });
    return lines.take();
}

std::string render_for_model(const Autopsy& autopsy) {
    Lines lines(24, 300, max_model_text);
    lines.add("Verdict: " + head(autopsy));
    if (autopsy.held_out) {
        const Rule& rule = rule_for(autopsy.failure.value_or(FailureClass::mismatch));
        lines.add("It passes the known cases and fails on a case that is held back: " + std::string(rule.headline) +
                  ". Make it general instead of fitting it to the known sizes and values.");
    } else {
        lines.add(autopsy.headline);
        // A case and its first elements, or the first errors, or the bottleneck's figures.
        add_some(lines, autopsy.evidence, 8, [](const EvidenceRef& ref) { return "- " + evidence_text(ref); });
    }
    add_some(lines, autopsy.causes, 3,
             [](const Cause& cause) { return "Cause (" + sure(cause.confidence) + "): " + cause.what; });
    add_some(lines, autopsy.tries, 3, [](const std::string& attempt) { return "Try: " + attempt; });
    add_some(lines, autopsy.unknowns, 2, [](const std::string& what) { return "Not known: " + what; });
    return lines.take();
}

} // namespace kf
