// SPDX-License-Identifier: GPL-3.0-or-later
// An evaluator that judges nothing: it speaks the protocol and answers by script, so that every fault of the real one
// can be had on demand. It takes and ignores the real one's arguments.
//
// Environment (through a launcher: `env KF_FAKE_START=banner …`):
//   KF_FAKE_START   banner | old | mute | exit | flood | nonsense: what comes instead of, or before, the handshake
//   KF_FAKE_STATE   folder for what must be remembered over a restart (the …-once directives)
// Directives are lines `// fake: WORD …` of the kernel's source:
//   speed X             so many times faster than one millisecond a call
//   tunable NAME V F    speed times F where tunable NAME has value V
//   fail CLASS          the candidate's fault
//   infrastructure[-once], crash[-once], garbage[-once], hang, flood
//   slow MS             takes so long, a round every 50 ms; hears a cancellation
//   cases N             the task has so many cases (2)
//   late-fail CLASS     wrong in a case that is not among the first two
//   late-slow MS        the cases that are not among the first two take so long
//   device S            claims so many seconds of device time (0.01)
#include "core/autopsy/evaluation.h"
#include "core/base/sha256.h"
#include "core/candidate/resolve.h"
#include "core/protocol/handshake.h"
#include "core/protocol/server.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace {

using namespace kf;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void write_raw(const std::string& text) {
    (void)!write(STDOUT_FILENO, text.data(), text.size());
}

[[noreturn]] void flood() {
    const std::string line = std::string(1000, 'x') + "\n";
    for (;;)
        if (write(STDOUT_FILENO, line.data(), line.size()) < 0)
            _exit(9);
}

[[noreturn]] void sleep_for_ever() {
    for (;;)
        pause();
}

// True the first time that this kernel asks for it, over all processes of the run.
bool first_time(const std::string& word, const std::string& source) {
    const std::string file = environment("KF_FAKE_STATE") + "/" + word + "-" + sha256(source).substr(0, 12);
    const int fd = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

struct Script {
    double speed = 1, device_s = 0.01;
    int slow_ms = 0, late_slow_ms = 0, cases = 2;
    std::string fail, late_fail, act;
};

Script read_script(const std::string& source, const Json& tunables) {
    Script script;
    std::istringstream lines(source);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find("// fake: ");
        if (at == std::string::npos)
            continue;
        std::istringstream words(line.substr(at + 9));
        std::string word;
        words >> word;
        if (word == "speed") {
            words >> script.speed;
        } else if (word == "tunable") {
            std::string name;
            std::int64_t value = 0;
            double factor = 1;
            words >> name >> value >> factor;
            if (get_int(tunables, name.c_str(), -1) == value)
                script.speed *= factor;
        } else if (word == "fail") {
            words >> script.fail;
        } else if (word == "slow") {
            words >> script.slow_ms;
        } else if (word == "cases") {
            words >> script.cases;
        } else if (word == "late-fail") {
            words >> script.late_fail;
        } else if (word == "late-slow") {
            words >> script.late_slow_ms;
        } else if (word == "device") {
            words >> script.device_s;
        } else if (word.ends_with("-once")) {
            if (first_time(word, source))
                script.act = word.substr(0, word.size() - 5);
        } else {
            script.act = word;
        }
    }
    return script;
}

TimingSummary timing(double speed) {
    TimingSummary summary;
    summary.size = "cpu";
    summary.median = 1e-3 / speed;
    summary.q1 = summary.median * 0.99;
    summary.q3 = summary.median * 1.01;
    summary.samples = 6;
    summary.timer = "fake";
    return summary;
}

Duel duel_of(double speed, double other, const std::string& against, Level level) {
    Duel duel;
    duel.against = against;
    Decision& decision = duel.decision;
    const double log_ratio = std::log(speed / other);
    decision.level = level;
    decision.interval = Interval::from_logs(log_ratio, log_ratio - 0.01, log_ratio + 0.01);
    decision.verdict = log_ratio > 0.01 ? Ratio::faster : log_ratio < -0.01 ? Ratio::slower : Ratio::equivalent;
    decision.reason = decision.verdict == Ratio::equivalent ? Reason::within_delta : Reason::beyond_limit;
    decision.look = 1;
    decision.rounds = 6;
    return duel;
}

StageReport stage(Stage which, StageReport::Outcome outcome = StageReport::Outcome::passed) {
    StageReport report;
    report.stage = which;
    report.outcome = outcome;
    report.seconds = 0.001;
    return report;
}

void measure(RpcCall& call, const Script& script, Evaluation& evaluation) {
    evaluation.stages.push_back(stage(Stage::measure));
    evaluation.timings = {timing(script.speed)};
    const Json& against = get_member(call.params(), "against");
    if (against.is_object()) {
        for (int round = 1; round <= 6; ++round)
            (void)call.progress(Json{{"event", "round"}, {"round", round}, {"of", 6}, {"size", "cpu"}});
        const Script other = read_script(get_string(against, "source"), get_member(against, "tunables"));
        evaluation.duel = duel_of(script.speed, other.speed, get_string(against, "name"), evaluation.level);
    }
    for (const Json& baseline : get_member(call.params(), "baselines"))
        evaluation.baselines.push_back(duel_of(script.speed, 2, baseline.get<std::string>(), evaluation.level));
}

Result<Json> evaluate(RpcCall& call) {
    const Json& params = call.params();
    const std::string source = get_string(params, "source");
    const Json& tunables = get_member(params, "tunables");
    const Script script = read_script(source, tunables);
    (void)call.progress(Json{{"event", "started"}});
    (void)call.progress(Json{{"event", "stage_started"}, {"stage", "compile"}});
    (void)call.progress(Json{{"event", "stage_ended"}, {"report", to_json(stage(Stage::compile))}});
    EvaluationOutcome outcome;
    if (script.act == "crash")
        raise(SIGSEGV);
    if (script.act == "hang")
        sleep_for_ever();
    if (script.act == "flood")
        flood();
    if (script.act == "garbage")
        write_raw("{this is not a message\n");
    if (script.act == "infrastructure") {
        outcome.outcome = Outcome::infrastructure;
        outcome.what = "the device fell off the bus";
        outcome.retry_sensible = true;
        return to_json(outcome);
    }
    const std::string part = get_string(params, "cases", "all");
    const int first = std::min(2, script.cases);
    const int begin = part == "rest" ? first : 0, end = part == "first" ? first : script.cases;
    const bool late = end > first;
    const auto start = std::chrono::steady_clock::now();
    const auto until = start + std::chrono::milliseconds(script.slow_ms + (late ? script.late_slow_ms : 0));
    for (int round = 0; std::chrono::steady_clock::now() < until;) {
        if (call.cancelled()) {
            outcome.outcome = Outcome::cancelled;
            outcome.what = "cancelled on request";
            return to_json(outcome);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (std::chrono::steady_clock::now() > start + (round + 1) * std::chrono::milliseconds(50))
            (void)call.progress(Json{{"event", "round"}, {"round", ++round}, {"of", 1000}, {"size", "cpu"}});
    }
    const std::string& fail = script.fail.empty() && late ? script.late_fail : script.fail;
    Evaluation evaluation;
    evaluation.id = "fake";
    evaluation.level = parse_level(get_string(params, "level")).value_or(Level::screen);
    evaluation.device = "cpu";
    evaluation.device_name = "Fake device";
    evaluation.candidate_hash = sha256(source);
    for (const auto& [name, value] : tunables.items())
        evaluation.tunables[name] = value.get<std::int64_t>();
    evaluation.seconds = script.device_s;
    evaluation.cases_total = script.cases;
    evaluation.stages = {stage(Stage::parse), stage(Stage::compile)};
    for (int i = begin; i < end; ++i) {
        CaseReport report;
        report.symbols = {{"R", i + 1}};
        report.passed = fail.empty() || i + 1 < end;
        evaluation.cases.push_back(report);
        (void)call.progress(
            Json{{"event", "case"}, {"report", to_json(report)}, {"index", i - begin}, {"total", end - begin}});
    }
    if (!fail.empty()) {
        evaluation.stages.push_back(stage(Stage::verify, StageReport::Outcome::failed));
        Failure failure;
        failure.stage = Stage::verify;
        failure.failure = parse_failure_class(fail).value_or(FailureClass::mismatch);
        failure.place = "out";
        failure.message = "the script says so";
        evaluation.failure = failure;
        outcome.outcome = Outcome::failed;
    } else {
        evaluation.stages.push_back(stage(Stage::verify));
        outcome.outcome = Outcome::verdict;
        if (get_bool(params, "measure", true))
            measure(call, script, evaluation);
    }
    outcome.evaluation = std::move(evaluation);
    return to_json(outcome);
}

Result<Json> compile(RpcCall& call) {
    const std::string source = get_string(call.params(), "source");
    EvaluationOutcome outcome;
    outcome.outcome = Outcome::verdict;
    Evaluation evaluation;
    evaluation.candidate_hash = sha256(source);
    evaluation.stages = {stage(Stage::parse), stage(Stage::compile), stage(Stage::inspect)};
    if (read_script(source, {}).fail == "compile") {
        evaluation.stages = {stage(Stage::parse), stage(Stage::compile, StageReport::Outcome::failed)};
        Failure failure;
        failure.stage = Stage::compile;
        failure.failure = FailureClass::compile;
        failure.message = "the script says so";
        failure.diagnostics = {Diagnostic{"error", Place{get_string(call.params(), "file_name"), 3, 5}, "no `;`"}};
        evaluation.failure = failure;
        outcome.outcome = Outcome::failed;
    }
    outcome.evaluation = std::move(evaluation);
    return to_json(outcome);
}

Result<Json> lint(RpcCall& call) {
    const bool ok = get_string(get_member(call.params(), "start"), "source").find("// fake: fail") == std::string::npos;
    Json findings = Json::array();
    if (!ok)
        findings.push_back(
            Json{{"severity", "error"}, {"check", "start"}, {"message", "the start kernel is rejected"}});
    return Json{{"ok", ok}, {"findings", std::move(findings)}};
}

void start(const std::string& how) {
    if (how == "banner")
        write_raw("Welcome to the cluster\r\n\x1b[31mScheduled maintenance: never\x1b[0m\nno newline at the end: \n");
    if (how == "mute")
        sleep_for_ever();
    if (how == "exit")
        _exit(7);
    if (how == "flood")
        flood();
    if (how == "nonsense") {
        write_raw("KERNELFORGE-EVALUATOR {\"protocol\":\n");
        sleep_for_ever();
    }
}

} // namespace

int main() {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    const std::string how = environment("KF_FAKE_START");
    start(how);
    auto channel = std::make_unique<FdChannel>(UniqueFd(dup(STDIN_FILENO)), UniqueFd(dup(STDOUT_FILENO)));
    Handshake handshake;
    handshake.build = "fake";
    handshake.pid = getpid();
    if (how == "old")
        handshake.protocol = {90, 91};
    handshake.devices = Json::array({{{"id", "cpu"},
                                      {"name", "Fake device"},
                                      {"labels", {"fake timings"}},
                                      {"limits", to_json(cpu_device_limits(std::int64_t{1} << 30))}}});
    if (!channel->write_line(format_handshake(handshake), deadline_after(10)))
        return 1;
    RpcServer server(std::move(channel));
    server.on_worker("evaluate", evaluate);
    server.on_worker("compile", compile);
    server.on_worker("lint", lint);
    server.on_worker("doctor", [](RpcCall&) {
        const auto check = [](const char* name) {
            return Json{{"name", name}, {"ok", true}, {"found", "scripted"}, {"remedy", ""}, {"disables", ""}};
        };
        return Result<Json>(
            Json{{"checks", {check("C++ compiler"), check("oracle (libtorch)"), check("cache folder")}}});
    });
    server.on_loop("shutdown", [&server](RpcCall&) {
        server.stop();
        return Result<Json>(Json::object());
    });
    const ServerEnd end = server.run();
    if (end.stuck_handlers > 0)
        _exit(3);
    return 0;
}
