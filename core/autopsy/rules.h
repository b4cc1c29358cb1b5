// SPDX-License-Identifier: GPL-3.0-or-later
// The table of rules: what usually stands behind a failure class or an error pattern, and what to try. Texts hold no
// figures of a case. A new class needs a line here (a test counts them).
#pragma once

#include "core/verify/verdict.h"

#include <span>
#include <string_view>

namespace kf {

struct RuleCause {
    std::string_view what;
    double confidence;
};

struct Rule {
    std::string_view headline; // of a class; "" for patterns
    std::span<const RuleCause> causes;
    std::span<const std::string_view> tries;
    std::string_view unknown; // "" when nothing stays open
};

const Rule& rule_for(FailureClass failure);
// nullptr for Pattern::none.
const Rule* rule_for(Pattern pattern);

} // namespace kf
