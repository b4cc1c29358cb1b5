// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/options.h"

#include "core/base/files.h"
#include "core/task/task_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kf::cli {
namespace {

std::string in_quotes(const std::string& text) {
    return "`" + text.substr(0, 80) + (text.size() > 80 ? "…" : "") + "`";
}

std::string list_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

std::string did_you_mean(const std::string& near) {
    return near.empty() ? "" : "did you mean `" + near + "`?";
}

template<class T> std::optional<T> number(const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The innermost command that was named.
const CLI::App* innermost(const CLI::App* app) {
    for (;;) {
        const auto chosen = app->get_subcommands();
        if (chosen.empty())
            return app;
        app = chosen.front();
    }
}

std::string full_name(const CLI::App* app) {
    std::string name = app->get_name();
    for (const CLI::App* parent = app->get_parent(); parent; parent = parent->get_parent())
        name = parent->get_name() + " " + name;
    return name;
}

std::vector<std::string> command_names(const CLI::App* app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> option_names(const CLI::App* app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app->get_options())
        if (!option->get_group().empty()) // not the hidden ones
            for (const std::string& name : option->get_lnames())
                names.push_back("--" + name);
    return names;
}

} // namespace

CLI::Validator one_of(std::vector<std::string> words) {
    const std::string shown = list_of(words);
    return CLI::Validator(
        [words = std::move(words), shown](std::string& text) -> std::string {
            if (std::find(words.begin(), words.end(), text) != words.end())
                return "";
            const std::string near = nearest(text, words);
            return in_quotes(text) + " is not one of " + shown + (near.empty() ? "" : "; " + did_you_mean(near));
        },
        "");
}

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
    return CLI::Validator(
        [low, high](std::string& text) -> std::string {
            const auto value = number<std::int64_t>(text);
            if (value && *value >= low && *value <= high)
                return "";
            return in_quotes(text) + " is not a whole number from " + std::to_string(low) + " to " +
                   std::to_string(high);
        },
        "");
}

CLI::Validator positive_number() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            const auto value = number<double>(text);
            if (value && std::isfinite(*value) && *value > 0 && *value <= 1e7)
                return "";
            return in_quotes(text) + " is not a number above 0 (at most 10000000)";
        },
        "");
}

CLI::Validator device_name() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            if (text == "cpu")
                return "";
            if (text.starts_with("cuda:") && number<unsigned>(text.substr(5)))
                return "";
            return in_quotes(text) + " is no device; give cpu or cuda:N, for example cuda:0";
        },
        "");
}

void EvaluatorOptions::add_to(CLI::App& command) {
    command.add_option("--device", device, "device that judges: cpu or cuda:N (cpu)")->check(device_name());
    command.add_option("--launcher", launcher, "words before the evaluator: \"ssh HOST\", \"srun --gres=gpu:1\"");
    command.add_option("--evaluator", program)->group("");
}

Result<EvaluatorSettings> EvaluatorOptions::settings() const {
    EvaluatorSettings settings;
    settings.device = device;
    settings.program = program;
    auto words = split_words(launcher);
    if (!words)
        return words.error();
    settings.launcher = std::move(*words);
    return settings;
}

Result<std::vector<std::string>> split_words(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false; // of a word, an empty quoted one included
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            inside = true;
        } else if (quote) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            inside = true;
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (inside)
                words.push_back(std::exchange(word, {}));
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (quote)
        return make_error("launcher-syntax", std::string("--launcher: a quotation mark ") + quote + " is not closed",
                          "close it");
    if (inside)
        words.push_back(word);
    return words;
}

Result<Task> read_task(const std::string& name) {
    return find_task(name, resource_folder() / "tasks");
}

Result<std::string> read_candidate(const std::string& file) {
    auto text = read_file(file, max_source_bytes);
    if (!text) {
        Error error = text.error();
        if (error.code == "file-missing")
            error.remedy = "name a kernel's source (.cu or .py)";
        return error;
    }
    if (text->find('\0') != std::string::npos)
        return make_error("candidate-binary", "this is not a source text: it holds a zero byte",
                          "name a kernel's source (.cu or .py)", Place{file, 0, 0});
    return text;
}

Result<TunableValues> read_tunables(const std::vector<std::string>& texts) {
    TunableValues values;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const auto value = equals == std::string::npos ? std::nullopt : number<std::int64_t>(text.substr(equals + 1));
        if (!value || equals == 0)
            return make_error("tunable-syntax", "--tunable: " + in_quotes(text) + " is not NAME=NUMBER",
                              "for example --tunable BLOCK=256");
        if (!values.emplace(text.substr(0, equals), *value).second)
            return make_error("tunable-syntax", "--tunable: " + in_quotes(text.substr(0, equals)) + " is given twice");
    }
    return values;
}

Error explain(const CLI::ParseError& error, const CLI::App& app) {
    const CLI::App* command = innermost(&app);
    const std::string name = command == &app ? "" : full_name(command).substr(app.get_name().size() + 1);
    const std::string help = "see kernelforge " + (name.empty() ? "" : name + " ") + "--help";
    const std::string where = name.empty() ? "" : name + ": ";
    const std::vector<std::string> left = app.remaining(true);
    // A misspelt subcommand is an argument that is left over, and the right one is missing: the first says more.
    const bool misspelt =
        dynamic_cast<const CLI::RequiredError*>(&error) && !left.empty() && !command_names(command).empty();
    if (misspelt || dynamic_cast<const CLI::ExtrasError*>(&error)) {
        const std::string first = left.empty() ? "" : left.front();
        if (first.starts_with("-")) {
            const std::string near = nearest(first.substr(0, first.find('=')), option_names(command));
            return make_error("usage", where + "there is no option " + in_quotes(first),
                              near.empty() ? help : did_you_mean(near));
        }
        const std::vector<std::string> commands = command_names(command);
        if (!commands.empty()) {
            const std::string near = nearest(first, commands);
            return make_error("usage", where + "there is no command " + in_quotes(first),
                              near.empty() ? "commands: " + list_of(commands) : did_you_mean(near));
        }
        return make_error("usage", where + in_quotes(first) + " is one argument too many", help);
    }
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return make_error("usage", where + text, help);
}

} // namespace kf::cli
