// SPDX-License-Identifier: GPL-3.0-or-later
// The sections of the page. Private to core/report.
#pragma once

#include "core/report/html_text.h"

#include <string>

namespace kf::html {

std::string summary_section(const RunReport& report);
std::string timeline_section(const RunReport& report);
std::string distribution_section(const RunReport& report);
std::string table_section(const RunReport& report);
std::string turns_section(const RunReport& report);
std::string environment_section(const RunReport& report);

// The unit in which the run's times read best.
TimeUnit unit_of(const RunReport& report);
// "1.065× [1.050, 1.081]" with the interval apart, so that it can be set smaller; a dash when not known.
std::string speedup_html(const Speedup& speedup);
std::string text_or_reason(const ReportText& text);

} // namespace kf::html
