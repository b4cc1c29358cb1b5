// SPDX-License-Identifier: GPL-3.0-or-later
// providers.json: reading it with the line of whatever is wrong.
#include "core/base/json.h"
#include "core/llm/json_place.h"
#include "core/llm/provider.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

namespace kf {
namespace {

constexpr std::array<std::pair<std::string_view, ReasoningSwitch>, 5> switches = {{
    {"none", ReasoningSwitch::none},
    {"chat_template", ReasoningSwitch::chat_template},
    {"effort", ReasoningSwitch::effort},
    {"openrouter", ReasoningSwitch::openrouter},
    {"system_line", ReasoningSwitch::system_line},
}};

struct Wrong {
    std::vector<JsonStep> path;
    std::string message;
};

// One object of the file; wrong or unknown fields are thrown as Wrong.
class Fields {
public:
    Fields(const Json& object, std::vector<JsonStep> path) : m_object(object), m_path(std::move(path)) {
        if (!object.is_object())
            throw Wrong{m_path, "must be an object"};
    }
    const Json* find(const char* key) {
        m_known.emplace_back(key);
        const auto found = m_object.find(key);
        return found == m_object.end() ? nullptr : &*found;
    }
    [[noreturn]] void wrong(const char* key, std::string message) const { throw Wrong{below(key), std::move(message)}; }
    std::vector<JsonStep> below(const char* key) const {
        std::vector<JsonStep> path = m_path;
        path.emplace_back(std::string(key));
        return path;
    }
    void text(const char* key, std::string& into) {
        if (const Json* value = find(key)) {
            if (!value->is_string())
                wrong(key, "must be a text");
            into = value->get<std::string>();
        }
    }
    void flag(const char* key, bool& into) {
        if (const Json* value = find(key)) {
            if (!value->is_boolean())
                wrong(key, "must be true or false");
            into = value->get<bool>();
        }
    }
    void tokens(const char* key, int& into) {
        if (const Json* value = find(key)) {
            if (!value->is_number_unsigned() || value->get<std::uint64_t>() < 512 ||
                value->get<std::uint64_t>() > 100'000'000)
                wrong(key, "must be a number of tokens, 512 to 100000000");
            into = value->get<int>();
        }
    }
    void price(const char* key, std::optional<double>& into) {
        if (const Json* value = find(key)) {
            if (!value->is_number() || !(value->get<double>() >= 0 && value->get<double>() < 1e6))
                wrong(key, "must be the price of a million tokens, 0 or more");
            into = value->get<double>();
        }
    }
    std::optional<ReasoningSwitch> reasoning(const char* key) {
        std::string name;
        text(key, name);
        if (name.empty())
            return std::nullopt;
        for (const auto& [one, way] : switches)
            if (one == name)
                return way;
        wrong(key, "'" + name + "' is not one of none, chat_template, effort, openrouter, system_line");
    }
    void finish() const {
        for (const auto& [key, value] : m_object.items())
            if (std::find(m_known.begin(), m_known.end(), key) == m_known.end())
                throw Wrong{below(key.c_str()), "is not a field of this form"};
    }

private:
    const Json& m_object;
    std::vector<JsonStep> m_path;
    std::vector<std::string> m_known;
};

bool is_header_name(std::string_view name) {
    return !name.empty() &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '-'; });
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

void read_headers(Fields& fields, Provider& provider) {
    const Json* headers = fields.find("headers");
    if (!headers)
        return;
    if (!headers->is_object())
        fields.wrong("headers", "must be an object of texts");
    for (const auto& [name, value] : headers->items()) {
        const std::string small = lower(name);
        if (small == "authorization" || small.find("key") != std::string::npos ||
            small.find("token") != std::string::npos || small == "cookie")
            fields.wrong("headers",
                         "'" + name + "' would put a secret into a file: name the key's variable in key_variables");
        for (const char* taken : {"host", "content-length", "content-type", "accept", "accept-encoding", "connection",
                                  "transfer-encoding", "user-agent"})
            if (small == taken)
                fields.wrong("headers", "'" + name + "' is set by KernelForge");
        if (!is_header_name(name) || !value.is_string() ||
            value.get_ref<const std::string&>().find_first_of("\r\n") != std::string::npos)
            fields.wrong("headers", "'" + name + "' must be a header's name with a text of one line");
        provider.headers[name] = value.get<std::string>();
    }
}

void read_models(Fields& fields, Provider& provider) {
    const Json* models = fields.find("models");
    if (!models)
        return;
    if (!models->is_array())
        fields.wrong("models", "must be a list");
    provider.models.clear();
    for (std::size_t i = 0; i < models->size(); ++i) {
        std::vector<JsonStep> path = fields.below("models");
        path.emplace_back(i);
        Fields one((*models)[i], path);
        ModelEntry entry;
        one.text("id", entry.id);
        if (entry.id.empty())
            one.wrong("id", "must name the model");
        one.tokens("context_tokens", entry.context_tokens);
        one.price("price_in", entry.price_in);
        one.price("price_out", entry.price_out);
        entry.reasoning = one.reasoning("reasoning");
        one.finish();
        provider.models.push_back(std::move(entry));
    }
}

void read_key_variables(Fields& fields, Provider& provider) {
    const Json* names = fields.find("key_variables");
    if (!names)
        return;
    if (!names->is_array())
        fields.wrong("key_variables", "must be a list of names");
    provider.key_variables.clear();
    for (const Json& name : *names) {
        const bool good =
            name.is_string() && !name.get_ref<const std::string&>().empty() &&
            std::all_of(name.get_ref<const std::string&>().begin(), name.get_ref<const std::string&>().end(),
                        [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        if (!good)
            fields.wrong("key_variables", "must hold names of environment variables (letters, digits, _), never a key");
        provider.key_variables.push_back(name.get<std::string>());
    }
}

void read_provider(const Json& json, std::vector<JsonStep> path, ProviderList& list) {
    Fields fields(json, std::move(path));
    std::string id;
    fields.text("id", id);
    if (id.empty() || !std::all_of(id.begin(), id.end(),
                                   [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; }))
        fields.wrong("id", "must be a short name of letters, digits, -, _ and .");
    const auto known =
        std::find_if(list.providers.begin(), list.providers.end(), [&](const Provider& one) { return one.id == id; });
    Provider provider = known != list.providers.end() ? *known : Provider{};
    provider.id = id;
    fields.text("name", provider.name);
    if (provider.name.empty())
        provider.name = id;
    fields.text("base_url", provider.base_url);
    const Result<std::string> url = normal_base_url(provider.base_url);
    if (!url)
        fields.wrong("base_url", provider.base_url.empty() ? "must be the API's base URL" : url.error().message);
    provider.base_url = *url;
    read_key_variables(fields, provider);
    fields.flag("needs_key", provider.needs_key);
    fields.flag("max_completion_tokens", provider.max_completion_tokens);
    fields.flag("stream_usage", provider.stream_usage);
    fields.flag("tells_cost", provider.tells_cost);
    provider.reasoning = fields.reasoning("reasoning").value_or(provider.reasoning);
    fields.tokens("context_tokens", provider.context_tokens);
    fields.text("default_model", provider.default_model);
    read_headers(fields, provider);
    read_models(fields, provider);
    fields.text("note", provider.note);
    fields.finish();
    if (known != list.providers.end())
        *known = std::move(provider);
    else
        list.providers.push_back(std::move(provider));
}

} // namespace

std::string_view to_string(ReasoningSwitch way) {
    for (const auto& [name, one] : switches)
        if (one == way)
            return name;
    return "none";
}

Result<ProviderList> parse_providers(std::string_view text, const std::string& file, ProviderList base) {
    const Result<Json> json = parse_json(text, file, std::size_t{1} << 20);
    if (!json)
        return json.error();
    try {
        Fields fields(*json, {});
        const Json* providers = fields.find("providers");
        if (providers && !providers->is_array())
            fields.wrong("providers", "must be a list");
        std::vector<std::string> seen;
        for (std::size_t i = 0; providers && i < providers->size(); ++i) {
            const std::vector<JsonStep> path = {std::string("providers"), i};
            const std::string id = get_string((*providers)[i], "id");
            if (std::find(seen.begin(), seen.end(), id) != seen.end())
                throw Wrong{path, "has the id '" + id + "' of an entry above"};
            seen.push_back(id);
            read_provider((*providers)[i], path, base);
        }
        fields.text("default", base.default_id);
        if (!base.find(base.default_id))
            fields.wrong("default", base.default_id.empty() ? "must name a provider's id"
                                                            : "'" + base.default_id + "' is no provider's id");
        fields.finish();
    } catch (const Wrong& wrong) {
        return make_error("provider-syntax",
                          (wrong.path.empty() ? "the file" : to_string(wrong.path)) + " " + wrong.message,
                          "docs/models.md describes the fields", place_in_json(text, wrong.path, file));
    }
    return base;
}

} // namespace kf
