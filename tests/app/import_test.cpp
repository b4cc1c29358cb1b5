// SPDX-License-Identifier: GPL-3.0-or-later
// `candidate import` as a person runs it.
#include "tests/app/cli_fixture.h"

namespace kf {
namespace {

const char* wrapper = "#include <torch/extension.h>\n"
                      "__global__ void copy(const float* x, float* out, int n) {}\n"
                      "torch::Tensor run(torch::Tensor x) {\n"
                      "    auto out = torch::empty_like(x);\n"
                      "    int n = x.numel();\n"
                      "    copy<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);\n"
                      "    return out;\n"
                      "}\n";

TEST_F(CliTest, CandidateImportLifts) {
    const std::string file = write("wrapper.cu", wrapper);
    const Finished shown = kernelforge({"candidate", "import", file, "--task", "scan"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_TRUE(shown.out.starts_with("#pragma kf launch copy<<<cdiv(N, 256), 256>>>(x, out, N)\n")) << shown.out;
    EXPECT_EQ(shown.out.find("torch"), std::string::npos) << shown.out;
    EXPECT_NE(shown.err.find("from line 6: copy<<<(n + 255) / 256, 256>>>"), std::string::npos) << shown.err;

    // What it writes is a candidate that `check` accepts; a file that is there stays.
    const std::string out = (home / "candidate.cu").string();
    EXPECT_EQ(kernelforge({"candidate", "import", file, "--task", "scan", "-o", out}).exit_code, 0);
    EXPECT_EQ(kernelforge({"candidate", "check", out, "--task", "scan"}).exit_code, 0);
    const Finished again = kernelforge({"candidate", "import", file, "--task", "scan", "-o", out});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_NE(again.err.find("is there already"), std::string::npos) << again.err;
    EXPECT_EQ(*read_file(out), shown.out);
}

TEST_F(CliTest, CandidateImportRefusesByLine) {
    std::string text = wrapper;
    text.replace(text.find("torch::empty_like(x)"), 20, "torch::cumsum(x, 0) ");
    const Finished refused = kernelforge({"candidate", "import", write("wrapper.cu", text), "--task", "scan"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find("wrapper.cu:4"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("cumsum"), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(kernelforge({"candidate", "import", "none.cu", "--task", "scan"}).exit_code, 2);
    EXPECT_EQ(kernelforge({"candidate", "import", write("a.cu", wrapper), "--task", "none"}).exit_code, 2);
    EXPECT_EQ(kernelforge({"candidate", "import", write("text.cu", "hello"), "--task", "scan"}).exit_code, 1);
}

} // namespace
} // namespace kf
