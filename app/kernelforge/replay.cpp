// SPDX-License-Identifier: GPL-3.0-or-later
// `replay`: a recorded run, from its folder or a .kfrun file, as it was seen live.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/follow.h"
#include "app/kernelforge/interrupt.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/recorded.h"
#include "app/kernelforge/run_lookup.h"
#include "core/base/deadline.h"
#include "core/journal/packed_run.h"

#include <optional>
#include <unistd.h>

namespace kf::cli {
namespace {

constexpr double longest_gap_s = 10; // what lies between two parts of a resumed run is not waited for

struct ReplayOptions {
    RunLookup run;
    double speed = 0; // 0: not given
    bool fast = false, json = false, again = false;
};

// Waits as long as the run did, `speed` times faster. False when a person interrupts it.
bool wait_like_the_run(double seconds, double speed, const Interrupts& interrupts, RunView& view, double now) {
    const Deadline until = deadline_after(std::min(seconds, longest_gap_s) / speed);
    for (double left = seconds_left(until); left > 0 && interrupts.count() == 0; left = seconds_left(until)) {
        view.show_live(now - left * speed);
        interrupts.wait(static_cast<int>(std::min(left * 1000 + 1, 200.0)));
    }
    return interrupts.count() == 0;
}

// The same turns and replies, judged anew, with no server.
int repeat(const ReplayOptions& options) {
    ModelOptions model;
    model.record = options.run.run;
    auto recorded = recorded_run(options.run.run, options.run.runs, model, std::nullopt);
    if (!recorded)
        return fail(code_of(recorded.error()), recorded.error());
    return start(recorded->task, recorded->settings, StartOptions{options.run.runs, "", "", options.json});
}

int replay(const ReplayOptions& options) {
    if (options.again)
        return repeat(options);
    std::optional<PackedRun> packed;
    std::filesystem::path folder;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(options.run.run, ignored)) {
        auto opened = PackedRun::open(options.run.run);
        if (!opened)
            return fail(code_of(opened.error()), opened.error());
        packed = std::move(*opened);
        folder = packed->folder();
        for (const std::string& member : packed->skipped())
            (void)fail(exit_ok, make_error("packed-skipped", "`" + member + "` is no part of a run and was left out",
                                           {}, Place{options.run.run, 0, 0}));
    } else {
        auto found = options.run.find();
        if (!found)
            return fail(exit_bad_input, found.error());
        folder = *found;
    }
    auto reader = JournalReader::open(folder);
    if (!reader)
        return fail(exit_bad_input, reader.error());
    auto events = reader->poll();
    if (!events)
        return fail(exit_bad_input, events.error());
    const std::string shown = packed ? options.run.run : folder.string();
    const auto readable = [](const Event& event) { return event.type != EventType::unreadable; };
    if (std::none_of(events->begin(), events->end(), readable))
        return fail(exit_bad_input,
                    make_error("journal-unreadable", "there is no event in this journal that can be read",
                               "name another run: kernelforge runs lists them", Place{shown, 0, 0}));

    const Interrupts interrupts;
    Terminal terminal;
    // On a pipe nobody watches, so nothing is waited for unless a speed was asked for.
    const bool timed = !options.fast && (options.speed > 0 || (terminal.has_live_line() && !options.json));
    const double speed = options.speed > 0 ? options.speed : 8;
    if (!options.json)
        terminal.print(paint("REPLAY of " + plain_text(shown), Tint::dim, terminal.style()));
    RunView view(terminal, options.json, shown, [&](const std::string& hash) { return reader->blob(hash); });
    double last = 0;
    for (const Event& event : *events) {
        if (timed && last > 0 && readable(event) &&
            !wait_like_the_run(event.time - last, speed, interrupts, view, event.time))
            return exit_stopped;
        if (readable(event))
            last = event.time;
        view.show(event);
        if (terminal.broken())
            return exit_ok;
    }
    view.show_end(packed ? LockState::free : lock_info(folder).state);
    return exit_ok;
}

} // namespace

void add_replay(CLI::App& app, Action& action) {
    auto options = std::make_shared<ReplayOptions>();
    CLI::App* command = app.add_subcommand("replay", "show a recorded run as it was seen live");
    options->run.add_to(*command);
    command->get_option("RUN")->description("a .kfrun file, a path, a name, beginning of a name or id, or \"last\"");
    CLI::Option* speed = command->add_option("--speed", options->speed, "so many times faster than it was (8)")
                             ->check(positive_number());
    command->add_flag("--fast", options->fast, "without waiting (so on a pipe)")->excludes(speed);
    command
        ->add_flag("--again", options->again,
                   "a new run of the same turns from the recorded replies, judged anew, with no server")
        ->excludes(speed);
    command->add_flag("--json", options->json, "the journal's events on standard output, one a line");
    command->callback([options, &action] { action = [options] { return replay(*options); }; });
}

} // namespace kf::cli
