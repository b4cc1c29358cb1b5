// SPDX-License-Identifier: GPL-3.0-or-later
// Where candidates come from. A new kind (the language model) implements this and nothing else of the engine changes.
#pragma once

#include "core/base/result.h"
#include "core/engine/run_settings.h"
#include "core/journal/projection.h"
#include "core/task/task.h"

#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace kf {

struct Proposal {
    std::string source, file_name;
    TunableValues tunables;
    bool sweep = false;       // one turn over the source's whole tune space
    bool asks_model = false;  // the source is not there yet: the turn begins with asking for it
    bool screen_only = false; // judged as a person's quick bench was: it can crown nothing
    int recorded = -1;        // turn of the record that it repeats
    int parent = -1;
    std::string author; // model, tuner, file
    std::string strategy, hint;
    std::string note; // the author's own words on it
};
struct WaitForPeople {}; // nothing to propose: the run waits for its control socket
struct NothingLeft {
    std::string why;
};
using Proposed = std::variant<Proposal, WaitForPeople, NothingLeft>;

// What a synthesizer may look at.
struct RunView {
    const RunState* state = nullptr;
    const Task* task = nullptr;
    std::string champion_source, champion_file;
    TunableValues champion_tunables;
    std::string hint;       // of people, for this turn
    int forced_parent = -1; // a person's fork
    std::function<std::string(int turn)> bottleneck_of;
};

class Synthesizer {
public:
    virtual ~Synthesizer() = default;
    // Deterministic from the view, so that a resumed run proposes what the lost one did. Errors end the run.
    virtual Result<Proposed> propose(const RunView& view) = 0;
};

std::unique_ptr<Synthesizer> make_synthesizer(const RunSettings& settings);

} // namespace kf
