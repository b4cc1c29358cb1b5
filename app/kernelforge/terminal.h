// SPDX-License-Identifier: GPL-3.0-or-later
// Standard output: finished lines, and on a terminal below them one live line that is rewritten. Colour and live line
// only on a terminal; NO_COLOR and TERM=dumb are respected.
#pragma once

#include "core/render/terminal_text.h"

#include <string>
#include <vector>

namespace kf::cli {

class Terminal {
public:
    Terminal();
    ~Terminal(); // clears the live line
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    // Width as of now; a terminal may be resized.
    TextStyle style() const;
    bool has_live_line() const { return m_live_possible; }
    void print(const std::vector<std::string>& lines);
    void print(const std::string& line) { print(std::vector<std::string>{line}); }
    // Of no effect where there is no live line; "" clears it.
    void set_live(const std::string& text);
    // Nobody reads any more (`| head`).
    bool broken() const { return m_broken; }

private:
    void write(const std::string& text);

    bool m_tty = false, m_colour = false, m_live_possible = false, m_broken = false;
    std::string m_live;
};

} // namespace kf::cli
