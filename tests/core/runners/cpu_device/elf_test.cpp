// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/process/child.h"
#include "core/runners/cpu/elf_inspect.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {
namespace fs = std::filesystem;

using testing::Contains;
using testing::HasSubstr;

// A shared object built from `source` by the system's compiler.
std::string build(const std::string& source, const std::vector<std::string>& extra = {}) {
    const fs::path folder = make_private_folder("kf-elf-").value();
    EXPECT_TRUE(write_file_atomic(folder / "a.cpp", source).ok());
    ChildSpec spec;
    spec.argv = {"g++",
                 "-std=c++20",
                 "-O1",
                 "-shared",
                 "-fPIC",
                 "-nostartfiles",
                 "-nodefaultlibs",
                 "-Wl,-z,relro,-z,now",
                 "-Wl,--as-needed",
                 "-fno-exceptions",
                 "-fno-stack-protector"};
    spec.argv.insert(spec.argv.end(), extra.begin(), extra.end());
    spec.argv.insert(spec.argv.end(), {(folder / "a.cpp").string(), "-o", (folder / "a.so").string(), "-lm", "-lc"});
    RunLimits limits;
    limits.deadline = after(std::chrono::seconds(60));
    const Result<Finished> finished = run_to_end(spec, limits);
    EXPECT_TRUE(finished.ok() && finished->succeeded()) << (finished ? finished->err : finished.error().message);
    const Result<std::string> object = read_file(folder / "a.so");
    fs::remove_all(folder);
    return object ? *object : std::string();
}

Error inspect(const std::string& source, const std::vector<std::string>& extra = {}) {
    const Result<ElfFacts> facts = read_elf(build(source, extra));
    if (!facts)
        return facts.error();
    const Status status = inspect_candidate(*facts, CpuMode::plain, false);
    return status ? Error{} : status.error();
}

const char* const kGood =
    "#include <cmath>\n#include <cstring>\nstatic const int table[3] = {1, 2, 3};\n"
    "static const char* const names[2] = {\"a\", \"b\"};\n"
    "extern \"C\" float f(float* p, int i) { std::memset(p, 0, i); return std::sin(p[i]) + table[i % 3] "
    "+ names[i][0]; }\n";

TEST(Elf, HarmlessCodePasses) {
    const Error error = inspect(kGood);
    EXPECT_EQ(error.code, "") << error.message;
    const ElfFacts facts = read_elf(build(kGood)).value();
    EXPECT_THAT(facts.imports, testing::UnorderedElementsAre("sinf", "memset"));
    EXPECT_THAT(facts.exports, Contains("f"));
    EXPECT_TRUE(facts.writable.empty());
}

TEST(Elf, ImportsAreRefusedByName) {
    for (const char* name : {"system", "socket", "fork", "dlopen", "mprotect", "malloc"}) {
        const Error error = inspect("extern \"C\" int " + std::string(name) + "(...); extern \"C\" int f() { return " +
                                    name + "(0); }");
        EXPECT_EQ(error.code, "refused-import") << name;
        EXPECT_THAT(error.message, HasSubstr(std::string("'") + name + "'"));
    }
    const Error mangled = inspect("namespace host { int call(int); } extern \"C\" int f() { return host::call(1); }");
    EXPECT_THAT(mangled.message, HasSubstr("'host::call(int)'"));
}

TEST(Elf, CodeAtLoadTimeIsRefused) {
    EXPECT_EQ(inspect("int x; __attribute__((constructor)) static void f() { ++x; }").code, "refused-constructor");
    EXPECT_EQ(inspect("int x; __attribute__((destructor)) static void f() { ++x; }").code, "refused-constructor");
    EXPECT_EQ(inspect("extern \"C\" void hook() {}", {"-Wl,-init=hook"}).code, "refused-constructor");
    EXPECT_EQ(inspect("static int a() { return 1; } extern \"C\" void* pick() { return (void*)a; }\n"
                      "extern \"C\" int f() __attribute__((ifunc(\"pick\")));")
                  .code,
              "refused-constructor");
    EXPECT_EQ(
        inspect("extern \"C\" double sin(double); volatile const double y = 1; const volatile double x = sin(y);").code,
        "refused-constructor");
}

TEST(Elf, StateIsNamed) {
    const Error bss = inspect("namespace ops { int counter; } extern \"C\" int f() { return ++ops::counter; }");
    EXPECT_EQ(bss.code, "refused-state");
    EXPECT_THAT(bss.message, HasSubstr("'ops::counter'"));
    EXPECT_THAT(inspect("extern \"C\" int f() { static int calls = 5; return ++calls; }").message, HasSubstr("calls"));
    EXPECT_EQ(inspect("extern \"C\" int f() { static int calls = 5; return ++calls; }", {"-s"}).code, "refused-state");
    EXPECT_EQ(inspect("extern \"C\" int f() { static thread_local int tile[64]; return ++tile[3]; }").code, "");
}

TEST(Elf, DangerousObjectsAreRefused) {
    EXPECT_EQ(inspect("extern \"C\" int f() { return 1; }", {"-Wl,-z,execstack"}).code, "refused-object");
    EXPECT_EQ(inspect("extern \"C\" int f() { return 1; }", {"-Wl,--omagic"}).code.substr(0, 4), "refu");
    EXPECT_EQ(inspect("extern \"C\" int f() { return 1; }", {"-Wl,-rpath,/x"}).code, "elf-malformed");
    EXPECT_EQ(
        inspect("#include <pthread.h>\nextern \"C\" int f() { return 1; }", {"-Wl,--no-as-needed", "-lresolv"}).code,
        "refused-import");
}

TEST(Elf, SanitizerImportsNeedTheirMode) {
    EXPECT_TRUE(is_allowed_import("__asan_report_load4", CpuMode::asan, false));
    EXPECT_FALSE(is_allowed_import("__asan_report_load4", CpuMode::plain, false));
    EXPECT_FALSE(is_allowed_import("__tsan_read4", CpuMode::plain, false));
    EXPECT_TRUE(is_allowed_import("__tsan_read4", CpuMode::plain, true));
    EXPECT_TRUE(is_allowed_import("kf_rt_trap", CpuMode::plain, false));
    for (const char* name : {"expf", "log2", "sincosf", "__expf_finite", "fmaf", "erfcl"})
        EXPECT_TRUE(is_allowed_import(name, CpuMode::plain, false)) << name;
    for (const char* name : {"", "f", "write", "exit", "kf_r", "signal", "printf", "_Znwm"})
        EXPECT_FALSE(is_allowed_import(name, CpuMode::plain, false)) << name;
}

TEST(Elf, OtherFilesAreNoObjects) {
    for (const std::string& bytes : {std::string(), std::string("x"), std::string("\177ELF"), std::string(4096, '\0')})
        EXPECT_EQ(read_elf(bytes).error().code, "elf-malformed");
    const std::string program = read_file("/bin/true").value();
    const Result<ElfFacts> facts = read_elf(program);
    EXPECT_TRUE(!facts || !inspect_candidate(*facts, CpuMode::plain, false));
}

// Run under AddressSanitizer in CI: every read must stay inside the buffer, which has exactly the object's size.
TEST(Elf, MutationsNeverReadOutside) {
    const std::string object =
        build("int keep = 1; extern \"C\" int system(const char*); extern \"C\" int f() { static thread_local int t; "
              "return ++keep + ++t + system(\"\"); }");
    ASSERT_GT(object.size(), 1000u);
    SplitMix64 random(20240607);
    const std::uint64_t interesting[] = {
        0, 1, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0xffffffffffffffff, object.size(), object.size() - 1};
    int readable = 0;
    for (int round = 0; round < 10'000; ++round) {
        std::string mutant = object;
        if (random.below(8) == 0)
            mutant.resize(random.below(mutant.size()));
        const std::uint64_t count = 1 + random.below(6);
        for (std::uint64_t i = 0; i < count && mutant.size() > 8; ++i) {
            // Half of the changes hit the headers, where they matter most.
            const std::size_t range = random.below(2) == 0 ? std::min<std::size_t>(mutant.size(), 1200) : mutant.size();
            const std::size_t at = random.below(range - 7);
            const std::uint64_t value = random.below(2) == 0 ? interesting[random.below(9)] : random.next();
            std::memcpy(mutant.data() + at, &value, 1 + random.below(8));
        }
        const std::vector<char> exact(mutant.begin(), mutant.end());
        const Result<ElfFacts> facts = read_elf(std::string_view(exact.data(), exact.size()));
        if (facts) {
            ++readable;
            (void)inspect_candidate(*facts, CpuMode::plain, false);
        }
    }
    EXPECT_GT(readable, 100);   // the mutants reach deep
    EXPECT_LT(readable, 9'900); // and are refused often
}

} // namespace
} // namespace kf
