// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT, SIGTERM and SIGHUP as a count that the main loop looks at; SIGPIPE is ignored, and SIGHUP where no terminal
// is connected. One at a time.
#pragma once

namespace kf::cli {

class Interrupts {
public:
    Interrupts();
    ~Interrupts(); // the handlers as they were
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    // How many came so far.
    int count() const;
    // Sleeps for so many milliseconds, shorter when an interrupt or wake() comes.
    void wait(int milliseconds) const;
    // From any thread.
    void wake() const;
};

} // namespace kf::cli
