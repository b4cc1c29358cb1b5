// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/turn_lines.h"

#include "core/render/figures.h"

#include <algorithm>

namespace kf {
namespace {

constexpr int number_cells = 4, author_cells = 5, verdict_cells = 16, time_cells = 8, versus_cells = 22,
              eager_cells = 7;
constexpr int note_cells = 24; // what a note needs to stand beside the figures
constexpr const char* gap = "  ";

// Cells up to the note.
int row_cells(bool with_eager) {
    return number_cells + 2 + author_cells + 2 + verdict_cells + 1 + time_cells + 2 + versus_cells + 2 +
           (with_eager ? 2 + eager_cells : 0) + 2;
}

bool has_room_for_eager(const TextStyle& style) {
    return style.width == 0 || style.width >= row_cells(true);
}

std::string verdict_cell(const VerdictMark& mark, const TextStyle& style) {
    return paint(pad_right(std::string(mark.shape) + " " + std::string(mark.word), verdict_cells), mark.tint, style);
}

int points_of(const TurnState& turn) {
    return static_cast<int>(std::count_if(turn.evaluations.begin(), turn.evaluations.end(),
                                          [](const EvaluationState& evaluation) { return evaluation.done; }));
}

std::string note_of(const TurnState& turn, const EvaluationState* shown) {
    std::vector<std::string> parts;
    if (turn.mark == TurnMark::promoted)
        parts.emplace_back("★ promoted");
    else if (turn.mark == TurnMark::champion)
        parts.emplace_back(turn.number == 0 ? "first champion" : "new champion");
    if (turn.author == "tuner") {
        const int points = points_of(turn);
        parts.push_back(std::to_string(points) + (points == 1 ? " point" : " points"));
        if (shown && !format_tunables(shown->tunables).empty())
            parts.push_back(format_tunables(shown->tunables));
    } else if (!turn.file_name.empty() && turn.author != "model") {
        parts.push_back(elide_middle(plain_text(turn.file_name), 40));
    }
    if (shown && turn.author == "human" && !shown->failed && !shown->complete())
        parts.push_back(std::to_string(shown->cases) + " of " + std::to_string(shown->cases_total) + " cases");
    if (shown && shown->failed && !shown->summary.empty())
        parts.push_back(plain_text(shown->summary));
    else if (!turn.text.empty() && turn.text != "new champion")
        parts.push_back(plain_text(turn.text));
    else if (turn.outcome == "infrastructure" && !turn.infrastructure.empty())
        parts.push_back(plain_text(turn.infrastructure.back()));
    if (shown)
        for (const std::string& flag : shown->flags)
            parts.push_back(plain_text(flag));
    std::string note;
    for (const std::string& part : parts)
        note += (note.empty() ? "" : " · ") + part;
    return note;
}

} // namespace

std::string turn_header(const TextStyle& style) {
    std::string line = pad_left("turn", number_cells) + gap + pad_right("by", author_cells) + gap +
                       pad_right("verdict", verdict_cells) + " " + pad_left("time", time_cells) + gap +
                       pad_left("against champion", versus_cells) + gap;
    if (has_room_for_eager(style))
        line += gap + pad_left("×eager", eager_cells);
    return paint(line + gap + "note", Tint::dim, style);
}

std::vector<std::string> turn_lines(const RunState& state, const TurnState& turn, const TextStyle& style) {
    const EvaluationState* shown = shown_evaluation(state, turn);
    const bool measured = shown && !shown->failed;
    const bool champion = turn.mark != TurnMark::none;
    const bool with_eager = has_room_for_eager(style);
    std::string line =
        paint(pad_left(std::to_string(turn.number), number_cells), champion ? Tint::bold : Tint::none, style);
    line += gap +
            pad_right(elide_end(plain_text(turn.author.empty() ? "?" : turn.author), author_cells), author_cells) + gap;
    line += verdict_cell(mark_of(turn, shown), style) + " ";
    line += pad_left(format_seconds(measured ? shown->seconds_per_call : 0), time_cells) + gap;
    line += pad_left(measured ? format_speedup(shown->vs_champion) : "–", versus_cells) + " ";
    // Evidence stands behind figures and failures alike: a failure at the screen's level is as final as any.
    line += evidence_mark(turn.mark == TurnMark::promoted ? "promote" : shown ? shown->level : "");
    if (with_eager) {
        const auto eager = measured ? shown->vs_baselines.find("eager") : decltype(shown->vs_baselines.end()){};
        const bool known = measured && eager != shown->vs_baselines.end();
        line += gap + pad_left(format_ratio(known ? eager->second.estimate : 0), eager_cells);
    }
    const std::string note = note_of(turn, shown);
    if (note.empty())
        return {line};
    const int room = style.width == 0 ? 0 : style.width - row_cells(with_eager);
    if (style.width == 0)
        return {line + gap + note};
    if (display_width(note) <= room)
        return {line + gap + note};
    if (room >= 2 * note_cells)
        return {line + gap + elide_end(note, room)};
    const std::string indent(static_cast<std::size_t>(number_cells) + 2, ' ');
    return {line, indent + paint(elide_end(note, std::max(1, style.width - number_cells - 2)), Tint::dim, style)};
}

std::string point_line(int point, const EvaluationState& evaluation, const TextStyle& style) {
    const bool measured = !evaluation.failed;
    std::string line = std::string(static_cast<std::size_t>(number_cells), ' ') + gap +
                       paint(pad_left(std::to_string(point), author_cells), Tint::dim, style) + gap +
                       verdict_cell(mark_of(verdict_kind(evaluation.verdict)), style) + " ";
    line += pad_left(format_seconds(measured ? evaluation.seconds_per_call : 0), time_cells) + gap;
    line += pad_left(measured ? format_speedup(evaluation.vs_champion) : "–", versus_cells) + " ";
    line += evidence_mark(evaluation.level);
    std::string note = format_tunables(evaluation.tunables);
    if (evaluation.failed && !evaluation.summary.empty())
        note += (note.empty() ? "" : " · ") + plain_text(evaluation.summary);
    const int room = style.width - row_cells(false);
    if (style.width > 0)
        note = room > 0 ? elide_end(note, room) : "";
    return note.empty() ? line : line + gap + note;
}

} // namespace kf
