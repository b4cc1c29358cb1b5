// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/sanitizer_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using testing::HasSubstr;

const char* const kRace =
    "==================\nWARNING: ThreadSanitizer: data race (pid=7)\n"
    "  Write of size 4 at 0x7e9000000010 by main thread:\n"
    "    #0 kernel<256>(float*, int) k.cu:5 (candidate.so+0x1234)\n    #1 invoke /kf/simt/kf/simt/module.h:30\n\n"
    "  Previous read of size 4 at 0x7e9000000010 by main thread:\n    #0 helper /kf/simt/x.h:3\n"
    "    #1 kernel<256>(float*, int) k.cu:7:12 (candidate.so+0x1300)\n\n"
    "  Location is global\n    #0 elsewhere k.cu:99\n"
    "SUMMARY: ThreadSanitizer: data race k.cu:5 in kernel\n==================\n";

TEST(SanitizerReport, DataRaceHasBothPlaces) {
    const std::vector<SanitizerReport> reports = parse_sanitizer_output(std::string(kRace) + kRace, "k.cu");
    ASSERT_EQ(reports.size(), 1u); // the same race twice
    EXPECT_EQ(reports[0].tool, "ThreadSanitizer");
    EXPECT_EQ(reports[0].kind, "data race");
    EXPECT_EQ(reports[0].access, "write of 4 bytes");
    EXPECT_EQ(reports[0].function, "kernel<256>(float*, int)");
    EXPECT_EQ(reports[0].place, (Place{"k.cu", 5, 0}));
    EXPECT_EQ(reports[0].other, (Place{"k.cu", 7, 12}));
    EXPECT_EQ(reports[0].message,
              "data race: write of 4 bytes in kernel<256>(float*, int) at k.cu:5, against k.cu:7:12");
}

TEST(SanitizerReport, AddressErrorsTakeTheInnermostLineOfTheCandidate) {
    const auto reports = parse_sanitizer_output(
        "==9==ERROR: AddressSanitizer: global-buffer-overflow on address 0x1 at pc 0x2 bp 0x3 sp 0x4\n"
        "READ of size 1 at 0x1 thread T0\n    #0 0x55 in load(char*) /kf/simt/kf/simt/vector.h:10\n"
        "    #1 0x56 in k(float*) /kf/work/k.cu:12:9\n    #2 0x57 in outer() k.cu:40\n",
        "k.cu");
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].kind, "global-buffer-overflow");
    EXPECT_EQ(reports[0].access, "read of 1 byte");
    EXPECT_EQ(reports[0].place, (Place{"k.cu", 12, 9}));
}

TEST(SanitizerReport, UndefinedBehaviourNamesItsLine) {
    const auto reports = parse_sanitizer_output("k.cu:8:3: runtime error: load of misaligned address 0x1\n", "k.cu");
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].place, (Place{"k.cu", 8, 3}));
    EXPECT_THAT(reports[0].message, HasSubstr("misaligned"));
}

TEST(SanitizerReport, OtherFilesAndTextsAreNotTheCandidate) {
    EXPECT_TRUE(parse_sanitizer_output("printf of a kernel: k.cu:3\n#0 k k.cu:3\n", "k.cu").empty());
    const auto reports = parse_sanitizer_output("WARNING: ThreadSanitizer: data race (pid=7)\n  Write of size 4\n"
                                                "    #0 f other_k.cu:5\n    #1 f k.cu:x\n    #2 g k.cuh:7\n",
                                                "k.cu");
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].place.line, 0);
}

TEST(SanitizerReport, NumbersOfReportsAreLimited) {
    std::string text;
    for (int i = 1; i <= 100; ++i)
        text +=
            "WARNING: ThreadSanitizer: data race (pid=7)\n  Write of size 4\n    #0 f k.cu:" + std::to_string(i) + "\n";
    EXPECT_EQ(parse_sanitizer_output(text, "k.cu", 5).size(), 5u);
    EXPECT_TRUE(parse_sanitizer_output("", "k.cu").empty());
}

} // namespace
} // namespace kf
