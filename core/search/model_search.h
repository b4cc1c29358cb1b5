// SPDX-License-Identifier: GPL-3.0-or-later
// Which candidate a language model grows next, and how: serial refinement, best of n, or a beam. A pure function of the
// run's state, so that a resumed run goes on as the lost one would have.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/journal/projection.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace kf {

enum class SearchKind { serial, best_of, beam };
std::string_view to_string(SearchKind kind);
std::optional<SearchKind> parse_search_kind(std::string_view name);

struct ModelSearchSettings {
    SearchKind kind = SearchKind::serial;
    int width = 2;          // beam: how many candidates of a generation are grown on
    int children = 3;       // beam: children each; best_of: n
    int fixes_in_a_row = 3; // turns spent on mending one failed candidate before it is given up
};
Json to_json(const ModelSearchSettings& settings);
Result<ModelSearchSettings> model_search_settings_from_json(const Json& json); // errors: "settings-…" with the range

struct NextChild {
    int parent = -1;      // turn to grow from
    bool fixing = false;  // its parent failed; this turn is to mend it
    std::string strategy; // one line that the prompt and people see: "beam 2.3: wider loads"
};
struct SearchDone {
    std::string why;
};

// `forced_parent`: a person's fork, else -1.
std::variant<NextChild, SearchDone> next_child(const RunState& state, const ModelSearchSettings& settings,
                                               int forced_parent = -1);

} // namespace kf
