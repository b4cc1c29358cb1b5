// SPDX-License-Identifier: GPL-3.0-or-later
// Many candidates through real evaluators, several at once, one in ten hostile; watches verdicts, memory of host and
// device, processes and descriptors. Resumable: what the results file has is not sent again. Exit code 1 when a verdict
// was wrong or something leaked or stayed.
#include "bench/gpu/soak/lane.h"
#include "bench/gpu/soak/plan.h"
#include "bench/gpu/soak/results.h"
#include "core/autopsy/evaluation.h"
#include "core/base/files.h"
#include "core/process/process_tree.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace {

using namespace kf;
using namespace kf::soak;

constexpr const char* usage = "usage: soak_gpu [--device cuda:0] [--count 1000] [--lanes 4] [--seconds 150] "
                              "[--deadline 2] [--hostile yes|no] [--cache FOLDER] [--results FILE]\n";
constexpr double most_grown_mib = 128;    // resident, of one helper in one lane after warming up
constexpr double most_device_mib = 64;    // used by others may move a little
constexpr double most_descriptors = 24;   // a standby that starts just then has some
constexpr double last_start_seconds = 12; // before the end no candidate is begun

struct Settings {
    std::string device = "cuda:0";
    long count = 1000, lanes = 4, seconds = 150, deadline = 2;
    bool hostile = true;
    std::filesystem::path cache = "soak-cache", results = "soak.jsonl";
};

std::optional<int> parse(int argc, char** argv, Settings& settings) {
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const char* value = i + 1 < argc ? argv[++i] : nullptr;
        const auto number = [&](long low, long high, long& out) {
            const auto [end, error] = std::from_chars(value, value + std::strlen(value), out);
            return error == std::errc() && *end == '\0' && out >= low && out <= high;
        };
        bool good = value != nullptr;
        if (good && name == "--device")
            settings.device = value;
        else if (good && name == "--count")
            good = number(1, 1000000, settings.count);
        else if (good && name == "--lanes")
            good = number(1, 32, settings.lanes);
        else if (good && name == "--seconds")
            good = number(1, 86400, settings.seconds);
        else if (good && name == "--deadline")
            good = number(1, 60, settings.deadline);
        else if (good && name == "--hostile")
            settings.hostile = std::strcmp(value, "no") != 0;
        else if (good && name == "--cache")
            settings.cache = value;
        else if (good && name == "--results")
            settings.results = value;
        else
            good = false;
        if (!good) {
            std::fputs(usage, name == "--help" ? stdout : stderr);
            return name == "--help" ? 0 : 2;
        }
    }
    return std::nullopt;
}

double seconds_since(Deadline start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int own_descriptors() {
    int count = 0;
    std::error_code ignored;
    for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", ignored);
         !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored))
        ++count;
    return count;
}

// MiB in use on the device by nvidia-smi; nothing where that is not to be had.
std::optional<double> device_mib() {
    ChildSpec spec;
    spec.argv = {"nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-i", "0"};
    RunLimits limits;
    limits.deadline = deadline_after(20);
    const auto told = run_to_end(spec, limits);
    if (!told || !told->succeeded())
        return std::nullopt;
    return std::atof(told->out.c_str());
}

// Our helpers anywhere on the machine, by name.
int helpers_alive() {
    int found = 0;
    std::error_code ignored;
    for (auto entry = std::filesystem::directory_iterator("/proc", ignored);
         !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
        const auto name = read_file(entry->path() / "comm", 64);
        if (name && (name->rfind("kf-cuda", 0) == 0 || name->rfind("kf-nvrtc", 0) == 0 ||
                     name->rfind("kf-oracle", 0) == 0 || name->rfind("kf-evaluator", 0) == 0))
            ++found;
    }
    return found;
}

class Soak {
public:
    Soak(Settings settings, WorkList list)
        : m_settings(std::move(settings)), m_list(std::move(list)), m_results(m_settings.results) {}
    int run();

private:
    void work(int number);
    Json judge(Lane& lane, const Order& work);
    void tell_progress();
    bool time_is_up() const {
        return seconds_since(m_begin) > static_cast<double>(m_settings.seconds) - last_start_seconds;
    }

    Settings m_settings;
    WorkList m_list;
    Results m_results;
    std::vector<std::unique_ptr<Lane>> m_lanes;
    Deadline m_begin;
    std::int64_t m_part = 0;
    std::atomic<long> m_next = 0, m_done = 0, m_wrong = 0, m_restarts = 0, m_killed = 0;
    std::atomic<bool> m_ending = false;
};

Json Soak::judge(Lane& lane, const Order& work) {
    const Deadline start = std::chrono::steady_clock::now();
    std::string verdict, what;
    if (auto answer = lane.request("evaluate", work.request, 90)) {
        if (auto outcome = evaluation_outcome_from_json(*answer)) {
            what = outcome->what;
            verdict = outcome->evaluation ? outcome->evaluation->verdict() : std::string(to_string(outcome->outcome));
            if (outcome->evaluation && outcome->evaluation->failure)
                what = outcome->evaluation->failure->message;
        } else {
            verdict = "no answer";
            what = to_string(outcome.error());
        }
    } else {
        verdict = "no answer";
        what = to_string(answer.error());
    }
    const bool ok = std::find(work.expected.begin(), work.expected.end(), verdict) != work.expected.end();
    return Json{{"i", work.index},       {"task", work.task}, {"kind", work.kind},
                {"verdict", verdict},    {"ok", ok},          {"seconds", seconds_since(start)},
                {"what", ok ? "" : what}};
}

void Soak::work(int number) {
    Lane& lane = *m_lanes[static_cast<std::size_t>(number)];
    while (!time_is_up()) {
        const long index = m_next++;
        if (index >= m_settings.count)
            return;
        if (m_results.has(index))
            continue;
        if (!lane.alive()) {
            ++m_restarts;
            if (auto started = lane.start(); !started) {
                std::printf("soak: lane %d does not start again: %s\n", number, to_string(started.error()).c_str());
                std::fflush(stdout);
                return;
            }
        }
        Json line = judge(lane, m_list.at(index));
        const Footprint print = lane.footprint();
        line["lane"] = number;
        line["part"] = m_part;
        line["at"] = seconds_since(m_begin);
        line["evaluator_kib"] = print.evaluator_kib;
        line["oracle_kib"] = print.oracle_kib;
        if (print.compiler_kib > 0)
            line["compiler_kib"] = print.compiler_kib;
        line["descriptors"] = print.descriptors;
        ++m_done;
        if (!get_bool(line, "ok", false)) {
            if (++m_wrong <= 12)
                std::printf("soak: WRONG %ld %s, %s: %s (%s)\n", index, get_string(line, "task").c_str(),
                            get_string(line, "kind").c_str(), get_string(line, "verdict").c_str(),
                            get_string(line, "what").substr(0, 200).c_str());
            std::fflush(stdout);
        }
        m_results.add(std::move(line));
    }
}

void Soak::tell_progress() {
    for (int tick = 1; !m_ending; ++tick) {
        for (int i = 0; i < 10 && !m_ending; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1000));
        const double seconds = seconds_since(m_begin);
        std::printf("soak: %ld done in %.0f s (%.0f an hour), %ld wrong, %ld restarts\n", m_done.load(), seconds,
                    static_cast<double>(m_done) / seconds * 3600, m_wrong.load(), m_restarts.load());
        std::fflush(stdout);
    }
}

int Soak::run() {
    for (const Json& line : m_results.lines())
        m_part = std::max(m_part, get_int(line, "part") + 1);
    const auto mib_before = device_mib();
    const int helpers_before = helpers_alive();
    m_begin = std::chrono::steady_clock::now();
    for (int i = 0; i < m_settings.lanes; ++i)
        m_lanes.push_back(std::make_unique<Lane>(m_settings.device, m_settings.cache));
    // The first makes the judge's kernels, the others find them; that costs no candidate its time.
    if (auto started = m_lanes[0]->start(); !started) {
        std::printf("soak: no evaluator: %s\n", to_string(started.error()).c_str());
        return 3;
    }
    const Json facts = m_lanes[0]->facts();
    std::printf("soak: %s, confinement %s\n", get_string(facts, "name").c_str(),
                get_member(get_member(facts, "facts"), "confinement").dump().c_str());
    if (get_string(get_member(facts, "facts"), "sandbox") == "none") {
        std::printf("soak: no confinement, so the candidates go as a person's\n");
        m_list.set_author("file");
    }
    {
        std::vector<std::thread> starting;
        std::atomic<int> failed = 0;
        for (std::size_t i = 1; i < m_lanes.size(); ++i)
            starting.emplace_back([&, i] {
                if (auto started = m_lanes[i]->start(); !started) {
                    std::printf("soak: lane %zu: %s\n", i, to_string(started.error()).c_str());
                    ++failed;
                }
            });
        for (std::thread& thread : starting)
            thread.join();
        if (failed > 0)
            return 3;
    }
    std::printf("soak: %ld evaluators ready after %.1f s, %zu lines are there already\n", m_settings.lanes,
                seconds_since(m_begin), m_results.size());
    std::fflush(stdout);
    m_begin = std::chrono::steady_clock::now();
    const int descriptors_before = own_descriptors();
    std::thread progress([this] { tell_progress(); });
    std::vector<std::thread> workers;
    for (int i = 0; i < m_settings.lanes; ++i)
        workers.emplace_back([this, i] { work(i); });
    double mib_most = 0;
    std::thread device([&] {
        while (!m_ending) {
            mib_most = std::max(mib_most, device_mib().value_or(0));
            for (int i = 0; i < 50 && !m_ending; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    });
    for (std::thread& worker : workers)
        worker.join();
    m_ending = true;
    progress.join();
    device.join();
    const int descriptors_after = own_descriptors();
    for (auto& lane : m_lanes)
        m_killed += lane->stop() ? 0 : 1;
    m_lanes.clear();
    std::this_thread::sleep_for(std::chrono::milliseconds(500)); // the driver lets go a moment after the process
    const auto mib_after = device_mib();
    const int helpers_after = helpers_alive();
    const std::size_t left = process_tree(getpid()).size() - 1;

    Json all = summary(m_results.lines());
    Json machine = Json::array();
    char text[256];
    const auto told = [&](const char* what) { machine.push_back({{"what", what}, {"figure", std::string(text)}}); };
    bool leaked = false;
    if (mib_before && mib_after) {
        std::snprintf(text, sizeof text, "%.0f MiB before, at most %.0f, %.0f after", *mib_before, mib_most,
                      *mib_after);
        leaked = leaked || *mib_after > *mib_before + most_device_mib;
    } else {
        std::snprintf(text, sizeof text, "not known: nvidia-smi does not answer");
    }
    told("device memory in use");
    std::snprintf(text, sizeof text, "%d before, %d after; children of the soak left: %zu; evaluators killed: %ld",
                  helpers_before, helpers_after, left, m_killed.load());
    told("helper processes on the machine");
    std::snprintf(text, sizeof text, "%d at the start, %d at the end; evaluators restarted: %ld", descriptors_before,
                  descriptors_after, m_restarts.load());
    told("descriptors of the soak");
    std::snprintf(text, sizeof text, "%s", get_member(get_member(facts, "facts"), "sandbox").dump().c_str());
    told("confinement");
    all["machine"] = machine;
    for (const char* field : {"evaluator_kib", "oracle_kib", "compiler_kib"})
        leaked = leaked || get_double(get_member(get_member(all, "slopes"), field), "grown") > most_grown_mib * 1024;
    leaked = leaked || get_double(get_member(get_member(all, "slopes"), "descriptors"), "grown") > most_descriptors;
    leaked = leaked || helpers_after > helpers_before || left > 0 || descriptors_after > descriptors_before + 4 ||
             m_killed > 0;
    all["leaked"] = leaked;
    const std::string device_name = get_string(facts, "name");
    std::ofstream(m_settings.results.string() + ".summary.json") << all.dump(1) << "\n";
    std::ofstream(m_settings.results.string() + ".md") << markdown(all, device_name);
    std::fputs(markdown(all, device_name).c_str(), stdout);
    std::printf("soak: %zu of %ld candidates, %lld wrong, %s\n", m_results.size(), m_settings.count,
                static_cast<long long>(get_int(all, "wrong")),
                leaked ? "something LEAKED or stayed" : "nothing leaked");
    return get_int(all, "wrong") > 0 || leaked || m_restarts > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
    Settings settings;
    if (const auto code = parse(argc, argv, settings))
        return *code;
    signal(SIGPIPE, SIG_IGN);
    settings.cache = std::filesystem::absolute(settings.cache);
    auto list = WorkList::make(std::filesystem::path(KF_SOURCE_DIR) / "tasks", settings.hostile,
                               static_cast<double>(settings.deadline));
    if (!list) {
        std::fprintf(stderr, "soak_gpu: %s\n", to_string(list.error()).c_str());
        return 2;
    }
    return Soak(std::move(settings), std::move(*list)).run();
}
