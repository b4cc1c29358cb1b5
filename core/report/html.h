// SPDX-License-Identifier: GPL-3.0-or-later
// A report as one HTML file that needs nothing else: no network, no script but its own small one, and none at all to be
// read. Its content policy allows its own style and script by their hashes and nothing else.
#pragma once

#include "core/report/facts.h"

#include <filesystem>

namespace kf {

// `resources`: the folder with report/style.css, report/script.js and ui/theme/theme.json. Errors: those of read_file,
// "theme-invalid".
Result<std::string> html_report(const RunReport& report, const std::filesystem::path& resources);

} // namespace kf
