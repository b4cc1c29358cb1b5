// SPDX-License-Identifier: GPL-3.0-or-later
// One statement from text to its struct. Form only: what names mean is decided in candidate.cpp (within the plan) and
// resolve.cpp (with task and device).
#pragma once

#include "core/candidate/plan.h"
#include "core/candidate/scanner.h"

namespace kf::detail {

Result<Statement> parse_statement(const StatementText& text, Language language);

} // namespace kf::detail
