// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/lint.h"

#include "core/evaluator/pipeline.h"
#include "core/task/inputs.h"
#include "core/verify/trivial.h"

#include <algorithm>
#include <map>

namespace kf {
namespace {

class Linter {
public:
    Linter(const Task& task, Device& device, GoldenStore& goldens, OracleClient& oracle, StopSignal& stop,
           const std::function<void(const Json&)>& progress)
        : m_task(task), m_device(device), m_goldens(goldens), m_oracle(oracle), m_stop(stop), m_progress(progress) {}

    // False when the reference is so wrong that nothing else can be looked at.
    bool reference() {
        tell("reference");
        if (auto checked = m_oracle.check_reference(m_task, m_stop.deadline()); !checked) {
            find("error", "reference", to_string(checked.error()));
            return false;
        }
        return true;
    }

    void figures() {
        tell("figures");
        for (const auto& [name, symbols] : m_task.sizes) {
            std::int64_t input_bytes = 0, output_bytes = 0;
            for (const InputSpec& input : m_task.inputs)
                if (auto bytes = bytes_of(input, symbols))
                    input_bytes += *bytes;
                else
                    find("error", "shapes", "size `" + name + "`: " + to_string(bytes.error()));
            for (const OutputSpec& output : m_task.outputs)
                if (auto shape = shape_of(output.shape, symbols))
                    output_bytes += element_count(*shape) * static_cast<std::int64_t>(size_of(output.dtype));
                else
                    find("error", "shapes", "size `" + name + "`: " + to_string(shape.error()));
            SymbolTable scope;
            for (const auto& [symbol, value] : symbols)
                scope.set(symbol, value);
            at_most("read", m_task.work.read, scope, name, input_bytes, "the inputs have");
            at_most("written", m_task.work.written, scope, name, output_bytes, "the outputs have");
            if (auto flops = m_task.work.flops.integer(scope); !flops)
                find("error", "work", "flops at size `" + name + "`: " + to_string(flops.error()));
        }
    }

    // A candidate that gives one trivial answer everywhere must be refused by at least one case.
    std::optional<Halt> trivial() {
        struct Standing {
            bool accepted_everywhere = true;
            bool equals_everywhere = true;
        };
        std::map<std::pair<std::string, std::string>, Standing> standings; // (output, answer)
        const auto cases = cases_for(m_task, m_device.size_name(m_task), true);
        for (const TaskCase& one : cases) {
            tell("trivial answers · " + one.label());
            auto golden = m_goldens.take(m_task, one, m_stop);
            if (!golden)
                return std::move(golden.halt());
            std::vector<std::vector<std::byte>> inputs;
            std::vector<TensorView> views;
            for (std::size_t i = 0; i < m_task.inputs.size(); ++i) {
                auto shape = shape_of(m_task.inputs[i].shape, one.symbols);
                if (!shape)
                    return InfrastructureFault{to_string(shape.error()), false};
                inputs.emplace_back(static_cast<std::size_t>(element_count(*shape)) * size_of(m_task.inputs[i].dtype));
                if (auto made = generate_input(m_task, i, one.symbols, one.regime, golden->seed, inputs.back()); !made)
                    return InfrastructureFault{to_string(made.error()), false};
                views.push_back(TensorView{m_task.inputs[i].name, m_task.inputs[i].dtype, *shape, {}});
            }
            for (std::size_t i = 0; i < views.size(); ++i)
                views[i].bytes = inputs[i];
            for (std::size_t i = 0; i < m_task.outputs.size(); ++i) {
                const OutputSpec& output = m_task.outputs[i];
                auto shape = shape_of(output.shape, one.symbols);
                if (!shape)
                    return InfrastructureFault{to_string(shape.error()), false};
                const Golden exact{golden->outputs[i].golden, golden->outputs[i].integers, golden->outputs[i].trusted};
                std::vector<double> values;
                for (const TensorView& view : views)
                    if (view.name == output.values) {
                        values.resize(static_cast<std::size_t>(element_count(view.shape)));
                        load_elements(view.bytes, view.dtype, 0, values);
                    }
                const auto answers =
                    trivial_answers(output, *shape, exact, views, terms_of_a_sum(one.symbols, element_count(*shape)));
                for (const TrivialVerdict& verdict :
                     judge_trivial_answers(output, *shape, m_task.tolerance, exact, answers, values)) {
                    Standing& standing = standings[{output.name, verdict.name}];
                    standing.accepted_everywhere &= verdict.accepted;
                    standing.equals_everywhere &= verdict.equals_golden;
                }
            }
        }
        for (const auto& [key, standing] : standings) {
            if (standing.equals_everywhere)
                find("note", "trivial",
                     "the answer `" + key.second + "` equals the golden of `" + key.first +
                         "` in every case where it fits");
            else if (standing.accepted_everywhere)
                find("error", "trivial",
                     "the answer `" + key.second + "` passes as `" + key.first +
                         "` in every case: the tolerance or the inputs cannot tell it from a right one");
        }
        return std::nullopt;
    }

    std::optional<Halt> start(const Json& source) {
        if (source.is_null()) {
            find("error", "start", "there is no start kernel (start.cu)");
            return std::nullopt;
        }
        tell("start kernel");
        auto outcome = judge(source);
        if (!outcome)
            return std::move(outcome.halt());
        if (outcome->failure)
            find("error", "start",
                 "the start kernel is rejected: " + std::string(to_string(outcome->failure->failure)) + " at " +
                     outcome->failure->place + ": " + outcome->failure->message);
        return std::nullopt;
    }

    std::optional<Halt> wrong(const Json& sources) {
        if (!sources.is_array() || sources.size() < 2)
            find("error", "wrong", "fewer than two kernels in wrong/: nothing shows that wrong answers are rejected");
        for (const Json& source : sources.is_array() ? sources : Json::array()) {
            const std::string name = get_string(source, "file_name", "wrong kernel");
            tell("wrong kernel · " + name);
            auto expected = parse_expectation(get_string(source, "source"), name);
            if (!expected) {
                find("error", "wrong", to_string(expected.error()));
                continue;
            }
            auto outcome = judge(source);
            if (!outcome)
                return std::move(outcome.halt());
            if (!outcome->failure) {
                find("error", "wrong", name + " is accepted, expected class=" + expected->failure);
                continue;
            }
            const Failure& found = *outcome->failure;
            if (to_string(found.failure) != expected->failure || found.place != expected->place ||
                to_string(found.pattern) != expected->pattern)
                find("error", "wrong",
                     name + " is rejected as class=" + std::string(to_string(found.failure)) + " place=" + found.place +
                         " pattern=" + std::string(to_string(found.pattern)) + ", expected class=" + expected->failure +
                         " place=" + expected->place + " pattern=" + expected->pattern + ": " + found.message);
        }
        return std::nullopt;
    }

    Json report() const {
        const bool ok = std::none_of(m_findings.begin(), m_findings.end(),
                                     [](const Json& finding) { return finding["severity"] == "error"; });
        return Json{{"ok", ok}, {"findings", m_findings}};
    }

private:
    void tell(const std::string& what) { m_progress(Json{{"event", "lint"}, {"what", what}}); }
    void find(const std::string& severity, const std::string& check, const std::string& message) {
        m_findings.push_back(Json{{"severity", severity}, {"check", check}, {"message", message}});
    }

    void at_most(const std::string& what, const Expression& expression, const Scope& scope, const std::string& size,
                 std::int64_t limit, const std::string& of_what) {
        auto value = expression.integer(scope);
        if (!value)
            find("error", "work", what + " at size `" + size + "`: " + to_string(value.error()));
        else if (*value > limit || *value < 0)
            find("error", "work",
                 what + " at size `" + size + "` is " + std::to_string(*value) + " bytes, but " + of_what + " only " +
                     std::to_string(limit) + ": it would be no lower bound");
    }

    double terms_of_a_sum(const Symbols& symbols, std::int64_t elements) const {
        SymbolTable scope;
        for (const auto& [symbol, value] : symbols)
            scope.set(symbol, value);
        const auto flops = m_task.work.flops.real(scope);
        return flops && elements > 0 ? std::max(1.0, *flops / 2 / static_cast<double>(elements)) : 1.0;
    }

    struct Judged {
        std::optional<Failure> failure;
    };
    Attempt<Judged> judge(const Json& source) {
        EvaluateRequest request;
        request.task = m_task;
        auto contender = parse_contender(source, "candidate");
        if (!contender)
            return InfrastructureFault{to_string(contender.error()), false};
        request.candidate = std::move(*contender);
        request.include_held_out = true;
        request.measure = false;
        PipelineServices services;
        services.device = &m_device;
        services.goldens = &m_goldens;
        services.oracle = &m_oracle;
        services.progress = [](const Json&) {};
        services.verify.shrink_attempts = 0;
        EvaluationOutcome outcome = Pipeline(std::move(services), request, m_stop).run();
        if (outcome.outcome == Outcome::infrastructure)
            return InfrastructureFault{outcome.what, outcome.retry_sensible};
        if (outcome.outcome == Outcome::cancelled)
            return Cancelled{outcome.what};
        return Judged{outcome.evaluation->failure};
    }

    const Task& m_task;
    Device& m_device;
    GoldenStore& m_goldens;
    OracleClient& m_oracle;
    StopSignal& m_stop;
    const std::function<void(const Json&)>& m_progress;
    Json m_findings = Json::array();
};

} // namespace

Result<Expectation> parse_expectation(const std::string& source, const std::string& file_name) {
    const std::string line = source.substr(0, source.find('\n'));
    const auto value_of = [&](const std::string& key) {
        const auto at = line.find(" " + key + "=");
        if (at == std::string::npos)
            return std::string();
        const auto begin = at + key.size() + 2;
        return line.substr(begin, line.find_first_of(" \r", begin) - begin);
    };
    Expectation expectation{value_of("class"), value_of("place"), value_of("pattern")};
    if (line.rfind("// expect:", 0) != 0 || !parse_failure_class(expectation.failure) ||
        !parse_pattern(expectation.pattern) || expectation.place.empty())
        return make_error("expectation", "the first line does not say what is expected: " + line.substr(0, 120),
                          "// expect: class=mismatch place=out pattern=tail", Place{file_name, 1, 1});
    return expectation;
}

Result<Json> lint_task(const Json& params, Device& device, GoldenStore& goldens, OracleClient& oracle, StopSignal& stop,
                       const std::function<void(const Json&)>& progress) {
    auto task = task_from_wire(get_member(params, "task"));
    if (!task)
        return task.error();
    Linter linter(*task, device, goldens, oracle, stop, progress);
    if (!linter.reference())
        return linter.report();
    linter.figures();
    std::optional<Halt> halted;
    if (get_bool(params, "trivial", true))
        halted = linter.trivial();
    if (!halted)
        halted = linter.start(get_member(params, "start"));
    if (!halted)
        halted = linter.wrong(get_member(params, "wrong"));
    if (!halted)
        return linter.report();
    if (const auto* fault = std::get_if<InfrastructureFault>(&*halted))
        return make_error("lint-infrastructure", fault->what);
    if (const auto* cancelled = std::get_if<Cancelled>(&*halted))
        return make_error("cancelled", cancelled->why);
    return make_error("lint-infrastructure", std::get<Failure>(*halted).message);
}

} // namespace kf
