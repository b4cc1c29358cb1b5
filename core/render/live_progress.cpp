// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/live_progress.h"

#include "core/render/terminal_text.h"

#include <cmath>

namespace kf {

void LiveProgress::apply(const StageProgress& stage) {
    if (stage.stage != m_stage || stage.state == "started") {
        m_index = m_total = 0;
        m_rounds = false;
    }
    m_stage = stage.stage;
    if (stage.state == "case") {
        m_index = get_int(stage.evidence, "index") + 1; // counts from 0 on the wire
        m_total = get_int(stage.evidence, "total");
        m_rounds = false;
    } else if (stage.state == "round") {
        m_index = get_int(stage.evidence, "round");
        m_total = get_int(stage.evidence, "of");
        m_rounds = true;
    }
}

std::string LiveProgress::text() const {
    std::string text = plain_text(m_stage);
    if (m_index > 0) {
        text += (m_rounds ? " · round " : " · case ") + std::to_string(m_index);
        if (m_total >= m_index)
            text += "/" + std::to_string(m_total);
    }
    return text;
}

std::string model_progress(const Json& running) {
    const std::string phase = get_string(running, "phase");
    if (phase == "waiting")
        return "no word yet";
    if (phase == "reasoning")
        return "thinking · " + std::to_string(get_int(running, "reasoning_bytes")) + " bytes";
    if (phase == "content")
        return "writing · " + std::to_string(get_int(running, "content_bytes")) + " bytes";
    if (phase == "retrying")
        return "again in " + std::to_string(static_cast<std::int64_t>(std::ceil(get_double(running, "retry_in_s")))) +
               " s: " + plain_text(get_string(running, "why"));
    return "";
}

} // namespace kf
