// SPDX-License-Identifier: GPL-3.0-or-later
// The prompts' texts, compiled in from resources/prompts, so that a run's journal says exactly what was asked.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kf {

const std::map<std::string, std::string, std::less<>>& prompt_templates(); // by file name
// The text of one of them; asserts that there is one.
const std::string& prompt_template(std::string_view name);
// "1-3f2a91c0": the number in resources/prompts/VERSION and the start of a hash over all texts, so that a change shows
// even where the number was forgotten.
const std::string& prompt_version();

// Puts values in place of {{name}}. Values are not looked through again.
std::string fill_template(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values);

// Foreign text inside a fence that it cannot close: longer than any run of backticks in it. Control characters but tabs
// and line ends become blanks, broken UTF-8 and the markers of chat templates (`<|`) are made harmless.
std::string fenced(std::string_view text, std::string_view language = {});
std::string harmless(std::string_view text);

// At most `limit` bytes, cut between UTF-8 sequences, with a mark where it was cut.
std::string shortened(std::string_view text, std::size_t limit);

} // namespace kf
