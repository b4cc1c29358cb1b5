// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/report/browser.h"

#include "core/base/deadline.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace kf {
namespace {

constexpr double longest_answer_s = 60;

Error broken(const std::string& what) {
    return make_error("browser-broken", what);
}

std::string find_browser() {
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"})
        if (access(path, X_OK) == 0)
            return path;
    return {};
}

std::string decoded(const std::string& base64) {
    std::string out;
    unsigned bits = 0;
    int have = 0;
    for (const char c : base64) {
        const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (value < 0)
            continue;
        bits = bits << 6 | static_cast<unsigned>(value);
        if ((have += 6) >= 8)
            out += static_cast<char>(bits >> (have -= 8) & 0xff);
    }
    return out;
}

} // namespace

Result<std::unique_ptr<Browser>> Browser::start(const std::filesystem::path& profile) {
    const std::string program = find_browser();
    if (program.empty())
        return make_error("browser-missing", "there is no Chromium here", "apt-get install chromium");
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return broken("no pipe");
    UniqueFd to_read(to[0]), from_write(from[1]);
    auto browser = std::unique_ptr<Browser>(new Browser());
    browser->m_to.reset(to[1]);
    browser->m_from.reset(from[0]);
    ChildSpec spec;
    // The page is our own file and the test may run as root or inside a container, where Chromium's sandbox cannot
    // start.
    spec.argv = {program,
                 "--headless",
                 "--no-sandbox",
                 "--disable-gpu",
                 "--hide-scrollbars",
                 "--no-first-run",
                 "--disable-dev-shm-usage",
                 "--disable-background-networking",
                 "--remote-debugging-pipe",
                 "--user-data-dir=" + profile.string(),
                 "about:blank"};
    spec.env = {{"HOME", profile.string()}};
    spec.fds = {to_read.get(), from_write.get()};
    spec.output = ChildOutput::null;
    spec.error_output = ChildOutput::null;
    auto child = Child::start(spec);
    if (!child)
        return child.error();
    browser->m_child = std::move(*child);
    to_read.reset();
    from_write.reset();
    auto target = browser->send("Target.createTarget", {{"url", "about:blank"}}, "");
    if (!target)
        return target.error();
    auto session =
        browser->send("Target.attachToTarget", {{"targetId", get_string(*target, "targetId")}, {"flatten", true}}, "");
    if (!session)
        return session.error();
    browser->m_session = get_string(*session, "sessionId");
    for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"})
        if (auto enabled = browser->call(domain); !enabled)
            return enabled.error();
    return browser;
}

Result<Json> Browser::read_message() {
    const Deadline until = deadline_after(longest_answer_s);
    while (true) {
        if (const std::size_t end = m_pending.find('\0'); end != std::string::npos) {
            auto message = parse_json(m_pending.substr(0, end), "browser", std::size_t{256} << 20);
            m_pending.erase(0, end + 1);
            return message;
        }
        pollfd one{m_from.get(), POLLIN, 0};
        if (poll(&one, 1, poll_milliseconds(until)) <= 0)
            return broken("the browser does not answer");
        std::array<char, 65536> block;
        const ssize_t got = read(m_from.get(), block.data(), block.size());
        if (got <= 0)
            return broken("the browser is gone");
        m_pending.append(block.data(), static_cast<std::size_t>(got));
    }
}

Result<Json> Browser::send(const std::string& method, Json parameters, const std::string& session) {
    const int id = ++m_next;
    Json message{{"id", id}, {"method", method}, {"params", std::move(parameters)}};
    if (!session.empty())
        message["sessionId"] = session;
    std::string bytes = message.dump();
    bytes += '\0';
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = write(m_to.get(), bytes.data() + at, bytes.size() - at);
        if (put < 0 && errno != EINTR)
            return broken("the browser is gone");
        at += put > 0 ? static_cast<std::size_t>(put) : 0;
    }
    while (true) {
        auto answer = read_message();
        if (!answer)
            return answer;
        const std::string event = get_string(*answer, "method");
        if (event == "Page.loadEventFired")
            m_loaded = true;
        if (event == "Runtime.exceptionThrown" || event == "Log.entryAdded" || event == "Network.loadingFailed")
            m_troubles.push_back(dump_line(get_member(*answer, "params")));
        if (event == "Network.requestWillBeSent")
            if (const std::string url = get_string(get_member(get_member(*answer, "params"), "request"), "url");
                !url.starts_with("file:"))
                m_troubles.push_back("the page asked for " + url);
        if (get_int(*answer, "id") != id)
            continue;
        if (answer->contains("error"))
            return broken(method + ": " + dump_line((*answer)["error"]));
        return get_member(*answer, "result");
    }
}

Result<Json> Browser::call(const std::string& method, Json parameters) {
    return send(method, std::move(parameters), m_session);
}

Status Browser::open(const std::filesystem::path& page) {
    m_loaded = false;
    m_troubles.clear();
    auto opened = call("Page.navigate", {{"url", "file://" + page.string()}});
    if (!opened)
        return opened.error();
    while (!m_loaded) {
        auto ready = evaluate("document.readyState");
        if (!ready)
            return ready.error();
        if (*ready == "complete")
            break;
    }
    return {};
}

Status Browser::look(int width, int height, bool dark) {
    auto sized = call("Emulation.setDeviceMetricsOverride",
                      {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    if (!sized)
        return sized.error();
    auto set = call("Emulation.setEmulatedMedia",
                    {{"features", {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}}}});
    return set ? Status() : Status(set.error());
}

Result<Json> Browser::evaluate(const std::string& expression) {
    auto result =
        call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
    if (!result)
        return result;
    if (result->contains("exceptionDetails"))
        return broken(expression + ": " + dump_line((*result)["exceptionDetails"]));
    return get_member(get_member(*result, "result"), "value");
}

Status Browser::press(const std::string& key) {
    Json down{{"type", key.size() == 1 ? "keyDown" : "rawKeyDown"}, {"key", key}};
    if (key.size() == 1)
        down["text"] = key;
    if (key == "Enter") {
        down = {{"type", "keyDown"}, {"key", key}, {"code", "Enter"}, {"windowsVirtualKeyCode", 13}, {"text", "\r"}};
    } else if (key == "Escape") {
        down["code"] = "Escape";
        down["windowsVirtualKeyCode"] = 27;
    }
    if (auto pressed = call("Input.dispatchKeyEvent", down); !pressed)
        return pressed.error();
    Json up = down;
    up["type"] = "keyUp";
    up.erase("text");
    auto released = call("Input.dispatchKeyEvent", up);
    return released ? Status() : Status(released.error());
}

Result<std::string> Browser::picture() {
    auto shot = call("Page.captureScreenshot", {{"format", "png"}});
    if (!shot)
        return shot.error();
    return decoded(get_string(*shot, "data"));
}

Result<std::string> Browser::pdf() {
    auto printed = call("Page.printToPDF", {{"printBackground", false}});
    if (!printed)
        return printed.error();
    return decoded(get_string(*printed, "data"));
}

} // namespace kf
