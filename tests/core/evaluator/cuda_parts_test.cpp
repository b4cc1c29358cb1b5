// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the GPU device that need no GPU: the lock between evaluators, the cache of compiled candidates, the watch
// over host memory.
#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/evaluator/cuda_cache.h"
#include "core/evaluator/cuda_lock.h"
#include "core/evaluator/cuda_memory.h"
#include "core/process/child.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace kf {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
protected:
    void SetUp() override { m_folder = *make_private_folder("kf-cuda-parts-"); }
    void TearDown() override { fs::remove_all(m_folder); }
    fs::path m_folder;
};

class CudaLockTest : public Folder {
protected:
    std::unique_ptr<CudaLock> open() { return std::move(*CudaLock::open("GPU-1", m_folder)); }
    static bool gives_up(const std::optional<Halt>& halted) {
        return halted && std::holds_alternative<InfrastructureFault>(*halted) &&
               std::get<InfrastructureFault>(*halted).retry_sensible;
    }
    StopSignal m_patient{{}, deadline_after(30)}, m_hasty{{}, deadline_after(0.1)};
};

TEST_F(CudaLockTest, VerifyingIsSharedTimingIsNot) {
    const auto a = open(), b = open(), c = open();
    EXPECT_FALSE(a->enter(m_patient));
    EXPECT_FALSE(b->enter(m_patient));
    EXPECT_TRUE(gives_up(b->alone(m_hasty))) << "a is still there";
    a->leave();
    EXPECT_FALSE(b->alone(m_patient));
    StopSignal hasty({}, deadline_after(0.1));
    EXPECT_TRUE(gives_up(c->enter(hasty))) << "b times";
    b->leave();
    EXPECT_FALSE(c->enter(m_patient));
    c->leave();
}

TEST_F(CudaLockTest, UsersOfOneEvaluatorAreCounted) {
    const auto a = open(), b = open();
    EXPECT_FALSE(a->enter(m_patient));
    EXPECT_FALSE(a->enter(m_patient));
    EXPECT_FALSE(a->alone(m_patient));
    EXPECT_FALSE(a->alone(m_patient));
    a->leave();
    EXPECT_TRUE(gives_up(b->enter(m_hasty)));
    a->leave();
    EXPECT_FALSE(b->enter(m_patient));
    b->leave();
}

TEST_F(CudaLockTest, TwoThatBothWantToTimeTakeTurns) {
    std::atomic<int> inside = 0, most = 0, done = 0;
    const auto work = [&] {
        const auto lock = open();
        for (int i = 0; i < 20; ++i) {
            StopSignal stop({}, deadline_after(60));
            if (lock->enter(stop))
                return;
            if (!lock->alone(stop)) {
                most = std::max<int>(most, ++inside);
                std::this_thread::yield();
                --inside;
                ++done;
            }
            lock->leave();
        }
    };
    std::thread one(work), two(work), three(work);
    one.join();
    two.join();
    three.join();
    EXPECT_EQ(done, 60);
    EXPECT_EQ(most, 1);
}

TEST_F(CudaLockTest, WhoWaitsToTimeIsNotPassedForEver) {
    const auto a = open(), b = open(), timer = open();
    ASSERT_FALSE(a->enter(m_patient));
    ASSERT_FALSE(timer->enter(m_patient));
    std::thread waits([&] { EXPECT_FALSE(timer->alone(m_patient)); });
    while (true) { // until it stands at the gate, b comes and goes
        StopSignal brief({}, deadline_after(0.05));
        if (b->enter(brief))
            break;
        b->leave();
    }
    a->leave();
    waits.join();
    timer->leave();
    EXPECT_FALSE(b->enter(m_patient));
    b->leave();
}

TEST_F(CudaLockTest, AWaiterHearsThatItIsCancelledAndBadNamesAreRefused) {
    const auto a = open(), b = open();
    ASSERT_FALSE(a->enter(m_patient));
    ASSERT_FALSE(a->alone(m_patient));
    std::stop_source source;
    StopSignal stop(source.get_token(), deadline_after(60));
    std::thread ends([&] { source.request_stop(); });
    const auto halted = b->enter(stop);
    ends.join();
    ASSERT_TRUE(halted);
    EXPECT_TRUE(std::holds_alternative<Cancelled>(*halted));
    a->leave();
    EXPECT_EQ(CudaLock::open("../x", m_folder).error().code, "device-lock");
    EXPECT_EQ(CudaLock::open("GPU-1", m_folder / "absent").error().code, "device-lock");
    fs::create_symlink(m_folder / "elsewhere", m_folder / "kernelforge-GPU-2.lock");
    EXPECT_EQ(CudaLock::open("GPU-2", m_folder).error().code, "device-lock");
}

class CubinCacheTest : public Folder {
protected:
    void SetUp() override {
        Folder::SetUp();
        fs::create_directories(m_folder / "include");
        write("include/one.h", "#define ONE 1\n");
        write("library", "the compiler");
        m_compiler = {{"nvrtc", "13.0"},
                      {"version", "1"},
                      {"library", (m_folder / "library").string()},
                      {"headers", {{"cuda", (m_folder / "include").string()}}}};
    }
    void write(const std::string& name, const std::string& text) { std::ofstream(m_folder / name) << text; }
    CubinCache cache(std::uint64_t bytes = 1 << 20) { return CubinCache(m_folder / "cubins", m_compiler, bytes); }
    static nvrtc::CompileRequest request(const std::string& source = "#include <one.h>\n__global__ void k() {}\n") {
        nvrtc::CompileRequest one;
        one.source = source;
        one.arch = "sm_90a";
        one.name_expressions = {"k"};
        return one;
    }
    static nvrtc::CompileOutput output(const std::string& cubin = std::string("\x7f"
                                                                              "ELF\0bytes",
                                                                              10)) {
        nvrtc::CompileOutput one;
        one.cubin = cubin;
        one.size = static_cast<std::int64_t>(cubin.size());
        one.sha256 = sha256(cubin);
        one.lowered_names = {{"k", "_Z1kv"}};
        return one;
    }
    fs::path only_entry() {
        fs::path found;
        for (const auto& entry : fs::directory_iterator(m_folder / "cubins"))
            found = entry.path();
        return found;
    }
    Json m_compiler;
};

TEST_F(CubinCacheTest, GivesBackWhatWasPut) {
    auto one = cache();
    ASSERT_EQ(one.off(), "");
    const std::string key = one.key(request());
    EXPECT_FALSE(one.find(key));
    one.put(key, output());
    auto other = cache();
    EXPECT_EQ(other.key(request()), key);
    const auto found = other.find(key);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cubin, output().cubin);
    EXPECT_EQ(found->lowered_names.at("k"), "_Z1kv");
}

TEST_F(CubinCacheTest, TheKeyHoldsAllThatTheResultDependsOn) {
    auto one = cache();
    const std::string key = one.key(request());
    auto slower = request();
    slower.seconds = 5;
    slower.output_folder = "/somewhere";
    EXPECT_EQ(one.key(slower), key);
    auto arch = request(), fast = request(), macro = request();
    arch.arch = "sm_80";
    fast.fast_math = true;
    macro.defines["BLOCK"] = 64;
    for (const auto& changed : {arch, fast, macro, request("__global__ void k() {}\n")})
        EXPECT_NE(one.key(changed), key);
    write("include/one.h", "#define ONE 11\n");
    EXPECT_NE(cache().key(request()), key) << "a header";
    write("include/one.h", "#define ONE 1\n");
    write("library", "another compiler");
    EXPECT_NE(cache().key(request()), key) << "the library";
    m_compiler["nvrtc"] = "13.1";
    EXPECT_NE(cache().key(request()), key);
}

TEST_F(CubinCacheTest, DamageIsSeenAndReplaced) {
    auto one = cache();
    const std::string key = one.key(request());
    one.put(key, output());
    const fs::path file = only_entry();
    const std::string whole = *read_file(file);
    for (const std::size_t at : {std::size_t{0}, std::size_t{70}, whole.size() / 2, whole.size() - 1}) {
        std::string text = whole;
        text[at] = static_cast<char>(text[at] ^ 1);
        std::ofstream(file, std::ios::binary) << text;
        EXPECT_FALSE(one.find(key)) << at;
        EXPECT_FALSE(fs::exists(file)) << at;
        one.put(key, output());
        EXPECT_TRUE(one.find(key)) << at;
    }
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{10}, std::size_t{64}, whole.size() - 1}) {
        std::ofstream(file, std::ios::binary) << whole.substr(0, bytes);
        EXPECT_FALSE(one.find(key)) << bytes;
    }
    one.put(key, output());
    const std::string other = one.key(request("__global__ void other() {}\n"));
    fs::rename(only_entry(), m_folder / "cubins" / (other + ".cubin"));
    EXPECT_FALSE(one.find(other)) << "an entry under another key's name";
}

TEST_F(CubinCacheTest, IsBoundedTheLeastUsedGoFirst) {
    auto one = cache(200'000);
    std::vector<std::string> keys;
    for (int i = 0; i < 20; ++i) {
        keys.push_back(one.key(request("__global__ void k" + std::to_string(i) + "() {}\n")));
        one.put(keys.back(), output(std::string(20'000, static_cast<char>('a' + i))));
        EXPECT_TRUE(one.find(keys[0])) << "used all the time, after " << i;
        fs::last_write_time(m_folder / "cubins" / (keys[0] + ".cubin"),
                            fs::file_time_type::clock::now() + std::chrono::seconds(10));
    }
    std::uint64_t sum = 0;
    for (const auto& entry : fs::directory_iterator(m_folder / "cubins"))
        sum += entry.file_size();
    EXPECT_LE(sum, 260'000u);
    EXPECT_FALSE(one.find(keys[1]));
    EXPECT_TRUE(one.find(keys.back()));
}

TEST_F(CubinCacheTest, AFolderThatOthersMayWriteIsNotUsed) {
    fs::create_directories(m_folder / "cubins");
    ASSERT_EQ(::chmod((m_folder / "cubins").c_str(), 0777), 0);
    auto one = cache();
    EXPECT_NE(one.off().find("can be written by others"), std::string::npos);
    one.put(one.key(request()), output());
    EXPECT_TRUE(fs::is_empty(m_folder / "cubins"));
    fs::remove(m_folder / "cubins");
    fs::create_directories(m_folder / "real");
    fs::create_directory_symlink(m_folder / "real", m_folder / "cubins");
    EXPECT_NE(cache().off(), "");
}

TEST(MemoryWatchTest, EndsWhatGrowsAndLeavesTheOthers) {
    const auto start = [](const std::string& program) {
        ChildSpec spec;
        spec.argv = {"perl", "-e", program};
        spec.output = ChildOutput::null;
        return Child::start(spec);
    };
    auto small = start("my $x = 'a' x (20 << 20); sleep 60");
    auto large = start("my $x = 'a' x (300 << 20); sleep 60");
    auto nested = start("system('perl', '-e', 'my $x = q(a) x (300 << 20); sleep 60'); sleep 60");
    ASSERT_TRUE(small && large && nested);
    MemoryWatch on_small(small->pid(), 200 << 20), on_large(large->pid(), 200 << 20),
        on_nested(nested->pid(), 200 << 20);
    EXPECT_TRUE(large->wait(deadline_after(30)));
    EXPECT_TRUE(on_large.exceeded());
    EXPECT_TRUE(nested->wait(deadline_after(30))) << "what it started counts";
    EXPECT_TRUE(on_nested.exceeded());
    EXPECT_FALSE(on_small.exceeded());
    EXPECT_FALSE(small->wait(deadline_after(0)));
    EXPECT_GT(on_small.peak(), std::uint64_t{15} << 20);
}

} // namespace
} // namespace kf
