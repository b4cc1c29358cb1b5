// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using testing::HasSubstr;
using Severity = CpuDiagnostic::Severity;

TEST(Diagnostics, PlacesAreTheCandidates) {
    const auto list = parse_gcc_output("In file included from /kf/work/unit.cpp:1:\n"
                                       "k.cu: In function ‘void k(float*)’:\n"
                                       "k.cu:4:9: error: ‘a’ was not declared in this scope; did you mean ‘b’?\n"
                                       "k.cu:4:9: note: something\n"
                                       "k.cu:6: warning: odd\n"
                                       "/kf/simt/kf/simt/vector.h: In instantiation of ‘T f(T) [with T = int]’:\n"
                                       "k.cu:9:5:   required from here\n"
                                       "/kf/simt/kf/simt/vector.h:30:2: error: static assertion failed: no such type\n"
                                       "<plan>:3:1: error: ‘q’ was not declared in this scope\n",
                                       "k.cu");
    ASSERT_EQ(list.size(), 4u);
    EXPECT_EQ(list[0].place, (Place{"k.cu", 4, 9}));
    EXPECT_THAT(list[0].message, HasSubstr("did you mean ‘b’?"));
    EXPECT_EQ(list[1].severity, Severity::warning);
    EXPECT_EQ(list[1].place, (Place{"k.cu", 6, 0}));
    EXPECT_EQ(list[2].place, (Place{"k.cu", 9, 5}));
    EXPECT_EQ(list[2].header, "vector.h");
    EXPECT_EQ(list[3].launch, 1);
    EXPECT_EQ(parse_gcc_output("k.cu:1:1: error: a\nk.cu:2:1: error: b\n", "k.cu", 1).size(), 1u);
}

TEST(Diagnostics, OneSentenceForAFailure) {
    const auto error = [](const char* output) {
        return compile_error(parse_gcc_output(output, "k.cu"), {"good<1>", "bad<2>"}, "k.cu", output);
    };
    const Error plan = error("<plan>:3:1: error: no matching function\n");
    EXPECT_EQ(plan.code, "compile-kernel");
    EXPECT_THAT(plan.message, HasSubstr("launch 2: kernel `bad<2>`"));
    // The candidate's own error comes first, whatever follows from it in the plan.
    EXPECT_EQ(error("<plan>:2:1: error: x\nk.cu:7:1: error: y\n").place.line, 7);
    EXPECT_EQ(error("<plan>:9:1: error: expected ‘}’ at end of input\n").code, "compile-error");
    EXPECT_THAT(error("cc1plus: out of luck\nmore\n").message, HasSubstr("cc1plus: out of luck"));
    EXPECT_EQ(error("").code, "compile-error");
}

} // namespace
} // namespace kf
