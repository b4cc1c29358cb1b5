// SPDX-License-Identifier: GPL-3.0-or-later
// The table of turns, and each turn with its autopsy, source, diff and transcript.
#include "core/render/figures.h"
#include "core/report/code_html.h"
#include "core/report/page_parts.h"

#include <algorithm>
#include <map>
#include <set>

namespace kf::html {
namespace {

constexpr std::size_t open_up_to = 24; // turns; more are folded at first

std::string turn_text(int turn) {
    return turn == 0 ? "start" : std::to_string(turn);
}

std::string link(const ReportTurn& turn) {
    const std::string text = turn_text(turn.turn->number);
    return turn.detailed ? "<a href=\"#turn-" + std::to_string(turn.turn->number) + "\">" + text + "</a>" : text;
}

std::string registers_text(const ReportFigures& figures) {
    if (figures.registers < 0)
        return "";
    return std::to_string(figures.registers) +
           (figures.spill_bytes >= 0 ? " / " + std::to_string(figures.spill_bytes) : "");
}

const Speedup* against(const EvaluationState* shown, const char* name) {
    if (!shown)
        return nullptr;
    const auto found = shown->vs_baselines.find(name);
    return found != shown->vs_baselines.end() && found->second.known() ? &found->second : nullptr;
}

std::string time_html(const EvaluationState* shown, const TimeUnit& unit) {
    return shown && shown->seconds_per_call > 0 ? escaped(time_in(shown->seconds_per_call, unit)) : "";
}

std::string row(const ReportTurn& turn, const TimeUnit& unit, const std::set<std::string>& columns) {
    const EvaluationState* shown = turn.shown;
    std::string out = std::string("<tr") + (turn.present ? " class=\"present\"" : "") +
                      "><th scope=\"row\" class=\"turn-no\">" + link(turn) + (turn.present ? " " + star() : "") +
                      "</th><td>" + verdict(turn) + "</td><td class=\"dim wide-only\">" + escaped(turn.turn->author) +
                      "</td><td class=\"num\">" + time_html(shown, unit) + "</td><td class=\"num\">" +
                      (shown && shown->vs_champion.known() ? speedup_html(shown->vs_champion) : "") + "</td>";
    for (const std::string& name : columns) {
        const Speedup* speedup = against(shown, name.c_str());
        out += "<td class=\"num wide-only\">" + (speedup ? speedup_html(*speedup) : std::string()) + "</td>";
    }
    return out + "<td class=\"num wide-only\">" + escaped(turn.figures.error) + "</td><td class=\"num wide-only\">" +
           escaped(registers_text(turn.figures)) + "</td><td>" +
           (shown && !shown->failed ? evidence(shown->level) : "") + "</td></tr>\n";
}

// "+97: 50 wrong, 47 slower".
std::string folded_row(const std::vector<const ReportTurn*>& folded, std::size_t columns) {
    std::map<std::string, int> counts;
    for (const ReportTurn* turn : folded)
        ++counts[verdict_words(*turn)];
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [word, count] : counts)
        order.push_back({-count, word});
    std::sort(order.begin(), order.end());
    std::string words;
    const std::size_t most = 5;
    for (std::size_t i = 0; i < order.size() && i < most; ++i)
        words += (i == 0 ? "" : ", ") + count_text(-order[i].first) + " " + order[i].second;
    if (order.size() > most)
        words += ", …";
    const int first = folded.front()->turn->number, last = folded.back()->turn->number;
    return "<tr class=\"folded\"><th scope=\"row\">" +
           (first == last ? turn_text(first) : turn_text(first) + "–" + turn_text(last)) + "</th><td colspan=\"" +
           std::to_string(columns - 1) + "\">+" + count_text(static_cast<std::int64_t>(folded.size())) + ": " +
           escaped(words) + "</td></tr>\n";
}

std::string list_html(const char* title, const std::vector<std::string>& items) {
    if (items.empty())
        return "";
    std::string out = std::string("<div><h4>") + title + "</h4><ul>";
    for (const std::string& item : items)
        out += "<li>" + item + "</li>";
    return out + "</ul></div>";
}

std::string autopsy_html(const Autopsy& autopsy) {
    std::vector<std::string> evidence_items, causes, tries, unknowns;
    for (const EvidenceRef& ref : autopsy.evidence)
        evidence_items.push_back((ref.target.empty() ? "" : "<code>" + escaped(ref.target) + "</code> ") +
                                 escaped(ref.text));
    for (const Cause& cause : autopsy.causes)
        causes.push_back("<span class=\"sure\">" +
                         std::string(cause.confidence >= 0.7   ? "likely"
                                     : cause.confidence >= 0.4 ? "possible"
                                                               : "perhaps") +
                         "</span> " + escaped(cause.what));
    for (const std::string& attempt : autopsy.tries)
        tries.push_back(escaped(attempt));
    for (const std::string& unknown : autopsy.unknowns)
        unknowns.push_back(escaped(unknown));
    std::string where;
    if (autopsy.stage)
        where = "at " + escaped(to_string(*autopsy.stage));
    if (!autopsy.place.empty())
        where += (where.empty() ? "" : ", ") + std::string("<code>") + escaped(autopsy.place) + "</code>";
    if (autopsy.pattern != Pattern::none)
        where += (where.empty() ? "" : ", ") + std::string("pattern ") + escaped(to_string(autopsy.pattern));
    return "<div class=\"autopsy\"><p class=\"headline\">" + escaped(autopsy.headline) +
           (where.empty() ? "" : " <span class=\"dim\">" + where + "</span>") + "</p>" +
           (autopsy.held_out ? "<p class=\"dim\">It failed on a held-out case: a model is not shown these figures.</p>"
                             : "") +
           "<div class=\"columns\">" + list_html("Evidence", evidence_items) + list_html("Causes", causes) +
           list_html("To try", tries) + list_html("Not known", unknowns) + "</div></div>\n";
}

std::string fold(const std::string& title, const std::string& content, const char* name = "") {
    return std::string("<details class=\"fold ") + name + "\"><summary>" + title + "</summary>" + content +
           "</details>\n";
}

std::string bubble(const char* classes, const std::string& title, const ReportText& text) {
    return std::string("<div class=\"said ") + classes + "\"><p class=\"who\">" + title + "</p>" +
           text_or_reason(text) + "</div>\n";
}

std::string exchange_html(const ReportExchange& exchange, std::size_t number) {
    const ModelExchange& told = exchange.told;
    std::string title = "Exchange " + std::to_string(number) + (exchange.purpose == "repair" ? ", a repair" : "");
    std::string facts;
    const auto add = [&](const std::string& text) {
        if (!text.empty())
            facts += (facts.empty() ? "" : " · ") + text;
    };
    add(escaped(told.model));
    add(exchange.provider.empty() ? escaped(exchange.url) : escaped(exchange.provider));
    if (told.tokens_in + told.tokens_out > 0)
        add(count_text(told.tokens_in) + " tokens in, " + count_text(told.tokens_out) + " out" +
            (told.tokens_reasoning > 0 ? " (" + count_text(told.tokens_reasoning) + " of them thinking)" : "") +
            (exchange.estimated ? ", estimated" : ""));
    if (told.seconds > 0)
        add(escaped(format_seconds(told.seconds)) +
            (told.first_token_s > 0 ? ", first word after " + escaped(format_seconds(told.first_token_s)) : ""));
    if (exchange.recorded)
        add("from a record, nothing was asked");
    std::string out = "<h4>" + title + "</h4><p class=\"dim\">" + facts + "</p>";
    for (const ReportMessage& message : exchange.request)
        if (message.same_as_turn >= 0)
            out += "<p class=\"dim\">" + escaped(message.role) + ": the same text as in " + "<a href=\"#turn-" +
                   std::to_string(message.same_as_turn) + "\">turn " + turn_text(message.same_as_turn) + "</a></p>";
        else
            out += bubble("asked", "sent: " + escaped(message.role), message.text);
    if (!told.error.empty())
        out += "<p class=\"failed\">" + mark(VerdictKind::error) + " " + escaped(told.error) + "</p>";
    if (exchange.reasoning.whole > 0 || !exchange.reasoning.missing.empty())
        out += fold("Thinking", text_or_reason(exchange.reasoning), "thinking");
    return out + bubble("answered", "reply", exchange.content);
}

std::string figures_html(const ReportTurn& turn, const TimeUnit& unit) {
    const EvaluationState* shown = turn.shown;
    if (!shown)
        return "";
    std::string out;
    const auto add = [&](const std::string& what, const std::string& value) {
        if (!value.empty())
            out += "<div><dt>" + what + "</dt><dd>" + value + "</dd></div>";
    };
    if (shown->seconds_per_call > 0) {
        std::string time = escaped(time_with_unit(shown->seconds_per_call, unit));
        if (shown->low > 0 && shown->high > 0)
            time += " <small>[" + escaped(time_in(shown->low, unit)) + ", " + escaped(time_in(shown->high, unit)) +
                    "]</small>";
        add("time of a call", time);
    }
    if (shown->vs_champion.known())
        add("against the champion then", speedup_html(shown->vs_champion));
    for (const auto& [name, speedup] : shown->vs_baselines)
        if (speedup.known())
            add("against " + escaped(name == "inductor" ? "TorchInductor" : name), speedup_html(speedup));
    add("registers / spilled bytes", escaped(registers_text(turn.figures)));
    add("largest error", turn.figures.error == "✓" ? "" : escaped(turn.figures.error));
    if (shown->cases_total > 0)
        add("cases", std::to_string(shown->cases) + " of " + std::to_string(shown->cases_total));
    add("tunables", escaped(format_tunables(shown->tunables)));
    for (const std::string& flag : shown->flags)
        add("flag", escaped(flag));
    return out.empty() ? "" : "<dl class=\"facts small\">" + out + "</dl>\n";
}

std::string sweep_html(const ReportTurn& turn, const TimeUnit& unit) {
    const auto& all = turn.turn->evaluations;
    if (all.size() < 2)
        return "";
    std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Evaluations of this "
                      "turn\"><table><thead><tr><th scope=\"col\" class=\"num\">point</th>"
                      "<th scope=\"col\">verdict</th><th scope=\"col\" class=\"num\">time</th><th "
                      "scope=\"col\">tunables</th><th scope=\"col\">evidence</th></tr></thead><tbody>";
    const std::size_t most = 200;
    for (std::size_t i = 0; i < all.size() && i < most; ++i) {
        const VerdictKind kind = verdict_kind(all[i].verdict);
        out += "<tr><td class=\"num\">" + std::to_string(i + 1) + "</td><td><span class=\"verdict v-" +
               std::string(kind_name(kind)) + "\">" + mark(kind) + "<span>" +
               escaped(all[i].done ? (all[i].verdict.empty() ? "no verdict" : all[i].verdict) : "not finished") +
               "</span></span></td><td class=\"num\">" +
               (all[i].seconds_per_call > 0 ? escaped(time_with_unit(all[i].seconds_per_call, unit)) : std::string()) +
               "</td><td><code>" + escaped(format_tunables(all[i].tunables)) + "</code></td><td>" +
               (all[i].failed ? "" : evidence(all[i].level)) + "</td></tr>\n";
    }
    out += "</tbody></table></div>";
    if (all.size() > most)
        out += "<p class=\"dim\">and " + count_text(static_cast<std::int64_t>(all.size() - most)) + " more</p>";
    return fold(count_text(static_cast<std::int64_t>(all.size())) + " evaluations", out, "sweep");
}

std::string turn_html(const ReportTurn& turn, const TimeUnit& unit, bool open) {
    const TurnState& state = *turn.turn;
    const std::string number = std::to_string(state.number);
    std::string out = "<details class=\"turn card\" id=\"turn-" + number + "\"" + (open ? " open" : "") +
                      "><summary><h3>" + (state.number == 0 ? std::string("Start kernel") : "Turn " + number) +
                      (turn.present ? " " + star() : "") + "</h3>" + verdict(turn);
    if (turn.shown && turn.shown->seconds_per_call > 0)
        out += "<span class=\"num\">" + escaped(time_with_unit(turn.shown->seconds_per_call, unit)) + "</span>";
    if (turn.shown && !turn.shown->failed)
        out += evidence(turn.shown->level);
    out += "</summary>\n";
    std::string meta;
    const auto add = [&](const std::string& text) {
        if (!text.empty())
            meta += (meta.empty() ? "" : " · ") + text;
    };
    add(state.author.empty() ? "" : "by " + escaped(state.author));
    add(state.parent < 0    ? ""
        : state.parent == 0 ? "grew from the start kernel"
                            : "grew from turn " + std::to_string(state.parent));
    add(escaped(state.strategy));
    if (state.cost.device_s > 0)
        add(escaped(format_seconds(state.cost.device_s)) + " on the device");
    out += "<p class=\"dim\">" + meta + "</p>";
    if (!state.hint.empty())
        out += "<p class=\"hint\"><b>Hint:</b> " + escaped(state.hint) + "</p>";
    if (!state.text.empty() && state.outcome != "verdict")
        out += "<p>" + escaped(state.text) + "</p>";
    for (const std::string& trouble : state.infrastructure)
        out += "<p class=\"failed\">" + mark(VerdictKind::infrastructure) + " " + escaped(trouble) + "</p>";
    out += figures_html(turn, unit);
    if (turn.autopsy)
        out += autopsy_html(*turn.autopsy);
    else if (turn.shown && turn.shown->done)
        out += "<p class=\"dim\">The evaluation cannot be read from the run's folder, so there is no autopsy.</p>";
    out += sweep_html(turn, unit);
    if (!turn.diff.text.empty()) {
        const DiffCount count = count_changes(turn.diff.text);
        out += fold("Changes against " +
                        std::string(state.parent == 0 ? "the start kernel" : "turn " + std::to_string(state.parent)) +
                        " <span class=\"num dim\">+" + count_text(count.added) + " −" + count_text(count.removed) +
                        "</span>",
                    unified(turn.diff.text) +
                        (turn.diff.cut() ? "<p class=\"dim\">Cut here; the whole is in the run's folder.</p>" : ""),
                    "changes");
    } else if (state.number != 0 && !turn.source.text.empty()) {
        out += "<p class=\"dim\">No changes to show: " + escaped(turn.diff.missing) + "</p>";
    }
    if (!turn.source.text.empty()) {
        const auto lines = std::count(turn.source.text.begin(), turn.source.text.end(), '\n');
        out += fold("Source <code>" + escaped(state.file_name) + "</code> <span class=\"num dim\">" +
                        count_text(lines) + " lines</span>",
                    source_code(turn.source.text, !state.file_name.ends_with(".py")) +
                        (turn.source.cut() ? "<p class=\"dim\">Cut here, of " +
                                                 count_text(static_cast<std::int64_t>(turn.source.whole)) +
                                                 " bytes; the whole is in the run's folder.</p>"
                                           : ""),
                    "source");
    } else {
        out += "<p class=\"dim\">Source: " + escaped(turn.source.missing) + "</p>";
    }
    if (!turn.exchanges.empty()) {
        std::string said;
        for (std::size_t i = 0; i < turn.exchanges.size(); ++i)
            said += exchange_html(turn.exchanges[i], i + 1);
        if (state.exchanges.size() > turn.exchanges.size())
            said += "<p class=\"dim\">and " +
                    count_text(static_cast<std::int64_t>(state.exchanges.size() - turn.exchanges.size())) + " more</p>";
        out +=
            fold("Transcript <span class=\"num dim\">" + count_text(static_cast<std::int64_t>(state.exchanges.size())) +
                     (state.exchanges.size() == 1 ? " exchange" : " exchanges") + "</span>",
                 said, "transcript");
    }
    return out + "</details>\n";
}

} // namespace

std::string text_or_reason(const ReportText& text) {
    if (text.text.empty())
        return "<p class=\"dim\">" + escaped(text.missing) + "</p>";
    return "<pre class=\"words\" tabindex=\"0\">" + escaped_lines(text.text) + "</pre>" +
           (text.cut() ? "<p class=\"dim\">Cut here, of " + count_text(static_cast<std::int64_t>(text.whole)) +
                             " bytes; the whole is in the run's folder.</p>"
                       : "");
}

std::string table_section(const RunReport& report) {
    std::string out = "<section id=\"table\" aria-labelledby=\"h-table\"><h2 id=\"h-table\">Turns</h2>\n";
    if (report.turns.empty())
        return out + "<p class=\"card dim\">There was no turn.</p></section>\n";
    const TimeUnit unit = unit_of(report);
    std::set<std::string> columns; // eager and TorchInductor where anything was compared with them
    for (const ReportTurn& turn : report.turns)
        for (const char* name : {"eager", "inductor"})
            if (against(turn.shown, name))
                columns.insert(name);
    out += "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"h-table\"><table "
           "class=\"turns\"><thead><tr><th scope=\"col\">turn</th><th scope=\"col\">verdict</th>"
           "<th scope=\"col\" class=\"wide-only\">by</th><th scope=\"col\" class=\"num\">" +
           std::string(unit.name) + "</th><th scope=\"col\" class=\"num\">against champion</th>";
    for (const std::string& name : columns)
        out += "<th scope=\"col\" class=\"num wide-only\">against " +
               std::string(name == "inductor" ? "TorchInductor" : "eager") + "</th>";
    out += "<th scope=\"col\" class=\"num wide-only\">error</th><th scope=\"col\" class=\"num wide-only\">regs / "
           "spill</th><th scope=\"col\">evidence</th></tr></thead><tbody>\n";
    std::vector<const ReportTurn*> folded;
    const auto flush = [&] {
        if (!folded.empty())
            out += folded_row(folded, 8 + columns.size());
        folded.clear();
    };
    for (const ReportTurn& turn : report.turns) {
        if (!turn.detailed) {
            folded.push_back(&turn);
            continue;
        }
        flush();
        out += row(turn, unit, columns);
    }
    flush();
    out += "</tbody></table></div>";
    if (report.detailed < report.turns.size())
        out += "<p class=\"dim\">" + count_text(static_cast<std::int64_t>(report.detailed)) + " of " +
               count_text(static_cast<std::int64_t>(report.turns.size())) +
               " turns are told in full: the champions and what they grew from, the first of each verdict, the last "
               "ones. kernelforge report --csv has a row a turn.</p>";
    return out + "</section>\n";
}

std::string turns_section(const RunReport& report) {
    std::string out = "<section id=\"turns\" aria-labelledby=\"h-turns\"><h2 id=\"h-turns\">Each turn</h2>\n";
    if (report.turns.empty())
        return out + "<p class=\"card dim\">There was no turn.</p></section>\n";
    const TimeUnit unit = unit_of(report);
    for (const ReportTurn& turn : report.turns)
        if (turn.detailed)
            out += turn_html(turn, unit, report.detailed <= open_up_to || turn.present);
    return out + "</section>\n";
}

} // namespace kf::html
