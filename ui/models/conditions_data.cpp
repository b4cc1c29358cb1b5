// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/conditions_data.h"

#include "core/measure/statistics.h"
#include "ui/models/texts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr qsizetype most_lines = 10;

// Of the rounds in which it could be read; NaN for none.
template<class Get> double typical(const std::vector<Round>& rounds, Get get) {
    std::vector<double> values;
    for (const Round& round : rounds)
        if (const double value = get(round.conditions); std::isfinite(value) && value > 0)
            values.push_back(value);
    return values.empty() ? std::nan("") : median(values);
}

double clock_of(const std::vector<Round>& rounds) {
    return typical(rounds, [](const Conditions& conditions) { return conditions.clock_mhz; });
}

QString differs(const QString& what, const QString& a, const QString& b) {
    const auto shown = [](const QString& text) { return text.isEmpty() ? u"unknown"_s : text.left(60); };
    return u"%1: %2 → %3"_s.arg(what, shown(a), shown(b));
}

QString value_text(const Json& value) {
    return value.is_null() ? QString() : plain(value.is_string() ? value.get<std::string>() : dump_line(value));
}

// Members that differ, by their path. What is told of the candidate itself is no condition.
void compare(const Json& a, const Json& b, const QString& path, int depth, QStringList& lines) {
    if (lines.size() >= most_lines || a == b)
        return;
    if (depth < 6 && (a.is_object() || b.is_object())) {
        std::set<std::string> keys;
        for (const Json* side : {&a, &b})
            if (side->is_object())
                for (const auto& [key, value] : side->items())
                    keys.insert(key);
        for (const std::string& key : keys)
            if (key != "author" && key != "prepare_seconds")
                compare(get_member(a, key.c_str()), get_member(b, key.c_str()),
                        path.isEmpty() ? plain(key) : path + u' ' + plain(key), depth + 1, lines);
        return;
    }
    lines << differs(path, value_text(a), value_text(b));
}

const TimingSummary* timing_of(const SideSamples& side, const QString& size) {
    if (side.evaluation)
        for (const TimingSummary& timing : side.evaluation->timings)
            if (plain(timing.size) == size)
                return &timing;
    return nullptr;
}

QString shape_text(const Symbols& symbols) {
    QStringList parts;
    for (const auto& [name, value] : symbols)
        parts << u"%1=%2"_s.arg(plain(name)).arg(value);
    return parts.join(u' ');
}

std::set<std::uint64_t> seeds_of(const Evaluation& evaluation) {
    std::set<std::uint64_t> seeds;
    for (const CaseReport& report : evaluation.cases)
        seeds.insert(report.seed);
    return seeds;
}

} // namespace

QString clocks_text(const std::vector<Round>& rounds) {
    QStringList parts;
    if (const double clock = clock_of(rounds); std::isfinite(clock))
        parts << u"clocks %1 MHz"_s.arg(clock, 0, 'f', 0);
    if (const double heat = typical(rounds, [](const Conditions& c) { return c.temperature_c; }); std::isfinite(heat))
        parts << u"%1 °C"_s.arg(heat, 0, 'f', 0);
    const auto limited =
        std::count_if(rounds.begin(), rounds.end(), [](const Round& round) { return round.conditions.power_limited; });
    if (limited > 0)
        parts << u"power-limited in %1 of %2 rounds"_s.arg(limited).arg(rounds.size());
    return parts.join(u" · "_s);
}

QStringList differing_conditions(const SideSamples& a, const SideSamples& b, const QString& size) {
    QStringList lines;
    if (!a.evaluation || !b.evaluation)
        return lines;
    const Evaluation &one = *a.evaluation, &two = *b.evaluation;
    if (one.level != two.level)
        lines << differs(u"evidence"_s, evidence_word(to_string(one.level)), evidence_word(to_string(two.level)));
    if (one.device != two.device || one.device_name != two.device_name)
        lines << differs(u"device"_s, plain(one.device + " " + one.device_name),
                         plain(two.device + " " + two.device_name));
    if (one.task_hash != two.task_hash)
        lines << differs(u"task"_s, plain(one.task_hash).left(8), plain(two.task_hash).left(8));
    const TimingSummary *first = timing_of(a, size), *second = timing_of(b, size);
    if (first && second) {
        if (first->symbols != second->symbols)
            lines << differs(u"shape"_s, shape_text(first->symbols), shape_text(second->symbols));
        if (first->timer != second->timer)
            lines << differs(u"timer"_s, plain(first->timer), plain(second->timer));
    }
    if (!a.contests.empty() && !b.contests.empty()) {
        const double before = clock_of(a.contests.front().rounds), after = clock_of(b.contests.front().rounds);
        if (std::isfinite(before) && std::isfinite(after) && std::abs(before - after) > 0.01 * before)
            lines << differs(u"clocks"_s, u"%1 MHz"_s.arg(before, 0, 'f', 0), u"%1 MHz"_s.arg(after, 0, 'f', 0));
    }
    compare(one.conditions, two.conditions, {}, 0, lines);
    if (seeds_of(one) != seeds_of(two) && lines.size() < most_lines)
        lines << u"input seeds differ: fresh for every evaluation"_s;
    return lines;
}

} // namespace kf::ui
