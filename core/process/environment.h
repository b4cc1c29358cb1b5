// SPDX-License-Identifier: GPL-3.0-or-later
// The environment that a child gets: an allow-list and what its spec asks for, never a secret.
#pragma once

#include "core/process/child.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

// Variables that mark a child and all that it starts; handed on always.
inline constexpr std::string_view child_mark_prefix = "KF_CHILD_";

// Whether a variable's name says that its value is a secret: *KEY*, *TOKEN*, *SECRET*, *PASSWORD*, *CREDENTIAL*, *AUTH*
// … or was withheld.
bool is_secret_name(std::string_view name);

// Names whose values no child gets from now on, whatever its spec asks for: variables in which a user keeps a
// provider's key, which need not be called one. Safe from any thread.
void withhold_from_children(const std::vector<std::string>& names);

// "NAME=value" entries, sorted by name. Error: "secret-in-environment" when the spec asks for a secret.
Result<std::vector<std::string>> child_environment(const ChildSpec& spec);

} // namespace kf
