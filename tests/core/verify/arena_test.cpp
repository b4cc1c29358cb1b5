// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/arena.h"

#include "core/base/random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace kf {
namespace {

const std::vector<ArenaBuffer> buffers = {{"x", 1000, 256}, {"w", 0, 256}, {"out", 257 * 343 * 2, 16}, {"s", 7, 4}};

TEST(Arena, buffers_are_apart_at_odd_multiples_whatever_the_seed) {
    std::set<std::vector<std::int64_t>> placements;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const auto layout = layout_arena(buffers, seed);
        ASSERT_TRUE(layout.ok());
        ASSERT_EQ(layout->slots.size(), buffers.size());
        std::vector<std::int64_t> offsets;
        std::int64_t covered = 0;
        for (std::size_t k = 0; k < buffers.size(); ++k) {
            const ArenaSlot& slot = layout->slots[k];
            EXPECT_EQ(slot.name, buffers[k].name);
            EXPECT_EQ(slot.bytes, buffers[k].bytes);
            EXPECT_EQ(slot.offset % slot.align, 0);
            EXPECT_EQ(slot.offset / slot.align % 2, 1);
            EXPECT_EQ(layout->base_align % (2 * slot.align), 0);
            offsets.push_back(slot.offset);
            covered += slot.bytes;
        }
        std::int64_t at = 0;
        for (const GuardZone& zone : layout->guards) {
            EXPECT_GE(zone.bytes, 4096);
            EXPECT_GE(zone.offset, at);
            at = zone.offset + zone.bytes;
            covered += zone.bytes;
            if (zone.after >= 0) {
                EXPECT_EQ(layout->slots[static_cast<std::size_t>(zone.after)].offset, at);
            }
        }
        EXPECT_EQ(at, layout->total_bytes);
        EXPECT_EQ(covered, layout->total_bytes); // every byte is a buffer's or a guard's
        EXPECT_EQ(layout->total_bytes % 4096, 0);
        EXPECT_LE(layout->total_bytes, arena_bound(buffers));
        placements.insert(offsets);
    }
    EXPECT_GT(placements.size(), 290u);
    EXPECT_EQ(layout_arena(buffers, 5)->slots[2].offset, layout_arena(buffers, 5)->slots[2].offset);
    EXPECT_NE(layout_arena(buffers, 5)->find("out"), nullptr);
    EXPECT_EQ(layout_arena(buffers, 5)->find("nobody"), nullptr);
}

TEST(Arena, bad_buffers_are_refused) {
    const auto code = [](std::vector<ArenaBuffer> list, ArenaOptions options = {}) {
        const auto layout = layout_arena(list, 1, options);
        return layout.ok() ? std::string("ok") : layout.error().code;
    };
    EXPECT_EQ(code({{"x", 4, 3}}), "arena-alignment");
    EXPECT_EQ(code({{"x", 4, 0}}), "arena-alignment");
    EXPECT_EQ(code({{"x", 4, -16}}), "arena-alignment");
    EXPECT_EQ(code({{"x", 4, std::int64_t{1} << 40}}), "arena-alignment");
    EXPECT_EQ(code({{"x", -1, 16}}), "arena-size");
    EXPECT_EQ(code({{"x", 1, 16}, {"x", 1, 16}}), "arena-name");
    EXPECT_EQ(code({{"x", INT64_MAX, 16}}), "arena-too-large");
    EXPECT_EQ(code({{"x", 600, 16}, {"y", 600, 16}}, {0, 1000, 0}), "arena-too-large");
    EXPECT_EQ(code({{"x", 1, 1}}, {-1, 1000, 0}), "arena-size");
    EXPECT_EQ(code({}), "ok");
    EXPECT_EQ(layout_arena({}, 1)->total_bytes, 4096);
}

class Guards : public testing::Test {
protected:
    void SetUp() override {
        layout = *layout_arena(buffers, 42);
        arena.resize(static_cast<std::size_t>(layout.total_bytes));
        fill_guards(layout, 7, arena);
    }
    void damage(std::int64_t offset) { arena[static_cast<std::size_t>(offset)] ^= std::byte{1}; }
    ArenaLayout layout;
    std::vector<std::byte> arena;
};

TEST_F(Guards, untouched_and_buffers_may_be_written) {
    EXPECT_TRUE(check_guards(layout, 7, arena).empty());
    for (const ArenaSlot& slot : layout.slots)
        std::fill_n(arena.begin() + slot.offset, slot.bytes, std::byte{0xee});
    EXPECT_TRUE(check_guards(layout, 7, arena).empty());
    EXPECT_FALSE(check_guards(layout, 8, arena).empty()); // another seed, other bytes
}

TEST_F(Guards, every_single_byte_of_every_guard_is_watched_and_charged_to_the_nearer_buffer) {
    for (const GuardZone& zone : layout.guards) {
        for (std::int64_t at = zone.offset; at < zone.offset + zone.bytes; at += 1 + zone.bytes / 300) {
            damage(at);
            const auto found = check_guards(layout, 7, arena);
            ASSERT_EQ(found.size(), 1u) << at;
            EXPECT_EQ(found[0].count, 1);
            EXPECT_EQ(found[0].first_offset, at);
            const bool first_half = zone.after < 0 || (zone.before >= 0 && at - zone.offset < zone.bytes / 2);
            const int owner = first_half ? zone.before : zone.after;
            EXPECT_EQ(found[0].buffer, layout.slots[static_cast<std::size_t>(owner)].name);
            EXPECT_EQ(found[0].after, first_half);
            EXPECT_EQ(found[0].nearest, first_half ? at - zone.offset : zone.offset + zone.bytes - 1 - at);
            damage(at);
        }
    }
    EXPECT_TRUE(check_guards(layout, 7, arena).empty());
}

TEST_F(Guards, says_which_side_and_how_far) {
    const ArenaSlot& out = *layout.find("out");
    for (int k = 0; k < 64; ++k)
        damage(out.offset + out.bytes + k);
    damage(out.offset - 3);
    const auto found = check_guards(layout, 7, arena);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].place(), "out:before");
    EXPECT_EQ(to_string(found[0]), "wrote 1 byte in front of `out`, the nearest 2 bytes away");
    EXPECT_EQ(found[1].place(), "out:after");
    EXPECT_EQ(found[1].farthest, 63);
    EXPECT_EQ(to_string(found[1]), "wrote 64 bytes after the end of `out`, the nearest right beside it");
}

TEST_F(Guards, neither_constants_nor_copies_of_guards_hide) {
    const GuardZone& zone = layout.guards[1];
    for (int value = 0; value < 256; ++value) {
        const std::vector<std::byte> saved(arena.begin() + zone.offset, arena.begin() + zone.offset + 32);
        std::fill_n(arena.begin() + zone.offset, 32, static_cast<std::byte>(value));
        EXPECT_FALSE(check_guards(layout, 7, arena).empty());
        std::copy(saved.begin(), saved.end(), arena.begin() + zone.offset);
    }
    // A copy of 64 bytes of another guard.
    std::copy_n(arena.begin() + layout.guards[2].offset, 64, arena.begin() + zone.offset);
    EXPECT_FALSE(check_guards(layout, 7, arena).empty());
}

TEST(GuardsOfNothing, an_arena_without_buffers_is_watched_too) {
    const ArenaLayout layout = *layout_arena({}, 1);
    std::vector<std::byte> arena(static_cast<std::size_t>(layout.total_bytes));
    fill_guards(layout, 1, arena);
    EXPECT_TRUE(check_guards(layout, 1, arena).empty());
    arena[100] ^= std::byte{1};
    EXPECT_EQ(check_guards(layout, 1, arena).size(), 1u);
}

} // namespace
} // namespace kf
