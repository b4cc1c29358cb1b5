// SPDX-License-Identifier: GPL-3.0-or-later
// Which candidate a language model grows next, and how: serial refinement, best of n, or a beam. A pure function of the
// run's state, so that a resumed run goes on as the lost one would have.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/journal/projection.h"

#include <functional>
#include <map>
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

// What holds a correct turn back, as its autopsy says (Autopsy::bottleneck); "" when it is not known.
using BottleneckOf = std::function<std::string(int turn)>;

// Only finished turns count: a run that was lost inside a turn is given that turn's child again. Turns that
// infrastructure or a person ended are no attempt. `forced_parent`: a person's fork, else -1. A journal whose parents
// are missing or run in circles, a run without a champion and a fork of a turn that left no kernel end with SearchDone.
std::variant<NextChild, SearchDone> next_child(const RunState& state, const ModelSearchSettings& settings,
                                               int forced_parent = -1, const BottleneckOf& bottleneck_of = {});

// A kernel's text without what does not count: comments (plan lines stay) and blanks, Python's indentation apart.
std::string normalised_source(std::string_view source, Language language);

// Finds the turn in which the same kernel was judged with the same tunables, so that it is not paid for twice. Texts
// that were looked at are remembered, so one object a run is best.
class DuplicateFinder {
public:
    explicit DuplicateFinder(std::function<std::string(const std::string& hash)> blob) : m_blob(std::move(blob)) {}
    std::optional<int> find(const RunState& state, std::string_view source, const std::string& file_name,
                            const TunableValues& tunables);

private:
    const std::string& normalised(const std::string& hash, const std::string& file_name);

    std::function<std::string(const std::string& hash)> m_blob;
    std::map<std::string, std::string> m_normalised; // by blob: hash of the text that counts
};
// `source` is CUDA C++ when it does not parse as Triton's.
std::optional<int> find_duplicate(const RunState& state, std::string_view source, const TunableValues& tunables,
                                  const std::function<std::string(const std::string& hash)>& blob);

// Does a structure deserve a sweep of its tune space? It has one of at least two points, was accepted, was not swept,
// and is at most `within` times as slow as the champion.
bool promising_for_sweep(const RunState& state, const Candidate& candidate, const Evaluation& evaluation,
                         double within = 1.25);

} // namespace kf
