// SPDX-License-Identifier: GPL-3.0-or-later
// One allocation for all buffers of a run, with guard zones around each: pure arithmetic over offsets and a span, the
// same for every device.
//
// Buffers stand in an order and at distances drawn from the seed, each at an *odd* multiple of its promised alignment:
// a kernel that counts on more than was promised, or on its neighbours, is found out. Guards hold bytes that depend on
// seed and place, so that a copy of a guard from elsewhere, or of any constant, shows.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kf {

struct ArenaBuffer {
    std::string name;
    std::int64_t bytes = 0;   // may be 0
    std::int64_t align = 256; // promised, a power of two, at most 64 KiB
};

struct ArenaSlot {
    std::string name;
    std::int64_t offset = 0, bytes = 0, align = 0;
};

// Bytes that belong to no buffer: [offset, offset + bytes). `before` and `after` index ArenaLayout::slots: the buffer
// that ends where the guard begins and the one that begins where it ends (-1 at the arena's ends).
struct GuardZone {
    std::int64_t offset = 0, bytes = 0;
    int before = -1, after = -1;
};

struct ArenaLayout {
    std::vector<ArenaSlot> slots;  // in the order of the buffers given
    std::vector<GuardZone> guards; // ascending, slots.size() + 1 of them (one for an arena without buffers)
    std::int64_t total_bytes = 0;  // a multiple of 4096
    std::int64_t base_align = 0;   // what the arena's own address must be a multiple of

    const ArenaSlot* find(std::string_view name) const;
};

struct ArenaOptions {
    std::int64_t guard_bytes = 4096;                // at least this much before and after each buffer
    std::int64_t max_bytes = std::int64_t{1} << 46; // "arena-too-large" beyond
    int max_displacement = 16;                      // random extra distance: up to this many double alignments
};

// Errors: "arena-alignment" (not a power of two, or too large), "arena-size" (negative), "arena-name" (given twice),
// "arena-too-large" with figures.
Result<ArenaLayout> layout_arena(const std::vector<ArenaBuffer>& buffers, std::uint64_t seed,
                                 const ArenaOptions& options = {});

// Bytes that an arena of these buffers can take at most, whatever the seed: for byte plans.
std::int64_t arena_bound(const std::vector<ArenaBuffer>& buffers, const ArenaOptions& options = {});

// Writes the guards' bytes; `arena` has total_bytes.
void fill_guards(const ArenaLayout& layout, std::uint64_t seed, std::span<std::byte> arena);

// Damage on one side of a buffer. A guard between two buffers belongs half to each.
struct GuardDamage {
    std::string buffer;
    bool after = false;            // beyond its end; false: in front of it
    std::int64_t nearest = 0;      // bytes between the buffer and the nearest changed byte: 0 = adjacent
    std::int64_t farthest = 0;     // the same for the farthest
    std::int64_t count = 0;        // changed bytes
    std::int64_t first_offset = 0; // of the lowest changed byte in the arena
    std::string place() const;     // "out:after"
};

// Every damaged side, those of the first buffer first. `seed` as given to fill_guards.
std::vector<GuardDamage> check_guards(const ArenaLayout& layout, std::uint64_t seed, std::span<const std::byte> arena);

// The same for memory that is not at hand: the bytes of one zone, and a look at each zone's.
std::vector<std::byte> guard_bytes(const GuardZone& zone, std::uint64_t seed);
std::vector<GuardDamage> check_guards_with(const ArenaLayout& layout, std::uint64_t seed,
                                           const std::function<std::vector<std::byte>(const GuardZone&)>& bytes_of);

// "wrote 64 bytes after the end of `out`, the first 0 bytes beyond it".
std::string to_string(const GuardDamage& damage);

} // namespace kf
