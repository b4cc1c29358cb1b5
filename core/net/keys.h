// SPDX-License-Identifier: GPL-3.0-or-later
// Which key goes to which provider, and where it came from. Keys are in memory, in the environment or in the keyring,
// never in a file of ours.
#pragma once

#include "core/llm/api_key.h"
#include "core/llm/provider.h"
#include "core/net/keyring.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kf::net {

enum class KeyOrigin { none, session, environment, keyring };

struct FoundKey {
    ApiKey key;
    KeyOrigin origin = KeyOrigin::none;
    std::string variable; // of the environment
    bool agreed = true;   // false: found in the environment, and nobody said yet that it may be used
    std::string problem;  // why a key that is there cannot be used; never the key
};
// "from NEBIUS_API_KEY in the environment", "from the keyring", "for this session", "none". No secret.
std::string to_string(const FoundKey& found);

class Keys {
public:
    explicit Keys(Keyring keyring = {});

    // A key typed in this session counts first, then the provider's variables, then the keyring. `ask_keyring` false
    // where a keyring's dialogue has no place.
    FoundKey find(const Provider& provider, bool ask_keyring = true);

    void use_for_session(const Provider& provider, ApiKey key);
    // In the keyring too. Error "no-keyring": then it is kept for this session.
    Status store(const Provider& provider, ApiKey key);
    Status forget(const Provider& provider);

    // A variable that a person agreed to; remembered by its name in the config folder, for this provider's host.
    Status agree(const Provider& provider, const std::string& variable);

private:
    std::mutex m_mutex;
    Keyring m_keyring;
    std::map<std::string, ApiKey> m_session; // by account
};

// "nebius@api.tokenfactory.nebius.com": a provider whose address was changed has another key.
std::string key_account(const Provider& provider);

// All variables that may hold a provider's key; given to withhold_from_children().
std::vector<std::string> key_variables(const ProviderList& list);

} // namespace kf::net
