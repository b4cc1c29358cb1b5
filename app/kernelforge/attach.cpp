// SPDX-License-Identifier: GPL-3.0-or-later
// `attach`: follows a run that another process drives, or tells it something.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/evaluation_text.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/follow.h"
#include "app/kernelforge/interrupt.h"
#include "app/kernelforge/model_options.h"
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
    std::string hint, bench, edit, level = "screen";
    std::vector<std::string> tunables, budgets;
    std::optional<std::int64_t> fork;
    ModelOptions model;
};

int exit_code_of(const RunState& state) {
    if (state.stop && state.stop->reason == "user")
        return exit_stopped;
    if (state.stop &&
        (state.stop->reason == "infrastructure" || state.stop->reason == "model" || state.stop->reason == "journal"))
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

// {"turns=20", …} as the order's parameters; 0 is no limit.
Result<Json> read_budgets(const std::vector<std::string>& texts) {
    static const std::vector<std::string> names = {"turns", "tokens", "money", "minutes", "device_minutes"};
    Json budgets = Json::object();
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        auto value = parse_json(equals == std::string::npos ? "" : text.substr(equals + 1), "--budget");
        if (std::find(names.begin(), names.end(), name) == names.end() || !value || !value->is_number())
            return make_error("usage", "--budget: `" + text.substr(0, 60) + "` is not NAME=NUMBER",
                              "NAME is turns, tokens, money, minutes or device_minutes; 0 is no limit");
        budgets[name] = *value;
    }
    return budgets;
}

int bench(ControlClient& client, const AttachOptions& options) {
    const std::string& file = options.edit.empty() ? options.bench : options.edit;
    auto source = read_candidate(file);
    if (!source)
        return fail(exit_bad_input, source.error());
    auto tunables = read_tunables(options.tunables);
    if (!tunables)
        return fail(exit_bad_input, tunables.error());
    auto answer = client.request(options.edit.empty() ? "bench" : "edit",
                                 Json{{"who", "attach"},
                                      {"source", *source},
                                      {"hint", options.hint},
                                      {"file_name", std::filesystem::path(file).filename().string()},
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
    if (options.bench.empty() && options.edit.empty() && (options.level != "screen" || !options.tunables.empty()))
        return fail(exit_bad_input, make_error("usage", "attach: --level and --tunable need --bench or --edit",
                                               "see kernelforge attach --help"));
    const LockInfo lock = lock_info(*folder);
    if (lock.state != LockState::held)
        return fail(exit_bad_input, make_error("run-not-running", "nobody drives this run now",
                                               "`kernelforge replay` shows it, `kernelforge resume` goes on with it",
                                               Place{folder->string(), 0, 0}));
    auto change = options.model.change();
    if (!change)
        return fail(exit_bad_input, change.error());
    auto budgets = read_budgets(options.budgets);
    if (!budgets)
        return fail(exit_bad_input, budgets.error());
    const bool bench_or_edit = !options.bench.empty() || !options.edit.empty();
    const int orders = options.stop + options.stop_after_turn + options.pause + options.go_on + !options.hint.empty() +
                       bench_or_edit + options.fork.has_value() + !change->empty() + !budgets->empty();
    if (orders == 0)
        return follow(*folder, options.json);
    auto client = ControlClient::connect(lock.control_socket);
    if (!client)
        return fail(code_of(client.error()), client.error());
    if (bench_or_edit)
        return bench(**client, options);
    if (options.fork)
        return tell(**client, "fork", Json{{"turn", *options.fork}, {"hint", options.hint}});
    if (!change->empty())
        return tell(**client, "model", *change);
    if (!budgets->empty())
        return tell(**client, "budget", *budgets);
    if (!options.hint.empty())
        return tell(**client, "hint", Json{{"text", options.hint}});
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
        command->add_option("--fork", options->fork, "grow the model's next turn from this turn (--hint goes with it)")
            ->check(whole_number(0, 1'000'000'000)),
        command->add_option("--edit", options->edit,
                            "judge this kernel, then grow the model's next turn from it (--hint goes with it)"),
        command->add_option("--budget", options->budgets,
                            "new total: turns=20, tokens=N, money=X, minutes=N, device_minutes=N; 0 is no limit"),
        command->add_option("--bench", options->bench, "judge this kernel before the run's next evaluation"),
    };
    for (std::size_t i = 0; i < orders.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            orders[i]->excludes(orders[k]);
    CLI::Option* const hint = command->add_option("--hint", options->hint, "a hint for the next turn");
    for (const CLI::Option* order : orders)
        if (order->get_name() != "--fork" && order->get_name() != "--edit")
            hint->excludes(const_cast<CLI::Option*>(order));
    const std::vector<CLI::Option*> of_model = {
        command->add_option("--model", options->model.model, "ask this model from the next turn on"),
        command->add_option("--provider", options->model.provider, "ask there from the next turn on: an id or a URL"),
        command->add_option("--temperature", options->model.temperature, "0 to 2, from the next turn on")
            ->check(CLI::Range(0.0, 2.0)),
        command->add_option("--reasoning", options->model.reasoning, "thinking: automatic, off, low or full")
            ->check(one_of({"automatic", "off", "low", "full"})),
    };
    for (CLI::Option* one : of_model) {
        hint->excludes(one);
        for (CLI::Option* order : orders)
            one->excludes(order);
    }
    command->add_option("--level", options->level, "evidence of --bench and --edit: screen, duel or certify (screen)")
        ->check(one_of({"screen", "duel", "certify"}));
    command
        ->add_flag("--quick", options->quick,
                   "--bench is answered after its first cases; the run judges the others later")
        ->needs(orders.back());
    command->add_option("--tunable", options->tunables, "NAME=NUMBER for --bench and --edit");
    command->add_flag("--json", options->json, "events (or the outcome of --bench) as JSON, one a line");
    command->callback([options, &action] { action = [options] { return attach(*options); }; });
}

} // namespace kf::cli
