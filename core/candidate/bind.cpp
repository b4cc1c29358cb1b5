// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/mangled_type.h"
#include "core/candidate/resolve.h"

#include <bit>
#include <cmath>
#include <limits>

namespace kf {

namespace {

// Element types that pointers may have. Vector types are their element's: what they are aligned to is checked where
// they are loaded.
std::optional<DType> element_of(std::string_view text) {
    struct Row {
        std::string_view text;
        DType dtype;
    };
    static constexpr Row rows[] = {{"double", DType::f64},
                                   {"double2", DType::f64},
                                   {"float", DType::f32},
                                   {"float2", DType::f32},
                                   {"float4", DType::f32},
                                   {"__half", DType::f16},
                                   {"__half2", DType::f16},
                                   {"_Float16", DType::f16},
                                   {"half", DType::f16},
                                   {"__nv_bfloat16", DType::bf16},
                                   {"__nv_bfloat162", DType::bf16},
                                   {"std::bfloat16_t", DType::bf16},
                                   {"__nv_fp8_e4m3", DType::e4m3},
                                   {"__nv_fp8_e5m2", DType::e5m2},
                                   {"long", DType::i64},
                                   {"unsigned long", DType::i64},
                                   {"long long", DType::i64},
                                   {"unsigned long long", DType::i64},
                                   {"longlong2", DType::i64},
                                   {"int", DType::i32},
                                   {"unsigned int", DType::i32},
                                   {"int2", DType::i32},
                                   {"int4", DType::i32},
                                   {"signed char", DType::i8},
                                   {"char4", DType::i8},
                                   {"uchar4", DType::u8},
                                   {"bool", DType::boolean}};
    for (const Row& row : rows)
        if (row.text == text)
            return row.dtype;
    return std::nullopt;
}

ParameterType scalar_type(const std::string& text) {
    struct Row {
        std::string_view text;
        int size;
        bool is_signed;
    };
    static constexpr Row integers[] = {{"bool", 1, false},       {"char", 1, true},
                                       {"signed char", 1, true}, {"unsigned char", 1, false},
                                       {"short", 2, true},       {"unsigned short", 2, false},
                                       {"int", 4, true},         {"unsigned int", 4, false},
                                       {"long", 8, true},        {"unsigned long", 8, false},
                                       {"long long", 8, true},   {"unsigned long long", 8, false}};
    static constexpr std::string_view floats[] = {"float",    "double",        "__half",         "half",
                                                  "_Float16", "__nv_bfloat16", "std::bfloat16_t"};
    ParameterType type;
    type.text = text;
    for (const Row& row : integers)
        if (row.text == text) {
            type.kind = ParameterType::Kind::integer;
            type.size = row.size;
            type.is_signed = row.is_signed;
            return type;
        }
    for (const std::string_view each : floats)
        if (each == text) {
            type.kind = ParameterType::Kind::floating;
            type.element = element_of(text);
            type.size = static_cast<int>(size_of(*type.element));
            return type;
        }
    if (text == "CUtensorMap" || text == "CUtensorMap_st") {
        type.kind = ParameterType::Kind::tensormap;
        type.size = 128;
    }
    return type;
}

class Binder {
public:
    Binder(const ResolvedLaunch& launch, const ResolvedPlan& plan, const Plan& source)
        : m_launch(launch), m_plan(plan),
          m_statement(source.statements.at(static_cast<std::size_t>(launch.statement))) {}

    Result<std::vector<BoundArgument>> run(const std::vector<ParameterType>& parameters) {
        const std::vector<ResolvedArgument>& arguments = m_launch.arguments;
        if (arguments.size() != parameters.size())
            return make_error("plan-argument-count",
                              "the kernel `" + m_launch.expression + "` takes " + std::to_string(parameters.size()) +
                                  " arguments, the plan gives " + std::to_string(arguments.size()),
                              "it takes (" + list(parameters) + ")",
                              arguments.size() > parameters.size() ? arguments[parameters.size()].place
                                                                   : m_statement.place);
        std::vector<BoundArgument> bound;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            m_number = i + 1;
            Result<BoundArgument> value = bind(arguments[i], parameters[i]);
            if (!value)
                return value.error();
            bound.push_back(*value);
        }
        return bound;
    }

private:
    static std::string list(const std::vector<ParameterType>& parameters) {
        std::string text;
        for (const ParameterType& parameter : parameters)
            text += (text.empty() ? "" : ", ") + parameter.text;
        return text;
    }

    Error error(std::string kind, const ResolvedArgument& argument, const ParameterType& parameter, std::string given,
                std::string remedy) const {
        return make_error("plan-argument-" + std::move(kind),
                          "argument " + std::to_string(m_number) + " of `" + m_launch.expression +
                              "`: the kernel takes " + parameter.text + ", the plan gives " + std::move(given),
                          std::move(remedy), argument.place);
    }

    Result<BoundArgument> bind(const ResolvedArgument& argument, const ParameterType& parameter) const {
        if (parameter.kind == ParameterType::Kind::other)
            return error("type", argument, parameter, "`" + argument.text + "`",
                         "accepted: pointers to the tensors' types, integers, floats, CUtensorMap");
        if (argument.tensormap >= 0) {
            if (parameter.kind != ParameterType::Kind::tensormap)
                return error("type", argument, parameter, "the tensormap `" + argument.text + "`",
                             "declare it `const __grid_constant__ CUtensorMap`");
            BoundArgument bound;
            bound.tensormap = argument.tensormap;
            bound.size = parameter.size;
            return bound;
        }
        if (argument.buffer >= 0)
            return pointer(argument, parameter);
        if (parameter.kind == ParameterType::Kind::pointer)
            return error("type", argument, parameter, "the number `" + argument.text + "`", "pass a tensor");
        if (parameter.kind == ParameterType::Kind::tensormap)
            return error("type", argument, parameter, "the number `" + argument.text + "`", "pass a tensormap");
        return parameter.kind == ParameterType::Kind::integer ? integer(argument, parameter)
                                                              : floating(argument, parameter);
    }

    Result<BoundArgument> pointer(const ResolvedArgument& argument, const ParameterType& parameter) const {
        const ResolvedBuffer& buffer = m_plan.buffers.at(static_cast<std::size_t>(argument.buffer));
        const std::string given = "`" + argument.text + "`, a tensor of " + std::string(to_string(buffer.dtype));
        if (parameter.kind != ParameterType::Kind::pointer)
            return error("type", argument, parameter, given, "pass a number, or make the parameter a pointer");
        if (!parameter.any_element && parameter.element != buffer.dtype)
            return error("type", argument, parameter, given, "the element types must match");
        if (buffer.in_prepare && !m_statement.in_prepare && !parameter.is_const)
            return make_error("plan-prepare",
                              "`" + argument.text + "` is written by `prepare` and passed to `" + m_launch.expression +
                                  "` as " + parameter.text,
                              "outside `prepare` it is only read: declare the parameter const", argument.place);
        BoundArgument bound;
        bound.buffer = argument.buffer;
        bound.byte_offset = argument.offset * static_cast<std::int64_t>(size_of(buffer.dtype));
        return bound;
    }

    Result<BoundArgument> integer(const ResolvedArgument& argument, const ParameterType& parameter) const {
        if (argument.is_real)
            return error("type", argument, parameter, "the real number " + std::to_string(argument.real),
                         "pass an integer expression");
        const int bits = parameter.text == "bool" ? 1 : parameter.size * 8;
        const std::int64_t value = argument.integer;
        const bool fits = parameter.is_signed ? bits == 64 || (value >= -(std::int64_t{1} << (bits - 1)) &&
                                                               value < (std::int64_t{1} << (bits - 1)))
                                              : value >= 0 && (bits == 64 || value < (std::int64_t{1} << bits));
        if (!fits)
            return error("range", argument, parameter, std::to_string(value) + " (`" + argument.text + "`)",
                         "it does not fit " + parameter.text + ": widen the parameter");
        BoundArgument bound;
        bound.size = parameter.size;
        bound.bits = static_cast<std::uint64_t>(value);
        if (parameter.size < 8)
            bound.bits &= (std::uint64_t{1} << (parameter.size * 8)) - 1;
        return bound;
    }

    Result<BoundArgument> floating(const ResolvedArgument& argument, const ParameterType& parameter) const {
        const double value = argument.is_real ? argument.real : static_cast<double>(argument.integer);
        BoundArgument bound;
        bound.size = parameter.size;
        double stored = value;
        switch (*parameter.element) {
        case DType::f64:
            bound.bits = std::bit_cast<std::uint64_t>(value);
            break;
        case DType::f32:
            // The largest double that rounds to a finite float is below 2^128.
            if (std::fabs(value) < 0x1p128)
                bound.bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
            stored = std::fabs(value) < 0x1p128 ? static_cast<float>(value) : std::numeric_limits<double>::infinity();
            break;
        case DType::f16:
            bound.bits = float_to_half(value);
            stored = half_to_float(static_cast<std::uint16_t>(bound.bits));
            break;
        default:
            bound.bits = float_to_bfloat16(value);
            stored = bfloat16_to_float(static_cast<std::uint16_t>(bound.bits));
            break;
        }
        if (!std::isfinite(stored))
            return error("range", argument, parameter, std::to_string(value) + " (`" + argument.text + "`)",
                         "it does not fit " + parameter.text);
        return bound;
    }

    const ResolvedLaunch& m_launch;
    const ResolvedPlan& m_plan;
    const Statement& m_statement;
    std::size_t m_number = 0;
};

} // namespace

Result<std::vector<ParameterType>> parse_signature(const std::string& mangled) {
    const Result<std::vector<detail::MangledType>> types = detail::mangled_parameters(mangled);
    if (!types)
        return types.error();
    std::vector<ParameterType> parameters;
    for (const detail::MangledType& type : *types) {
        ParameterType parameter;
        if (type.kind == detail::MangledType::Kind::named) {
            parameter = scalar_type(type.text);
        } else if (type.kind == detail::MangledType::Kind::pointer) {
            parameter.element = element_of(type.base);
            parameter.any_element =
                type.base == "void" || type.base == "unsigned char" || type.base == "char" || type.base == "std::byte";
            const bool usable = parameter.element || parameter.any_element;
            parameter.kind = usable ? ParameterType::Kind::pointer : ParameterType::Kind::other;
            parameter.is_const = type.is_const;
            parameter.size = 8;
        }
        parameter.text = type.text;
        parameters.push_back(std::move(parameter));
    }
    return parameters;
}

Result<std::vector<BoundArgument>> bind_arguments(const ResolvedLaunch& launch, const ResolvedPlan& plan,
                                                  const Plan& source, const std::vector<ParameterType>& parameters) {
    return Binder(launch, plan, source).run(parameters);
}

} // namespace kf
