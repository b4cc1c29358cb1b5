// SPDX-License-Identifier: GPL-3.0-or-later
// What needs no NVRTC: directives, include rules, header hashes, logs, messages, declarations of state.
#include "core/base/files.h"
#include "core/helpers/nvrtc/includes.h"
#include "core/helpers/nvrtc/log.h"
#include "core/helpers/nvrtc/messages.h"
#include "core/helpers/nvrtc/state.h"
#include "core/helpers/nvrtc/toolkit.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace kf::nvrtc {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() : m_path(make_private_folder("kf-test").value()) {}
    ~Folder() { fs::remove_all(m_path); }
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((m_path / name).parent_path());
        std::ofstream(m_path / name) << text;
    }
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

TEST(Directives, CommentsStringsAndSplices) {
    const auto found = scan_directives("// #include <a>\n/* #include <b> */ #include <c> // tail\n"
                                       "const char* s = \"\\\"#include <d>\"; char q = '\"'; int n = 1'000;\n"
                                       "auto r = R\"x(\n#include <e>\n)\" )x\";\n#inc\\\nlude \\\n <f>\n%:define G\n");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].name, "include");
    EXPECT_EQ(found[0].rest, "<c>");
    EXPECT_EQ(found[0].line, 2);
    EXPECT_EQ(found[0].column, 20);
    EXPECT_EQ(found[1].name, "include");
    EXPECT_EQ(found[1].rest, "<f>");
    EXPECT_EQ(found[1].line, 7);
    EXPECT_EQ(found[2].name, "define");
    EXPECT_EQ(found[2].line, 10);
}

TEST(Includes, OnlyBelowAllowedFolders) {
    Folder root;
    root.write("cuda_fp16.h", "");
    root.write("kf/tensormap.h", "");
    const std::vector<IncludeRoot> roots{{root.path(), "cuda"}};
    EXPECT_TRUE(check_includes("#include <cuda_fp16.h>\n#include \"kf/tensormap.h\"\n#if 0\n#define X 1\n#endif\n",
                               "a.cu", roots, "")
                    .empty());
    struct Case {
        const char* text;
        const char* code;
    };
    for (const auto& [text, code] :
         {Case{"\n  #include </etc/passwd>\n", "include-refused"}, Case{"\n  #include \"../a.h\"\n", "include-refused"},
          Case{"\n  #include <kf/../../x.h>\n", "include-refused"}, Case{"\n  #include HEADER\n", "include-refused"},
          Case{"\n  #include_next <cuda_fp16.h>\n", "include-refused"},
          Case{"\n  #import <cuda_fp16.h>\n", "include-refused"}, Case{"\n  #line 7\n", "include-refused"},
          Case{"\n  # 7 \"x.cu\"\n", "include-refused"}, Case{"\n  #embed \"/etc/passwd\"\n", "include-refused"},
          Case{"\n  %:include <iostream>\n", "header-missing"},
          Case{"\n  #if __has_include(<x>)\n#endif\n", "include-refused"},
          Case{"\n  #include <kf>\n", "header-missing"}}) {
        const auto found = check_includes(text, "a.cu", roots, "");
        ASSERT_EQ(found.size(), 1u) << text;
        EXPECT_EQ(found[0].code, code) << text;
        EXPECT_EQ(found[0].diagnostic.line, 2) << text;
        EXPECT_EQ(found[0].diagnostic.column, 3) << text;
        EXPECT_FALSE(found[0].remedy.empty());
    }
    const auto missing = check_includes("#include <cuda_fp16.h>\n", "a.cu", {}, "no folder was found");
    ASSERT_EQ(missing.size(), 1u);
    EXPECT_NE(missing[0].diagnostic.message.find("no folder was found"), std::string::npos);
}

TEST(Headers, HashFollowsEveryHeaderThatCanBeReached) {
    Folder root;
    root.write("a.h", "#include \"sub/b.h\"\n");
    root.write("sub/b.h", "#ifdef NEVER\n#include \"c.h\"\n#endif\n");
    root.write("sub/c.h", "int c;\n");
    root.write("unused.h", "int u;\n");
    const std::vector<IncludeRoot> roots{{root.path(), "cuda"}};
    HeaderHasher hasher;
    const HeaderSet first = hasher.hash("#include <a.h>\n", roots);
    EXPECT_EQ(first.files.size(), 3u);
    EXPECT_EQ(hasher.hash("#include <a.h>\nint x;\n", roots).hash, first.hash);
    root.write("unused.h", "int other;\n");
    EXPECT_EQ(hasher.hash("#include <a.h>\n", roots).hash, first.hash);
    root.write("sub/c.h", "int changed;\n");
    EXPECT_NE(hasher.hash("#include <a.h>\n", roots).hash, first.hash);
    EXPECT_NE(hasher.hash("", roots).hash, first.hash);
    // the same headers elsewhere have the same hash
    Folder other;
    other.write("a.h", "#include \"sub/b.h\"\n");
    other.write("sub/b.h", "#ifdef NEVER\n#include \"c.h\"\n#endif\n");
    other.write("sub/c.h", "int c;\n");
    EXPECT_EQ(HeaderHasher().hash("#include <a.h>\n", {{other.path(), "cuda"}}).hash, first.hash);
}

TEST(Log, ErrorsWithLineColumnAndNotes) {
    const auto log = parse_compiler_log(
        "k(1).cu(2): warning #550-D: variable \"v\" was set but never used\n  int v; \n      ^\n\n"
        "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
        "k(1).cu(5): error: no instance of overloaded function \"f\" matches\n            argument types are: (int)\n"
        "   f(3);\n   ^\n          detected during instantiation of \"T g(T)\" at line 9\n\n"
        "/opt/include/sub/x.h(3): note #3326-D: candidate\n\n"
        "/opt/include/sub/x.h(7): catastrophic error: #error directive: no\n  #error no\n   ^\n\n2 errors detected\n",
        "k(1).cu", {{"/opt/include", "cuda"}});
    ASSERT_EQ(log.errors.size(), 2u);
    EXPECT_EQ(log.errors[0].file, "k(1).cu");
    EXPECT_EQ(log.errors[0].line, 5);
    EXPECT_EQ(log.errors[0].column, 2);
    ASSERT_EQ(log.errors[0].notes.size(), 2u);
    EXPECT_EQ(log.errors[0].notes[0], "argument types are: (int)");
    EXPECT_NE(log.errors[0].notes[1].find("at line 9"), std::string::npos);
    EXPECT_EQ(log.errors[1].file, "<sub/x.h>");
    EXPECT_EQ(log.errors[1].line, 7);
    ASSERT_EQ(log.warnings.size(), 1u);
    EXPECT_EQ(log.warnings[0].column, 5);
}

TEST(Log, HostileTextDoesNoHarm) {
    for (const char* text :
         {"", "\n\n", "): error: x", "(5): error: x", "a(99999999999999999999): error: x", "a(5: error: x",
          "a(5): error", "ptxas", "ptxas : ", "ptxas application ptx input, line 99999999999; error : x",
          "__nv_name_map(1): error: Error in parsing name expression for", "^", "  ^"})
        parse_compiler_log(text, "a", {});
    parse_assembler_log("Function properties for \n bytes stack frame\nUsed registers\nCompiling entry function '");
    source_lines_of_ptx(".file\n.file 1\n.file 1 \"\n.loc\n.loc 1\n.loc x y\n", "a");
}

TEST(Log, FiguresOfKernelsAndFunctions) {
    const auto figures = parse_assembler_log(
        "ptxas info    : 73 bytes gmem\nptxas info    : Compiling entry function '_Z1kPf' for 'sm_90a'\n"
        "ptxas info    : Function properties for _Z1kPf\n"
        "ptxas         .     256 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers, 256 bytes cumulative stack size, 512 bytes smem, 372 "
        "bytes "
        "cmem[0]\nptxas info    : Function properties for _Z6helperf\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n");
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_EQ(figures[0].name, "_Z1kPf");
    EXPECT_TRUE(figures[0].entry);
    EXPECT_EQ(figures[0].registers, 255);
    EXPECT_EQ(figures[0].stack, 256);
    EXPECT_EQ(figures[0].spill_stores, 12);
    EXPECT_EQ(figures[0].spill_loads, 16);
    EXPECT_EQ(figures[0].shared, 512);
    EXPECT_EQ(figures[0].constant, 372);
    EXPECT_EQ(figures[0].barriers, 1);
    EXPECT_FALSE(figures[1].entry);
    EXPECT_EQ(figures[1].registers, -1);
}

TEST(State, DeclarationsInTheText) {
    const char* text =
        "__device__ int counter;\n__device__ const float table[4] = {1};\nconstexpr int* where = nullptr;\n"
        "__device__ const char* name; // only_comment\n"
        "template<class T> __global__ void k(T* x) { static int calls; calls++; return; }\n"
        "#define MAKE(n) __device__ int n\nMAKE(hidden);\n__device__ float grid[8][4] = {};";
    EXPECT_TRUE(find_declarations(text, "counter").as_variable);
    EXPECT_TRUE(find_declarations(text, "calls").as_variable);
    EXPECT_TRUE(find_declarations(text, "name").as_variable);
    EXPECT_TRUE(find_declarations(text, "grid").as_variable);
    EXPECT_FALSE(find_declarations(text, "table").as_variable);
    EXPECT_TRUE(find_declarations(text, "table").as_constant);
    EXPECT_TRUE(find_declarations(text, "where").as_constant);
    EXPECT_FALSE(find_declarations(text, "only_comment").occurs);
    std::vector<StateSymbol> symbols(5);
    symbols[0].identifier = "hidden";
    symbols[1].identifier = "table";
    symbols[2].identifier = "pasted_name";
    symbols[3].identifier = "is_same_v";
    symbols[3].demangled = "std::is_same_v<int, int>";
    symbols[4].identifier = "__unnamed_1";
    judge_state(symbols, text, {});
    EXPECT_EQ(symbols[3].origin, "header");
    EXPECT_EQ(symbols[4].origin, "compiler");
    EXPECT_TRUE(symbols[0].suspect());
    EXPECT_FALSE(symbols[1].suspect());
    EXPECT_TRUE(symbols[2].suspect()); // in no text that we know
    EXPECT_EQ(symbols[2].origin, "unknown");
    // a candidate cannot hide a variable in a header's namespace
    symbols[3].identifier = "hidden_there";
    symbols[3].demangled = "std::hidden_there";
    judge_state(symbols, "namespace std { __device__ int hidden_there; }", {});
    EXPECT_TRUE(symbols[3].suspect());
}

TEST(Messages, RequestAndReplySurviveTheWire) {
    CompileRequest request;
    request.source = "int x;\n\"quoted\"\t\xc3\xa9";
    request.arch = "sm_90a";
    request.name = "swiglu.cu";
    request.name_expressions = {"k<BLOCK, half>"};
    request.defines = {{"BLOCK", 256}, {"LOW", -9223372036854775807ll - 1}};
    request.fast_math = true;
    request.maxreg = 64;
    request.assembler = Assembler::ptxas;
    const auto back = request_from_json(to_json(request));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(to_json(*back), to_json(request));

    CompileOutput output;
    output.cubin = std::string("\x7f"
                               "ELF\0\xff",
                               6);
    output.size = 6;
    output.lowered_names = {{"k<1>", "_Z1kILi1EEvv"}};
    output.kernels.resize(1);
    output.kernels[0].registers = 24;
    const auto reply = reply_from_json(to_json(CompileReply(output)));
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(std::get<CompileOutput>(*reply).cubin, output.cubin);
    EXPECT_EQ(std::get<CompileOutput>(*reply).kernels[0].registers, 24);
    EXPECT_EQ(std::get<CompileOutput>(*reply).kernels[0].shared, -1);
    Json torn = to_json(CompileReply(output));
    torn["size"] = 7;
    EXPECT_FALSE(reply_from_json(torn).ok());
    EXPECT_FALSE(reply_from_json(Json::object()).ok());
    EXPECT_FALSE(reply_from_json(Json{{"ok", false}}).ok());
}

TEST(Messages, BadRequestsNameTheField) {
    const Json good = {{"source", "x"}, {"arch", "sm_90"}};
    ASSERT_TRUE(request_from_json(good).ok());
    struct Case {
        const char* field;
        Json value;
    };
    for (const auto& [field, value] :
         {Case{"source", 3}, Case{"source", nullptr}, Case{"arch", nullptr}, Case{"name", "a/b.cu"},
          Case{"name", "a\nb"}, Case{"name_expressions", "k"}, Case{"name_expressions", Json::array({1})},
          Case{"defines", Json::array()}, Case{"defines", {{"A B", 1}}}, Case{"defines", {{"A", 1.5}}},
          Case{"defines", {{"A", 18446744073709551615ull}}}, Case{"options", {{"maxreg", 300}}},
          Case{"options", {{"std", "c++98"}}}, Case{"options", 4}, Case{"assembler", "gas"}, Case{"seconds", -1}}) {
        Json bad = good;
        bad[field] = value;
        const auto request = request_from_json(bad);
        ASSERT_FALSE(request.ok()) << bad;
        EXPECT_EQ(request.error().code, "bad-params");
        EXPECT_NE(request.error().message.find(field), std::string::npos) << request.error().message;
    }
}

TEST(Toolkit, SettingsThatDoNotWorkAreErrors) {
    Folder empty;
    ToolkitSettings settings;
    settings.search = false;
    settings.resources = empty.path().string();
    auto nothing = find_toolkit(settings);
    ASSERT_TRUE(nothing.ok());
    EXPECT_TRUE(nothing->libraries.empty());
    EXPECT_FALSE(nothing->headers_missing.empty());
    settings.nvrtc = (empty.path() / "libnvrtc.so.13").string();
    EXPECT_EQ(find_toolkit(settings).error().code, "toolkit-setting");
    settings.nvrtc.clear();
    settings.include = empty.path().string();
    EXPECT_EQ(find_toolkit(settings).error().code, "toolkit-setting");
}

TEST(Toolkit, WheelsOfAPythonAreFound) {
    Folder venv;
    venv.write("bin/python", "");
    const std::string site = "lib/python3.11/site-packages/nvidia/";
    venv.write(site + "cuda_nvrtc/lib/libnvrtc.so.12", "not a library");
    venv.write(site + "cu13/include/cuda_fp16.h", "");
    ToolkitSettings settings;
    settings.search = false;
    settings.resources = venv.path().string();
    settings.python = (venv.path() / "bin/python").string();
    auto toolkit = find_toolkit(settings);
    ASSERT_TRUE(toolkit.ok());
    ASSERT_EQ(toolkit->libraries.size(), 1u);
    EXPECT_TRUE(toolkit->libraries[0].ends_with("cuda_nvrtc/lib/libnvrtc.so.12"));
    add_headers_beside(*toolkit, toolkit->libraries[0], settings);
    EXPECT_TRUE(toolkit->headers_missing.empty());
}

} // namespace
} // namespace kf::nvrtc
