// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/terminal.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kf::cli {
namespace {

constexpr int narrowest = 40;

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value;
}

} // namespace

Terminal::Terminal() : m_tty(isatty(STDOUT_FILENO) == 1) {
    const char* term = std::getenv("TERM");
    const bool dumb = !term || !*term || std::strcmp(term, "dumb") == 0;
    m_live_possible = m_tty && !dumb;
    m_colour = m_live_possible && !is_set("NO_COLOR");
}

Terminal::~Terminal() {
    set_live("");
}

TextStyle Terminal::style() const {
    TextStyle style;
    style.colour = m_colour;
    if (m_tty) {
        winsize size{};
        style.width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
        style.width = std::max(style.width, narrowest);
    }
    return style;
}

void Terminal::write(const std::string& text) {
    std::string_view rest = text;
    while (!rest.empty() && !m_broken) {
        const ssize_t n = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (n > 0)
            rest.remove_prefix(static_cast<std::size_t>(n));
        else if (n < 0 && errno != EINTR)
            m_broken = true;
    }
}

void Terminal::print(const std::vector<std::string>& lines) {
    if (lines.empty())
        return;
    std::string text;
    if (!m_live.empty())
        text += "\r\x1b[K";
    for (const std::string& line : lines)
        text += line + "\n";
    text += m_live;
    write(text);
}

void Terminal::set_live(const std::string& text) {
    if (!m_live_possible || text == m_live)
        return;
    m_live = text;
    write("\r\x1b[K" + text);
}

} // namespace kf::cli
