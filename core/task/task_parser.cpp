// SPDX-License-Identifier: GPL-3.0-or-later
// parse_task: from the two texts to a checked Task.
#include "core/base/sha256.h"
#include "core/task/task.h"
#include "core/task/task_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace kf {
namespace {

constexpr std::size_t max_json = std::size_t{1} << 20;
constexpr std::size_t max_reference = std::size_t{256} << 10;
constexpr std::int64_t max_symbol = std::int64_t{1} << 40;

class TaskParser {
public:
    TaskParser(TaskReader& reader, Task& task) : m_reader(reader), m_task(task) {}

    void parse() {
        m_reader.only_keys("", {"name", "title", "stage", "library", "sizes", "timed", "inputs", "outputs", "cases",
                                "tolerance", "work", "golden_split", "syncs", "allows_specials",
                                "forbids_reduced_precision"});
        parse_head();
        parse_sizes();
        parse_timed();
        parse_inputs();
        parse_outputs();
        parse_tolerance();
        parse_work();
        parse_cases();
        if (!m_reader.failed())
            check_everywhere();
        if (!m_reader.failed())
            order_cases();
    }

private:
    static std::string item(const std::string& path, std::size_t index) { return path + "/" + std::to_string(index); }

    void parse_head() {
        m_task.name = m_reader.string("/name");
        if (!m_reader.failed() &&
            (m_task.name.empty() || m_task.name.size() > 64 ||
             m_task.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != std::string::npos))
            m_reader.fail("/name", "task-name", "'" + m_task.name.substr(0, 64) + "' is no name for a task",
                          "lower-case letters, digits, _ and -, at most 64");
        m_task.title = m_reader.has("/title") ? m_reader.string("/title") : m_task.name;
        m_task.stage = "stage" + std::to_string(m_reader.integer("/stage", 1, 9));
        if (m_reader.has("/library")) {
            const Json& list = m_reader.array("/library");
            for (std::size_t i = 0; i < list.size() && !m_reader.failed(); ++i) {
                const std::string word = m_reader.string(item("/library", i));
                if (word != "gemm")
                    m_reader.fail(item("/library", i), "task-library", "unknown library statement '" + word + "'",
                                  "known: gemm");
                m_task.library.push_back(word);
            }
        }
        m_task.syncs = m_reader.flag("/syncs", false);
        m_task.allows_specials = m_reader.flag("/allows_specials", false);
        m_task.forbids_reduced_precision = m_reader.flag("/forbids_reduced_precision", false);
    }

    // A member's name that becomes a name of ours goes through the rules for names.
    void check_name(const std::string& path, const std::string& name, const char* what) {
        const Json as_value = name;
        const std::string text = as_value.dump(-1, ' ', false, Json::error_handler_t::replace);
        TaskReader names(as_value, text, "");
        names.identifier("", what);
        if (names.failed()) {
            Error error = names.error();
            error.place = m_reader.places().key(path + "/" + name);
            m_reader.fail_with(std::move(error));
        }
    }

    void parse_sizes() {
        for (const auto& [size, symbols] : m_reader.object("/sizes").items()) {
            check_name("/sizes", size, "a size");
            if (m_reader.failed())
                return;
            const std::string path = "/sizes/" + size;
            for (const auto& [name, ignored] : m_reader.object(path).items()) {
                check_name(path, name, "a symbol");
                if (m_reader.failed())
                    return;
                m_task.sizes[size][name] = m_reader.integer(path + "/" + name, 1, max_symbol);
            }
            if (m_reader.failed())
                return;
            m_task.sizes[size]; // a task without symbols still has its sizes
        }
        if (m_reader.failed())
            return;
        for (const char* needed : {"cpu", "primary"})
            if (!m_task.sizes.contains(needed))
                return m_reader.fail("/sizes", "task-missing", std::string("the size '") + needed + "' is missing",
                                     "give cpu and primary, and small for GPUs under 16 GiB");
        const Symbols& first = m_task.sizes.at("cpu");
        for (const auto& [size, symbols] : m_task.sizes) {
            for (const auto& [name, ignored] : first)
                if (!symbols.contains(name))
                    m_reader.fail("/sizes/" + size, "task-missing", "the symbol '" + name + "' is missing",
                                  "every size gives the same symbols");
            for (const auto& [name, ignored] : symbols)
                if (!first.contains(name))
                    m_reader.fail("/sizes/" + size, "task-unknown-symbol", "the symbol '" + name + "' is not in 'cpu'",
                                  "every size gives the same symbols");
        }
    }

    void parse_timed() {
        const Json& list = m_reader.array("/timed");
        std::set<std::string> seen;
        for (std::size_t i = 0; i < list.size() && !m_reader.failed(); ++i) {
            const std::string path = item("/timed", i);
            m_reader.object(path);
            m_reader.only_keys(path, {"size", "weight"});
            TimedSize timed;
            timed.size = m_reader.string(path + "/size");
            timed.weight = m_reader.has(path + "/weight") ? m_reader.number(path + "/weight") : 1;
            if (m_reader.failed())
                return;
            if (!m_task.sizes.contains(timed.size)) {
                std::vector<std::string> names;
                for (const auto& [name, ignored] : m_task.sizes)
                    names.push_back(name);
                m_reader.fail(path + "/size", "task-unknown-size", "there is no size '" + timed.size + "'",
                              "known: " + joined(names));
            }
            if (!seen.insert(timed.size).second)
                m_reader.fail(path + "/size", "task-duplicate", "the size '" + timed.size + "' is timed twice");
            if (!(timed.weight > 0 && timed.weight <= 1e6))
                m_reader.fail(path + "/weight", "task-range", "a weight is above 0 and at most 1e6");
            m_task.timed.push_back(std::move(timed));
        }
        if (!m_reader.failed() && m_task.timed.empty())
            m_reader.fail("/timed", "task-missing", "no size is timed",
                          "name one, for example {\"size\": \"primary\"}");
    }

    void check_tensor_name(const std::string& path, const std::string& name) {
        if (m_reader.failed())
            return;
        if (!m_names.insert(name).second)
            m_reader.fail(path, "task-duplicate", "there are two tensors '" + name + "'", "tensor names are unique");
        if (m_task.sizes.at("cpu").contains(name))
            m_reader.fail(path, "task-duplicate", "'" + name + "' is a symbol of the sizes as well",
                          "tensors and symbols share one space of names");
    }

    DType parse_type(const std::string& path) {
        const std::string name = m_reader.string(path);
        const std::optional<DType> dtype = parse_dtype(name);
        if (!dtype)
            m_reader.fail(path, "task-dtype", "unknown dtype '" + name.substr(0, 64) + "'",
                          "known: f64, f32, f16, bf16, e4m3, e5m2, i64, i32, i8, u8, bool");
        return dtype.value_or(DType::f32);
    }

    std::vector<Expression> parse_shape(const std::string& path) {
        std::vector<Expression> shape = m_reader.shape(path);
        for (const Expression& axis : shape)
            check_expression(axis, path);
        return shape;
    }

    // Only symbols of the sizes, and an integer.
    void check_expression(const Expression& expression, const std::string& path) {
        if (m_reader.failed())
            return;
        const Symbols& symbols = m_task.sizes.at("cpu");
        const std::vector<std::string> known = m_task.symbol_names();
        for (const std::string& name : expression.names())
            if (!symbols.contains(name)) {
                const std::string close = nearest(name, known);
                return m_reader.fail_with(make_error(
                    "task-unknown-symbol",
                    "unknown symbol '" + name + "' in '" + expression.print().substr(0, 200) + "'",
                    close.empty() ? "known: " + joined(known) : "did you mean '" + close + "'?", expression.place()));
            }
        if (expression.is_real())
            m_reader.fail(path, "task-type", "'" + expression.print() + "' is real, an integer is needed");
    }

    Fill parse_fill(const std::string& path, DType dtype) {
        Fill fill;
        m_reader.object(path);
        m_reader.only_keys(path, {"normal", "uniform", "permutation", "offsets", "index", "zipf", "bytes", "row_scale",
                                  "bound", "low"});
        struct Kind {
            const char* name;
            FillKind kind;
        };
        int kinds = 0;
        for (const Kind& kind :
             {Kind{"normal", FillKind::normal}, Kind{"uniform", FillKind::uniform},
              Kind{"permutation", FillKind::permutation}, Kind{"offsets", FillKind::offsets},
              Kind{"index", FillKind::index}, Kind{"zipf", FillKind::zipf}, Kind{"bytes", FillKind::bytes}}) {
            if (m_reader.has(path + "/" + kind.name)) {
                fill.kind = kind.kind;
                ++kinds;
            }
        }
        if (!m_reader.failed() && kinds != 1)
            m_reader.fail(path, "task-fill", kinds == 0 ? "no kind of fill" : "two kinds of fill in one",
                          "one of normal, uniform, permutation, offsets, index, zipf, bytes");
        if (m_reader.failed())
            return fill;
        const bool real_kind = fill.kind == FillKind::normal || fill.kind == FillKind::uniform;
        switch (fill.kind) {
        case FillKind::normal:
        case FillKind::uniform: {
            const bool normal = fill.kind == FillKind::normal;
            const std::string values = path + (normal ? "/normal" : "/uniform");
            const auto [a, b] = m_reader.pair(values);
            fill.a = a;
            fill.b = b;
            if (!m_reader.failed() && normal && !(b > 0))
                m_reader.fail(values, "task-range", "the standard deviation must be above 0");
            if (!m_reader.failed() && !normal && !(a < b))
                m_reader.fail(values, "task-range", "the low end must be below the high end");
            if (normal && !is_float(dtype))
                m_reader.fail(values, "task-fill",
                              "'normal' fills float types, this is " + std::string(to_string(dtype)),
                              "use index, uniform, zipf or bytes");
            break;
        }
        case FillKind::permutation:
            if (!m_reader.find(path + "/permutation")->is_boolean())
                fill.bound = m_reader.expression(path + "/permutation");
            break;
        case FillKind::offsets:
            fill.bound = m_reader.expression(path + "/offsets");
            break;
        case FillKind::index:
            fill.bound = m_reader.expression(path + "/index");
            if (m_reader.has(path + "/low"))
                fill.a = static_cast<double>(m_reader.integer(path + "/low", -(std::int64_t{1} << 31), max_symbol));
            break;
        case FillKind::zipf:
            fill.a = m_reader.number(path + "/zipf");
            fill.bound = m_reader.expression(path + "/bound");
            if (!m_reader.failed() && !(fill.a > 0 && fill.a <= 8))
                m_reader.fail(path + "/zipf", "task-range", "the exponent is above 0 and at most 8");
            break;
        case FillKind::bytes:
            if (dtype != DType::u8 && dtype != DType::i8 && dtype != DType::e4m3 && dtype != DType::e5m2)
                m_reader.fail(path + "/bytes", "task-fill",
                              "'bytes' fills types of one byte, not " + std::string(to_string(dtype)));
            break;
        }
        if (!real_kind && fill.kind != FillKind::bytes && is_float(dtype))
            m_reader.fail(path, "task-fill", "this kind gives integers, the tensor is " + std::string(to_string(dtype)),
                          "use normal or uniform");
        if (m_reader.has(path + "/bound") && fill.kind != FillKind::zipf)
            m_reader.fail(path + "/bound", "task-unknown-key", "'bound' belongs to zipf only");
        if (m_reader.has(path + "/low") && fill.kind != FillKind::index)
            m_reader.fail(path + "/low", "task-unknown-key", "'low' belongs to index only");
        if (m_reader.has(path + "/row_scale")) {
            fill.row_scale = m_reader.pair(path + "/row_scale");
            const auto [low, high] = *fill.row_scale;
            if (!real_kind || !is_float(dtype))
                m_reader.fail(path + "/row_scale", "task-fill",
                              "row scales belong to normal and uniform float tensors");
            else if (!m_reader.failed() && !(low > 0 && low <= high && high < 1e30 && low > 1e-30))
                m_reader.fail(path + "/row_scale", "task-range", "row scales are [low, high] with 0 < low <= high");
        }
        if (fill.bound)
            check_expression(*fill.bound, path);
        return fill;
    }

    void parse_inputs() {
        const Json& list = m_reader.array("/inputs");
        if (list.size() > 32)
            m_reader.fail("/inputs", "task-range", "at most 32 inputs");
        for (std::size_t i = 0; i < list.size() && !m_reader.failed(); ++i) {
            const std::string path = item("/inputs", i);
            m_reader.object(path);
            m_reader.only_keys(path, {"name", "dtype", "shape", "fill", "role", "align"});
            InputSpec input;
            input.name = m_reader.identifier(path + "/name", "a tensor");
            check_tensor_name(path + "/name", input.name);
            input.dtype = parse_type(path + "/dtype");
            input.shape = parse_shape(path + "/shape");
            input.fill = parse_fill(path + "/fill", input.dtype);
            if (m_reader.has(path + "/role")) {
                const std::string role = m_reader.string(path + "/role");
                if (role == "weight")
                    input.role = Role::weight;
                else if (role == "inout")
                    input.role = Role::inout;
                else if (role != "activation")
                    m_reader.fail(path + "/role", "task-role", "unknown role '" + role.substr(0, 64) + "'",
                                  "activation, weight or inout");
            }
            if (m_reader.has(path + "/align")) {
                input.align = m_reader.integer(path + "/align", 1, 256);
                if ((input.align & (input.align - 1)) != 0 ||
                    input.align % static_cast<std::int64_t>(size_of(input.dtype)) != 0)
                    m_reader.fail(path + "/align", "task-range",
                                  "the alignment must be a power of two that holds an element");
            }
            m_task.inputs.push_back(std::move(input));
        }
        if (!m_reader.failed() && m_task.inputs.empty())
            m_reader.fail("/inputs", "task-missing", "a task has at least one input");
    }

    void parse_compare(const std::string& path, OutputSpec& output) {
        const std::string text = m_reader.string(path + "/compare");
        const bool real = is_float(output.dtype);
        if (m_reader.failed())
            return;
        if (text == "exact") {
            output.compare = CompareKind::exact;
        } else if (text == "close") {
            output.compare = CompareKind::close;
            if (!real)
                m_reader.fail(path + "/compare", "task-compare", "'close' compares float types", "use exact or codes");
        } else if (text == "codes") {
            output.compare = CompareKind::codes;
            if (size_of(output.dtype) != 1)
                m_reader.fail(path + "/compare", "task-compare", "'codes' compares types of one byte");
        } else if (text.starts_with("index_of(") && text.ends_with(")")) {
            output.compare = CompareKind::index_of;
            output.values = text.substr(9, text.size() - 10);
            if (real || output.dtype == DType::boolean)
                m_reader.fail(path + "/compare", "task-compare", "'index_of' compares integer types");
            else if (!m_task.find_input(output.values))
                m_reader.fail(path + "/compare", "task-compare", "there is no input '" + output.values + "'",
                              "index_of names the input whose values are gathered");
        } else {
            m_reader.fail(path + "/compare", "task-compare", "unknown comparison '" + text.substr(0, 64) + "'",
                          "exact, close, codes or index_of(INPUT)");
        }
    }

    void parse_outputs() {
        const Json& list = m_reader.array("/outputs");
        if (list.size() > 32)
            m_reader.fail("/outputs", "task-range", "at most 32 outputs");
        for (std::size_t i = 0; i < list.size() && !m_reader.failed(); ++i) {
            const std::string path = item("/outputs", i);
            m_reader.object(path);
            m_reader.only_keys(path, {"name", "dtype", "shape", "compare", "rows"});
            OutputSpec output;
            output.name = m_reader.identifier(path + "/name", "a tensor");
            output.dtype = parse_type(path + "/dtype");
            output.shape = parse_shape(path + "/shape");
            // An inout input is an output under the same name; every other output has a name of its own.
            const InputSpec* input = m_task.find_input(output.name);
            if (!m_reader.failed() && input && input->role == Role::inout) {
                if (m_inout_outputs.insert(output.name).second == false)
                    m_reader.fail(path + "/name", "task-duplicate", "there are two outputs '" + output.name + "'");
                else if (input->dtype != output.dtype || !same_shape(input->shape, output.shape))
                    m_reader.fail(path, "task-shape", "'" + output.name + "' has another dtype or shape as input");
            } else {
                check_tensor_name(path + "/name", output.name);
            }
            parse_compare(path, output);
            if (m_reader.has(path + "/rows")) {
                output.row_axes = static_cast<int>(m_reader.integer(path + "/rows", 0, 8));
                if (*output.row_axes > static_cast<int>(output.shape.size()))
                    m_reader.fail(path + "/rows", "task-range",
                                  "the output has only " + std::to_string(output.shape.size()) + " axes");
            }
            m_task.outputs.push_back(std::move(output));
        }
        if (!m_reader.failed() && m_task.outputs.empty())
            m_reader.fail("/outputs", "task-missing", "a task has at least one output");
    }

    static bool same_shape(const std::vector<Expression>& a, const std::vector<Expression>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const Expression& x, const Expression& y) { return x.print() == y.print(); });
    }

    void parse_tolerance() {
        const bool needed = std::any_of(m_task.outputs.begin(), m_task.outputs.end(), [](const OutputSpec& output) {
            return output.compare == CompareKind::close || (output.compare == CompareKind::index_of);
        });
        if (m_reader.failed() || (!needed && !m_reader.has("/tolerance")))
            return;
        m_reader.object("/tolerance");
        m_reader.only_keys("/tolerance", {"atol", "rtol"});
        m_task.tolerance = {m_reader.number("/tolerance/atol"), m_reader.number("/tolerance/rtol")};
        for (const auto& [name, value] :
             {std::pair("/tolerance/atol", m_task.tolerance.atol), std::pair("/tolerance/rtol", m_task.tolerance.rtol)})
            if (!m_reader.failed() && !(value >= 0 && value < 1))
                m_reader.fail(name, "task-range", "a tolerance is at least 0 and below 1");
    }

    void parse_work() {
        m_reader.object("/work");
        m_reader.only_keys("/work", {"flops", "read", "written"});
        m_task.work.flops = m_reader.expression("/work/flops");
        m_task.work.read = m_reader.expression("/work/read");
        m_task.work.written = m_reader.expression("/work/written");
        check_expression(m_task.work.flops, "/work/flops");
        check_expression(m_task.work.read, "/work/read");
        check_expression(m_task.work.written, "/work/written");
        if (m_reader.has("/golden_split")) {
            m_task.golden_split = m_reader.string("/golden_split");
            if (!m_reader.failed() && !m_task.sizes.at("cpu").contains(m_task.golden_split))
                m_reader.fail("/golden_split", "task-unknown-symbol", "unknown symbol '" + m_task.golden_split + "'",
                              "known: " + joined(m_task.symbol_names()));
        }
    }

    void parse_cases() {
        if (m_reader.failed() || !m_reader.has("/cases"))
            return;
        const Json& list = m_reader.array("/cases");
        if (list.size() > 256)
            m_reader.fail("/cases", "task-range", "at most 256 cases");
        const Symbols& cpu = m_task.sizes.at("cpu");
        for (std::size_t i = 0; i < list.size() && !m_reader.failed(); ++i) {
            const std::string path = item("/cases", i);
            TaskCase task_case;
            task_case.symbols = cpu;
            task_case.size = "cpu";
            for (const auto& [key, value] : m_reader.object(path).items()) {
                if (key == "regime") {
                    const std::string name = m_reader.string(path + "/regime");
                    const std::optional<Regime> regime = parse_regime(name);
                    if (!regime)
                        m_reader.fail(path + "/regime", "task-regime", "unknown regime '" + name.substr(0, 64) + "'",
                                      "normal, spiky, cancel, integers, mixed or specials");
                    task_case.regime = regime.value_or(Regime::normal);
                    if (task_case.regime == Regime::specials && !m_task.allows_specials)
                        m_reader.fail(path + "/regime", "task-regime", "this task does not allow specials",
                                      "set \"allows_specials\": true");
                } else if (key == "held_out") {
                    task_case.held_out = m_reader.flag(path + "/held_out", false);
                } else if (cpu.contains(key)) {
                    task_case.symbols[key] = m_reader.integer(path + "/" + key, 1, max_symbol);
                    task_case.size.clear();
                } else {
                    std::vector<std::string> known = m_task.symbol_names();
                    known.insert(known.end(), {"regime", "held_out"});
                    const std::string close = nearest(key, known);
                    m_reader.fail_with(make_error(
                        "task-unknown-symbol",
                        "cases[" + std::to_string(i) + "]: unknown symbol or key '" + key.substr(0, 64) + "'",
                        close.empty() ? "known: " + joined(known) : "did you mean '" + close + "'?",
                        m_reader.places().key(path + "/" + key)));
                }
                if (m_reader.failed())
                    return;
            }
            const bool twice = std::any_of(m_task.cases.begin(), m_task.cases.end(), [&](const TaskCase& other) {
                return other.symbols == task_case.symbols && other.regime == task_case.regime &&
                       other.size == task_case.size;
            });
            if (twice)
                m_reader.fail(path, "task-duplicate", "the case '" + task_case.label() + "' is there twice");
            m_task.cases.push_back(std::move(task_case));
        }
    }

    // Every shape, bound and figure for every size and every case: what would fail later fails here, with the symbols.
    void check_everywhere() {
        for (const auto& [size, symbols] : m_task.sizes)
            check_symbols(symbols, "/sizes/" + size);
        for (std::size_t i = 0; i < m_task.cases.size(); ++i)
            check_symbols(m_task.cases[i].symbols, item("/cases", i));
    }

    void check_symbols(const Symbols& symbols, const std::string& path) {
        SymbolTable table;
        for (const auto& [name, value] : symbols)
            table.set(name, value);
        const auto refuse = [&](const Error& error, const std::string& what) {
            m_reader.fail_with(make_error(error.code, what + " with " + to_string(symbols) + ": " + error.message,
                                          error.remedy,
                                          error.place == Place{} ? m_reader.places().value(path) : error.place));
        };
        for (const InputSpec& input : m_task.inputs) {
            if (const auto shape = shape_of(input.shape, symbols); !shape)
                return refuse(shape.error(), "input '" + input.name + "'");
            if (!input.fill.bound)
                continue;
            const auto bound = input.fill.bound->integer(table);
            if (!bound)
                return refuse(bound.error(), "bound of '" + input.name + "'");
            const std::int64_t least = input.fill.kind == FillKind::offsets ? 0 : 1;
            if (*bound < least || *bound > max_symbol ||
                static_cast<double>(*bound) <= input.fill.a * (input.fill.kind == FillKind::index))
                return refuse(
                    make_error("task-range", "the bound is " + std::to_string(*bound), "", input.fill.bound->place()),
                    "bound of '" + input.name + "'");
        }
        for (const OutputSpec& output : m_task.outputs)
            if (const auto shape = shape_of(output.shape, symbols); !shape)
                return refuse(shape.error(), "output '" + output.name + "'");
        struct Figure {
            const char* name;
            const Expression& value;
            std::int64_t least;
        };
        for (const Figure& figure :
             {Figure{"work.flops", m_task.work.flops, 0}, Figure{"work.read", m_task.work.read, 1},
              Figure{"work.written", m_task.work.written, 1}}) {
            const auto value = figure.value.integer(table);
            if (!value)
                return refuse(value.error(), figure.name);
            if (*value < figure.least)
                return refuse(make_error("task-range", "the figure is " + std::to_string(*value),
                                         "at least " + std::to_string(figure.least), figure.value.place()),
                              figure.name);
        }
    }

    void order_cases() {
        const auto elements = [&](const TaskCase& task_case) {
            std::int64_t sum = 0; // at most 64 tensors of 2^40 elements
            for (const InputSpec& input : m_task.inputs)
                sum += element_count(*shape_of(input.shape, task_case.symbols));
            for (const OutputSpec& output : m_task.outputs)
                sum += element_count(*shape_of(output.shape, task_case.symbols));
            return sum;
        };
        // Held-out ones last; explicit ones before those that take a size; then by size.
        const auto key = [&](const TaskCase& task_case) {
            return std::tuple(task_case.held_out, !task_case.size.empty(), elements(task_case));
        };
        std::stable_sort(m_task.cases.begin(), m_task.cases.end(),
                         [&](const TaskCase& a, const TaskCase& b) { return key(a) < key(b); });
    }

    TaskReader& m_reader;
    Task& m_task;
    std::set<std::string> m_names, m_inout_outputs;
};

} // namespace

Result<Task> parse_task(std::string_view json_text, std::string_view reference, const std::string& file) {
    const Result<Json> json = parse_json(json_text, file, max_json);
    if (!json)
        return json.error();
    TaskReader reader(*json, json_text, file);
    if (!json->is_object())
        return make_error("task-type", "a task file holds one JSON object", "see docs/task.md", Place{file, 1, 1});
    if (const auto& twice = reader.places().duplicate())
        return make_error("task-duplicate", "the key '" + twice->substr(twice->rfind('/') + 1) + "' is given twice",
                          "remove one", reader.places().key(*twice));
    if (reference.size() > max_reference)
        return make_error("task-reference", "the reference has more than " + std::to_string(max_reference) + " bytes",
                          {}, Place{file, 0, 0});
    if (reference.find("def ") == std::string_view::npos)
        return make_error("task-reference", "the reference holds no function",
                          "one typed function whose last argument is acc: int", Place{file, 0, 0});
    Task task;
    TaskParser(reader, task).parse();
    if (reader.failed())
        return reader.error();
    task.reference = reference;
    task.json_text = json_text;
    task.hash = sha256_of_parts({json_text, reference});
    return task;
}

} // namespace kf
