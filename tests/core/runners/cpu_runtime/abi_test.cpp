// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates include a copy of the binary contract; it must be the same text.
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace {

std::string slurp(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(Abi, TheCandidatesCopyIsTheContract) {
    const std::string contract = slurp(KF_SOURCE_DIR "/core/runners/cpu/abi.h");
    EXPECT_FALSE(contract.empty());
    EXPECT_EQ(contract, slurp(KF_SOURCE_DIR "/resources/simt/kf/abi.h"));
}

} // namespace
