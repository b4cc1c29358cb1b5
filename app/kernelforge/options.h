// SPDX-License-Identifier: GPL-3.0-or-later
// Options that several commands share: what they accept, what they say when they do not, and what they turn into.
#pragma once

#include "core/base/level.h"
#include "core/base/result.h"
#include "core/candidate/candidate.h"
#include "core/engine/evaluator_client.h"
#include "core/task/task.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kf::cli {

// Checks for CLI11: the empty text, or what is wrong and what would be accepted.
CLI::Validator one_of(std::vector<std::string> words);
CLI::Validator whole_number(std::int64_t low, std::int64_t high);
CLI::Validator positive_number();
CLI::Validator device_name();

// Where candidates are judged.
struct EvaluatorOptions {
    std::string device = "cpu";
    std::string launcher;
    std::string program; // hidden: another evaluator than the one beside this program
    void add_to(CLI::App& command);
    Result<EvaluatorSettings> settings() const;
};

// Words as a shell would split them: blanks, single and double quotes, backslash. Error: "launcher-syntax".
Result<std::vector<std::string>> split_words(const std::string& text);

// A task by its name or path, with the nearest name in the error.
Result<Task> read_task(const std::string& name);
// A candidate's text within the limit of a source. Errors: those of read_file, "candidate-binary".
Result<std::string> read_candidate(const std::string& file);
// {"BLOCK=256", …}. Error: "tunable-syntax".
Result<TunableValues> read_tunables(const std::vector<std::string>& texts);

// Why the parser did not take the arguments, in one line with the nearest valid word.
Error explain(const CLI::ParseError& error, const CLI::App& app);

} // namespace kf::cli
