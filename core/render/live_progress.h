// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation is at right now, folded from its progress: stage, case i of n, round i of n. The text of the one
// line that a terminal rewrites.
#pragma once

#include "core/journal/event_types.h"

#include <string>

namespace kf {

class LiveProgress {
public:
    void apply(const StageProgress& stage);
    void clear() { *this = LiveProgress(); }
    // "verify · case 4/18", "measure · round 3/6", "compile"; "" when nothing runs.
    std::string text() const;

private:
    std::string m_stage;
    std::int64_t m_index = 0, m_total = 0;
    bool m_rounds = false;
};

// What a model does right now, from `running.model` of docs/protocol.md: "no word yet", "thinking · 1204 bytes",
// "writing · 310 bytes", "again in 2 s: too many requests (HTTP 429)"; "" when nothing is asked.
std::string model_progress(const Json& running);

} // namespace kf
