// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/activity.h"

#include "core/journal/event_types.h"

#include <chrono>

namespace kf {

double unix_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

ActivityBoard::Entry ActivityBoard::enter(Activity activity) {
    activity.since = unix_seconds();
    {
        const std::lock_guard lock(m_mutex);
        m_running.push_back(Running{std::move(activity), {}, 0, 0, 0, false});
    }
    return Entry(*this);
}

void ActivityBoard::leave() {
    const std::lock_guard lock(m_mutex);
    m_running.pop_back();
}

void ActivityBoard::progress(const Json& event) {
    const auto stage = stage_of_progress(event);
    const std::lock_guard lock(m_mutex);
    if (!stage || m_running.empty())
        return;
    Running& running = m_running.back();
    if (running.stage != stage->stage || stage->state == "started") {
        running.stage = stage->stage;
        running.stage_since = unix_seconds();
        running.done = running.total = 0;
    }
    running.rounds = stage->state == "round";
    if (running.rounds) {
        running.done = get_int(stage->evidence, "round");
        running.total = get_int(stage->evidence, "of");
    } else if (stage->state == "case") {
        running.done = get_int(stage->evidence, "index") + 1;
        running.total = get_int(stage->evidence, "total");
    }
}

Json ActivityBoard::one(const Running& running) {
    const Activity& activity = running.activity;
    Json json{{"what", activity.what}, {"since", activity.since}, {"seconds", unix_seconds() - activity.since}};
    if (activity.turn >= 0)
        json["turn"] = activity.turn;
    for (const auto& [key, value] : {std::pair<const char*, const std::string&>{"evaluation", activity.evaluation},
                                     {"level", activity.level},
                                     {"file_name", activity.file_name},
                                     {"stage", running.stage}})
        if (!value.empty())
            json[key] = value;
    if (!running.stage.empty())
        json["stage_since"] = running.stage_since;
    if (running.done > 0) {
        json[running.rounds ? "round" : "case"] = running.done;
        json[running.rounds ? "rounds" : "cases"] = running.total;
    }
    return json;
}

Json ActivityBoard::to_json() const {
    const std::lock_guard lock(m_mutex);
    Json json;
    for (const Running& running : m_running) {
        Json behind = std::move(json);
        json = one(running);
        if (!behind.is_null())
            json["behind"] = std::move(behind);
    }
    return json.is_null() ? Json{{"what", "starting"}} : json;
}

} // namespace kf
