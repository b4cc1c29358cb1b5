// SPDX-License-Identifier: GPL-3.0-or-later
// Text for an HTML page. Everything of a journal passes escaped() or escaped_lines(): it may come from a stranger.
#pragma once

#include "core/report/facts.h"

#include <string>
#include <string_view>

namespace kf::html {

// One line, safe in text and between double quotes; control characters, escape sequences and direction overrides are
// gone, invalid UTF-8 is U+FFFD.
std::string escaped(std::string_view text);
// Line feeds and tabs stay.
std::string escaped_lines(std::string_view text);
// A number that is safe in an attribute: at most 2 decimals, "0" for what is none.
std::string coordinate(double value);

// Name of a kind for class names and symbols: "faster", …
std::string_view kind_name(VerdictKind kind);
// Shape of a verdict, of evidence, the champion's star: from the page's own symbols; for the eye only.
std::string mark(VerdictKind kind, std::string_view extra_class = {});
std::string evidence_disc(const std::string& level);
std::string star();
// Shape and word.
std::string verdict(const ReportTurn& turn);
// Disc and word; "" for an unknown level.
std::string evidence(const std::string& level);
// The symbols; once a page, before the first use.
std::string symbols();

} // namespace kf::html

namespace kf {

// "faster", "error · compile", "inconclusive · budget", "running".
std::string verdict_words(const ReportTurn& turn);
// "certified"; the level itself where it is none of ours.
std::string evidence_words(const std::string& level);
std::string utc_time(double unix_seconds);
// 1234567 as "1,234,567".
std::string count_text(std::int64_t count);

// One unit for times that are read side by side: "1.512", in `unit`. What is far from the unit carries its own.
struct TimeUnit {
    double seconds = 1e-3;
    const char* name = "ms";
    int decimals = 3;
};
TimeUnit unit_for(double seconds);
std::string time_in(double seconds, const TimeUnit& unit);
std::string time_with_unit(double seconds, const TimeUnit& unit);

} // namespace kf
