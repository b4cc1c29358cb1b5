// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/inputs.h"

#include "core/base/sha256.h"
#include "core/task/input_stream.h"

#include <new>

namespace kf {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    return inputs_detail::philox_block(counter, key);
}

Result<inputs_detail::Target> inputs_detail::make_target(const Task& task, std::size_t input, const Symbols& symbols,
                                                         Regime regime, std::uint64_t seed) {
    if (input >= task.inputs.size())
        return make_error("task-input", "there is no input number " + std::to_string(input),
                          "the task has " + std::to_string(task.inputs.size()));
    const InputSpec& spec = task.inputs[input];
    if (regime == Regime::specials && !task.allows_specials)
        return make_error("task-regime", "the task '" + task.name + "' does not allow specials",
                          "set \"allows_specials\": true in its task.json");
    const Result<Shape> shape = shape_of(spec.shape, symbols);
    if (!shape)
        return shape.error();
    inputs_detail::Target target{spec,
                                 regime,
                                 {seed, static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(regime)},
                                 static_cast<std::uint64_t>(element_count(*shape)),
                                 shape->empty() ? 1 : static_cast<std::uint64_t>(shape->back()),
                                 0};
    if (spec.fill.bound) {
        SymbolTable table;
        for (const auto& [name, value] : symbols)
            table.set(name, value);
        const Result<std::int64_t> bound = spec.fill.bound->integer(table);
        if (!bound)
            return bound.error();
        target.bound = *bound;
    }
    return target;
}

bool inputs_detail::draws_floats(const Target& target) {
    const FillKind kind = target.spec.fill.kind;
    return (kind == FillKind::normal || kind == FillKind::uniform) && is_float(target.spec.dtype);
}

Status generate_input_slice(const Task& task, std::size_t input, const Symbols& symbols, Regime regime,
                            std::uint64_t seed, std::int64_t first, std::span<std::byte> out) {
    const auto target = inputs_detail::make_target(task, input, symbols, regime, seed);
    if (!target)
        return target.error();
    const std::size_t size = size_of(target->spec.dtype);
    const auto count = static_cast<std::int64_t>(target->count);
    const auto elements = static_cast<std::int64_t>(out.size() / size);
    if (out.size() % size != 0 || first < 0 || first > count || elements > count - first)
        return make_error("task-input",
                          "input '" + target->spec.name + "' has " + std::to_string(count) + " elements, asked for " +
                              std::to_string(out.size()) + " bytes from element " + std::to_string(first),
                          "ask for whole elements inside the tensor");
    if (inputs_detail::draws_floats(*target)) {
        inputs_detail::generate_floats(*target, static_cast<std::uint64_t>(first), out);
        return {};
    }
    return inputs_detail::generate_integers(*target, static_cast<std::uint64_t>(first), out);
}

Status generate_input(const Task& task, std::size_t input, const Symbols& symbols, Regime regime, std::uint64_t seed,
                      std::span<std::byte> out) {
    if (input < task.inputs.size()) {
        const Result<std::int64_t> bytes = bytes_of(task.inputs[input], symbols);
        if (!bytes)
            return bytes.error();
        if (static_cast<std::int64_t>(out.size()) != *bytes)
            return make_error("task-input",
                              "input '" + task.inputs[input].name + "' has " + std::to_string(*bytes) +
                                  " bytes, the buffer " + std::to_string(out.size()),
                              "give a buffer of exactly the input's size");
    }
    return generate_input_slice(task, input, symbols, regime, seed, 0, out);
}

Result<std::vector<std::uint64_t>> input_checksums(const Task& task, const Symbols& symbols, Regime regime,
                                                   std::uint64_t seed) {
    std::vector<std::uint64_t> sums;
    std::vector<std::byte> buffer;
    for (std::size_t i = 0; i < task.inputs.size(); ++i) {
        const Result<std::int64_t> bytes = bytes_of(task.inputs[i], symbols);
        if (!bytes)
            return bytes.error();
        try {
            buffer.resize(static_cast<std::size_t>(*bytes));
        } catch (const std::bad_alloc&) {
            return make_error(
                "memory", "no memory for input '" + task.inputs[i].name + "' of " + std::to_string(*bytes) + " bytes",
                "use a smaller size");
        }
        if (const Status status = generate_input(task, i, symbols, regime, seed, buffer); !status)
            return status.error();
        sums.push_back(checksum64(buffer));
    }
    return sums;
}

} // namespace kf
