// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/resolver.h"
#include "core/candidate/spelling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kf::detail {

namespace {

std::string type_name(DType dtype) {
    return std::string(to_string(dtype));
}

std::optional<std::pair<std::int64_t, std::int64_t>> integer_range(DType dtype) {
    switch (dtype) {
    case DType::i64:
        return std::pair(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    case DType::i32:
        return std::pair<std::int64_t, std::int64_t>(std::numeric_limits<std::int32_t>::min(),
                                                     std::numeric_limits<std::int32_t>::max());
    case DType::i8:
        return std::pair<std::int64_t, std::int64_t>(-128, 127);
    case DType::u8:
        return std::pair<std::int64_t, std::int64_t>(0, 255);
    case DType::boolean:
        return std::pair<std::int64_t, std::int64_t>(0, 1);
    default:
        return std::nullopt;
    }
}

std::uint64_t pattern_of(std::span<const std::byte> bytes) {
    std::uint64_t pattern = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) // little-endian, as in memory
        pattern |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    return pattern;
}

} // namespace

Status Resolver::apply(const ScratchStatement& scratch) {
    if (m_plan.find_buffer(scratch.name) >= 0)
        return refuse("plan-duplicate", "scratch `" + scratch.name + "` is declared twice for this case",
                      "at most one of the `when` conditions may hold");
    Result<Shape> shape = evaluate_shape(scratch.shape, "the shape of `" + scratch.name + "`");
    if (!shape)
        return shape.error();
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t elements = 1;
    for (const std::int64_t extent : *shape) {
        if (extent < 0)
            return refuse("plan-shape", "scratch `" + scratch.name + "` has the shape " + shape_text(*shape),
                          "extents are not negative");
        if (__builtin_mul_overflow(elements, extent, &elements) || elements > most)
            return refuse("limits-memory", "scratch `" + scratch.name + "` has the shape " + shape_text(*shape),
                          "at most 2^40 elements are accepted");
    }
    ResolvedBuffer entry{scratch.name, BufferKind::scratch, scratch.dtype, std::move(shape).value(),
                         elements * static_cast<std::int64_t>(size_of(scratch.dtype))};
    entry.in_prepare = m_statement->in_prepare;
    m_plan.buffers.push_back(std::move(entry));
    return {};
}

Status Resolver::apply(const FillStatement& fill) {
    const Result<int> target = buffer(fill.buffer, Access::write);
    if (!target)
        return target.error();
    const DType dtype = m_plan.buffers[static_cast<std::size_t>(*target)].dtype;
    std::array<std::byte, 8> bytes{};
    const std::span<std::byte> element(bytes.data(), size_of(dtype));
    if (const auto range = integer_range(dtype)) {
        const Result<std::int64_t> value = evaluate(fill.value, "the value");
        if (!value)
            return value.error();
        if (*value < range->first || *value > range->second)
            return refuse("plan-value", std::to_string(*value) + " does not fit " + type_name(dtype),
                          "accepted: " + std::to_string(range->first) + " to " + std::to_string(range->second));
        store_integer(element, dtype, 0, *value);
    } else {
        const Result<double> value = fill.value.real(m_scope);
        if (!value) {
            Error error = value.error();
            error.code = "plan-expression";
            error.message = "the value: " + error.message;
            return error;
        }
        store_element(element, dtype, 0, *value);
        // e4m3 saturates instead of overflowing.
        if (!std::isfinite(load_element(element, dtype, 0)) || (dtype == DType::e4m3 && std::fabs(*value) > 448))
            return refuse("plan-value", std::to_string(*value) + " does not fit " + type_name(dtype),
                          "write a value of smaller magnitude");
    }
    if (!m_statement->in_prepare)
        m_touched.insert(*target);
    add_step(ResolvedFill{m_index, *target, pattern_of(element)});
    return {};
}

Status Resolver::apply(const GemmStatement& gemm) {
    if (std::find(m_task.library.begin(), m_task.library.end(), "gemm") == m_task.library.end())
        return refuse("plan-library", "the task does not allow the library product `gemm`",
                      "write the product as a kernel");
    ResolvedGemm resolved;
    resolved.statement = m_index;
    resolved.a_transposed = gemm.a.transposed;
    resolved.b_transposed = gemm.b.transposed;
    resolved.epilogue = gemm.epilogue;
    resolved.tune = gemm.tune;
    const auto find = [&](const std::string& name, Access access, int& index) -> Status {
        const Result<int> found = buffer(name, access);
        if (!found)
            return found.error();
        index = *found;
        return {};
    };
    if (const Status status = find(gemm.a.buffer, Access::read, resolved.a); !status)
        return status;
    if (const Status status = find(gemm.b.buffer, Access::read, resolved.b); !status)
        return status;
    if (const Status status = find(gemm.out, Access::write, resolved.out); !status)
        return status;
    if (!gemm.bias.empty())
        if (const Status status = find(gemm.bias, Access::read, resolved.bias); !status)
            return status;
    if (resolved.out == resolved.a || resolved.out == resolved.b || resolved.out == resolved.bias)
        return refuse("plan-gemm", "`" + gemm.out + "` is both operand and result", "write into another tensor");
    if (const Status status = gemm_types(gemm, resolved); !status)
        return status;
    if (const Status status = gemm_shapes(gemm, resolved); !status)
        return status;
    if (!m_statement->in_prepare)
        m_touched.insert(resolved.out);
    add_step(resolved);
    return {};
}

// What cuBLASLt offers with float32 accumulation, and the CPU device alike: one operand type, the result in it or in
// f32.
Status Resolver::gemm_types(const GemmStatement& gemm, const ResolvedGemm& resolved) const {
    const auto dtype = [&](int index) { return m_plan.buffers[static_cast<std::size_t>(index)].dtype; };
    const DType a = dtype(resolved.a), b = dtype(resolved.b), out = dtype(resolved.out);
    if (a != DType::f64 && a != DType::f32 && a != DType::f16 && a != DType::bf16)
        return refuse("plan-gemm", "`" + gemm.a.buffer + "` is " + type_name(a), "gemm takes f64, f32, f16 and bf16");
    if (a != b)
        return refuse("plan-gemm",
                      "`" + gemm.a.buffer + "` is " + type_name(a) + " and `" + gemm.b.buffer + "` is " + type_name(b),
                      "both operands have one dtype");
    const bool wider = out == DType::f32 && (a == DType::f16 || a == DType::bf16);
    if (out != a && !wider)
        return refuse("plan-gemm", "the product of " + type_name(a) + " is written as " + type_name(out),
                      a == DType::f16 || a == DType::bf16 ? "accepted: " + type_name(a) + ", f32"
                                                          : "accepted: " + type_name(a));
    if (resolved.bias >= 0 && dtype(resolved.bias) != out)
        return refuse("plan-gemm", "the bias `" + gemm.bias + "` is " + type_name(dtype(resolved.bias)),
                      "it has the result's dtype, " + type_name(out));
    return {};
}

Status Resolver::gemm_shapes(const GemmStatement& gemm, ResolvedGemm& resolved) const {
    const auto shape = [&](int index) -> const Shape& { return m_plan.buffers[static_cast<std::size_t>(index)].shape; };
    const Shape &a = shape(resolved.a), &b = shape(resolved.b), &out = shape(resolved.out);
    const auto described = [&](const GemmOperand& operand, const Shape& s) {
        return "`" + operand.buffer + (operand.transposed ? ".T" : "") + "` of " + shape_text(s);
    };
    const std::string product = described(gemm.a, a) + " @ " + described(gemm.b, b) + " into " + shape_text(out);
    if (a.size() < 2 || b.size() < 2 || out.size() < 2)
        return refuse("plan-gemm", "the product " + product, "operands and result have at least two axes");
    const std::size_t ra = a.size(), rb = b.size();
    resolved.m = gemm.a.transposed ? a[ra - 1] : a[ra - 2];
    resolved.k = gemm.a.transposed ? a[ra - 2] : a[ra - 1];
    resolved.n = gemm.b.transposed ? b[rb - 2] : b[rb - 1];
    const std::int64_t k = gemm.b.transposed ? b[rb - 1] : b[rb - 2];
    if (resolved.k != k)
        return refuse("plan-gemm",
                      "the inner extents differ in " + product + ": " + std::to_string(resolved.k) + " and " +
                          std::to_string(k),
                      "`.T` swaps the last two axes of an operand");
    Shape expected(a.begin(), a.end() - 2);
    expected.push_back(resolved.m);
    expected.push_back(resolved.n);
    const std::int64_t lead = std::accumulate(a.begin(), a.end() - 2, std::int64_t{1}, std::multiplies<>());
    if (rb == 2 && ra > 2 && !gemm.a.transposed) {
        resolved.m *= lead; // one matrix for all: the leading axes are rows
    } else if (ra == rb && std::equal(a.begin(), a.end() - 2, b.begin())) {
        resolved.batch = lead;
    } else {
        return refuse("plan-gemm", "the leading axes differ in " + product,
                      "accepted: two axes each, or equal leading axes, or a second operand with two axes");
    }
    if (out != expected)
        return refuse("plan-gemm", "the product " + product, "the result's shape is " + shape_text(expected));
    if (resolved.m == 0 || resolved.n == 0 || resolved.k == 0 || resolved.batch == 0)
        return refuse("plan-gemm", "the product " + product + " is empty", "skip it with `when`");
    if (resolved.bias >= 0 && shape(resolved.bias) != Shape{resolved.n})
        return refuse("plan-gemm", "the bias `" + gemm.bias + "` has the shape " + shape_text(shape(resolved.bias)),
                      "it runs along the last axis: " + shape_text({resolved.n}));
    return {};
}

Status Resolver::apply(const TensormapStatement& statement) {
    if (on_cpu())
        return needs_gpu("a tensormap");
    if (architecture_number(m_limits.architecture).first < 90)
        return refuse("plan-architecture", "a tensormap needs sm_90, the device is " + m_limits.architecture,
                      "load with ordinary instructions there");
    if (m_maps.contains(statement.name) || m_plan.find_buffer(statement.name) >= 0)
        return refuse("plan-duplicate", "`" + statement.name + "` is declared twice for this case",
                      "at most one of the `when` conditions may hold");
    const Result<int> target = buffer(statement.buffer, Access::read);
    if (!target)
        return target.error();
    ResolvedTensormap map;
    map.statement = m_index;
    map.buffer = *target;
    map.dtype = m_plan.buffers[static_cast<std::size_t>(*target)].dtype;
    map.swizzle = statement.swizzle;
    map.fill = statement.fill;
    const auto fill_in = [&](const std::vector<Expression>& from, std::string_view what, Shape& to) -> Status {
        Result<Shape> shape = evaluate_shape(from, what);
        if (!shape)
            return shape.error();
        to = std::move(shape).value();
        return {};
    };
    if (const Status status = fill_in(statement.view, "the view", map.view); !status)
        return status;
    if (const Status status = fill_in(statement.box, "the box", map.box); !status)
        return status;
    if (const Status status = fill_in(statement.strides, "the strides", map.stride_bytes); !status)
        return status;
    const std::size_t rank = map.view.size();
    if (rank < 1 || rank > 5 || map.box.size() != rank)
        return refuse("plan-tensormap",
                      "the view has " + std::to_string(rank) + " axes and the box " + std::to_string(map.box.size()),
                      "both have the same number, 1 to 5");
    if (!statement.strides.empty() && statement.strides.size() + 1 != rank)
        return refuse("plan-tensormap", "found " + std::to_string(statement.strides.size()) + " strides",
                      "give one for every axis but the last: " + std::to_string(rank - 1));
    for (const std::int64_t extent : map.view)
        if (extent < 1 || extent > (std::int64_t{1} << 32))
            return refuse("plan-tensormap", "the view is " + shape_text(map.view), "extents are 1 to 2^32");
    const auto size = static_cast<std::int64_t>(size_of(map.dtype));
    if (statement.strides.empty()) {
        map.stride_bytes.resize(rank - 1);
        std::int64_t stride = size;
        for (std::size_t i = rank - 1; i > 0; --i) {
            if (__builtin_mul_overflow(stride, map.view[i], &stride))
                return refuse("plan-tensormap", "the view " + shape_text(map.view) + " is too large",
                              "use a smaller one");
            map.stride_bytes[i - 1] = stride;
        }
    } else {
        for (std::int64_t& stride : map.stride_bytes)
            if (__builtin_mul_overflow(stride, size, &stride))
                return refuse("plan-tensormap", "a stride does not fit 64 bits", "use a smaller one");
    }
    if (const Status status = check_tensormap(map); !status)
        return status;
    m_maps.emplace(statement.name, static_cast<int>(m_plan.tensormaps.size()));
    m_plan.tensormaps.push_back(std::move(map));
    return {};
}

// The rules of cuTensorMapEncodeTiled (CUDA driver API), so that encoding cannot fail later.
Status Resolver::check_tensormap(const ResolvedTensormap& map) const {
    const ResolvedBuffer& target = m_plan.buffers[static_cast<std::size_t>(map.buffer)];
    const auto size = static_cast<std::int64_t>(size_of(map.dtype));
    if (target.align % 16 != 0)
        return refuse("plan-tensormap",
                      "`" + target.name + "` is aligned to " + std::to_string(target.align) + " bytes",
                      "a tensormap needs 16");
    for (const std::int64_t stride : map.stride_bytes)
        if (stride < 1 || stride % 16 != 0 || stride >= (std::int64_t{1} << 40))
            return refuse("plan-tensormap", "a stride of " + std::to_string(stride) + " bytes",
                          "strides are multiples of 16 bytes below 2^40");
    std::int64_t last = map.view.back() * size; // bytes that the view spans; no product overflows 2^32 · 2^40 · 5
    for (std::size_t i = 0; i + 1 < map.view.size(); ++i) {
        std::int64_t part = 0;
        if (__builtin_mul_overflow(map.view[i] - 1, map.stride_bytes[i], &part) ||
            __builtin_add_overflow(last, part, &last))
            last = std::numeric_limits<std::int64_t>::max();
    }
    if (last > target.bytes)
        return refuse("plan-tensormap",
                      "the view " + shape_text(map.view) + " spans " + std::to_string(last) + " bytes",
                      "`" + target.name + "` has " + std::to_string(target.bytes));
    for (const std::int64_t extent : map.box)
        if (extent < 1 || extent > 256)
            return refuse("plan-tensormap", "the box is " + shape_text(map.box), "extents are 1 to 256");
    const std::int64_t inner = map.box.back() * size;
    if (inner % 16 != 0)
        return refuse("plan-tensormap", "the box's last axis has " + std::to_string(inner) + " bytes",
                      "it is a multiple of 16 bytes");
    const std::int64_t span = map.swizzle == "32B" ? 32 : map.swizzle == "64B" ? 64 : map.swizzle == "128B" ? 128 : 0;
    if (span > 0 && inner > span)
        return refuse("plan-tensormap", "the box's last axis has " + std::to_string(inner) + " bytes",
                      "swizzle(" + map.swizzle + ") takes at most " + std::to_string(span));
    const bool floating =
        map.dtype == DType::f64 || map.dtype == DType::f32 || map.dtype == DType::f16 || map.dtype == DType::bf16;
    if (map.fill == "nan" && !floating)
        return refuse("plan-tensormap", "fill(nan) of " + type_name(map.dtype), "it needs f64, f32, f16 or bf16");
    return {};
}

} // namespace kf::detail
