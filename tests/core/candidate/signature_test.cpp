// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter types of mangled names, checked against the C++ runtime's own demangler, and the binding of arguments.
#include "core/base/random.h"
#include "tests/core/candidate/support.h"

#include <cxxabi.h>
#include <memory>

namespace kf::test {
namespace {

std::string types(const std::string& mangled) {
    const Result<std::vector<ParameterType>> parameters = parse_signature(mangled);
    if (!parameters)
        return parameters.error().code;
    std::string text;
    for (const ParameterType& parameter : *parameters)
        text += (text.empty() ? "" : ", ") + parameter.text;
    return text;
}

std::string demangled(const std::string& mangled) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return text ? text.get() : "?";
}

struct Row {
    const char* mangled;
    const char* types;
};
const Row rows[] = {
    {"_Z6swigluILi256EEvPK6__halfPS0_ii", "__half const*, __half*, int, int"},
    {"FvPKfPfiE", "float const*, float*, int"},
    {"FvvE", ""},
    {"_Z1kv", ""},
    {"_ZL1kPf", "float*"},
    {"_ZN3foo3bar1kEPKdS2_", "double const*, double const*"},
    {"_ZN12_GLOBAL__N_11kEPKvPh", "void const*, unsigned char*"},
    {"_ZN12_GLOBAL__N_11kIfEEvPT_", "float*"},
    {"_Z1kIfLb1ELin3EEvPKT_PS0_S0_", "float const*, float*, float"},
    {"_Z1k13__nv_bfloat16PS_PKS_", "__nv_bfloat16, __nv_bfloat16*, __nv_bfloat16 const*"},
    {"_Z1k14CUtensorMap_stPVKi", "CUtensorMap_st, int const volatile*"},
    {"_Z1kbcahstijlmxyfd", "bool, char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, "
                           "unsigned long, long long, "
                           "unsigned long long, float, double"},
    {"_Z1kPPfRiPFvvE", "float**, int&, "},
    {"_Z1kIN2ns3FooIiEEEvPT_S2_", "ns::Foo<int>*, ns::Foo<int>"},
    {"_Z1kPDF16_PrKf", "_Float16*, float const*"},
    {"_ZN2ns1kI6__halfLj4EEEvPKT_PS2_m", "__half const*, __half*, unsigned long"},
    {"_Z1kPKSt4byte", "std::byte const*"},
};

TEST(Signature, AgreesWithTheDemangler) {
    for (const Row& row : rows) {
        const std::string expected = demangled(row.mangled);
        const std::string mine = types(row.mangled);
        if (std::string(row.mangled).find("PFvvE") == std::string::npos) {
            EXPECT_EQ(mine, row.types) << row.mangled;
            // restrict is no part of a pointer's element type here.
            if (std::string(row.mangled).find("PrK") == std::string::npos) {
                EXPECT_TRUE(expected.ends_with("(" + mine + ")")) << row.mangled << " is " << expected;
            }
        } else {
            EXPECT_TRUE(mine.starts_with(row.types)) << mine;
        }
    }
}

TEST(Signature, KindsAndElements) {
    using Kind = ParameterType::Kind;
    const std::vector<ParameterType> p =
        *parse_signature("_Z1kPK6__halfPvPhPxPPff6__halfbm14CUtensorMap_stPK13__nv_bfloat16P6float4Pt");
    ASSERT_EQ(p.size(), 13u);
    EXPECT_EQ(p[0].kind, Kind::pointer);
    EXPECT_EQ(p[0].element, DType::f16);
    EXPECT_TRUE(p[0].is_const);
    EXPECT_TRUE(p[1].any_element);
    EXPECT_FALSE(p[1].is_const);
    EXPECT_TRUE(p[2].any_element);
    EXPECT_EQ(p[3].element, DType::i64);
    EXPECT_EQ(p[4].kind, Kind::other);
    EXPECT_EQ(p[5].kind, Kind::floating);
    EXPECT_EQ(p[6].element, DType::f16);
    EXPECT_EQ(p[7].size, 1);
    EXPECT_EQ(p[8].size, 8);
    EXPECT_FALSE(p[8].is_signed);
    EXPECT_EQ(p[9].kind, Kind::tensormap);
    EXPECT_EQ(p[10].element, DType::bf16);
    EXPECT_EQ(p[11].element, DType::f32);
    EXPECT_EQ(p[12].kind, Kind::other);
}

TEST(Signature, HostileNames) {
    for (const char* bad : {"",
                            "k",
                            "_Z",
                            "_Z1",
                            "_Z9k",
                            "_Z1kS_",
                            "_Z1kT_",
                            "_ZN",
                            "_ZNE",
                            "_Z1kIfE",
                            "F",
                            "FE",
                            "FvPf",
                            "_Z1kf.part.0",
                            "_Z99999999999999999999k",
                            "_Z1kIXadL_Z1fvEEEvi",
                            "_ZplRii",
                            "_Z1kS99999999999_",
                            "P",
                            "_Z1kDv4_f"})
        EXPECT_EQ(types(bad), "plan-signature") << bad;
    EXPECT_EQ(types("_Z1k" + std::string(5000, 'P') + "f"), "plan-signature");
    EXPECT_EQ(types("_Z1k" + std::string(9000, 'f')), "plan-signature");
    // Each level doubles what a demangler would print; here it stays short.
    std::string bomb = "_Z1k1AIffE";
    for (int i = 0; i < 60; ++i)
        bomb += "1BIS" + std::string(i == 0 ? "0" : std::string(1, static_cast<char>(i < 9 ? '0' + i : 'A' + i % 26))) +
                "_S0_E";
    EXPECT_LT(types(bomb).size(), 60u * 200u);
    SplitMix64 random(3);
    const std::string alphabet = "_ZNEIFPKRSTLvfid0123456789kDJXAaB.";
    for (int round = 0; round < 20000; ++round) {
        std::string text = rows[random.below(std::size(rows))].mangled;
        for (std::uint64_t i = 1 + random.below(4); i > 0 && !text.empty(); --i)
            text[random.below(text.size())] = alphabet[random.below(alphabet.size())];
        types(text);
    }
}

std::string bound(const std::string& arguments, const std::string& signature, const std::string& before = "") {
    const Candidate candidate =
        parsed(before + "#pragma kf launch k<<<1, 32>>>(" + arguments + ")\n#pragma kf fill out = 0\n" + half_kernels);
    const Result<ResolvedPlan> plan = resolve_plan(candidate, gemm_task(), a_case(), {}, cpu_device_limits(0));
    if (!plan)
        return describe(plan.error());
    const Result<std::vector<ParameterType>> parameters = parse_signature(signature);
    if (!parameters)
        return describe(parameters.error());
    const Result<std::vector<BoundArgument>> values =
        bind_arguments(std::get<ResolvedLaunch>(plan->steps[0]), *plan, candidate.plan, *parameters);
    if (!values)
        return values.error().code + " " + to_string(values.error().place);
    std::string text;
    for (const BoundArgument& value : *values)
        text += (text.empty() ? "" : " ") +
                (value.buffer >= 0 ? "b" + std::to_string(value.buffer) + "+" + std::to_string(value.byte_offset)
                                   : std::to_string(value.bits) + ":" + std::to_string(value.size));
    return text;
}

TEST(Bind, PointersAndNumbers) {
    EXPECT_EQ(bound("x, out + 3, M", "_Z1kPK6__halfPS_i"), "b0+0 b3+6 64:4");
    EXPECT_EQ(bound("x, out, M", "_Z1kPKvPhx"), "b0+0 b3+0 64:8");
    EXPECT_EQ(bound("0 - 1, 0 - 1, 1, 255", "_Z1kixbh"), "4294967295:4 18446744073709551615:8 1:1 255:1");
    EXPECT_EQ(bound("1, 1.5, 1.0, 0.5", "_Z1kfd6__half13__nv_bfloat16"),
              std::to_string(0x3f800000) + ":4 " + std::to_string(0x3ff8000000000000) + ":8 " + std::to_string(0x3c00) +
                  ":2 " + std::to_string(0x3f00) + ":2");
}

TEST(Bind, Refusals) {
    EXPECT_EQ(bound("x, out", "_Z1kPK6__halfPS_i"), "plan-argument-count a.cu:1:12");
    EXPECT_EQ(bound("x, out, M, N", "_Z1kPK6__halfPS_i"), "plan-argument-count a.cu:1:43");
    EXPECT_EQ(bound("x, out", "_Z1kPKfP6__half"), "plan-argument-type a.cu:1:32");
    EXPECT_EQ(bound("x, M", "_Z1kPKvPv"), "plan-argument-type a.cu:1:35");
    EXPECT_EQ(bound("x", "_Z1ki"), "plan-argument-type a.cu:1:32");
    EXPECT_EQ(bound("1.5", "_Z1ki"), "plan-argument-type a.cu:1:32");
    EXPECT_EQ(bound("x", "_Z1kPPf"), "plan-argument-type a.cu:1:32");
    EXPECT_EQ(bound("M", "_Z1k14CUtensorMap_st"), "plan-argument-type a.cu:1:32");
    EXPECT_EQ(bound("2147483647, 0-2147483647-1", "_Z1kii"), "2147483647:4 2147483648:4");
    EXPECT_EQ(bound("2147483648", "_Z1ki"), "plan-argument-range a.cu:1:32");
    EXPECT_EQ(bound("0 - 1", "_Z1kj"), "plan-argument-range a.cu:1:32");
    EXPECT_EQ(bound("256", "_Z1kh"), "plan-argument-range a.cu:1:32");
    EXPECT_EQ(bound("2", "_Z1kb"), "plan-argument-range a.cu:1:32");
    EXPECT_EQ(bound("70000.0", "_Z1k6__half"), "plan-argument-range a.cu:1:32");
    EXPECT_EQ(bound("1e39", "_Z1kf"), "plan-argument-range a.cu:1:32");
}

TEST(Bind, PreparedScratchIsOnlyReadOutside) {
    const std::string prepare =
        "#pragma kf prepare {\n#pragma kf scratch p: f16[4]\n#pragma kf fill p = 0\n#pragma kf }\n";
    EXPECT_EQ(bound("p, out", "_Z1kPK6__halfPS_", prepare), "b4+0 b3+0");
    EXPECT_EQ(bound("p, out", "_Z1kP6__halfS0_", prepare), "plan-prepare a.cu:5:32");
}

} // namespace
} // namespace kf::test
