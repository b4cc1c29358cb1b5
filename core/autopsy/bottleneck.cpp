// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autopsy/bottleneck.h"

#include "core/candidate/resolve.h"

#include <cstdlib>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace kf {
namespace {

struct Finding {
    std::string name; // "spills"
    double confidence = 0;
    std::string headline, cause;
    std::vector<std::string> tries;
    std::vector<EvidenceRef> evidence;
};

std::string figure(double value, const char* unit) {
    char text[64];
    std::snprintf(text, sizeof text, "%.4g%s%s", value, *unit ? " " : "", unit);
    return text;
}

std::string seconds_text(double seconds) {
    return seconds < 1e-3 ? figure(seconds * 1e6, "µs")
           : seconds < 1  ? figure(seconds * 1e3, "ms")
                          : figure(seconds, "s");
}

EvidenceRef metric(std::string name, std::string text) {
    return {EvidenceRef::Kind::metric, std::move(name), std::move(text)};
}

// What the compiler said of the worst kernel: evidence of the compile stage holds objects with "registers", at whatever
// depth its helper put them.
struct CompilerFigures {
    bool known = false;
    std::string spill_kernel, register_kernel;
    std::int64_t spill_bytes = 0, registers = 0;
};

void collect_figures(const Json& json, CompilerFigures& figures, int depth = 0) {
    if (depth > 8)
        return;
    if (json.is_object() && json.contains("registers")) {
        figures.known = true;
        const std::string name = get_string(json, "name");
        const std::int64_t spilled = get_int(json, "spill_stores") + get_int(json, "spill_loads");
        if (spilled > figures.spill_bytes) {
            figures.spill_bytes = spilled;
            figures.spill_kernel = name;
        }
        if (get_int(json, "registers") > figures.registers) {
            figures.registers = get_int(json, "registers");
            figures.register_kernel = name;
        }
    }
    if (json.is_structured())
        for (const Json& member : json)
            collect_figures(member, figures, depth + 1);
}

class Search {
public:
    Search(const Evaluation& evaluation, const Candidate* candidate, const Task* task, Autopsy& autopsy)
        : m_evaluation(evaluation), m_candidate(candidate), m_task(task), m_autopsy(autopsy) {}

    void run() {
        if (!m_evaluation.timings.empty()) {
            m_timing = &m_evaluation.timings.front();
            for (const TimingSummary& timing : m_evaluation.timings)
                if (timing.median > m_timing->median)
                    m_timing = &timing;
        }
        resolve();
        at_floor();
        spills();
        fallback();
        scratch();
        launches();
        atomics();
        registers();
        conclude();
    }

private:
    void add(Finding finding) { m_findings.push_back(std::move(finding)); }
    void unknown(std::string what) { m_autopsy.unknowns.push_back(std::move(what)); }

    void resolve() {
        if (!m_candidate || !m_task || !m_timing) {
            unknown("traffic through scratch buffers: plan, task or timing is not at hand");
            return;
        }
        TaskCase timed;
        timed.symbols = m_timing->symbols;
        timed.size = m_timing->size;
        DeviceLimits limits = cpu_device_limits(0);
        if (m_evaluation.device.rfind("cpu", 0) != 0) {
            unknown("traffic through scratch buffers: the plan is resolved on the CPU device only");
            return;
        }
        auto plan = resolve_plan(*m_candidate, *m_task, timed, m_evaluation.tunables, limits);
        if (!plan) {
            unknown("traffic through scratch buffers: the plan could not be resolved (" + plan.error().message + ")");
            return;
        }
        m_plan = std::move(*plan);
        SymbolTable scope;
        for (const auto& [name, value] : timed.symbols)
            scope.set(name, value);
        const auto read = m_task->work.read.real(scope), written = m_task->work.written.real(scope);
        if (read && written)
            m_least_bytes = *read + *written;
    }

    void at_floor() {
        if (!m_timing || !m_timing->at_floor)
            return;
        add({"timer-floor",
             0.95,
             "the measured size is so small that starting the kernel is what is timed",
             "a call takes hardly longer than an empty one",
             {"compare at a larger size", "use fewer launches"},
             {metric("time", seconds_text(m_timing->median) + " a call"),
              metric("floor", seconds_text(m_timing->floor) + " an empty call")}});
    }

    void spills() {
        for (const StageReport& report : m_evaluation.stages)
            if (report.stage == Stage::compile)
                collect_figures(report.evidence, m_figures);
        if (!m_figures.known) {
            unknown("registers and spills: this device's compiler does not report them");
            return;
        }
        if (m_figures.spill_bytes > 0)
            add({"spills",
                 0.85,
                 "registers spill to memory",
                 "more live values than registers",
                 {"smaller tiles or less unrolling per thread", "a lower `maxreg` does not help; fewer live values do"},
                 {metric("spill_bytes",
                         std::to_string(m_figures.spill_bytes) + " bytes a thread in " + m_figures.spill_kernel)}});
    }

    void registers() {
        if (m_figures.registers >= 128 && m_figures.spill_bytes == 0)
            add({"registers",
                 0.4,
                 "many registers a thread keep few threads resident",
                 "too few warps are resident to hide memory latency",
                 {"smaller tiles per thread", "try `option maxreg(…)` with a tunable"},
                 {metric("registers",
                         std::to_string(m_figures.registers) + " a thread in " + m_figures.register_kernel)}});
    }

    void fallback() {
        // A skipped launch beside one that ran: a fast path that the timed size does not take.
        std::string skipped;
        for (const std::string& statement : m_evaluation.skipped)
            if (statement.find("launch") != std::string::npos && skipped.empty())
                skipped = statement;
        if (skipped.empty() || is_general_path(skipped))
            return;
        add({"fallback-path",
             0.55,
             "the timed size skips one of the candidate's paths",
             "a condition sends the timed size to another path than the (perhaps faster) skipped one",
             {"check the `when` conditions: does the vectorised path cover the timed size?",
              "widen the fast path with a scalar tail instead of a second kernel"},
             {{EvidenceRef::Kind::line, skipped.substr(0, skipped.find(": launch")), skipped}}});
    }

    // A launch that stands behind one that ran is the general path after the fast one: that it is skipped is as it
    // should be.
    bool is_general_path(const std::string& skipped) const {
        if (!m_plan || !m_candidate || skipped.rfind("line ", 0) != 0)
            return false;
        const int line = std::atoi(skipped.c_str() + 5);
        for (const ResolvedStep& step : m_plan->steps)
            if (const auto* launch = std::get_if<ResolvedLaunch>(&step))
                if (m_candidate->plan.statements[static_cast<std::size_t>(launch->statement)].place.line < line)
                    return true;
        return false;
    }

    void scratch() {
        if (!m_plan || !(m_least_bytes > 0))
            return;
        double bytes = 0;
        for (const ResolvedBuffer& buffer : m_plan->buffers)
            if (buffer.kind == BufferKind::scratch && !buffer.in_prepare)
                bytes += static_cast<double>(buffer.bytes);
        const double share = 2 * bytes / m_least_bytes; // written once and read once at least
        if (share >= 0.25)
            add({"scratch-traffic",
                 std::min(0.8, 0.4 + 0.2 * share),
                 "intermediate results travel through memory",
                 "what one step writes to scratch the next reads back",
                 {"fuse the steps, so that intermediates stay in registers or shared memory",
                  "keep intermediates in a narrower type where the tolerance allows it"},
                 {metric("scratch_bytes", figure(bytes / 1e6, "MB") + " of scratch, written and read: " +
                                              figure(100 * share, "%") + " of the least traffic"),
                  metric("least_bytes", figure(m_least_bytes / 1e6, "MB"))}});
        if (m_timing && m_timing->median > 0)
            m_autopsy.evidence.push_back(
                metric("least_bytes_per_second", figure(m_least_bytes / m_timing->median / 1e9, "GB/s") +
                                                     " if only the least traffic were moved"));
    }

    void launches() {
        if (!m_plan || m_plan->steps.size() < 4)
            return;
        add({"launches",
             0.45,
             "many steps a call",
             "each step costs a launch and a pass over memory",
             {"fuse neighbouring steps into one kernel"},
             {metric("steps", std::to_string(m_plan->steps.size()) + " steps")}});
    }

    void atomics() {
        if (!m_candidate)
            return;
        const std::string& source = m_candidate->source;
        std::size_t count = 0, first = std::string::npos;
        for (std::size_t at = source.find("atomic"); at != std::string::npos; at = source.find("atomic", at + 6)) {
            const std::size_t end =
                source.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", at);
            const std::size_t line_start = source.rfind('\n', at) + 1;
            const bool commented = source.substr(line_start, at - line_start).find("//") != std::string::npos;
            if (end == std::string::npos || source[end] != '(' || commented)
                continue;
            first = std::min(first, at);
            ++count;
        }
        if (count == 0)
            return;
        const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(first), '\n');
        add({"atomics",
             0.35,
             "atomics may serialise threads",
             "many threads update the same address",
             {"reduce within the warp and the block first, then one atomic a block",
              "use private copies in shared memory"},
             {{EvidenceRef::Kind::line, m_candidate->file_name + ":" + std::to_string(line),
               std::to_string(count) + " atomic calls in the text"}}});
    }

    void conclude() {
        unknown("memory, cache and occupancy counters: nobody measured them");
        const auto best =
            std::max_element(m_findings.begin(), m_findings.end(),
                             [](const Finding& a, const Finding& b) { return a.confidence < b.confidence; });
        if (m_timing && m_timing->median >= 1e-12) // less is no time of a call, whatever a journal says
            m_autopsy.evidence.insert(m_autopsy.evidence.begin(),
                                      metric("time", seconds_text(m_timing->median) + " a call (median of " +
                                                         std::to_string(m_timing->samples) + ", " + m_timing->timer +
                                                         ")"));
        if (best == m_findings.end()) {
            m_autopsy.bottleneck = "unknown";
            m_autopsy.headline = "correct; what holds it back is not known";
            m_autopsy.causes = {{"nothing stands out in what is known without counters", 0.2}};
            m_autopsy.tries = {"wider loads (8 halves or 4 floats a thread) where rows allow it",
                               "sweep the tunables: block size, elements a thread", "profile on a GPU with counters"};
            return;
        }
        m_autopsy.bottleneck = best->name;
        m_autopsy.headline = "correct; " + best->headline;
        m_autopsy.causes = {{best->cause, best->confidence}};
        m_autopsy.tries = best->tries;
        m_autopsy.evidence.insert(m_autopsy.evidence.end(), best->evidence.begin(), best->evidence.end());
    }

    const Evaluation& m_evaluation;
    const Candidate* m_candidate;
    const Task* m_task;
    Autopsy& m_autopsy;
    const TimingSummary* m_timing = nullptr; // the slowest timed size
    std::optional<ResolvedPlan> m_plan;
    double m_least_bytes = 0;
    CompilerFigures m_figures;
    std::vector<Finding> m_findings;
};

} // namespace

void find_bottleneck(const Evaluation& evaluation, const Candidate* candidate, const Task* task, Autopsy& autopsy) {
    Search(evaluation, candidate, task, autopsy).run();
}

} // namespace kf
