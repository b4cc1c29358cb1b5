// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/autopsy_lines.h"

#include <algorithm>

namespace kf {
namespace {

constexpr int indent_cells = 6;

std::string evidence_text(const EvidenceRef& evidence) {
    return evidence.target.empty() ? evidence.text : evidence.target + ": " + evidence.text;
}

// Elements and lines say most, then the case, then figures and logs.
int weight(EvidenceRef::Kind kind) {
    switch (kind) {
    case EvidenceRef::Kind::line:
        return 0;
    case EvidenceRef::Kind::test_case:
        return 1;
    case EvidenceRef::Kind::element:
        return 2;
    case EvidenceRef::Kind::log:
        return 3;
    case EvidenceRef::Kind::metric:
    case EvidenceRef::Kind::figure:
        return 4;
    }
    return 5;
}

} // namespace

std::vector<std::string> autopsy_lines(const Autopsy& autopsy, const TextStyle& style) {
    std::vector<std::string> lines;
    const auto add = [&](const std::string& text, Tint tint) {
        if (lines.size() >= max_autopsy_lines)
            return;
        std::string plain = plain_text(text);
        plain = elide_end(plain, style.width > 0 ? std::max(10, style.width - indent_cells) : 200);
        lines.push_back(std::string(indent_cells, ' ') + paint(plain, tint, style));
    };
    std::string head = autopsy.verdict;
    if (autopsy.stage)
        head += " at " + std::string(to_string(*autopsy.stage));
    if (!autopsy.place.empty())
        head += ", " + autopsy.place;
    if (autopsy.pattern != Pattern::none)
        head += ", pattern " + std::string(to_string(autopsy.pattern));
    add(head + ": " + autopsy.headline, Tint::error);
    if (autopsy.held_out)
        add("on a held-out case", Tint::dim);
    std::vector<const EvidenceRef*> evidence;
    for (const EvidenceRef& one : autopsy.evidence)
        if (one.target != "remedy" && one.text != "here")
            evidence.push_back(&one);
    std::stable_sort(evidence.begin(), evidence.end(),
                     [](const EvidenceRef* a, const EvidenceRef* b) { return weight(a->kind) < weight(b->kind); });
    const std::size_t room = autopsy.held_out ? 2 : 3;
    for (std::size_t i = 0; i < evidence.size() && i < room; ++i)
        add(evidence_text(*evidence[i]), Tint::none);
    if (!autopsy.causes.empty())
        add("cause: " + autopsy.causes.front().what, Tint::none);
    if (!autopsy.tries.empty())
        add("try: " + autopsy.tries.front(), Tint::accent);
    return lines;
}

} // namespace kf
