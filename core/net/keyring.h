// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's keyring (Secret Service or KWallet, by qtkeychain). Where there is none, or it fails, or it does not
// answer in time, there is simply no keyring: nothing blocks and nothing falls back to a file.
//
// Blocks in an event loop of its own. libsecret answers in the main thread's context: call it there.
#pragma once

#include "core/llm/api_key.h"

#include <optional>
#include <string>

namespace kf::net {

struct Keyring {
    double timeout_s = 30; // an unlocking dialogue may wait for a person

    // None: no such key, or no keyring.
    std::optional<ApiKey> read(const std::string& account) const;
    // Errors: "no-keyring", saying that the key is kept for this session only.
    Status write(const std::string& account, const ApiKey& key) const;
    Status remove(const std::string& account) const;
};

} // namespace kf::net
