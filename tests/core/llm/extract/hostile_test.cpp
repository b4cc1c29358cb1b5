// SPDX-License-Identifier: GPL-3.0-or-later
// Text that was not written to be read: it ends in an error, in time that grows with its length only.
#include "core/base/files.h"
#include "core/llm/extract.h"
#include "core/llm/reply_blocks.h"

#include <gtest/gtest.h>
#include <random>

namespace kf {
namespace {

const Task& task() {
    static const Task one = [] {
        auto found = find_task("scan", std::filesystem::path(KF_SOURCE_DIR) / "tasks");
        EXPECT_TRUE(found);
        return *found;
    }();
    return one;
}

const std::string wrapper_begin = "__global__ void k(const float* x, float* out, int n) {}\n"
                                  "torch::Tensor forward(torch::Tensor x) {\n auto out = torch::empty_like(x);\n";
const std::string wrapper_end = " k<<<1, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);\n return out;\n}\n";

std::string in_fence(const std::string& code) {
    return "```cuda\n" + code + "```\n";
}

std::string repeated(const std::string& text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += text;
    return out;
}

std::string code_of(const Extraction& extraction) {
    return extraction.errors.empty() ? "ok" : extraction.errors.front().code;
}

TEST(Hostile, PlainWrapperIsTheMeasure) {
    const Extraction good = extract_candidate(in_fence(wrapper_begin + " int n = x.numel();\n" + wrapper_end), task());
    EXPECT_EQ(code_of(good), "ok");
    EXPECT_NE(good.source.find("#pragma kf launch k<<<1, 32>>>(x, out, N)"), std::string::npos) << good.source;
}

TEST(Hostile, TenMegabytes) {
    const std::string long_text = repeated("all work and no play ", 500'000);
    EXPECT_EQ(code_of(extract_candidate(long_text, task())), "limits-source");
    EXPECT_EQ(code_of(extract_candidate(in_fence("__global__ " + long_text + "\n"), task())), "limits-source");
    // Below the reply's limit and above a candidate's.
    EXPECT_EQ(code_of(extract_candidate(in_fence("__global__ " + repeated("word ", 400'000) + "\n"), task())),
              "limits-source");
    EXPECT_EQ(code_of(import_candidate("__global__ " + long_text, "a.cu", task())), "limits-source");
}

TEST(Hostile, ManyAndNestedFences) {
    EXPECT_EQ(code_of(extract_candidate(repeated("```cuda\n__global__ <<<\n```\n", 50'000), task())), "lift-nothing");
    EXPECT_EQ(code_of(extract_candidate(repeated("`````", 200'000), task())), "reply-cut") << "one long fence";
    std::string nested;
    for (int i = 3; i < 400; ++i)
        nested += std::string(static_cast<std::size_t>(i), '`') + "cuda\n";
    EXPECT_EQ(code_of(extract_candidate(nested, task())), "reply-cut");
    // A longer fence holds shorter ones.
    const std::string held = "````cuda\n// ```\n" + wrapper_begin + " int n = x.numel();\n" + wrapper_end + "````\n";
    EXPECT_EQ(code_of(extract_candidate(held, task())), "ok");
    EXPECT_EQ(code_of(extract_candidate(repeated("<think>", 100'000) + "```cuda\n", task())), "no-code");
}

TEST(Hostile, Zeros) {
    std::string code = wrapper_begin + " int n = x.numel();\n" + wrapper_end;
    code[10] = '\0';
    EXPECT_NE(code_of(extract_candidate(in_fence(code), task())), "ok");
    EXPECT_EQ(code_of(extract_candidate(std::string(1000, '\0'), task())), "no-code");
}

TEST(Hostile, DeepNesting) {
    for (const auto& [open, close] : {std::pair<std::string, std::string>{"(", ")"}, {"[", "]"}, {"{", "}"}}) {
        const std::string deep = " int n = " + repeated(open, 50'000) + "1" + repeated(close, 50'000) + ";\n";
        EXPECT_TRUE(
            code_of(extract_candidate(in_fence(wrapper_begin + deep + wrapper_end), task())).starts_with("lift-"));
        const std::string never = " int n = " + repeated(open, 100'000);
        EXPECT_NE(code_of(extract_candidate(in_fence(wrapper_begin + never), task())), "ok");
    }
    EXPECT_EQ(code_of(extract_candidate(
                  in_fence(wrapper_begin + " int n = " + repeated("-", 100'000) + "1;\n" + wrapper_end), task())),
              "lift-unknown");
    EXPECT_NE(code_of(extract_candidate(in_fence(wrapper_begin + repeated("if (1) {", 100'000) + wrapper_end), task())),
              "ok");
    EXPECT_NE(code_of(extract_candidate(in_fence(repeated("namespace a {", 50'000) + wrapper_begin), task())), "ok");
    EXPECT_NE(code_of(extract_candidate("```python\nimport triton # @triton.jit\n" + repeated("@\n", 200'000) + "```\n",
                                        task())),
              "ok");
    EXPECT_NE(
        code_of(extract_candidate(in_fence(repeated("int f(); ", 100'000) + wrapper_begin + wrapper_end), task())),
        "ok");
    std::string python = "import triton\n@triton.jit\ndef k(x):\n    pass\ndef f(x):\n";
    for (std::size_t i = 1; i < 1500; ++i)
        python += std::string(i, ' ') + "if x.numel() > " + std::to_string(i) + ":\n";
    EXPECT_NE(code_of(extract_candidate("```python\n" + python + "```\n", task())), "ok");
}

TEST(Hostile, ExpressionsThatGrow) {
    std::string growing = " int n = x.numel();\n";
    for (int i = 0; i < 60; ++i)
        growing += " n = n * n + n;\n";
    EXPECT_EQ(code_of(extract_candidate(in_fence(wrapper_begin + growing + wrapper_end), task())), "lift-unknown");
    std::string quotients = "x.numel()";
    for (int i = 0; i < 40; ++i)
        quotients = "((" + quotients + " + 1) / 3)";
    EXPECT_NE(
        code_of(extract_candidate(in_fence(wrapper_begin + " int n = " + quotients + ";\n" + wrapper_end), task())),
        "ok");
    EXPECT_EQ(code_of(extract_candidate(
                  in_fence("#define A B\n#define B A\n" + wrapper_begin + " int n = A;\n" + wrapper_end), task())),
              "lift-unknown");
    EXPECT_EQ(
        code_of(extract_candidate(
            in_fence("int f(int n) { return f(n); }\n" + wrapper_begin + " int n = f(1);\n" + wrapper_end), task())),
        "lift-unknown");
}

// Cut anywhere and with bytes exchanged, a reply is refused or gives a candidate that parses; it never breaks anything.
TEST(Hostile, DamagedReplies) {
    std::vector<std::string> seeds;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(KF_SOURCE_DIR) / "tests/core/llm/extract/replies"))
        seeds.push_back(*read_file(entry.path()));
    std::sort(seeds.begin(), seeds.end());
    std::mt19937 random(7);
    std::size_t right = 0, refused = 0;
    for (int i = 0; i < 1500; ++i) {
        std::string text = seeds[random() % seeds.size()];
        text.erase(0, text.find("---\n") + 4);
        switch (random() % 4) {
        case 0:
            text.resize(random() % text.size());
            break;
        case 1:
            for (int k = 0; k < 4; ++k)
                text[random() % text.size()] = static_cast<char>(random());
            break;
        case 2: {
            static const std::string marks = "(){}[]<>;,:.\"'`#\n*&";
            for (int k = 0; k < 3; ++k)
                text.insert(random() % text.size(), 1, marks[random() % marks.size()]);
            break;
        }
        default:
            text.erase(random() % text.size(), random() % 20);
        }
        const Extraction extraction = extract_candidate(text, task());
        EXPECT_EQ(extraction.ok(), !extraction.source.empty());
        if (extraction.ok()) {
            EXPECT_TRUE(parse_candidate(extraction.source, extraction.file_name)) << extraction.source;
            ++right;
        } else {
            for (const Error& error : extraction.errors)
                EXPECT_NE(error.message, "") << error.code;
            ++refused;
        }
    }
    EXPECT_GT(right, 50u);
    EXPECT_GT(refused, 300u);
}

TEST(Blocks, AreTakenApart) {
    const ReplyParts parts =
        split_reply("before\n```CUDA title=\"x\"\na\n```\nmiddle `b` ```c```\n~~~\n```\n~~~\n```py\nopen\n");
    ASSERT_EQ(parts.blocks.size(), 3u);
    EXPECT_EQ(parts.blocks[0].language, "cuda");
    EXPECT_EQ(parts.blocks[0].text, "a\n");
    EXPECT_EQ(parts.blocks[0].line, 3);
    EXPECT_FALSE(parts.blocks[0].open);
    EXPECT_EQ(parts.blocks[1].text, "```\n");
    EXPECT_EQ(parts.blocks[2].language, "py");
    EXPECT_TRUE(parts.blocks[2].open);
    EXPECT_EQ(parts.prose, "before\nmiddle `b` ```c```\n");
    // Servers that swallow the opening tag.
    EXPECT_TRUE(split_reply("```cuda\nx\n```\n</think>\nanswer\n").blocks.empty());
}

TEST(Import, FilesGoTheSameWay) {
    const Extraction as_is = import_candidate("#pragma kf launch k<<<1, 32>>>(x, out, N)\n"
                                              "__global__ void k(const float* x, float* out, int n) {}\n",
                                              "mine.cu", task());
    EXPECT_TRUE(as_is.ok());
    EXPECT_TRUE(as_is.derived.empty());
    EXPECT_EQ(as_is.file_name, "mine.cu");
    const Extraction nothing = import_candidate("int main() { return 0; }\n", "mine.cu", task());
    EXPECT_EQ(code_of(nothing), "no-code");
    EXPECT_EQ(nothing.errors[0].place.file, "mine.cu");
    const Extraction wrong =
        import_candidate(wrapper_begin + " int n = torch::sum(x);\n" + wrapper_end, "mine.cu", task());
    EXPECT_EQ(code_of(wrong), "lift-unknown");
    EXPECT_EQ(to_string(wrong.errors[0].place), "mine.cu:4");
}

} // namespace
} // namespace kf
