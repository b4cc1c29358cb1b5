// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/drive.h"

#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/follow.h"
#include "app/kernelforge/interrupt.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/engine/control_server.h"

#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace kf::cli {
namespace {

int code_of_end(RunEnd end) {
    switch (end) {
    case RunEnd::champion:
        return exit_ok;
    case RunEnd::no_champion:
        return exit_not_accepted;
    case RunEnd::infrastructure:
        return exit_infrastructure;
    case RunEnd::stopped:
        return exit_stopped;
    }
    return exit_infrastructure;
}

// What is in flight is given up: our children die with us, and the journal resumes as after a crash.
[[noreturn]] void leave_at_once(const std::filesystem::path& control_socket) {
    std::error_code ignored;
    std::filesystem::remove_all(control_socket.parent_path(), ignored);
    static constexpr char text[] = "\nkernelforge: stopped at once; `kernelforge resume` goes on with the run\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(exit_stopped);
}

// A pipe (/dev/fd/3) is written to, anything else is replaced as a whole: who reads it sees nothing or all of it.
Status tell_folder(const std::string& file, const std::filesystem::path& folder) {
    if (file.empty())
        return {};
    std::error_code error;
    const std::string line = std::filesystem::absolute(folder, error).lexically_normal().string() + "\n";
    const auto there = std::filesystem::status(file, error);
    if (!std::filesystem::is_fifo(there) && !std::filesystem::is_character_file(there))
        return write_file_atomic(file, line);
    const UniqueFd fd(open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd || write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return make_error("folder-file", "nobody reads this pipe", "open it for reading first", Place{file, 0, 0});
    return {};
}

} // namespace

DriveResult drive(Run& run, bool json, const std::string& folder_file) {
    const Interrupts interrupts;
    auto control = ControlServer::open(run);
    if (!control)
        return {fail(exit_infrastructure, control.error()), true};
    if (auto told = tell_folder(folder_file, run.journal().folder()); !told)
        return {fail(exit_bad_input, told.error()), true};
    Terminal terminal;
    auto follower = Follower::open(run.journal().folder(), terminal, json);
    if (!follower)
        return {fail(exit_infrastructure, follower.error()), true};

    // A run that waits sleeps: what is written wakes the view, and only a live line needs a clock.
    run.journal().on_event([&](const Event&) { interrupts.wake(); });
    const bool live = terminal.has_live_line() && !json;
    const int tick_ms = live ? 50 : 250;
    RunResult result;
    std::atomic<bool> ended = false;
    std::jthread worker([&] {
        result = run.run();
        ended = true;
        interrupts.wake();
    });
    int seen = 0;
    Status shown;
    while (!ended) {
        if (shown)
            shown = (*follower)->step(live ? model_progress(run.live_reply().to_json()) : std::string());
        if (interrupts.count() > seen) {
            if (seen++ > 0)
                leave_at_once((*control)->path());
            run.steering().stop_now("terminal");
            terminal.print(std::vector<std::string>{});
            std::fputs("\nkernelforge: stopping; once more stops at once\n", stderr);
        }
        interrupts.wait(tick_ms);
    }
    worker.join();
    run.journal().on_event({});
    if (shown)
        shown = (*follower)->finish();
    if (!shown)
        fail(exit_infrastructure, shown.error());
    if (result.end == RunEnd::infrastructure || result.end == RunEnd::no_champion)
        fail(exit_infrastructure,
             make_error(result.reason, result.text,
                        !result.remedy.empty()                 ? result.remedy
                        : result.end == RunEnd::infrastructure ? "kernelforge doctor checks this machine"
                                                               : ""));
    return {code_of_end(result.end), (*follower)->state().status() == RunStatus::empty};
}

} // namespace kf::cli
