// SPDX-License-Identifier: GPL-3.0-or-later
// `attach`: follows a run that another process drives, or tells it something.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/evaluation_text.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/follow.h"
#include "app/kernelforge/interrupt.h"
#include "app/kernelforge/options.h"
#include "app/kernelforge/run_lookup.h"

#include "core/engine/control_server.h"

#include <cstdio>

namespace kf::cli {
namespace {

constexpr double longest_bench_s = 3600; // it waits for the evaluation in flight, then for its own

struct AttachOptions {
    RunLookup run;
    bool stop = false, stop_after_turn = false, pause = false, go_on = false, quick = false, json = false;
    std::string hint, bench, level = "screen";
    std::vector<std::string> tunables;
};

int exit_code_of(const RunState& state) {
    if (state.stop && state.stop->reason == "user")
        return exit_stopped;
    if (state.stop && (state.stop->reason == "infrastructure" || state.stop->reason == "journal"))
        return exit_infrastructure;
    if (!state.end)
        return exit_infrastructure;
    return state.champion() ? exit_ok : exit_not_accepted;
}

int follow(const std::filesystem::path& folder, bool json) {
    const Interrupts interrupts;
    Terminal terminal;
    auto follower = Follower::open(folder, terminal, json);
    if (!follower)
        return fail(code_of(follower.error()), follower.error());
    for (;;) {
        if (auto shown = (*follower)->step(); !shown)
            return fail(code_of(shown.error()), shown.error());
        if (terminal.broken())
            return exit_ok;
        if (interrupts.count() > 0) {
            terminal.set_live("");
            std::fputs("\nkernelforge: detached; the run goes on\n", stderr);
            return exit_ok;
        }
        if (lock_info(folder).state != LockState::held)
            break;
        interrupts.wait(100);
    }
    if (auto shown = (*follower)->finish(); !shown)
        return fail(code_of(shown.error()), shown.error());
    if ((*follower)->state().status() == RunStatus::empty)
        return fail(exit_infrastructure, make_error("run-empty", "the run ended before it began", "start a new one",
                                                    Place{folder.string(), 0, 0}));
    return exit_code_of((*follower)->state());
}

int tell(ControlClient& client, const std::string& method, Json params) {
    params["who"] = "attach";
    auto answer = client.request(method, std::move(params));
    if (!answer)
        return fail(code_of(answer.error()), answer.error());
    const std::string effect = get_string(*answer, "effect");
    std::printf("%s: %s\n", method.c_str(),
                !effect.empty() ? plain_text(effect).c_str()
                                : ("for turn " + std::to_string(get_int(*answer, "turn", -1))).c_str());
    return exit_ok;
}

int bench(ControlClient& client, const AttachOptions& options) {
    auto source = read_candidate(options.bench);
    if (!source)
        return fail(exit_bad_input, source.error());
    auto tunables = read_tunables(options.tunables);
    if (!tunables)
        return fail(exit_bad_input, tunables.error());
    auto answer = client.request("bench",
                                 Json{{"who", "attach"},
                                      {"source", *source},
                                      {"file_name", std::filesystem::path(options.bench).filename().string()},
                                      {"tunables", *tunables},
                                      {"level", options.level},
                                      {"cases", options.quick ? "first" : "all"}},
                                 longest_bench_s);
    if (!answer)
        return fail(code_of(answer.error()), answer.error());
    if (options.json) {
        std::puts(dump_line(*answer).c_str());
        std::fflush(stdout);
    } else if (const std::int64_t turn = get_int(*answer, "turn", -1); turn >= 0) {
        std::printf("turn %lld\n", static_cast<long long>(turn));
        std::fflush(stdout);
    }
    auto outcome = evaluation_outcome_from_json(*answer);
    if (!outcome)
        return fail(exit_infrastructure, outcome.error());
    return show_outcome(*outcome, options.json, nullptr, nullptr);
}

int attach(const AttachOptions& options) {
    auto folder = options.run.find();
    if (!folder)
        return fail(exit_bad_input, folder.error());
    const LockInfo lock = lock_info(*folder);
    if (lock.state != LockState::held)
        return fail(exit_bad_input, make_error("run-not-running", "nobody drives this run now",
                                               "`kernelforge replay` shows it, `kernelforge resume` goes on with it",
                                               Place{folder->string(), 0, 0}));
    const int orders = options.stop + options.stop_after_turn + options.pause + options.go_on + !options.hint.empty() +
                       !options.bench.empty();
    if (orders == 0)
        return follow(*folder, options.json);
    auto client = ControlClient::connect(lock.control_socket);
    if (!client)
        return fail(code_of(client.error()), client.error());
    if (!options.hint.empty())
        return tell(**client, "hint", Json{{"text", options.hint}});
    if (!options.bench.empty())
        return bench(**client, options);
    if (options.pause || options.go_on)
        return tell(**client, options.pause ? "pause" : "continue", Json::object());
    return tell(**client, "stop", Json{{"after", options.stop ? "now" : "turn"}});
}

} // namespace

void add_attach(CLI::App& app, Action& action) {
    auto options = std::make_shared<AttachOptions>();
    CLI::App* command = app.add_subcommand("attach", "follow a run until its end (Ctrl-C detaches), or steer it");
    options->run.add_to(*command);
    const std::vector<CLI::Option*> orders = {
        command->add_flag("--stop", options->stop, "stop the run now"),
        command->add_flag("--stop-after-turn", options->stop_after_turn, "stop it when its turn has ended"),
        command->add_flag("--pause", options->pause, "pause it when its turn has ended"),
        command->add_flag("--continue", options->go_on, "go on after a pause"),
        command->add_option("--hint", options->hint, "a hint for the next turn"),
        command->add_option("--bench", options->bench, "judge this kernel before the run's next evaluation"),
    };
    for (std::size_t i = 0; i < orders.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            orders[i]->excludes(orders[k]);
    command->add_option("--level", options->level, "evidence of --bench: screen, duel or certify (screen)")
        ->check(one_of({"screen", "duel", "certify"}))
        ->needs(orders.back());
    command
        ->add_flag("--quick", options->quick,
                   "--bench is answered after its first cases; the run judges the others later")
        ->needs(orders.back());
    command->add_option("--tunable", options->tunables, "NAME=NUMBER for --bench")->needs(orders.back());
    command->add_flag("--json", options->json, "events (or the outcome of --bench) as JSON, one a line");
    command->callback([options, &action] { action = [options] { return attach(*options); }; });
}

} // namespace kf::cli
