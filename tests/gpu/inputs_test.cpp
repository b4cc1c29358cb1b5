// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs made on the GPU are those of the host, bit for bit.
#include "tests/core/task/task_text.h"
#include "tests/gpu/gpu_fixture.h"

#include "core/base/sha256.h"
#include "core/task/inputs.h"

namespace kf {
namespace {

constexpr std::array all_regimes = {Regime::normal,   Regime::spiky, Regime::cancel,
                                    Regime::integers, Regime::mixed, Regime::specials};

class GpuInputs : public GpuTest {
protected:
    // The checksum of an input made on the GPU, at an address of the alignment that was promised and no more.
    std::uint64_t sum_on_gpu(const Task& task, std::size_t input, const Symbols& symbols, Regime regime,
                             std::uint64_t seed) {
        const auto bytes = static_cast<std::uint64_t>(*bytes_of(task.inputs[input], symbols));
        const auto align = static_cast<std::uint64_t>(task.inputs[input].align);
        auto memory = cuda::DeviceMemory::allocate(device().driver(), bytes + align);
        EXPECT_TRUE(memory) << to_string(memory.error());
        if (auto status = judge().fill_input(task, input, symbols, regime, seed, memory->get() + align, bytes);
            !status) {
            ADD_FAILURE() << to_string(status.error());
            return 0;
        }
        auto sum = judge().checksum(memory->get() + align, bytes);
        EXPECT_TRUE(sum) << to_string(sum.error());
        return sum ? *sum : 0;
    }
};

TEST_F(GpuInputs, FrozenBits) {
    struct Frozen {
        const char* dtype;
        const char* fill;
        Regime regime;
        std::uint64_t sum;
    };
    const Frozen table[] = {
#include "tests/core/task/frozen_inputs.inc"
    };
    for (const Frozen& frozen : table) {
        const Task task = *testing_text::one_input(frozen.dtype, R"(["R", "C"])", frozen.fill);
        EXPECT_EQ(sum_on_gpu(task, 0, {{"R", 37}, {"C", 101}}, frozen.regime, 0x0123456789abcdefull), frozen.sum)
            << frozen.dtype << " " << frozen.fill << " " << to_string(frozen.regime);
    }
}

TEST_F(GpuInputs, EveryKindOfFillInEveryRegime) {
    struct Kind {
        const char* dtype;
        const char* fill;
    };
    for (const Kind& kind :
         {Kind{"f32", R"({"normal": [0.1, 1], "row_scale": [0.1, 10]})"}, Kind{"f16", R"({"normal": [0.1, 1]})"},
          Kind{"bf16", R"({"normal": [-1, 30]})"}, Kind{"f64", R"({"uniform": [0, 2]})"},
          Kind{"f32", R"({"uniform": [-3, 5]})"}, Kind{"e4m3", R"({"normal": [0, 20]})"},
          Kind{"e5m2", R"({"normal": [0, 2000]})"}, Kind{"i32", R"({"index": "C"})"},
          Kind{"i32", R"({"uniform": [-7, 9]})"}, Kind{"u8", R"({"bytes": true})"}, Kind{"e4m3", R"({"bytes": true})"},
          Kind{"i64", R"({"zipf": 1.1, "bound": "C"})"}, Kind{"i32", R"({"zipf": 1.0, "bound": "R*C"})"},
          Kind{"i32", R"({"permutation": true})"}, Kind{"i32", R"({"offsets": "R*100"})"},
          Kind{"i64", R"({"index": "R*1024*1024*1024"})"}}) {
        const auto parsed =
            testing_text::one_input(kind.dtype, R"(["R", "C"])", kind.fill, "", R"("allows_specials": true,)");
        ASSERT_TRUE(parsed) << kind.fill << ": " << to_string(parsed.error());
        const Task& task = *parsed;
        for (const Regime regime : all_regimes)
            for (const Symbols& symbols :
                 {Symbols{{"R", 1}, {"C", 1}}, Symbols{{"R", 7}, {"C", 33}}, Symbols{{"R", 129}, {"C", 1027}}}) {
                std::vector<std::byte> host(static_cast<std::size_t>(*bytes_of(task.inputs[0], symbols)));
                const Status made = generate_input(task, 0, symbols, regime, 77, host);
                if (!made)
                    continue; // a range that this size does not have
                EXPECT_EQ(sum_on_gpu(task, 0, symbols, regime, 77), checksum64(host))
                    << kind.dtype << " " << kind.fill << " " << to_string(regime) << " " << to_string(symbols);
            }
    }
}

TEST_F(GpuInputs, OfEveryTask) {
    for (const auto& folder : list_task_folders(std::filesystem::path(KF_SOURCE_DIR) / "tasks")) {
        const auto task = load_task(folder);
        ASSERT_TRUE(task) << to_string(task.error());
        for (const TaskCase& one : cases_for(*task, "cpu", true)) {
            const auto host = input_checksums(*task, one.symbols, one.regime, 11);
            ASSERT_TRUE(host) << to_string(host.error());
            for (std::size_t i = 0; i < task->inputs.size(); ++i)
                EXPECT_EQ(sum_on_gpu(*task, i, one.symbols, one.regime, 11), (*host)[i])
                    << task->name << " " << task->inputs[i].name << " " << one.label();
        }
    }
}

} // namespace
} // namespace kf
