// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/live_progress.h"

#include "core/render/terminal_text.h"

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

std::optional<StageProgress> stage_of_progress(const Json& progress) {
    const std::string event = get_string(progress, "event");
    StageProgress stage;
    if (event == "stage_started") {
        stage.stage = get_string(progress, "stage");
        stage.state = "started";
    } else if (event == "stage_ended") {
        const Json& report = get_member(progress, "report");
        stage.stage = get_string(report, "stage");
        stage.state = "ended";
        stage.outcome = get_string(report, "outcome");
        stage.seconds = get_double(report, "seconds");
    } else if (event == "case") {
        stage.stage = "verify";
        stage.state = "case";
        stage.evidence = Json{{"index", get_int(progress, "index")}, {"total", get_int(progress, "total")}};
    } else if (event == "round") {
        stage.stage = "measure";
        stage.state = "round";
        stage.evidence = Json{{"round", get_int(progress, "round")}, {"of", get_int(progress, "of")}};
    } else {
        return std::nullopt;
    }
    return stage;
}

} // namespace kf
