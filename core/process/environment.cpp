// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/environment.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <mutex>
#include <set>

extern char** environ;

namespace kf {
namespace {

bool on_allow_list(std::string_view name) {
    return name == "PATH" || name == "LANG" || name == "LANGUAGE" || name == "TZ" || name.substr(0, 3) == "LC_";
}

struct Withheld {
    std::mutex mutex;
    std::set<std::string, std::less<>> names;
};
Withheld& withheld() {
    static Withheld one;
    return one;
}

} // namespace

bool is_secret_name(std::string_view name) {
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    for (const char* part : {"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "COOKIE"})
        if (upper.find(part) != std::string::npos)
            return true;
    const std::lock_guard lock(withheld().mutex);
    return withheld().names.count(name) > 0;
}

void withhold_from_children(const std::vector<std::string>& names) {
    const std::lock_guard lock(withheld().mutex);
    withheld().names.insert(names.begin(), names.end());
}

Result<std::vector<std::string>> child_environment(const ChildSpec& spec) {
    std::map<std::string, std::string> values;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos)
            continue;
        const std::string_view name = text.substr(0, equals);
        const bool home = spec.pass_home && (name == "HOME" || name.substr(0, 4) == "XDG_");
        const bool mark = name.substr(0, child_mark_prefix.size()) == child_mark_prefix;
        if ((on_allow_list(name) || home || mark) && !is_secret_name(name))
            values.emplace(name, text.substr(equals + 1));
    }
    for (const std::string& name : spec.pass_env) {
        if (is_secret_name(name))
            return make_error("secret-in-environment", "the variable " + name + " is not handed to child processes",
                              "rename it if it holds no secret");
        if (const char* value = std::getenv(name.c_str()))
            values[name] = value;
    }
    for (const auto& [name, value] : spec.env) {
        if (is_secret_name(name))
            return make_error("secret-in-environment", "the variable " + name + " is not handed to child processes",
                              "rename it if it holds no secret");
        if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos ||
            value.find('\0') != std::string::npos)
            return make_error("spawn-failed", "'" + name + "' cannot be an environment variable");
        values[name] = value;
    }
    if (!values.count("PATH"))
        values["PATH"] = "/usr/local/bin:/usr/bin:/bin";
    std::vector<std::string> entries;
    for (const auto& [name, value] : values)
        entries.push_back(name + "=" + value);
    return entries;
}

} // namespace kf
