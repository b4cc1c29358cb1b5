// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/lift.h"

#include "core/candidate/scanner.h"
#include "core/candidate/spelling.h"
#include "core/llm/lift_run.h"

#include <algorithm>
#include <functional>

namespace kf::lift {
namespace {

// Does this function, or one that it calls, launch something? Names are looked for, whatever stands around them.
class Reach {
public:
    Reach(const Module& outer, const Module& inner) {
        for (const Module* module : {&inner, &outer})
            for (const Function& function : module->functions)
                m_functions.emplace(function.name, &function);
    }
    bool launches(const Function& function) {
        const auto [known, added] = m_known.try_emplace(&function, false);
        if (!added)
            return known->second;
        bool result = false;
        std::set<std::string> calls;
        visit(function.body, result, calls, 0);
        for (const std::string& name : calls)
            if (const auto found = m_functions.find(name); found != m_functions.end()) {
                m_callees[&function].insert(found->second);
                result = launches(*found->second) || result;
            }
        m_known[&function] = result;
        return result;
    }
    bool is_called(const Function& function) const {
        return std::any_of(m_callees.begin(), m_callees.end(), [&](const auto& entry) {
            return entry.first != &function && entry.second.contains(&function);
        });
    }

private:
    static void visit(const std::vector<Statement>& list, bool& launch, std::set<std::string>& calls, int depth) {
        if (depth > max_depth + 8)
            return;
        for (const Statement& one : list) {
            launch = launch || one.launches;
            visit(one.value, launch, calls, 0);
            visit(one.first, launch, calls, depth + 1);
            visit(one.second, launch, calls, depth + 1);
        }
    }
    static void visit(const Node& node, bool& launch, std::set<std::string>& calls, int depth) {
        if (depth > 1000)
            return;
        launch = launch || node.kind == Node::Kind::launch;
        if (node.kind == Node::Kind::call && !node.kids.empty()) {
            launch = launch || node.kids[0].kind == Node::Kind::index;
            calls.insert(node.kids[0].text);
        }
        for (const Node& kid : node.kids)
            visit(kid, launch, calls, depth + 1);
    }

    std::map<std::string, const Function*> m_functions;
    std::map<const Function*, bool> m_known;
    std::map<const Function*, std::set<const Function*>> m_callees;
};

class Lifter {
public:
    Lifter(std::string_view text, std::string file_name, const Task& task)
        : m_text(text), m_file(std::move(file_name)), m_task(task) {}

    Extraction lift() {
        const bool python = language_of(m_file) == Language::triton;
        if (python) {
            m_outer = read_python(m_text);
            if (!m_outer.cuda_texts.empty())
                join_cuda();
            else
                m_device = m_outer.device_code;
        } else {
            m_inner = read_cuda(m_text, 1);
            m_device = m_inner.device_code;
        }
        m_triton = python && m_outer.cuda_texts.empty();
        if (m_triton && m_outer.kernels.empty())
            return refused("no-code", 0, "the file holds no @triton.jit function and no CUDA source in a string",
                           "give kernels; PyTorch's own functions are no candidate");
        if (!m_outer.problem.empty())
            return refused("lift-unknown", m_outer.problem_line, m_outer.problem, "");
        const Function* entry = choose_entry();
        if (!entry)
            return std::move(m_result);
        Outcome outcome = Runner(m_outer, m_inner, m_task).run(*entry);
        if (outcome.refusal)
            return refused("lift-unknown", outcome.refusal->line, outcome.refusal->what, outcome.refusal->remedy);
        if (outcome.emitted.empty())
            return refused("lift-nothing", entry->line, "`" + entry->name + "` launches nothing",
                           "give a function that launches the kernels, or write plan lines");
        if (!name_tensors(outcome, *entry))
            return std::move(m_result);
        write(outcome);
        return std::move(m_result);
    }

private:
    void refuse(std::string code, int line, std::string what, std::string remedy) {
        m_result.errors = {make_error(std::move(code), std::move(what), std::move(remedy), Place{m_file, line, 0})};
        m_result.source.clear();
        m_result.derived.clear();
    }
    Extraction refused(std::string code, int line, std::string what, std::string remedy) {
        refuse(std::move(code), line, std::move(what), std::move(remedy));
        return std::move(m_result);
    }

    void join_cuda() {
        // Usually one; more are one translation unit each, so their device code is set one after another.
        for (const auto& [text, line] : m_outer.cuda_texts) {
            m_cuda.push_back(text);
            Module module = read_cuda(m_cuda.back(), line);
            m_device += module.device_code;
            std::move(module.functions.begin(), module.functions.end(), std::back_inserter(m_inner.functions));
            std::move(module.constants.begin(), module.constants.end(), std::back_inserter(m_inner.constants));
            m_inner.macros.merge(module.macros);
        }
    }

    const Function* choose_entry() {
        Reach reach(m_outer, m_inner);
        std::vector<const Function*> entries;
        for (const Module* module : {&m_outer, &m_inner})
            for (const Function& function : module->functions)
                if (function.name != "main" && reach.launches(function))
                    entries.push_back(&function);
        std::vector<const Function*> roots;
        for (const Function* function : entries)
            if (!reach.is_called(*function))
                roots.push_back(function);
        if (roots.size() > 1) {
            // A binding, or a module's forward, says which one is meant.
            std::vector<const Function*> named;
            for (const Function* function : roots)
                if (function->name == "forward" || std::find(m_inner.entry_names.begin(), m_inner.entry_names.end(),
                                                             function->name) != m_inner.entry_names.end())
                    named.push_back(function);
            if (!named.empty())
                roots = std::move(named);
        }
        if (roots.size() == 1)
            return roots.front();
        if (roots.empty()) {
            for (const Function& function : m_inner.functions)
                if (function.name == "main") {
                    refuse("lift-nothing", function.line, "only `main` launches the kernels, with data of its own",
                           "write plan lines, or a function that takes the task's tensors");
                    return nullptr;
                }
            refuse("lift-nothing", 0, "nothing launches the kernels",
                   m_triton ? "add plan lines: `# kf launch kernel<<<grid>>>(arguments)`"
                            : "add plan lines: `#pragma kf launch kernel<<<grid, block>>>(arguments)`");
            return nullptr;
        }
        std::vector<std::string> names;
        for (const Function* function : roots)
            names.push_back(function->name + " (line " + std::to_string(function->line) + ")");
        refuse("lift-ambiguous", roots[1]->line, "several functions launch kernels: " + detail::list_of(names),
               "keep the one that computes the task");
        return nullptr;
    }

    // Returned tensors are the outputs, in order; other made ones are scratch.
    bool name_tensors(Outcome& outcome, const Function& entry) {
        std::vector<const OutputSpec*> open;
        for (const OutputSpec& output : m_task.outputs)
            if (!m_task.find_input(output.name))
                open.push_back(&output);
        std::vector<const Value*> made;
        for (const Value& value : outcome.returned) {
            if (value.kind != Value::Kind::tensor) {
                refuse("lift-return", entry.line, "`" + entry.name + "` returns something that is no tensor",
                       "return the outputs, in the task's order");
                return false;
            }
            if (outcome.tensors[static_cast<std::size_t>(value.tensor)].kind == Tensor::Kind::made)
                made.push_back(&value);
        }
        if (!made.empty() && made.size() != open.size()) {
            refuse("lift-return", entry.line,
                   "`" + entry.name + "` returns " + std::to_string(made.size()) + " new tensors, the task has " +
                       std::to_string(open.size()) + " outputs",
                   "return the outputs, in the task's order");
            return false;
        }
        for (std::size_t i = 0; i < made.size(); ++i) {
            Tensor& tensor = outcome.tensors[static_cast<std::size_t>(made[i]->tensor)];
            if (!tensor.name.empty() || made[i]->transposed || !made[i]->offset.empty()) {
                refuse("lift-return", entry.line, "an output is returned twice, or as a transposed view",
                       "return each output once, as the task lays it out");
                return false;
            }
            if (tensor.dtype != open[i]->dtype) {
                refuse("lift-dtype", tensor.line,
                       "`" + open[i]->name + "` is " + std::string(to_string(open[i]->dtype)) +
                           " in the task, here it is " + std::string(to_string(tensor.dtype)),
                       "allocate and write it in the task's dtype");
                return false;
            }
            if (!same_count(tensor.sizes, open[i]->shape)) {
                refuse("lift-shape", tensor.line,
                       "`" + open[i]->name + "` has another number of elements in the task than here",
                       "allocate it in the task's shape");
                return false;
            }
            tensor.name = open[i]->name;
            tensor.kind = Tensor::Kind::output;
        }
        std::set<std::string> taken;
        for (const Tensor& tensor : outcome.tensors)
            taken.insert(tensor.name);
        for (const std::string& symbol : m_task.symbol_names())
            taken.insert(symbol);
        for (Tensor& tensor : outcome.tensors)
            if (tensor.name.empty()) {
                std::string name = tensor.wish.empty() || tensor.wish == "when" || is_builtin_function(tensor.wish) ||
                                           tensor.wish == "sm_count" || tensor.wish == "warp_size"
                                       ? "work"
                                       : tensor.wish;
                const std::string stem = name;
                for (int k = 2; !taken.insert(name).second; ++k)
                    name = stem + std::to_string(k);
                tensor.name = name;
            }
        return true;
    }

    bool same_count(const std::vector<std::string>& sizes, const std::vector<Expression>& shape) const {
        const auto count = Expression::parse(product_of(sizes), {});
        if (!count)
            return false;
        for (const TaskCase& one : m_task.cases) {
            SymbolTable scope;
            for (const auto& [symbol, value] : one.symbols)
                scope.set(symbol, value);
            const auto here = count->integer(scope);
            const auto wanted = shape_of(shape, one.symbols);
            if (!here || !wanted || *here != element_count(*wanted))
                return false;
        }
        return true;
    }

    std::string with_names(const std::string& text, const std::vector<Tensor>& tensors, std::set<int>& used) const {
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '\x01') {
                out += text[i];
                continue;
            }
            const std::size_t end = text.find('\x02', i);
            const int tensor = std::stoi(text.substr(i + 1, end - i - 1));
            used.insert(tensor);
            out += tensors[static_cast<std::size_t>(tensor)].name;
            i = end;
        }
        return out;
    }

    std::string line_text(int line) const {
        std::size_t begin = 0;
        for (int k = 1; k < line && begin != std::string_view::npos; ++k) {
            begin = m_text.find('\n', begin);
            begin = begin == std::string_view::npos ? begin : begin + 1;
        }
        if (begin == std::string_view::npos || line < 1)
            return {};
        std::string text(m_text.substr(begin, m_text.find('\n', begin) - begin));
        const std::size_t first = text.find_first_not_of(" \t");
        text.erase(0, std::min(first, text.size()));
        return text.substr(0, 200);
    }

    // Wrappers stand in the kernels' own namespace, plan lines outside of all.
    std::map<std::string, std::string> kernel_scopes() const {
        std::map<std::string, std::string> scopes;
        if (m_triton)
            return scopes;
        std::vector<Error> errors;
        const detail::LineTable lines(m_device, "candidate.cu", 0);
        for (const kf::Kernel& kernel : detail::scan_cuda(m_device, lines, errors).kernels)
            scopes.try_emplace(kernel.name, kernel.scope);
        return scopes;
    }
    static std::string with_scope(std::string text, const std::map<std::string, std::string>& scopes) {
        static constexpr std::string_view word = "launch ";
        if (!text.starts_with(word))
            return text;
        const auto found = scopes.find(text.substr(word.size(), text.find('<') - word.size()));
        if (found != scopes.end() && !found->second.empty())
            text.insert(word.size(), found->second + "::");
        return text;
    }

    void write(const Outcome& outcome) {
        const std::string marker = m_triton ? "# kf " : "#pragma kf ";
        std::string plan;
        const auto add = [&](const std::string& statement, int line) {
            plan += marker + statement + "\n";
            m_result.derived.push_back({marker + statement, line, line_text(line)});
        };
        for (const auto& [name, values] : outcome.tunes)
            add("tune " + name + " in {" + detail::list_of(values, 64) + "}", outcome.constexpr_lines.at(name));
        for (const auto& [name, expression] : outcome.defines)
            add("define " + name + " = " + expression, outcome.constexpr_lines.at(name));
        const std::map<std::string, std::string> scopes = kernel_scopes();
        std::set<int> used;
        std::vector<std::string> lines;
        for (const Emitted& one : outcome.emitted) {
            std::string text = with_scope(with_names(one.text, outcome.tensors, used), scopes);
            std::string when;
            for (const std::string& condition : one.when)
                when += (when.empty() ? "(" : " && (") + condition + ")";
            if (!when.empty())
                text += " when " + canonical(when);
            lines.push_back(std::move(text));
        }
        for (std::size_t i = 0; i < outcome.tensors.size(); ++i) {
            const Tensor& tensor = outcome.tensors[i];
            if (tensor.kind != Tensor::Kind::made || !used.contains(static_cast<int>(i)))
                continue;
            std::vector<std::string> sizes;
            for (const std::string& size : tensor.sizes)
                sizes.push_back(canonical(size));
            add("scratch " + tensor.name + ": " + std::string(to_string(tensor.dtype)) + "[" +
                    detail::list_of(sizes, 64) + "]",
                tensor.line);
        }
        for (std::size_t i = 0; i < lines.size(); ++i)
            add(lines[i], outcome.emitted[i].line);

        std::string device = m_device;
        const std::size_t first = device.find_first_not_of(" \t\r\n");
        device.erase(0, first == std::string::npos ? device.size() : device.rfind('\n', first) + 1);
        while (!device.empty() && (device.back() == '\n' || device.back() == ' '))
            device.pop_back();
        m_result.source = plan + device + "\n";
        m_result.file_name = m_triton ? "candidate.py" : "candidate.cu";
        check();
    }

    // What was derived goes the way of every candidate; an error in it is told at the line that it was lifted from.
    void check() {
        std::vector<Error> errors;
        const auto candidate = parse_candidate(m_result.source, m_result.file_name, errors);
        if (!candidate) {
            for (Error& error : errors) {
                const auto line = static_cast<std::size_t>(error.place.line);
                if (line >= 1 && line <= m_result.derived.size()) {
                    const DerivedLine& derived = m_result.derived[line - 1];
                    error.message += " (derived: " + derived.plan_line + ")";
                    error.place = Place{m_file, derived.from_line, 0};
                } else {
                    error.place = Place{m_file, 0, 0};
                }
            }
            m_result.errors = std::move(errors);
            m_result.source.clear();
            m_result.derived.clear();
        }
    }

    std::string_view m_text;
    std::string m_file;
    const Task& m_task;
    Module m_outer, m_inner;
    std::vector<std::string> m_cuda; // keeps what modules were read from
    std::string m_device;
    bool m_triton = false;
    Extraction m_result;
};

} // namespace
} // namespace kf::lift

namespace kf {

Extraction lift_candidate(std::string_view text, const std::string& file_name, const Task& task) {
    return lift::Lifter(text, file_name, task).lift();
}

} // namespace kf
