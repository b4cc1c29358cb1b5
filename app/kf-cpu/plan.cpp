// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/plan.h"

#include "app/kf-cpu/wire.h"

namespace kf::cpu {

namespace {

constexpr std::size_t step_limit = 4096;

bool read_index3(const Json& value, Index3& to) {
    if (!value.is_array() || value.size() != 3)
        return false;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::optional<std::uint64_t> number = to_u64(value[i]);
        if (!number || *number > 0xffffffffu)
            return false;
        to[i] = static_cast<unsigned int>(*number);
    }
    return true;
}

Result<Step> parse_launch(const Json& step) {
    LaunchStep launch;
    const std::optional<std::uint64_t> kernel = to_u64(get_member(step, "kernel"));
    if (!kernel || *kernel > 0xffffffffu)
        return make_error("plan", "launch needs a kernel number");
    launch.kernel = static_cast<unsigned int>(*kernel);
    if (!read_index3(get_member(step, "grid"), launch.grid) || !read_index3(get_member(step, "block"), launch.block))
        return make_error("plan", "launch needs grid and block as three numbers each");
    launch.shared_bytes = to_u64(get_member(step, "shared")).value_or(0);
    launch.cooperative = get_bool(step, "cooperative");
    for (const Json& item : get_member(step, "args")) {
        Argument argument;
        const std::optional<std::uint64_t> pointer = to_u64(get_member(item, "pointer"));
        const std::optional<std::uint64_t> bits = to_u64(get_member(item, "bits"));
        if (pointer.has_value() == bits.has_value())
            return make_error("plan", "an argument is either a pointer (arena offset) or bits (a number as a string)");
        argument.pointer = pointer.has_value();
        argument.bits = pointer ? *pointer : *bits;
        launch.arguments.push_back(argument);
    }
    return Step{launch};
}

Result<Step> parse_fill(const Json& step) {
    FillStep fill;
    const auto offset = to_u64(get_member(step, "offset")), bytes = to_u64(get_member(step, "bytes"));
    const auto pattern = to_u64(get_member(step, "pattern")), size = to_u64(get_member(step, "size"));
    if (!offset || !bytes || !pattern || !size || (*size != 1 && *size != 2 && *size != 4 && *size != 8) ||
        *bytes % *size != 0)
        return make_error("plan", "fill needs offset, bytes, pattern and size (1, 2, 4 or 8, a divisor of bytes)");
    fill.offset = *offset;
    fill.bytes = *bytes;
    fill.pattern = *pattern;
    fill.element_bytes = static_cast<unsigned int>(*size);
    return Step{fill};
}

std::optional<Dtype> parse_dtype(const std::string& name) {
    if (name == "f16")
        return Dtype::F16;
    if (name == "bf16")
        return Dtype::BF16;
    if (name == "f32")
        return Dtype::F32;
    if (name == "f64")
        return Dtype::F64;
    return std::nullopt;
}

bool parse_operand(const Json& value, GemmOperand& to, std::uint64_t rows, std::uint64_t columns) {
    const auto offset = to_u64(get_member(value, "offset"));
    const auto dtype = parse_dtype(get_string(value, "dtype"));
    if (!offset || !dtype)
        return false;
    to.offset = *offset;
    to.dtype = *dtype;
    to.transposed = get_bool(value, "transposed");
    if (to.transposed)
        std::swap(rows, columns);
    to.ld = to_u64(get_member(value, "ld")).value_or(columns);
    to.stride = to_u64(get_member(value, "stride")).value_or(rows * to.ld);
    return true;
}

Result<Step> parse_gemm(const Json& step) {
    Gemm gemm;
    const auto m = to_u64(get_member(step, "m")), n = to_u64(get_member(step, "n")), k = to_u64(get_member(step, "k"));
    const std::uint64_t limit = std::uint64_t{1} << 31;
    if (!m || !n || !k || *m > limit || *n > limit || *k > limit)
        return make_error("plan", "gemm needs m, n and k");
    gemm.m = *m;
    gemm.n = *n;
    gemm.k = *k;
    gemm.batch = to_u64(get_member(step, "batch")).value_or(1);
    if (!parse_operand(get_member(step, "a"), gemm.a, *m, *k) ||
        !parse_operand(get_member(step, "b"), gemm.b, *k, *n) || !parse_operand(get_member(step, "c"), gemm.c, *m, *n))
        return make_error("plan", "gemm needs a, b and c with offset and dtype (f16, bf16, f32, f64)");
    const Json& bias = get_member(step, "bias");
    if (bias.is_object()) {
        const auto offset = to_u64(get_member(bias, "offset"));
        const auto dtype = parse_dtype(get_string(bias, "dtype"));
        if (!offset || !dtype)
            return make_error("plan", "gemm's bias needs offset and dtype");
        gemm.has_bias = true;
        gemm.bias_offset = *offset;
        gemm.bias_dtype = *dtype;
    }
    const std::string epilogue = get_string(step, "epilogue", "none");
    if (epilogue == "relu")
        gemm.epilogue = Epilogue::Relu;
    else if (epilogue == "gelu_tanh")
        gemm.epilogue = Epilogue::GeluTanh;
    else if (epilogue != "none")
        return make_error("plan", "gemm has no epilogue \"" + epilogue + "\"", "none, relu or gelu_tanh");
    return Step{gemm};
}

Error at_step(std::size_t number, Error error) {
    error.message = "step " + std::to_string(number) + ": " + error.message;
    return error;
}

} // namespace

Result<std::vector<Step>> parse_plan(const Json& steps) {
    if (!steps.is_array() || steps.size() > step_limit)
        return make_error("plan", "steps must be an array of at most " + std::to_string(step_limit) + " objects");
    std::vector<Step> plan;
    for (const Json& item : steps) {
        const std::string kind = get_string(item, "kind");
        Result<Step> step = kind == "launch" ? parse_launch(item)
                            : kind == "fill" ? parse_fill(item)
                            : kind == "gemm"
                                ? parse_gemm(item)
                                : make_error("plan", "unknown kind \"" + kind + "\"", "launch, fill or gemm");
        if (!step)
            return at_step(plan.size(), step.error());
        plan.push_back(std::move(step).value());
    }
    return plan;
}

Status check_plan(const std::vector<Step>& steps, const std::vector<KfKernel>& kernels, std::uint64_t arena_bytes) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (const auto* launch = std::get_if<LaunchStep>(&steps[i])) {
            if (launch->kernel >= kernels.size())
                return at_step(i, make_error("plan", "there is no kernel " + std::to_string(launch->kernel) +
                                                         " among the " + std::to_string(kernels.size()) + " loaded"));
            const KfKernel& kernel = kernels[launch->kernel];
            if (launch->arguments.size() != kernel.arg_count)
                return at_step(i, make_error("plan", std::string(kernel.expression) + " takes " +
                                                         std::to_string(kernel.arg_count) + " arguments, not " +
                                                         std::to_string(launch->arguments.size())));
            for (const Argument& argument : launch->arguments) {
                if (argument.pointer && argument.bits > arena_bytes)
                    return at_step(i, make_error("plan", "a pointer lies outside the arena"));
            }
        } else if (const auto* fill = std::get_if<FillStep>(&steps[i])) {
            if (fill->offset > arena_bytes || fill->bytes > arena_bytes - fill->offset)
                return at_step(i, make_error("plan", "fill goes beyond the arena"));
        } else if (const auto* gemm = std::get_if<Gemm>(&steps[i])) {
            if (Status status = check_gemm(*gemm, arena_bytes); !status)
                return at_step(i, status.error());
        }
    }
    return {};
}

} // namespace kf::cpu
