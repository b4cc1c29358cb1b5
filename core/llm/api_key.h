// SPDX-License-Identifier: GPL-3.0-or-later
// A provider's key. Printing it, or anything that holds it, shows that there is one and never which.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>

namespace kf {

class ApiKey {
public:
    ApiKey() = default; // none
    ApiKey(const ApiKey&) = default;
    ApiKey& operator=(const ApiKey&) = default;
    ~ApiKey();

    // White space around it is dropped. Errors: "key-empty", "key-unusable" (control characters or spaces would break
    // the header it is sent in).
    static Result<ApiKey> make(std::string_view text);

    bool present() const { return !m_text.empty(); }
    // For the Authorization header and for taking it out of messages; nothing else.
    const std::string& reveal() const { return m_text; }

private:
    std::string m_text;
};

std::string to_string(const ApiKey& key); // "none" or "(hidden)"

} // namespace kf
