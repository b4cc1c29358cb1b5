// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/provider.h"

#include "core/base/files.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace kf {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

Error url_error(std::string_view url, const std::string& what) {
    return make_error("provider-url", "'" + std::string(url) + "' " + what,
                      "give the base URL of an OpenAI-compatible API, for example http://localhost:8000/v1");
}

// "https://HOST[:PORT]" of a normal base URL.
std::string origin_of(const std::string& url) {
    return lower(url.substr(0, url.find('/', url.find("://") + 3)));
}

} // namespace

const ModelEntry* Provider::find_model(std::string_view model) const {
    for (const ModelEntry& entry : models)
        if (entry.id == model)
            return &entry;
    return nullptr;
}

int Provider::context_of(std::string_view model) const {
    const ModelEntry* entry = find_model(model);
    return entry && entry->context_tokens > 0 ? entry->context_tokens : context_tokens;
}

ReasoningSwitch Provider::reasoning_of(std::string_view model) const {
    const ModelEntry* entry = find_model(model);
    const ReasoningSwitch way = entry && entry->reasoning ? *entry->reasoning : reasoning;
    // Nemotron takes reasoning_effort as nothing, or hides what it thinks and counts it all the same.
    if (way == ReasoningSwitch::effort && lower(model).find("nemotron") != std::string::npos)
        return ReasoningSwitch::chat_template;
    return way;
}

double Provider::price(std::string_view model, const TokenUsage& usage) const {
    const ModelEntry* entry = find_model(model);
    if (!entry)
        return 0;
    return (entry->price_in.value_or(0) * static_cast<double>(usage.in) +
            entry->price_out.value_or(0) * static_cast<double>(usage.out)) /
           1e6;
}

bool Provider::knows_cost(std::string_view model) const {
    const ModelEntry* entry = find_model(model.empty() ? std::string_view(default_model) : model);
    return tells_cost || (entry && entry->price_in && entry->price_out);
}

const Provider* ProviderList::find(std::string_view id) const {
    for (const Provider& provider : providers)
        if (provider.id == id)
            return &provider;
    return nullptr;
}

std::filesystem::path user_providers_file() {
    const auto variable = [](const char* name) -> std::filesystem::path {
        const char* value = std::getenv(name);
        return value ? value : "";
    };
    if (const std::filesystem::path home = variable("KERNELFORGE_HOME"); !home.empty())
        return home / "config" / "providers.json";
    if (const std::filesystem::path config = variable("XDG_CONFIG_HOME"); !config.empty())
        return config / "kernelforge" / "providers.json";
    return variable("HOME") / ".config" / "kernelforge" / "providers.json";
}

Result<ProviderList> load_providers() {
    const std::filesystem::path ours = resource_folder() / "resources" / "providers.json";
    Result<std::string> text = read_file(ours);
    if (!text)
        return text.error();
    Result<ProviderList> list = parse_providers(*text, ours.string());
    if (!list)
        return list;
    const std::filesystem::path users = user_providers_file();
    text = read_file(users);
    if (!text)
        return text.error().code == "file-missing" ? list : Result<ProviderList>(text.error());
    return parse_providers(*text, users.string(), *std::move(list));
}

Result<std::string> normal_base_url(std::string_view url) {
    // Before anything is printed: a password in it must not be, and one may hold a slash; nor a key in a query.
    if (url.find('@') != std::string_view::npos)
        return make_error("provider-url", "the URL holds a user or a password (an @)",
                          "give the key by its environment variable or in the settings, not in the URL");
    if (const std::size_t query = url.find_first_of("?#"); query != std::string_view::npos)
        return url_error(url.substr(0, query), "is followed by a query, which a base URL cannot have");
    const std::string small = lower(url);
    const std::size_t begin = small.rfind("https://", 0) == 0 ? 8 : small.rfind("http://", 0) == 0 ? 7 : 0;
    if (begin == 0)
        return url_error(url, "does not begin with http:// or https://");
    const std::size_t path = std::min(url.find('/', begin), url.size());
    if (path == begin || url[begin] == ':')
        return url_error(url, "names no host");
    if (std::any_of(url.begin(), url.end(), [](char c) { return c <= ' ' || c == '\x7f' || c == '\\'; }))
        return url_error(url, "holds a space or a character that a URL cannot have");
    std::string normal = small.substr(0, path) + std::string(url.substr(path));
    const auto drop = [&normal](std::string_view end) {
        if (normal.size() > end.size() && normal.compare(normal.size() - end.size(), end.size(), end) == 0)
            normal.erase(normal.size() - end.size());
    };
    while (normal.size() > path && normal.back() == '/')
        normal.pop_back();
    drop("/chat/completions");
    return normal;
}

Result<Provider> choose_provider(const ProviderList& list, std::string_view wanted) {
    if (wanted.empty())
        wanted = list.default_id;
    if (const Provider* known = list.find(wanted))
        return *known;
    if (wanted.find("://") == std::string_view::npos) {
        // What looks like a host with a password or a key is not shown again.
        if (wanted.find_first_of("@?#") != std::string_view::npos)
            return make_error("provider-url", "the provider is neither an id nor a URL",
                              "give a base URL that begins with http:// or https:// and holds no user, key or query");
        std::string ids;
        for (const Provider& provider : list.providers)
            ids += (ids.empty() ? "" : ", ") + provider.id;
        return make_error("provider-unknown", "there is no provider '" + std::string(wanted) + "'",
                          "choose one of " + ids + ", or give a base URL");
    }
    const Result<std::string> url = normal_base_url(wanted);
    if (!url)
        return url.error();
    for (const Provider& known : list.providers)
        if (origin_of(known.base_url) == origin_of(*url)) {
            Provider provider = known;
            provider.base_url = *url;
            return provider;
        }
    Provider provider;
    provider.id = "url";
    provider.name = url->substr(url->find("://") + 3);
    provider.base_url = *url;
    provider.key_variables = {"KERNELFORGE_API_KEY"};
    provider.reasoning = ReasoningSwitch::chat_template;
    return provider;
}

} // namespace kf
