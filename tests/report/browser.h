// SPDX-License-Identifier: GPL-3.0-or-later
// A headless Chromium that is spoken to by its DevTools protocol over two pipes: no port, no library, gone with this
// object.
#pragma once

#include "core/base/json.h"
#include "core/process/child.h"

#include <filesystem>
#include <memory>
#include <string>

namespace kf {

class Browser {
public:
    // Errors: "browser-missing" when there is none here; "browser-broken".
    static Result<std::unique_ptr<Browser>> start(const std::filesystem::path& profile);

    // One command to the page; its result. Errors: "browser-broken" with what it said.
    Result<Json> call(const std::string& method, Json parameters = Json::object());
    Status open(const std::filesystem::path& page);
    Status look(int width, int height, bool dark);
    // Value of an expression in the page.
    Result<Json> evaluate(const std::string& expression);
    // A key as a person presses it: "j", "/", "?", "Enter", "Escape".
    Status press(const std::string& key);
    // The PNG of the viewport, the PDF of the whole page.
    Result<std::string> picture();
    Result<std::string> pdf();
    // Everything that went wrong in the page: exceptions, refused content, failed requests.
    const std::vector<std::string>& troubles() const { return m_troubles; }

private:
    Result<Json> read_message();
    Result<Json> send(const std::string& method, Json parameters, const std::string& session);

    Child m_child;
    UniqueFd m_to, m_from;
    std::string m_pending, m_session;
    int m_next = 0;
    bool m_loaded = false;
    std::vector<std::string> m_troubles;
};

} // namespace kf
