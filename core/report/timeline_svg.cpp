// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/terminal_text.h"
#include "core/report/chart.h"
#include "core/report/html_text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kf {
namespace {

using html::coordinate;
using html::escaped;

constexpr double label_gap = 15; // between two names of lines

bool drawable(double seconds) {
    return std::isfinite(seconds) && seconds > 1e-10 && seconds < 1e6;
}

bool fails(VerdictKind kind) {
    return kind == VerdictKind::wrong || kind == VerdictKind::error || kind == VerdictKind::timeout ||
           kind == VerdictKind::suspect || kind == VerdictKind::infrastructure || kind == VerdictKind::cancelled ||
           kind == VerdictKind::duplicate;
}

struct Frame {
    double width, height, left, right, top, bottom, lane; // edges of the plot; y of the lane's middle
    int ticks;
};

Frame frame_of(ChartWidth width) {
    return width == ChartWidth::wide ? Frame{960, 382, 62, 830, 16, 306, 340, 6}
                                     : Frame{400, 362, 50, 388, 16, 286, 320, 5};
}

std::string line(const char* classes, double x1, double y1, double x2, double y2) {
    return std::string("<line class=\"") + classes + "\" x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) +
           "\" x2=\"" + coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>";
}

std::string label(const char* classes, double x, double y, const std::string& text) {
    return std::string("<text class=\"") + classes + "\" x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\">" +
           escaped(text) + "</text>";
}

class Timeline {
public:
    Timeline(const RunReport& report, ChartWidth width)
        : m_report(report), m_wide(width == ChartWidth::wide), m_frame(frame_of(width)) {}

    std::string draw() {
        std::size_t shown = 0;
        for (const ReportTurn& turn : m_report.turns) {
            m_slots[turn.turn->number] = m_slots.size();
            shown += timed(turn) || fails(turn.kind);
        }
        if (shown == 0)
            return {};
        find_range();
        m_unit = unit_for(m_high);
        m_axis.emplace(m_low, m_high, m_frame.bottom, m_frame.top);
        std::string out = begin();
        out += grid() + references() + steps();
        out += m_report.turns.size() > most_single_points ? bins() : points();
        return out + "</svg>\n";
    }

private:
    static bool timed(const ReportTurn& turn) {
        return turn.shown && !fails(turn.kind) && drawable(turn.shown->seconds_per_call);
    }
    double x_of(std::size_t slot) const {
        const double room = m_frame.right - m_frame.left - 24;
        const std::size_t last = m_slots.size() - 1;
        return m_frame.left + 12 +
               (last == 0 ? room / 2 : room * static_cast<double>(slot) / static_cast<double>(last));
    }

    void find_range() {
        double low = HUGE_VAL, high = 0;
        const auto take = [&](double seconds) {
            if (drawable(seconds)) {
                low = std::min(low, seconds);
                high = std::max(high, seconds);
            }
        };
        for (const ReportTurn& turn : m_report.turns)
            if (timed(turn)) {
                const EvaluationState& shown = *turn.shown;
                take(shown.seconds_per_call);
                if (shown.low > shown.seconds_per_call * 0.8) // wider ones reach out of the axis
                    take(shown.low);
                if (shown.high < shown.seconds_per_call * 1.25)
                    take(shown.high);
            }
        if (!(high > 0)) {
            m_low = 1e-3;
            m_high = 2e-3;
            m_nothing_timed = true;
            return;
        }
        // Lines that are near enough are taken in; a bound far below would flatten everything else.
        for (const auto& [name, seconds] : reference_times(m_report))
            if (seconds > low * 0.5 && seconds < high * 1.6)
                take(seconds);
        const double margin = high / low > 20 ? 0 : std::max((high - low) * 0.08, low * 0.01);
        m_low = high / low > 20 ? low / 1.3 : std::max(low - margin, low * 0.2);
        m_high = high / low > 20 ? high * 1.3 : high + margin;
    }

    std::string begin() const {
        std::size_t timed_count = 0, failed = 0;
        for (const ReportTurn& turn : m_report.turns) {
            timed_count += timed(turn);
            failed += fails(turn.kind);
        }
        const std::string id = m_wide ? "tl-wide" : "tl-narrow";
        std::string text = count_text(static_cast<std::int64_t>(timed_count)) + " turns with a time, " +
                           count_text(static_cast<std::int64_t>(failed)) + " without. ";
        if (const ChampionState* champion = m_report.state.champion())
            text += "The champion is " +
                    std::string(champion->turn == 0 ? "the start kernel" : "turn " + std::to_string(champion->turn)) +
                    " with " + format_seconds(champion->seconds_per_call) + " a call.";
        return "<svg class=\"chart " + std::string(m_wide ? "wide" : "narrow") + "\" viewBox=\"0 0 " +
               coordinate(m_frame.width) + " " + coordinate(m_frame.height) + "\" role=\"group\" aria-labelledby=\"" +
               id + "-t " + id + "-d\"><title id=\"" + id +
               "-t\">Timeline: time of a call in each turn, lower is better</title><desc id=\"" + id + "-d\">" +
               escaped(text) + " The table of turns holds the same figures.</desc>\n";
    }

    std::string grid() const {
        std::string out;
        if (!m_nothing_timed)
            for (const double tick : m_axis->ticks(m_frame.ticks)) {
                const double y = m_axis->at(tick);
                out += line("grid", m_frame.left, y, m_frame.right, y);
                out += label("tick end", m_frame.left - 8, y + 4, tick_text(tick));
            }
        out += "<rect class=\"lane\" x=\"" + coordinate(m_frame.left) + "\" y=\"" + coordinate(m_frame.lane - 14) +
               "\" width=\"" + coordinate(m_frame.right - m_frame.left) + "\" height=\"28\" rx=\"4\"/>";
        if (m_wide)
            out += label("tick", m_frame.right + 8, m_frame.lane + 4, "failed");
        // Numbers of turns, as many as find room.
        const std::size_t count = m_slots.size();
        const double room = m_frame.right - m_frame.left;
        const double least = static_cast<double>(count) * 52.0 / room;
        std::size_t each = 1;
        for (std::size_t step = 1; static_cast<double>(each) < least; step *= 10)
            for (const std::size_t times : {1, 2, 5})
                if (each = step * times; static_cast<double>(each) >= least)
                    break;
        for (const auto& [turn, slot] : m_slots)
            if (slot % each == 0)
                out += label("tick middle", x_of(slot), m_frame.lane + 34, turn == 0 ? "start" : count_text(turn));
        if (m_nothing_timed)
            out += label("tick middle", (m_frame.left + m_frame.right) / 2, (m_frame.top + m_frame.bottom) / 2,
                         "No turn was timed.");
        return out + "\n";
    }

    std::string tick_text(double seconds) const {
        if (m_axis->log())
            return format_seconds(seconds);
        const double span = (m_high - m_low) / m_unit.seconds;
        char text[40];
        std::snprintf(text, sizeof text, "%.*f",
                      span > 20    ? 0
                      : span > 2   ? 1
                      : span > 0.2 ? 2
                                   : 3,
                      seconds / m_unit.seconds);
        return text;
    }

    std::string references() const {
        if (m_nothing_timed)
            return {};
        std::vector<std::pair<double, std::string>> names; // y of the line, its label
        std::string out;
        for (const auto& [name, seconds] : reference_times(m_report)) {
            if (seconds < m_low || seconds > m_high)
                continue;
            const double y = m_axis->at(seconds);
            const bool ceiling = name == "bound" || name == "reachable";
            const char* classes = name == "bound"      ? "ref ceiling"
                                  : ceiling            ? "ref ceiling dashed"
                                  : name == "inductor" ? "ref dotted"
                                                       : "ref dashed";
            out += line(classes, m_frame.left, y, m_frame.right, y);
            const std::string shown = name == "inductor" ? "TorchInductor" : name;
            names.push_back({y, shown + " " + time_in(seconds, m_unit)});
        }
        std::sort(names.begin(), names.end());
        double least = m_frame.top;
        for (const auto& [y, name] : names) {
            const double at = std::max(y + 4, least);
            least = at + label_gap;
            const bool ceiling = name.starts_with("bound") || name.starts_with("reachable");
            if (m_wide)
                out += label(ceiling ? "tick ceiling" : "tick", m_frame.right + 8, at, elided(name));
            else
                out += label(ceiling ? "tick ceiling halo" : "tick halo", m_frame.left + 4, at - 8, elided(name));
        }
        return out + "\n";
    }

    static std::string elided(const std::string& name) { return elide_middle(plain_text(name), 21); }

    std::string steps() const {
        std::string path;
        for (const ChampionState& champion : m_report.state.champions) {
            const auto slot = m_slots.find(champion.turn);
            if (slot == m_slots.end() || !drawable(champion.seconds_per_call))
                continue;
            const std::string x = coordinate(x_of(slot->second)), y = coordinate(m_axis->at(champion.seconds_per_call));
            path += path.empty() ? "M" + x + " " + y : "H" + x + "V" + y;
        }
        if (path.empty())
            return {};
        return "<path class=\"best\" d=\"" + path + "H" + coordinate(m_frame.right - 12) + "\"/>\n";
    }

    std::string point(const ReportTurn& turn, double x, double y) const {
        const std::string kind(html::kind_name(turn.kind));
        std::string title = (turn.turn->number == 0 ? "start kernel" : "turn " + std::to_string(turn.turn->number)) +
                            ": " + verdict_words(turn);
        std::string out;
        if (timed(turn)) {
            const EvaluationState& shown = *turn.shown;
            title += ", " + time_with_unit(shown.seconds_per_call, m_unit);
            if (drawable(shown.low) && drawable(shown.high) && shown.high > shown.low) {
                title += " [" + time_in(shown.low, m_unit) + ", " + time_in(shown.high, m_unit) + "]";
                out += line(("whisker v-" + kind).c_str(), x, m_axis->at(shown.low), x, m_axis->at(shown.high));
            }
            if (!evidence_words(shown.level).empty())
                title += ", " + evidence_words(shown.level);
        }
        // Room for a finger or a pointer around the small shape.
        const double size = 14;
        out += "<rect class=\"hit\" x=\"" + coordinate(x - 12) + "\" y=\"" + coordinate(y - 12) +
               "\" width=\"24\" height=\"24\"/><use class=\"v-" + kind + "\" href=\"#m-" + kind + "\" x=\"" +
               coordinate(x - size / 2) + "\" y=\"" + coordinate(y - size / 2) + "\" width=\"14\" height=\"14\"/>";
        if (turn.turn->author == "human")
            out += "<circle class=\"human\" cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"10\"/>";
        if (turn.present)
            out += "<use class=\"star\" href=\"#m-star\" x=\"" + coordinate(x - 7) + "\" y=\"" + coordinate(y + 9) +
                   "\" width=\"14\" height=\"14\"/>";
        const std::string name = "<title>" + escaped(title) + "</title>";
        if (!turn.detailed)
            return "<g>" + name + out + "</g>";
        return "<a class=\"point\" href=\"#turn-" + std::to_string(turn.turn->number) + "\" aria-label=\"" +
               escaped(title) + "\">" + name + out + "</a>";
    }

    std::string points() const {
        std::string out;
        for (const ReportTurn& turn : m_report.turns) {
            const double x = x_of(m_slots.at(turn.turn->number));
            if (timed(turn))
                out += point(turn, x, m_axis->at(turn.shown->seconds_per_call)) + "\n";
            else if (fails(turn.kind))
                out += point(turn, x, m_frame.lane) + "\n";
        }
        return out;
    }

    // From best to worst of the turns that share a few pixels, the median as a dot; the lane's bars are counts.
    std::string bins() const {
        const std::size_t many = m_wide ? 240 : 100;
        struct Bin {
            std::vector<double> times;
            int failed = 0;
        };
        std::vector<Bin> all(many);
        for (const ReportTurn& turn : m_report.turns) {
            Bin& bin = all[std::min(many - 1, m_slots.at(turn.turn->number) * many / m_slots.size())];
            if (timed(turn))
                bin.times.push_back(turn.shown->seconds_per_call);
            bin.failed += fails(turn.kind);
        }
        const int most = std::max_element(all.begin(), all.end(), [](const Bin& a, const Bin& b) {
                             return a.failed < b.failed;
                         })->failed;
        std::string ranges, medians, lane;
        for (std::size_t i = 0; i < many; ++i) {
            Bin& bin = all[i];
            const double x =
                m_frame.left + 12 +
                (m_frame.right - m_frame.left - 24) * (static_cast<double>(i) + 0.5) / static_cast<double>(many);
            if (!bin.times.empty()) {
                std::sort(bin.times.begin(), bin.times.end());
                ranges += "M" + coordinate(x) + " " + coordinate(m_axis->at(bin.times.front())) + "V" +
                          coordinate(m_axis->at(bin.times.back()) - 0.5);
                medians +=
                    "M" + coordinate(x - 1) + " " + coordinate(m_axis->at(bin.times[bin.times.size() / 2])) + "h2";
            }
            if (bin.failed > 0)
                lane += "M" + coordinate(x) + " " + coordinate(m_frame.lane + 12) + "v-" +
                        coordinate(24.0 * bin.failed / most);
        }
        return "<path class=\"range\" d=\"" + ranges + "\"/><path class=\"median\" d=\"" + medians +
               "\"/><path class=\"fails\" d=\"" + lane + "\"/>\n";
    }

    const RunReport& m_report;
    bool m_wide;
    Frame m_frame;
    std::map<int, std::size_t> m_slots; // turn → place, in order
    double m_low = 0, m_high = 0;
    bool m_nothing_timed = false;
    TimeUnit m_unit;
    std::optional<ChartAxis> m_axis;
};

} // namespace

std::vector<std::pair<std::string, double>> reference_times(const RunReport& report) {
    std::vector<std::pair<std::string, double>> times;
    if (const Json& baselines = report.state.start.baselines; baselines.is_object())
        for (const auto& [name, value] : baselines.items())
            if (const double seconds = get_double(value, "seconds"); drawable(seconds) && times.size() < 12)
                times.push_back({name, seconds});
    std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return times;
}

std::string timeline_svg(const RunReport& report, ChartWidth width) {
    return Timeline(report, width).draw();
}

} // namespace kf
