// SPDX-License-Identifier: GPL-3.0-or-later
// Summary, timeline, distribution, environment.
#include "core/render/figures.h"
#include "core/report/chart.h"
#include "core/report/page_parts.h"

#include <algorithm>
#include <cmath>

namespace kf::html {
namespace {

std::string pairs_html(const std::string& title, const std::vector<ReportPair>& pairs) {
    std::string out = "<section class=\"card\"><h3>" + title + "</h3>";
    if (pairs.empty())
        return out + "<p class=\"dim\">The journal says nothing about it.</p></section>\n";
    out += "<dl class=\"pairs\">";
    for (const ReportPair& pair : pairs)
        out += "<dt>" + escaped(pair.name) + "</dt><dd>" + escaped(pair.value) + "</dd>";
    return out + "</dl></section>\n";
}

std::string per_cent(double part) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * part);
    return std::isfinite(part) ? text : "–";
}

std::string device_words(const RunReport& report) {
    const std::string id = get_string(report.state.start.device, "id"),
                      name = get_string(report.state.start.device, "name");
    return name.empty() ? id : id.empty() || id == name ? name : name + " (" + id + ")";
}

std::string figure_card(const ReportSpeedup& entry) {
    std::string out = "<div class=\"figure-card\"><p class=\"label\">against " + escaped(entry.against) + "</p>";
    if (!entry.speedup.known())
        return out + "<p class=\"big none\">–</p><p class=\"dim\">" + escaped(entry.missing) + "</p></div>\n";
    std::string interval = format_speedup(entry.speedup);
    const std::size_t at = interval.find('[');
    interval = at == std::string::npos ? "no interval" : interval.substr(at);
    return out + "<p class=\"big\">" + escaped(format_ratio(entry.speedup.estimate)) + "</p><p class=\"interval\">" +
           escaped(interval) + "</p><p class=\"dim\">" + evidence(entry.level) + "<br>" + escaped(entry.how) +
           "</p></div>\n";
}

std::string champion_card(const RunReport& report) {
    const ChampionState* champion = report.state.champion();
    std::string out = "<div class=\"figure-card\"><p class=\"label\">time of a call</p>";
    const ReportTurn* turn = report.champion();
    if (!champion || !turn)
        return out + "<p class=\"big none\">–</p><p class=\"dim\">No kernel was accepted.</p></div>\n";
    const TimeUnit unit = unit_for(champion->seconds_per_call);
    std::string interval = "no interval";
    if (turn->shown && turn->shown->low > 0 && turn->shown->high > 0)
        interval = "[" + time_in(turn->shown->low, unit) + ", " + time_in(turn->shown->high, unit) + "]";
    return out + "<p class=\"big\">" + escaped(time_with_unit(champion->seconds_per_call, unit)) +
           "</p><p class=\"interval\">" + escaped(interval) + "</p><p class=\"dim\">" + evidence(champion->level) +
           "<br>median at the timed size</p></div>\n";
}

std::string cost_words(const RunReport& report) {
    const Cost spent = report.state.spent();
    std::string text = format_elapsed(spent.device_s) + " on the device";
    if (spent.tokens_in + spent.tokens_out > 0)
        text += " · " + count_text(spent.tokens_in) + " tokens in, " + count_text(spent.tokens_out) + " out";
    if (spent.money > 0) {
        char money[32];
        std::snprintf(money, sizeof money, "%.4g", spent.money);
        text += std::string(" · money ") + money;
    }
    return text;
}

std::string histogram_table(const ReportDuel& duel) {
    int outside = 0;
    const auto bins = histogram(duel, outside);
    const TimeUnit unit = unit_for(bins.empty() ? 0 : bins.back().high);
    std::string out =
        "<details><summary>The histogram as a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Histogram as a table\"><table><thead><tr><th scope=\"col\" class=\"num\">from</th><th "
        "scope=\"col\" "
        "class=\"num\">to</th><th scope=\"col\" class=\"num\">A</th><th scope=\"col\" "
        "class=\"num\">B</th></tr></thead><tbody>";
    for (const HistogramBin& bin : bins)
        out += "<tr><td class=\"num\">" + escaped(time_with_unit(bin.low, unit)) + "</td><td class=\"num\">" +
               escaped(time_with_unit(bin.high, unit)) + "</td><td class=\"num\">" + count_text(bin.a) +
               "</td><td class=\"num\">" + count_text(bin.b) + "</td></tr>";
    out += "</tbody></table></div>";
    if (outside > 0)
        out += "<p class=\"dim\">" + count_text(outside) +
               " samples lie far outside and are not drawn; they count in every figure.</p>";
    return out + "</details>\n";
}

std::string sides_table(const ReportDuel& duel) {
    const TimeUnit unit = unit_for(std::max(duel.a.summary.median_s, duel.b.summary.median_s));
    std::string out = "<table class=\"compact\"><caption class=\"sr\">Samples of A and "
                      "B</caption><thead><tr><td></td><th scope=\"col\" class=\"num\">A " +
                      escaped(duel.a.name) + "</th><th scope=\"col\" class=\"num\">B " + escaped(duel.b.name) +
                      "</th></tr></thead><tbody>";
    const auto row = [&](const char* what, const std::string& a, const std::string& b) {
        out += std::string("<tr><th scope=\"row\">") + what + "</th><td class=\"num\">" + escaped(a) +
               "</td><td class=\"num\">" + escaped(b) + "</td></tr>";
    };
    const SampleSummary &a = duel.a.summary, &b = duel.b.summary;
    row("median", time_with_unit(a.median_s, unit), time_with_unit(b.median_s, unit));
    row("P90", time_with_unit(a.p90_s, unit), time_with_unit(b.p90_s, unit));
    row("P99", time_with_unit(a.p99_s, unit), time_with_unit(b.p99_s, unit));
    row("variation", per_cent(a.cv), per_cent(b.cv));
    row("samples", count_text(a.n), count_text(b.n));
    if (duel.a.dropped + duel.b.dropped > 0)
        row("left out", count_text(duel.a.dropped), count_text(duel.b.dropped));
    return out + "</tbody></table>\n";
}

std::string decision_html(const ReportDuel& duel) {
    const Decision& decision = *duel.decision;
    std::string reason(to_string(decision.reason));
    std::replace(reason.begin(), reason.end(), '-', ' ');
    const VerdictKind kind = verdict_kind(to_string(decision.verdict));
    std::string out = "<p class=\"lead v-" + std::string(kind_name(kind)) + "\">" + mark(kind) + " B is " +
                      escaped(to_string(decision.verdict)) + ": " + speedup_html(speedup_of(decision)) +
                      "</p><p class=\"dim\">" + evidence(std::string(to_string(decision.level))) + " · " +
                      escaped(reason) + " · " + count_text(decision.rounds) +
                      (decision.rounds == 1 ? " round" : " rounds");
    if (decision.processes > 1)
        out += " in " + count_text(decision.processes) + " processes";
    if (decision.dropped > 0)
        out += ", " + count_text(decision.dropped) + " dropped before the ratio was seen";
    out += " · order effect " + per_cent(decision.order_effect);
    if (!decision.delta.measured)
        out += " · no A/A record of this device: " + per_cent(decision.delta.value) +
               " is assumed as the least change that counts";
    out += "</p>";
    if (duel.sizes.size() > 1)
        for (const auto& [size, one] : duel.sizes)
            out += "<p class=\"dim\">" + escaped(size) + ": " + escaped(to_string(one.verdict)) + ", " +
                   speedup_html(speedup_of(one)) + "</p>";
    if (!duel.timer.empty())
        out += "<p class=\"dim\">size " + escaped(duel.size) + " · timer " + escaped(duel.timer) +
               (duel.floor_s > 0 ? " · floor " + escaped(format_seconds(duel.floor_s)) + ", not subtracted" : "") +
               (duel.l2 == "cold" || duel.l2 == "hot" ? " · L2 " + duel.l2 : "") + "</p>";
    return out;
}

std::string reference_table(const RunReport& report) {
    const auto references = reference_times(report);
    const TimeUnit unit = unit_of(report);
    std::string out = "<details><summary>Best so far and reference lines as a table</summary><div class=\"scroll\" "
                      "tabindex=\"0\" role=\"region\" "
                      "aria-label=\"Timeline as a table\"><table><thead><tr><th scope=\"col\">what</th><th "
                      "scope=\"col\" class=\"num\">time</th>"
                      "<th scope=\"col\">evidence</th></tr></thead><tbody>";
    for (const ChampionState& champion : report.state.champions)
        out += "<tr><td>" + std::string(champion.turn == 0 ? "start kernel" : "turn " + std::to_string(champion.turn)) +
               " becomes champion</td><td class=\"num\">" + escaped(time_with_unit(champion.seconds_per_call, unit)) +
               "</td><td>" + evidence(champion.level) + "</td></tr>";
    for (const auto& [name, seconds] : references) {
        const Json& told = get_member(report.state.start.baselines, name.c_str());
        const double low = get_double(told, "low"), high = get_double(told, "high");
        out += "<tr><td>" + escaped(name == "inductor" ? "TorchInductor" : name) + "</td><td class=\"num\">" +
               escaped(time_with_unit(seconds, unit)) +
               (low > 0 && high > 0
                    ? " <small>[" + escaped(time_in(low, unit)) + ", " + escaped(time_in(high, unit)) + "]</small>"
                    : std::string()) +
               "</td><td class=\"dim\">measured at the start</td></tr>";
    }
    return out + "</tbody></table></div></details>\n";
}

} // namespace

TimeUnit unit_of(const RunReport& report) {
    double largest = report.state.champions.empty() ? 0 : report.state.champions.front().seconds_per_call;
    if (!(largest > 1e-10 && largest < 1e6))
        for (const ReportTurn& turn : report.turns)
            if (turn.shown && turn.shown->seconds_per_call > 1e-10 && turn.shown->seconds_per_call < 1e6)
                largest = turn.shown->seconds_per_call;
    return unit_for(largest);
}

std::string speedup_html(const Speedup& speedup) {
    const std::string text = format_speedup(speedup);
    const std::size_t at = text.find(" [");
    return at == std::string::npos
               ? escaped(text)
               : escaped(text.substr(0, at)) + " <small>" + escaped(text.substr(at + 1)) + "</small>";
}

std::string summary_section(const RunReport& report) {
    const RunState& state = report.state;
    std::string out = "<section id=\"summary\" aria-labelledby=\"h-summary\"><h2 id=\"h-summary\" "
                      "class=\"sr\">Summary</h2>\n<div class=\"figures\">";
    for (const ReportSpeedup& speedup : report.speedups)
        out += figure_card(speedup);
    out += champion_card(report) + "</div>\n<dl class=\"facts\">";
    const auto fact = [&](const char* what, const std::string& value) {
        if (!value.empty())
            out += std::string("<div><dt>") + what + "</dt><dd>" + value + "</dd></div>";
    };
    if (const ChampionState* champion = state.champion()) {
        std::string text = champion->turn == 0 ? "the start kernel" : "turn " + std::to_string(champion->turn);
        const ReportTurn* turn = report.champion();
        if (turn && turn->detailed)
            text = "<a href=\"#turn-" + std::to_string(champion->turn) + "\">" + text + "</a>";
        if (const std::string tunables = format_tunables(champion->tunables); !tunables.empty())
            text += " · <code>" + escaped(tunables) + "</code>";
        fact("Champion", star() + " " + text + " · " + evidence(champion->level));
    } else {
        fact("Champion", "none: no kernel was accepted");
    }
    fact("Why it stopped", escaped(report.end));
    std::string shapes;
    for (const ReportPair& pair : report.shapes)
        shapes += (shapes.empty() ? "" : " · ") + escaped(pair.name) + " = " + escaped(pair.value);
    fact("Timed size", shapes);
    fact("Device", escaped(device_words(report)));
    std::map<std::string, int> counts;
    for (const ReportTurn& turn : report.turns)
        ++counts[std::string(turn.turn->finished || turn.shown ? mark_of(turn.kind).word
                                                               : std::string_view("not finished"))];
    std::string turns =
        count_text(static_cast<std::int64_t>(report.turns.size())) + (report.turns.size() == 1 ? " turn" : " turns");
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [word, count] : counts)
        order.push_back({-count, word});
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i)
        turns += (i == 0 ? ": " : ", ") + count_text(-order[i].first) + " " + escaped(order[i].second);
    fact("Turns", turns);
    fact("Spent", escaped(cost_words(report)));
    fact("Budget", escaped(report.budget));
    const double last = state.finished_at > 0 ? state.finished_at : state.last_event_at;
    fact("When",
         escaped(utc_time(state.started_at)) +
             (last > state.started_at ? ", for " + escaped(format_elapsed(last - state.started_at)) : std::string()));
    if (!state.start.parent_run.empty())
        fact("Fork of", escaped(state.start.parent_run) + ", turn " + std::to_string(state.start.parent_turn));
    return out + "</dl></section>\n";
}

std::string timeline_section(const RunReport& report) {
    std::string out = "<section id=\"timeline\" aria-labelledby=\"h-timeline\"><h2 id=\"h-timeline\">Timeline</h2>\n";
    const std::string wide = timeline_svg(report, ChartWidth::wide);
    if (wide.empty())
        return out + "<p class=\"card dim\">Nothing was judged yet, so there is nothing to draw.</p></section>\n";
    const TimeUnit unit = unit_of(report);
    const std::string points =
        report.turns.size() > most_single_points
            ? "A bar reaches from the best to the worst of the turns that share it, the dot is their median; the lane "
              "counts what failed."
            : "A point is a turn, its line the interval; what failed stands in the lane below.";
    return out + "<figure class=\"card\"><p class=\"axis\">" + escaped(unit.name) + " a call · lower is better</p>" +
           wide + timeline_svg(report, ChartWidth::narrow) +
           "<figcaption><span class=\"key best\"></span>best so far. " + points + "</figcaption>" +
           reference_table(report) + "</figure></section>\n";
}

std::string distribution_section(const RunReport& report) {
    const ReportDuel& duel = report.duel;
    std::string out = "<section id=\"distribution\" aria-labelledby=\"h-distribution\"><h2 id=\"h-distribution\">The "
                      "last champion against the one before</h2>\n";
    const bool drawn = duel.missing.empty();
    if (!drawn)
        out += "<p class=\"card dim\">" + escaped(duel.missing) + "</p>";
    if (drawn || duel.decision) {
        out += "<div class=\"card duel\">";
        if (drawn)
            out += "<figure>" + distribution_svg(duel, ChartWidth::wide) + distribution_svg(duel, ChartWidth::narrow) +
                   "<figcaption>Both were timed in turn, in the same rounds. Each side's tallest bar fills the "
                   "height.</figcaption></figure>";
        out += "<div>";
        if (duel.decision)
            out += decision_html(duel);
        if (drawn)
            out += sides_table(duel) + histogram_table(duel);
        out += "</div></div>";
    }
    return out + "</section>\n";
}

std::string environment_section(const RunReport& report) {
    std::string out =
        "<section id=\"repeat\" aria-labelledby=\"h-repeat\"><h2 id=\"h-repeat\">Do it again</h2><div class=\"card\">";
    for (const ReportPair& command : report.commands)
        out += "<p class=\"label\">" + escaped(command.name) + "</p><pre class=\"code command\" tabindex=\"0\"><code>" +
               escaped(command.value) + "</code></pre>";
    out += "</div></section>\n<section id=\"environment\" aria-labelledby=\"h-environment\"><h2 "
           "id=\"h-environment\">Environment</h2><div class=\"cards\">";
    out += pairs_html("Device", report.device) + pairs_html("Versions", report.versions) +
           pairs_html("Settings", report.settings);
    if (!report.conditions.empty())
        out += pairs_html("Conditions of the last measurement", report.conditions);
    out += "</div></section>\n";
    return out;
}

} // namespace kf::html
