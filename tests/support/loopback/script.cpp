// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/loopback/script.h"

#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace kf::loopback {
namespace {

struct Problem {
    std::string field, message;
};

// Reads the fields of one object; the first wrong one is thrown as a Problem.
class Fields {
public:
    Fields(const Json& object, std::string where) : m_object(object), m_where(std::move(where)) {
        if (!object.is_object())
            throw Problem{m_where, "must be an object"};
        for (const auto& [key, value] : object.items())
            m_unread[key] = true;
    }
    const Json* find(const char* key) {
        m_unread.erase(key);
        const auto found = m_object.find(key);
        return found == m_object.end() ? nullptr : &*found;
    }
    void text(const char* key, std::string& into) {
        if (const Json* value = find(key))
            into = as<std::string>(*value, key, value->is_string(), "a text");
    }
    void flag(const char* key, bool& into) {
        if (const Json* value = find(key))
            into = as<bool>(*value, key, value->is_boolean(), "true or false");
    }
    template<class Number> void number(const char* key, Number& into) {
        if (const Json* value = find(key))
            into = as<Number>(*value, key, value->is_number_integer() && *value >= 0, "a whole number, 0 or more");
    }
    void texts(const char* key, std::vector<std::string>& into) {
        const Json* value = find(key);
        if (!value)
            return;
        const bool good = value->is_array() &&
                          std::all_of(value->begin(), value->end(), [](const Json& one) { return one.is_string(); });
        into = as<std::vector<std::string>>(*value, key, good, "a list of texts");
    }
    template<class Value, std::size_t N>
    void choice(const char* key, Value& into, const std::array<std::pair<std::string_view, Value>, N>& names) {
        std::string name;
        text(key, name);
        if (name.empty())
            return;
        for (const auto& [one, value] : names)
            if (one == name) {
                into = value;
                return;
            }
        throw Problem{m_where + "." + key, "'" + name + "' is not known"};
    }
    void finish() const {
        if (!m_unread.empty())
            throw Problem{m_where + "." + m_unread.begin()->first, "is not a field of this form"};
    }
    const std::string& where() const { return m_where; }

private:
    template<class T> T as(const Json& value, const char* key, bool good, const char* wanted) const {
        if (!good)
            throw Problem{m_where + "." + key, std::string("must be ") + wanted};
        return value.get<T>();
    }
    const Json& m_object;
    std::string m_where;
    std::map<std::string, bool> m_unread;
};

constexpr std::array<std::pair<std::string_view, UsageForm>, 5> usage_forms = {{
    {"choices_empty", UsageForm::choices_empty},
    {"choices_null", UsageForm::choices_null},
    {"choices_missing", UsageForm::choices_missing},
    {"with_finish", UsageForm::with_finish},
    {"none", UsageForm::none},
}};
constexpr std::array<std::pair<std::string_view, ReasoningField>, 4> reasoning_fields = {{
    {"reasoning_content", ReasoningField::reasoning_content},
    {"reasoning", ReasoningField::reasoning},
    {"reasoning_details", ReasoningField::reasoning_details},
    {"think", ReasoningField::think},
}};

Behaviour parse_behaviour(const Json& json, const std::string& where) {
    Behaviour b;
    Fields fields(json, where);
    fields.number("status", b.status);
    if (const Json* headers = fields.find("headers")) {
        if (!headers->is_object())
            throw Problem{where + ".headers", "must be an object of texts"};
        for (const auto& [name, value] : headers->items())
            b.headers.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    if (const Json* body = fields.find("body"))
        b.body = body->is_string() ? body->get<std::string>() : body->dump();
    fields.text("redirect", b.redirect);
    fields.flag("drop", b.drop);
    fields.flag("deaf", b.deaf);
    fields.number("headers_ms", b.headers_ms);
    fields.number("first_ms", b.first_ms);
    fields.number("pause_ms", b.pause_ms);
    fields.number("piece_chars", b.piece_chars);
    fields.number("cut_after", b.cut_after);
    fields.number("stall_after", b.stall_after);
    fields.number("error_after", b.error_after);
    if (const Json* error = fields.find("error"))
        b.error = *error;
    fields.choice("usage", b.usage, usage_forms);
    if (const Json* finish = fields.find("finish")) {
        if (!finish->is_string() && !finish->is_null())
            throw Problem{where + ".finish", "must be a text or null"};
        b.finish = finish->is_null() ? std::nullopt : std::optional(finish->get<std::string>());
    }
    fields.flag("done", b.done);
    fields.flag("comments", b.comments);
    fields.flag("crlf", b.crlf);
    fields.flag("whole", b.whole);
    fields.flag("chunked", b.chunked);
    fields.text("raw", b.raw);
    fields.choice("reasoning", b.reasoning, reasoning_fields);
    fields.finish();
    if (b.piece_chars == 0)
        throw Problem{where + ".piece_chars", "must be 1 or more"};
    return b;
}

std::string text_of(const std::filesystem::path& file, const std::string& where) {
    const Result<std::string> text = read_file(file);
    if (!text)
        throw Problem{where, to_string(text.error())};
    return *text;
}

Rule parse_rule(const Json& json, const std::string& where, const std::filesystem::path& folder) {
    Rule rule;
    Fields fields(json, where);
    rule.name = where;
    fields.text("name", rule.name);
    fields.texts("when", rule.when);
    fields.texts("when_last", rule.when_last);
    fields.texts("unless", rule.unless);
    fields.text("model", rule.model);
    fields.number("longer_than", rule.longer_than);
    fields.number("times", rule.times);
    fields.text("reply", rule.reply);
    fields.text("thinking", rule.thinking);
    std::string file, code_file, fence = "cuda";
    fields.text("reply_file", file);
    fields.text("code_file", code_file);
    fields.text("fence", fence);
    if (const Json* behaviour = fields.find("behave"))
        rule.behaviour = parse_behaviour(*behaviour, where + ".behave");
    fields.finish();
    if (!file.empty())
        rule.reply += text_of(folder / file, where + ".reply_file");
    if (!code_file.empty())
        rule.reply += "\n```" + fence + "\n" + text_of(folder / code_file, where + ".code_file") + "\n```\n";
    return rule;
}

} // namespace

Result<Script> Script::parse(const Json& json, const std::filesystem::path& folder) {
    Script script;
    try {
        Fields fields(json, "script");
        fields.texts("models", script.m_models);
        const Json* rules = fields.find("rules");
        if (rules && !rules->is_array())
            throw Problem{"script.rules", "must be a list"};
        for (std::size_t i = 0; rules && i < rules->size(); ++i)
            script.m_rules.push_back(parse_rule((*rules)[i], "rules[" + std::to_string(i) + "]", folder));
        const Json* fallback = fields.find("fallback");
        script.m_rules.push_back(parse_rule(fallback ? *fallback : Json::object(), "fallback", folder));
        fields.finish();
    } catch (const Problem& problem) {
        return make_error("script-syntax", problem.field + " " + problem.message,
                          "tests/support/loopback/README.md describes the form");
    }
    script.m_used.assign(script.m_rules.size(), 0);
    return script;
}

Result<Script> Script::load(const std::filesystem::path& file) {
    const Result<std::string> text = read_file(file);
    if (!text)
        return text.error();
    const Result<Json> json = parse_json(*text, file.string());
    if (!json)
        return json.error();
    return parse(*json, file.parent_path());
}

Script Script::saying(std::string reply, Behaviour behaviour) {
    Script script;
    Rule rule;
    rule.name = "fallback";
    rule.reply = std::move(reply);
    rule.behaviour = std::move(behaviour);
    script.m_rules.push_back(std::move(rule));
    script.m_used = {0};
    return script;
}

const Rule& Script::match(const Json& request) {
    std::string all, last;
    if (const Json& messages = get_member(request, "messages"); messages.is_array())
        for (const Json& message : messages) {
            last = get_string(message, "content");
            all += last + "\n";
        }
    const auto holds = [](const std::string& text) {
        return [&text](const std::string& part) { return text.find(part) != std::string::npos; };
    };
    const std::string model = get_string(request, "model");
    for (std::size_t i = 0; i < m_rules.size(); ++i) {
        const Rule& rule = m_rules[i];
        const bool fits =
            i + 1 == m_rules.size() ||
            ((rule.times < 0 || m_used[i] < rule.times) && (rule.model.empty() || rule.model == model) &&
             all.size() >= rule.longer_than && std::all_of(rule.when.begin(), rule.when.end(), holds(all)) &&
             std::all_of(rule.when_last.begin(), rule.when_last.end(), holds(last)) &&
             std::none_of(rule.unless.begin(), rule.unless.end(), holds(all)));
        if (fits) {
            ++m_used[i];
            return rule;
        }
    }
    return m_rules.back(); // not reached: the last one always fits
}

Json Script::counters() const {
    Json json = Json::object();
    for (std::size_t i = 0; i < m_rules.size(); ++i)
        json[m_rules[i].name] = m_used[i];
    return json;
}

} // namespace kf::loopback
