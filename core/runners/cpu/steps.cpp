// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/steps.h"

namespace kf {
namespace {

// 64-bit values travel as decimal strings: a JSON number need not keep them.
std::string text(std::uint64_t value) {
    return std::to_string(value);
}

Json operand(const CpuMatrix& value) {
    Json json = {{"offset", text(value.offset)}, {"dtype", value.dtype}, {"transposed", value.transposed}};
    if (value.ld > 0)
        json["ld"] = text(value.ld);
    if (value.stride > 0)
        json["stride"] = text(value.stride);
    return json;
}

Json step_json(const LaunchStep& step) {
    Json arguments = Json::array();
    for (const CpuArgument& argument : step.arguments)
        arguments.push_back(argument.is_pointer ? Json{{"pointer", text(argument.value)}}
                                                : Json{{"bits", text(argument.value)}, {"size", argument.size}});
    return {{"kind", "launch"},
            {"kernel", step.kernel},
            {"grid", step.grid},
            {"block", step.block},
            {"shared", text(step.shared_bytes)},
            {"cooperative", step.cooperative},
            {"args", std::move(arguments)}};
}

Json step_json(const FillStep& step) {
    return {{"kind", "fill"},
            {"offset", text(step.offset)},
            {"bytes", text(step.bytes)},
            {"pattern", text(step.pattern)},
            {"size", step.element_bytes}};
}

Json step_json(const GemmStep& step) {
    Json json = {{"kind", "gemm"},       {"a", operand(step.a)},      {"b", operand(step.b)},
                 {"c", operand(step.c)}, {"m", text(step.m)},         {"n", text(step.n)},
                 {"k", text(step.k)},    {"batch", text(step.batch)}, {"epilogue", step.epilogue}};
    if (step.bias)
        json["bias"] = operand(*step.bias);
    return json;
}

} // namespace

Json to_json(const CpuStep& step) {
    return std::visit([](const auto& one) { return step_json(one); }, step);
}

Json to_json(const std::vector<CpuStep>& steps) {
    Json json = Json::array();
    for (const CpuStep& step : steps)
        json.push_back(to_json(step));
    return json;
}

} // namespace kf
