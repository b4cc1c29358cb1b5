// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/oracle/oracle.h"

#include "core/base/sha256.h"
#include "core/helpers/oracle/reference_text.h"
#include "core/helpers/oracle/slicing.h"
#include "core/task/inputs.h"

#include <algorithm>
#include <chrono>
#include <new>

namespace kf::oracle {
namespace {

constexpr const char* reference_file = "reference.py";

Error output_error(const std::string& message, const std::string& remedy) {
    return make_error("reference-outputs", message, remedy, Place{reference_file, 0, 0});
}

std::string shape_text(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + "]";
}

bool is_byte_float(DType dtype) {
    return dtype == DType::e4m3 || dtype == DType::e5m2;
}

std::span<const std::byte> golden_bytes(const OutputTensor& t) {
    return t.is_float ? std::as_bytes(std::span(t.floats)) : std::as_bytes(std::span(t.integers));
}

} // namespace

std::vector<Error> Oracle::load(Task task) {
    m_reference.reset();
    m_task.reset();
    m_eager.reset();
    std::vector<Error> errors = lint_reference(task.reference, reference_file);
    if (!errors.empty())
        return errors;
    auto reference = TorchReference::compile(without_imports(task.reference), reference_file, task.inputs.size(),
                                             task.outputs.size());
    if (!reference)
        return {reference.error()};
    if (!task.golden_split.empty()) {
        const auto check = [&](const auto& tensors) -> Status {
            for (const auto& t : tensors)
                if (auto axis = split_axis(t.shape, task.golden_split, t.name); !axis)
                    return axis.error();
            return {};
        };
        for (const Status& status : {check(task.inputs), check(task.outputs)})
            if (!status)
                errors.push_back(status.error());
        if (!errors.empty())
            return errors;
    }
    m_reference = std::move(reference).value();
    m_task = std::move(task);
    return errors;
}

// What cannot fit is refused before anything is generated: the inputs, and each output as float64.
Status Oracle::check_memory(const GoldenRequest& request) const {
    double total = 0;
    for (const InputSpec& input : m_task->inputs) {
        auto bytes = bytes_of(input, request.symbols);
        if (!bytes)
            return bytes.error();
        total += static_cast<double>(*bytes);
    }
    for (const OutputSpec& output : m_task->outputs) {
        auto shape = shape_of(output.shape, request.symbols);
        if (!shape)
            return shape.error();
        total += static_cast<double>(element_count(*shape)) * static_cast<double>(8 + size_of(output.dtype));
    }
    if (m_memory > 0 && total > static_cast<double>(m_memory))
        return make_error("out-of-memory",
                          "inputs and float64 results of " + to_string(request.symbols) + " need " +
                              std::to_string(static_cast<std::int64_t>(total / (1 << 20))) +
                              " MiB, this helper may use " + std::to_string(m_memory >> 20) + " MiB",
                          "use a smaller size or raise the memory limit");
    return {};
}

Result<Oracle::Buffers> Oracle::make_inputs(const GoldenRequest& request) const {
    if (auto fits = check_memory(request); !fits)
        return fits.error();
    Buffers buffers;
    for (std::size_t i = 0; i < m_task->inputs.size(); ++i) {
        auto bytes = bytes_of(m_task->inputs[i], request.symbols);
        if (!bytes)
            return bytes.error();
        try {
            buffers.emplace_back(static_cast<std::size_t>(*bytes));
        } catch (const std::bad_alloc&) {
            return make_error("out-of-memory", "no memory for input " + m_task->inputs[i].name,
                              "use a smaller size or raise the memory limit");
        }
        if (auto made = generate_input(*m_task, i, request.symbols, request.regime, request.seed, buffers.back());
            !made)
            return made.error();
    }
    return buffers;
}

Result<std::vector<InputTensor>> Oracle::tensors(Buffers& buffers, const Symbols& symbols) const {
    std::vector<InputTensor> out;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        auto shape = shape_of(m_task->inputs[i].shape, symbols);
        if (!shape)
            return shape.error();
        out.push_back({m_task->inputs[i].dtype, std::move(shape).value(), buffers[i].data(),
                       m_task->inputs[i].role == Role::inout});
    }
    return out;
}

Result<int> Oracle::choose_slices(const GoldenRequest& request) const {
    if (m_task->golden_split.empty()) {
        if (request.slices > 1)
            return make_error("golden-split", "the task names no axis in golden_split", "ask for one slice");
        return 1;
    }
    const auto symbol = request.symbols.find(m_task->golden_split);
    if (symbol == request.symbols.end())
        return make_error("golden-split", "the case gives no value for " + m_task->golden_split, "give all symbols");
    const std::int64_t most = std::max<std::int64_t>(symbol->second, 1);
    if (request.slices > 0)
        return static_cast<int>(std::min<std::int64_t>(request.slices, most));
    if (m_memory == 0)
        return 1;
    // A float64 copy of everything, intermediate results and the outputs' copies for sending.
    double bytes = 0;
    for (const InputSpec& input : m_task->inputs) {
        auto shape = shape_of(input.shape, request.symbols);
        if (!shape)
            return shape.error();
        bytes += 16.0 * static_cast<double>(element_count(*shape));
    }
    for (const OutputSpec& output : m_task->outputs) {
        auto shape = shape_of(output.shape, request.symbols);
        if (!shape)
            return shape.error();
        bytes += 32.0 * static_cast<double>(element_count(*shape));
    }
    const double wanted = bytes / (static_cast<double>(m_memory) / 4);
    return static_cast<int>(std::clamp<double>(wanted + 1, 1, static_cast<double>(std::min<std::int64_t>(most, 4096))));
}

Result<std::vector<OutputTensor>> Oracle::run_golden(const std::vector<InputTensor>& inputs) {
    RunOptions options;
    auto outputs = m_reference->run(inputs, options);
    if (!outputs && outputs.error().code == "reference-half") {
        options.upcast_inputs = true;
        return m_reference->run(inputs, options);
    }
    if (!outputs)
        return outputs;
    const bool narrow = std::any_of(outputs->begin(), outputs->end(),
                                    [](const OutputTensor& t) { return t.is_float && t.dtype != "f64"; });
    if (!narrow)
        return outputs;
    // A result that is not float64 is right only if the reference merely moves values: then inputs in float64 give the
    // same.
    options.upcast_inputs = true;
    auto wide = m_reference->run(inputs, options);
    if (!wide)
        return wide;
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const auto a = golden_bytes((*outputs)[i]), b = golden_bytes((*wide)[i]);
        if ((*outputs)[i].is_float && !std::equal(a.begin(), a.end(), b.begin(), b.end()))
            return make_error("reference-precision",
                              "output " + m_task->outputs[i].name + " is computed in " + (*outputs)[i].dtype +
                                  " although acc is float64",
                              "write x.to(acc) before arithmetic and return the result in acc",
                              Place{reference_file, 0, 0});
    }
    return wide;
}

Result<std::vector<OutputTensor>> Oracle::run_trusted(const std::vector<InputTensor>& inputs, std::string& note) {
    RunOptions options;
    options.accumulate = Accumulate::f32;
    options.values = Values::rounded;
    for (const OutputSpec& output : m_task->outputs)
        options.output_types.push_back(output.dtype);
    options.upcast_inputs = note == note_stand_in;
    auto outputs = m_reference->run(inputs, options);
    if (!outputs && outputs.error().code == "reference-half" && !options.upcast_inputs) {
        options.upcast_inputs = true;
        note = note_stand_in;
        outputs = m_reference->run(inputs, options);
    }
    return outputs;
}

Status Oracle::check_outputs(const std::vector<OutputTensor>& outputs, const Symbols& symbols) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const OutputSpec& spec = m_task->outputs[i];
        auto wanted = shape_of(spec.shape, symbols);
        if (!wanted)
            return wanted.error();
        if (outputs[i].shape != *wanted)
            return output_error("output " + spec.name + " has shape " + shape_text(outputs[i].shape) +
                                    ", task.json says " + shape_text(*wanted) + " for " + to_string(symbols),
                                "correct reference.py or task.json");
        const bool float_wanted = is_float(spec.dtype);
        if (outputs[i].is_float != float_wanted && !(is_byte_float(spec.dtype) && outputs[i].dtype == "u8"))
            return output_error("output " + spec.name + " is " + outputs[i].dtype + ", task.json says " +
                                    std::string(to_string(spec.dtype)),
                                "correct reference.py or task.json");
    }
    return {};
}

Status Oracle::check_inputs(const Buffers& buffers, const std::vector<std::uint64_t>& checksums) const {
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (checksum64(buffers[i]) != checksums[i])
            return make_error("reference-writes-input", "the reference changes its input " + m_task->inputs[i].name,
                              "give the input the role inout, or do not change it in place",
                              Place{reference_file, 0, 0});
    return {};
}

Result<Golden> Oracle::golden(const GoldenRequest& request) {
    if (!loaded())
        return make_error("no-task", "no task is loaded", "call load_task first");
    const auto start = std::chrono::steady_clock::now();
    Golden out;
    auto slices = choose_slices(request);
    if (!slices)
        return slices.error();
    out.slices = *slices;
    auto inputs = make_inputs(request);
    if (!inputs)
        return inputs.error();
    for (const auto& buffer : *inputs)
        out.input_checksums.push_back(checksum64(buffer));
    if (request.want_trusted)
        out.trusted_note = note_eager;
    for (const OutputSpec& spec : m_task->outputs) {
        auto shape = shape_of(spec.shape, request.symbols);
        if (!shape)
            return shape.error();
        GoldenOutput output;
        output.name = spec.name;
        output.dtype = spec.dtype;
        output.shape = std::move(shape).value();
        out.outputs.push_back(std::move(output));
    }
    try {
        const std::string& symbol = m_task->golden_split;
        const std::int64_t extent = out.slices > 1 ? request.symbols.at(symbol) : 1;
        for (int s = 0; s < out.slices; ++s) {
            const std::int64_t first = extent * s / out.slices, count = extent * (s + 1) / out.slices - first;
            Symbols symbols = request.symbols;
            Buffers parts;
            if (out.slices > 1) {
                symbols[symbol] = count;
                for (std::size_t i = 0; i < inputs->size(); ++i) {
                    const InputSpec& spec = m_task->inputs[i];
                    const int axis = *split_axis(spec.shape, symbol, spec.name); // checked while loading
                    parts.push_back(axis < 0 ? (*inputs)[i]
                                             : take_slice((*inputs)[i], *shape_of(spec.shape, request.symbols), axis,
                                                          first, count, size_of(spec.dtype)));
                }
            }
            Buffers& used = out.slices > 1 ? parts : *inputs;
            auto views = tensors(used, symbols);
            if (!views)
                return views.error();
            const auto keep = [&](const std::vector<OutputTensor>& results, bool golden) -> Status {
                if (auto right = check_outputs(results, symbols); !right)
                    return right;
                for (std::size_t i = 0; i < results.size(); ++i) {
                    GoldenOutput& to = out.outputs[i];
                    const auto total = static_cast<std::size_t>(element_count(to.shape));
                    std::span<std::byte> whole;
                    std::size_t item = 8;
                    if (golden) {
                        to.is_float = results[i].is_float;
                        if (to.is_float)
                            to.floats.resize(total);
                        else
                            to.integers.resize(total);
                        whole = to.is_float ? std::as_writable_bytes(std::span(to.floats))
                                            : std::as_writable_bytes(std::span(to.integers));
                    } else {
                        item = size_of(to.dtype);
                        to.trusted.resize(total * item);
                        whole = to.trusted;
                    }
                    const auto part = golden ? golden_bytes(results[i]) : std::span<const std::byte>(results[i].bytes);
                    const int axis = out.slices > 1 ? *split_axis(m_task->outputs[i].shape, symbol, to.name) : -1;
                    if (axis < 0)
                        std::copy(part.begin(), part.end(), whole.begin());
                    else
                        put_slice(whole, to.shape, axis, first, count, item, part);
                }
                return {};
            };
            {
                auto results = run_golden(*views);
                if (!results)
                    return results.error();
                if (auto kept = keep(*results, true); !kept)
                    return kept.error();
            }
            if (out.slices == 1)
                if (auto same = check_inputs(*inputs, out.input_checksums); !same)
                    return same.error();
            if (request.want_trusted) {
                auto results = run_trusted(*views, out.trusted_note);
                if (!results)
                    return results.error();
                if (auto kept = keep(*results, false); !kept)
                    return kept.error();
            }
        }
    } catch (const std::bad_alloc&) {
        return make_error("out-of-memory", "no memory for the golden of " + to_string(request.symbols),
                          "use a smaller size, name an axis in golden_split, or raise the memory limit");
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

Result<std::string> Oracle::eager_prepare(const GoldenRequest& request) {
    m_eager.reset();
    if (!loaded())
        return make_error("no-task", "no task is loaded", "call load_task first");
    auto inputs = make_inputs(request);
    if (!inputs)
        return inputs.error();
    m_eager_inputs = std::move(inputs).value();
    auto views = tensors(m_eager_inputs, request.symbols);
    if (!views)
        return views.error();
    std::string note = note_eager;
    auto outputs = run_trusted(*views, note);
    if (!outputs)
        return outputs.error();
    if (auto right = check_outputs(*outputs, request.symbols); !right)
        return right.error();
    m_eager_upcast = note == note_stand_in;
    m_eager = request;
    return note;
}

Result<std::vector<double>> Oracle::eager_run(int repeat) {
    if (!m_eager)
        return make_error("no-eager-case", "no eager case is prepared", "call eager_prepare first");
    auto views = tensors(m_eager_inputs, m_eager->symbols);
    if (!views)
        return views.error();
    const bool writes = std::any_of(views->begin(), views->end(), [](const InputTensor& input) { return input.copy; });
    if (!writes)
        return m_reference->time(*views, Accumulate::f32, m_eager_upcast, repeat);
    std::vector<double> all;
    for (int i = 0; i < repeat; ++i) { // a fresh copy before each call, untimed, as for every contender
        auto seconds = m_reference->time(*views, Accumulate::f32, m_eager_upcast, 1);
        if (!seconds)
            return seconds;
        all.push_back(seconds->front());
    }
    return all;
}

} // namespace kf::oracle
