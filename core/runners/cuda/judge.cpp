// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/judge.h"

#include "core/base/checksum.h"
#include "core/task/input_stream.h"
#include "core/task/inputs.h"

#include <algorithm>
#include <array>
#include <bit>

namespace kf::cuda {
namespace {

constexpr unsigned int threads_a_block = 256;
constexpr std::uint64_t most_blocks = 132 * 16; // each thread strides over the rest

// Every kernel with the bytes of its arguments.
struct Expected {
    const char* name;
    std::vector<std::size_t> arguments;
};
const std::vector<Expected>& expected_kernels() {
    static const std::vector<Expected> kernels = {
        {"kf_fill_floats", {sizeof(JudgeFloatFill), 8}},
        {"kf_fill_integers", {sizeof(JudgeIntegerFill), 8}},
        {"kf_fill_pattern", {8, 8, 4, 8}},
        {"kf_checksum_chunks", {8, 8, 8}},
        {"kf_difference", {8, 8, 8, 4, 8}},
        {"kf_unwritten", {8, 8, 8, 4, 8, 8, 8}},
        {"kf_close", {sizeof(JudgeCloseArguments), 8, 8}},
        {"kf_exact", {8, 8, 8, 4, 4, 4, 8, 8}},
        {"kf_wipe", {8, 8, 8}},
        {"kf_poison_shared", {4, 4, 8}},
    };
    return kernels;
}

template<class T> std::span<std::byte> bytes_of(std::vector<T>& values) {
    return std::as_writable_bytes(std::span(values));
}
template<class T> std::span<std::byte> bytes_of_one(T& value) {
    return std::as_writable_bytes(std::span(&value, 1));
}

} // namespace

Result<std::unique_ptr<Judge>> Judge::load(const DeviceContext& device, const std::string& cubin) {
    std::unique_ptr<Judge> judge(new Judge(device));
    auto module = LoadedModule::load(device, cubin);
    if (!module)
        return module.error();
    judge->m_module = std::move(*module);
    for (const Expected& expected : expected_kernels()) {
        auto kernel = judge->m_module.kernel(expected.name);
        if (!kernel)
            return kernel.error();
        if (kernel->parameter_bytes != expected.arguments)
            return make_error("judge-mismatch",
                              std::string("the judge's kernel ") + expected.name + " takes other arguments",
                              "install programs and resources of one build");
        judge->m_kernels.emplace(expected.name, std::move(*kernel));
    }
    auto sink = DeviceMemory::allocate(device.driver(), 4);
    if (!sink)
        return sink.error();
    judge->m_sink = std::move(*sink);
    const auto most = static_cast<int>(device.facts().limits.max_shared);
    if (auto status =
            device.driver().check(device.driver().function_set(judge->m_kernels.at("kf_poison_shared").function,
                                                               function_max_dynamic_shared, most),
                                  "cuFuncSetAttribute");
        !status)
        return status.error();
    return judge;
}

Status Judge::launch(const char* kernel, std::uint64_t items, std::initializer_list<void*> arguments) const {
    if (items == 0)
        return {};
    LaunchConfig config;
    config.block_x = threads_a_block;
    config.grid_x = static_cast<unsigned int>(
        std::clamp<std::uint64_t>((items + threads_a_block - 1) / threads_a_block, 1, most_blocks));
    std::vector<void*> pointers(arguments);
    return m_device.driver().check(
        m_device.driver().launch(&config, m_kernels.at(kernel).function, pointers.data(), nullptr), kernel);
}

Status Judge::fill_input(const Task& task, std::size_t input, const Symbols& symbols, Regime regime, std::uint64_t seed,
                         DevicePointer out, std::uint64_t bytes) const {
    const auto target = inputs_detail::make_target(task, input, symbols, regime, seed);
    if (!target)
        return target.error();
    const InputSpec& spec = target->spec;
    if (bytes != target->count * size_of(spec.dtype))
        return make_error("task-input", "input '" + spec.name + "' does not have " + std::to_string(bytes) + " bytes");
    if (inputs_detail::draws_floats(*target)) {
        const inputs_detail::FloatSetup setup = inputs_detail::float_setup(*target);
        JudgeFloatFill fill;
        fill.seed = seed;
        fill.count = target->count;
        fill.row_length = target->row_length;
        fill.forced = setup.forced;
        fill.a = spec.fill.a;
        fill.b = spec.fill.b;
        fill.limit = setup.limit;
        if (spec.fill.row_scale) {
            fill.scale_low = (*spec.fill.row_scale)[0];
            fill.scale_high = (*spec.fill.row_scale)[1];
            fill.scaled = 1;
        }
        fill.smallest = unit_in_last_place(spec.dtype, 0);
        fill.first_whole = setup.first_whole;
        fill.wholes = setup.wholes;
        fill.tensor = target->source.tensor;
        fill.regime = target->source.regime;
        fill.dtype = static_cast<int>(spec.dtype);
        fill.uniform = setup.uniform;
        fill.sparse = setup.sparse;
        fill.cancels = setup.cancels;
        return launch("kf_fill_floats", (fill.count + 3) / 4, {&fill, &out});
    }
    auto setup = inputs_detail::integer_setup(*target);
    if (!setup)
        return setup.error();
    if (setup->offsets) { // few, and each depends on its whole row
        std::vector<std::byte> made(bytes);
        if (auto status = generate_input(task, input, symbols, regime, seed, made); !status)
            return status;
        return m_device.driver().check(m_device.driver().to_device(out, made.data(), made.size()), "cuMemcpyHtoD");
    }
    JudgeIntegerFill fill;
    fill.seed = seed;
    fill.count = target->count;
    fill.row_length = target->row_length;
    fill.width = std::max<std::uint64_t>(setup->width, 1);
    fill.low = setup->low;
    fill.exponent = spec.fill.a;
    fill.tensor = target->source.tensor;
    fill.regime = target->source.regime;
    fill.dtype = static_cast<int>(spec.dtype);
    fill.kind = spec.fill.kind == FillKind::zipf ? 1 : spec.fill.kind == FillKind::permutation ? 2 : 0;
    fill.codes = setup->codes;
    fill.half_bits = inputs_detail::permutation_half_bits(fill.width);
    return launch("kf_fill_integers", fill.count, {&fill, &out});
}

Status Judge::poison_shared(Poison poison) const {
    LaunchConfig config;
    config.block_x = 1024;
    config.shared_bytes = static_cast<unsigned int>(m_device.facts().limits.max_shared);
    config.grid_x = static_cast<unsigned int>(m_device.facts().limits.sm_count) * 2; // blocks are not dealt out evenly
    std::uint32_t word = poison == Poison::first ? 0x7fd35ac9u : 0xffe6a537u, words = config.shared_bytes / 4;
    DevicePointer sink = m_sink.get();
    void* arguments[] = {&word, &words, &sink};
    return m_device.driver().check(
        m_device.driver().launch(&config, m_kernels.at("kf_poison_shared").function, arguments, nullptr),
        "kf_poison_shared");
}

Status Judge::fill_pattern(DevicePointer out, std::uint64_t elements, int element_bytes, std::uint64_t bits) const {
    return launch("kf_fill_pattern", elements, {&out, &elements, &element_bytes, &bits});
}

Status Judge::fill_poison(DevicePointer out, std::uint64_t bytes, DType dtype, Poison poison) const {
    const int size = static_cast<int>(size_of(dtype));
    return fill_pattern(out, bytes / static_cast<std::uint64_t>(size), size, poison_bits(dtype, poison));
}

Result<std::uint64_t> Judge::checksum(DevicePointer data, std::uint64_t bytes) const {
    const std::uint64_t chunks = (bytes + Checksum64::chunk - 1) / Checksum64::chunk;
    Checksum64 sum(bytes);
    if (chunks == 0)
        return sum.finish();
    auto memory = DeviceMemory::allocate(m_device.driver(), chunks * 8);
    if (!memory)
        return memory.error();
    DevicePointer sums = memory->get();
    if (auto status = launch("kf_checksum_chunks", chunks * 4, {&data, &bytes, &sums}); !status)
        return status.error();
    std::vector<std::uint64_t> values(chunks);
    if (auto status = memory->download(0, bytes_of(values)); !status)
        return status.error();
    for (const std::uint64_t value : values)
        sum.add(value);
    return sum.finish();
}

Result<FoundElements> Judge::found(const char* kernel, std::uint64_t elements, std::initializer_list<void*> arguments,
                                   const DeviceMemory& memory) const {
    std::vector<std::uint64_t> values = {0, ~std::uint64_t{0}};
    if (auto status = memory.upload(0, bytes_of(values)); !status)
        return status.error();
    if (auto status = launch(kernel, elements, arguments); !status)
        return status.error();
    if (auto status = memory.download(0, bytes_of(values)); !status)
        return status.error();
    return FoundElements{values[0], values[0] > 0 ? values[1] : 0};
}

Result<FoundElements> Judge::difference(DevicePointer a, DevicePointer b, std::uint64_t elements,
                                        int element_bytes) const {
    auto memory = DeviceMemory::allocate(m_device.driver(), 16);
    if (!memory)
        return memory.error();
    DevicePointer out = memory->get();
    return found("kf_difference", elements, {&a, &b, &elements, &element_bytes, &out}, *memory);
}

Result<FoundElements> Judge::unwritten(DevicePointer first, DevicePointer second, std::uint64_t elements,
                                       DType dtype) const {
    auto memory = DeviceMemory::allocate(m_device.driver(), 16);
    if (!memory)
        return memory.error();
    DevicePointer out = memory->get();
    int size = static_cast<int>(size_of(dtype));
    std::uint64_t one = poison_bits(dtype, Poison::first), two = poison_bits(dtype, Poison::second);
    return found("kf_unwritten", elements, {&first, &second, &elements, &size, &one, &two, &out}, *memory);
}

Status Judge::wipe(DevicePointer data, std::uint64_t bytes) const {
    std::uint64_t words = bytes / 8, word = 0xa5c35a3ca5c35a3cull;
    if (auto status = launch("kf_wipe", words, {&data, &words, &word}); !status)
        return status;
    if (bytes % 8 != 0)
        return m_device.driver().check(m_device.driver().set_bytes(data + words * 8, 0xa5, bytes % 8), "cuMemsetD8");
    return {};
}

} // namespace kf::cuda
