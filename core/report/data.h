// SPDX-License-Identifier: GPL-3.0-or-later
// The report for programs (JSON, CSV) and for places that take Markdown. docs/report.md lists the fields.
#pragma once

#include "core/report/facts.h"

namespace kf {

inline constexpr int report_version = 1;

// Figures as in the journal; what is not known is left out. Texts (sources, transcript) are not in it: `source` and
// `diff` name the run's blobs.
Json json_report(const RunReport& report);
// A row a turn under a header; RFC 4180. Times in seconds, empty where there is none. A text that a spreadsheet would
// take for a formula begins with an apostrophe.
std::string csv_report(const RunReport& report);
std::string markdown_report(const RunReport& report);

} // namespace kf
