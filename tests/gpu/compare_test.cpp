// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison on the GPU says the same as the host's, with the same figures.
#include "tests/gpu/gpu_fixture.h"

#include "core/base/random.h"
#include "core/verify/compare.h"

#include <cmath>

namespace kf {
namespace {

class GpuCompare : public GpuTest {
protected:
    struct Sides {
        Comparison gpu, host;
    };
    Sides both(const OutputSpec& spec, const Shape& shape, const Tolerance& tolerance,
               const std::vector<std::byte>& got, const std::vector<double>& golden,
               const std::vector<std::byte>& trusted) {
        Sides sides;
        const auto golden_bytes = std::as_bytes(std::span(golden));
        sides.host = compare_output(spec, shape, tolerance, got, Golden{golden_bytes, false, trusted});
        cuda::DeviceMemory memories[3];
        const std::span<const std::byte> parts[] = {got, golden_bytes, trusted};
        for (int i = 0; i < 3; ++i) {
            auto memory = cuda::DeviceMemory::allocate(device().driver(), parts[i].size());
            EXPECT_TRUE(memory) << to_string(memory.error());
            EXPECT_TRUE(memory->upload(0, parts[i]));
            memories[i] = std::move(*memory);
        }
        auto compared = judge().compare(spec, shape, tolerance, memories[0].get(), memories[1].get(), false,
                                        trusted.empty() ? 0 : memories[2].get());
        EXPECT_TRUE(compared) << to_string(compared.error());
        if (compared)
            sides.gpu = *compared;
        return sides;
    }
};

enum class Damage { none, one_element, one_row_noise, nan, infinity, far_off };

TEST_F(GpuCompare, AgreesWithTheHostOverTypesShapesAndDamages) {
    SplitMix64 random(3);
    const auto real = [&] { return static_cast<double>(random.below(2'000'001)) / 1e6 - 1; };
    int accepted = 0, rejected = 0;
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e5m2})
        for (const Shape& shape : {Shape{1}, Shape{31}, Shape{5, 7}, Shape{64, 257}, Shape{3, 40'000}})
            for (const CompareKind kind : {CompareKind::close, CompareKind::exact, CompareKind::codes})
                for (const Damage damage : {Damage::none, Damage::one_element, Damage::one_row_noise, Damage::nan,
                                            Damage::infinity, Damage::far_off}) {
                    const auto n = static_cast<std::size_t>(element_count(shape));
                    std::vector<double> golden(n);
                    for (double& value : golden)
                        value = 3 * real();
                    std::vector<std::byte> got(n * size_of(dtype)), trusted(n * size_of(dtype));
                    store_elements(golden, dtype, 0, trusted);
                    store_elements(golden, dtype, 0, got);
                    const std::size_t at = n / 2;
                    const auto change = [&](std::size_t i, double value) { store_element(got, dtype, i, value); };
                    if (damage == Damage::one_element)
                        change(at, golden[at] * 1.5 + 0.1);
                    if (damage == Damage::far_off)
                        change(at, -200);
                    if (damage == Damage::nan)
                        change(at, std::numeric_limits<double>::quiet_NaN());
                    if (damage == Damage::infinity)
                        change(at, std::numeric_limits<double>::infinity());
                    if (damage == Damage::one_row_noise)
                        for (std::size_t i = 0; i < std::min<std::size_t>(n, 40); ++i)
                            change(i, golden[i] * (1 + 0.003 * real()));
                    OutputSpec spec;
                    spec.name = "out";
                    spec.dtype = dtype;
                    spec.compare = kind;
                    const Sides sides = both(spec, shape, {0.05, 0.05}, got, golden, trusted);
                    const std::string what = std::string(to_string(dtype)) + " n=" + std::to_string(n) + " kind " +
                                             std::to_string(static_cast<int>(kind)) + " damage " +
                                             std::to_string(static_cast<int>(damage));
                    EXPECT_EQ(sides.gpu.accepted, sides.host.accepted) << what;
                    EXPECT_EQ(sides.gpu.nan_got, sides.host.nan_got) << what;
                    EXPECT_EQ(sides.gpu.inf_got, sides.host.inf_got) << what;
                    EXPECT_DOUBLE_EQ(sides.gpu.max_abs_error, sides.host.max_abs_error) << what;
                    EXPECT_NEAR(sides.gpu.worst_row_ratio, sides.host.worst_row_ratio,
                                1e-9 * (1 + sides.host.worst_row_ratio))
                        << what;
                    EXPECT_NEAR(sides.gpu.worst_row_rms_ratio, sides.host.worst_row_rms_ratio,
                                1e-9 * (1 + sides.host.worst_row_rms_ratio))
                        << what;
                    ++(sides.host.accepted ? accepted : rejected);
                }
    EXPECT_GT(accepted, 100);
    EXPECT_GT(rejected, 100);
}

TEST_F(GpuCompare, FindsWhatIsUnwrittenAndWhatDiffers) {
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::u8}) {
        const int size = static_cast<int>(size_of(dtype));
        const std::uint64_t n = 10'007, bytes = n * static_cast<std::uint64_t>(size);
        auto one = cuda::DeviceMemory::allocate(device().driver(), bytes);
        auto two = cuda::DeviceMemory::allocate(device().driver(), bytes);
        ASSERT_TRUE(one && two);
        ASSERT_TRUE(judge().fill_poison(one->get(), bytes, dtype, Poison::first));
        ASSERT_TRUE(judge().fill_poison(two->get(), bytes, dtype, Poison::second));
        // All but elements 4000 … 4010 are written with the same value.
        const std::uint64_t element = static_cast<std::uint64_t>(size);
        for (const auto& memory : {&*one, &*two}) {
            ASSERT_TRUE(judge().fill_pattern(memory->get(), 4000, size, 1));
            ASSERT_TRUE(judge().fill_pattern(memory->get() + 4011 * element, n - 4011, size, 1));
        }
        const auto unwritten = judge().unwritten(one->get(), two->get(), n, dtype);
        ASSERT_TRUE(unwritten);
        EXPECT_EQ(unwritten->count, 11u) << to_string(dtype);
        EXPECT_EQ(unwritten->first, 4000u) << to_string(dtype);
        const auto different = judge().difference(one->get(), two->get(), n, size);
        ASSERT_TRUE(different);
        EXPECT_EQ(different->count, 11u) << to_string(dtype);
        EXPECT_EQ(different->first, 4000u) << to_string(dtype);
    }
}

} // namespace
} // namespace kf
