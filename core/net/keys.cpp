// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/net/keys.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/net/application.h"

#include <QUrl>
#include <algorithm>
#include <cstdlib>

namespace kf::net {
namespace {

std::filesystem::path agreed_file() {
    return user_providers_file().parent_path() / "key-variables.json";
}

// {"agreed": {"nebius@host": ["NEBIUS_API_KEY"]}}; a damaged file is one in which nothing was agreed.
Json read_agreed() {
    const Result<std::string> text = read_file(agreed_file(), std::size_t{1} << 20);
    if (!text)
        return Json::object();
    const Result<Json> json = parse_json(*text, agreed_file().string());
    const Json agreed = json ? get_member(*json, "agreed") : Json();
    return agreed.is_object() ? agreed : Json::object();
}

bool is_agreed(const std::string& account, const std::string& variable) {
    const Json agreed = read_agreed();
    const Json& names = get_member(agreed, account.c_str());
    return names.is_array() && std::find(names.begin(), names.end(), Json(variable)) != names.end();
}

} // namespace

std::string to_string(const FoundKey& found) {
    switch (found.origin) {
    case KeyOrigin::session:
        return "for this session";
    case KeyOrigin::environment:
        return "from " + found.variable + " in the environment";
    case KeyOrigin::keyring:
        return "from the keyring";
    case KeyOrigin::none:
        break;
    }
    return "none";
}

std::string key_account(const Provider& provider) {
    const QUrl url(QString::fromStdString(provider.base_url));
    std::string account = provider.id + "@" + url.host().toStdString();
    if (url.port() > 0)
        account += ":" + std::to_string(url.port());
    return account;
}

std::vector<std::string> key_variables(const ProviderList& list) {
    std::set<std::string> names = {"KERNELFORGE_API_KEY"};
    for (const Provider& provider : list.providers)
        names.insert(provider.key_variables.begin(), provider.key_variables.end());
    return {names.begin(), names.end()};
}

Keys::Keys(Keyring keyring) : m_keyring(keyring) {}

FoundKey Keys::find(const Provider& provider, bool ask_keyring) {
    FoundKey found;
    const std::string account = key_account(provider);
    {
        const std::lock_guard lock(m_mutex);
        if (const auto session = m_session.find(account); session != m_session.end()) {
            found.key = session->second;
            found.origin = KeyOrigin::session;
            return found;
        }
    }
    for (const std::string& variable : provider.key_variables) {
        const char* value = std::getenv(variable.c_str());
        if (!value || !*value)
            continue;
        const Result<ApiKey> key = ApiKey::make(value);
        if (!key) {
            found.problem = variable + ": " + to_string(key.error());
            continue;
        }
        found.key = *key;
        found.origin = KeyOrigin::environment;
        found.variable = variable;
        found.agreed = is_agreed(account, variable);
        found.problem.clear();
        return found;
    }
    if (!ask_keyring)
        return found;
    if (const std::optional<ApiKey> key = m_keyring.read(account)) {
        found.key = *key;
        found.origin = KeyOrigin::keyring;
        found.problem.clear();
    }
    return found;
}

void Keys::use_for_session(const Provider& provider, ApiKey key) {
    const std::lock_guard lock(m_mutex);
    m_session[key_account(provider)] = std::move(key);
}

Status Keys::store(const Provider& provider, ApiKey key) {
    const std::string account = key_account(provider);
    const Status stored = m_keyring.write(account, key);
    const std::lock_guard lock(m_mutex);
    if (stored)
        m_session.erase(account);
    else
        m_session[account] = std::move(key);
    return stored;
}

Status Keys::forget(const Provider& provider) {
    const std::string account = key_account(provider);
    {
        const std::lock_guard lock(m_mutex);
        m_session.erase(account);
    }
    return m_keyring.remove(account);
}

Status Keys::agree(const Provider& provider, const std::string& variable) {
    const std::string account = key_account(provider);
    Json agreed = read_agreed();
    Json& names = agreed[account];
    if (!names.is_array())
        names = Json::array();
    if (std::find(names.begin(), names.end(), Json(variable)) == names.end())
        names.push_back(variable);
    std::error_code failed;
    std::filesystem::create_directories(agreed_file().parent_path(), failed);
    return write_file_atomic(agreed_file(), Json{{"agreed", std::move(agreed)}}.dump(2) + "\n");
}

} // namespace kf::net
