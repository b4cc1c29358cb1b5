// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/arena.h"

#include "core/base/random.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <numeric>
#include <set>

namespace kf {
namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t max_align = 64 * 1024;

std::int64_t round_up(std::int64_t value, std::int64_t to) {
    return (value + to - 1) / to * to;
}

// The guard's byte at a place of the arena. Words of eight, so that filling is fast.
std::uint64_t guard_word(std::uint64_t seed, std::int64_t word) {
    return SplitMix64(seed ^ (static_cast<std::uint64_t>(word) * 0xd1342543de82ef95ull)).next();
}

template<class F> void each_guard_word(const GuardZone& zone, std::uint64_t seed, F f) {
    for (std::int64_t at = zone.offset; at < zone.offset + zone.bytes;) {
        const std::int64_t skip = at % 8, n = std::min(8 - skip, zone.offset + zone.bytes - at);
        std::byte bytes[8];
        const std::uint64_t word = guard_word(seed, at / 8);
        std::memcpy(bytes, &word, 8);
        f(at, bytes + skip, n);
        at += n;
    }
}

Status check_buffers(const std::vector<ArenaBuffer>& buffers, const ArenaOptions& options) {
    std::set<std::string> names;
    for (const ArenaBuffer& buffer : buffers) {
        if (buffer.align <= 0 || buffer.align > max_align ||
            !std::has_single_bit(static_cast<std::uint64_t>(buffer.align)))
            return make_error("arena-alignment",
                              "buffer `" + buffer.name + "` asks for an alignment of " + std::to_string(buffer.align),
                              "a power of two from 1 to " + std::to_string(max_align));
        if (buffer.bytes < 0)
            return make_error("arena-size",
                              "buffer `" + buffer.name + "` has " + std::to_string(buffer.bytes) + " bytes");
        if (!names.insert(buffer.name).second)
            return make_error("arena-name", "two buffers are called `" + buffer.name + "`");
        if (buffer.bytes > options.max_bytes)
            return make_error("arena-too-large", "buffer `" + buffer.name + "` has " + std::to_string(buffer.bytes) +
                                                     " bytes, the arena at most " + std::to_string(options.max_bytes));
    }
    if (options.guard_bytes < 0 || options.guard_bytes > options.max_bytes || options.max_displacement < 0 ||
        options.max_displacement > 4096)
        return make_error("arena-size", "guards of " + std::to_string(options.guard_bytes) + " bytes and " +
                                            std::to_string(options.max_displacement) + " displacements");
    return {};
}

// The first odd multiple of `align` at or above `from`.
std::int64_t odd_multiple(std::int64_t from, std::int64_t align) {
    const std::int64_t up = round_up(from, align);
    return up / align % 2 == 1 ? up : up + align;
}

} // namespace

const ArenaSlot* ArenaLayout::find(std::string_view name) const {
    for (const ArenaSlot& slot : slots)
        if (slot.name == name)
            return &slot;
    return nullptr;
}

Result<ArenaLayout> layout_arena(const std::vector<ArenaBuffer>& buffers, std::uint64_t seed,
                                 const ArenaOptions& options) {
    if (Status status = check_buffers(buffers, options); !status)
        return status.error();
    SplitMix64 random(seed);
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = order.size(); k > 1; --k)
        std::swap(order[k - 1], order[random.below(k)]);

    ArenaLayout layout;
    layout.slots.resize(buffers.size());
    layout.base_align = page;
    std::int64_t end = 0; // of what is placed
    int previous = -1;
    for (const std::size_t k : order) {
        const ArenaBuffer& buffer = buffers[k];
        layout.base_align = std::max(layout.base_align, 2 * buffer.align);
        const auto steps =
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(options.max_displacement) + 1));
        const std::int64_t offset = odd_multiple(end + options.guard_bytes, buffer.align) + steps * 2 * buffer.align;
        layout.slots[k] = {buffer.name, offset, buffer.bytes, buffer.align};
        layout.guards.push_back({end, offset - end, previous, static_cast<int>(k)});
        end = offset + buffer.bytes;
        previous = static_cast<int>(k);
        if (end > options.max_bytes) // far below overflow: each term is bounded by max_bytes
            return make_error("arena-too-large", "the buffers with their guards take more than " +
                                                     std::to_string(options.max_bytes) + " bytes (`" + buffer.name +
                                                     "` would end at " + std::to_string(end) + ")");
    }
    layout.total_bytes = round_up(end + options.guard_bytes, page);
    layout.guards.push_back({end, layout.total_bytes - end, previous, -1});
    return layout;
}

std::int64_t arena_bound(const std::vector<ArenaBuffer>& buffers, const ArenaOptions& options) {
    std::int64_t bound = options.guard_bytes + page;
    for (const ArenaBuffer& buffer : buffers)
        bound += buffer.bytes + options.guard_bytes + 2 * buffer.align * (options.max_displacement + 1);
    return round_up(bound, page);
}

void fill_guards(const ArenaLayout& layout, std::uint64_t seed, std::span<std::byte> arena) {
    assert(static_cast<std::int64_t>(arena.size()) >= layout.total_bytes);
    for (const GuardZone& zone : layout.guards)
        each_guard_word(zone, seed, [&](std::int64_t at, const std::byte* bytes, std::int64_t n) {
            std::memcpy(arena.data() + at, bytes, static_cast<std::size_t>(n));
        });
}

std::string GuardDamage::place() const {
    return buffer + (after ? ":after" : ":before");
}

namespace {

// `zone_at` gives the address of a zone's bytes, valid until the next call.
template<class F> std::vector<GuardDamage> check_zones(const ArenaLayout& layout, std::uint64_t seed, F zone_at) {
    struct Sides {
        GuardDamage before, after;
    };
    std::vector<Sides> sides(layout.slots.size());
    GuardDamage unowned; // an arena without buffers: anything written is beyond its bounds all the same
    for (const GuardZone& zone : layout.guards) {
        const std::byte* const zone_bytes = zone_at(zone);
        const std::int64_t end = zone.offset + zone.bytes, middle = zone.offset + zone.bytes / 2;
        each_guard_word(zone, seed, [&](std::int64_t at, const std::byte* bytes, std::int64_t n) {
            if (std::memcmp(zone_bytes + (at - zone.offset), bytes, static_cast<std::size_t>(n)) == 0)
                return;
            for (std::int64_t k = 0; k < n; ++k) {
                const std::int64_t place = at + k;
                if (zone_bytes[place - zone.offset] == bytes[k])
                    continue;
                const bool after = zone.after < 0 || (zone.before >= 0 && place < middle);
                const int owner = after ? zone.before : zone.after;
                GuardDamage& damage = owner < 0 ? unowned
                                      : after   ? sides[static_cast<std::size_t>(owner)].after
                                                : sides[static_cast<std::size_t>(owner)].before;
                const std::int64_t distance = after ? place - zone.offset : end - 1 - place;
                if (damage.count == 0) {
                    damage.nearest = damage.farthest = distance;
                    damage.first_offset = place;
                }
                damage.nearest = std::min(damage.nearest, distance);
                damage.farthest = std::max(damage.farthest, distance);
                ++damage.count;
            }
        });
    }
    std::vector<GuardDamage> damages;
    for (std::size_t k = 0; k < sides.size(); ++k) {
        for (const bool after : {false, true}) {
            GuardDamage& damage = after ? sides[k].after : sides[k].before;
            if (damage.count == 0)
                continue;
            damage.buffer = layout.slots[k].name;
            damage.after = after;
            damages.push_back(std::move(damage));
        }
    }
    if (unowned.count > 0)
        damages.push_back(std::move(unowned));
    return damages;
}

} // namespace

std::vector<std::byte> guard_bytes(const GuardZone& zone, std::uint64_t seed) {
    std::vector<std::byte> made(static_cast<std::size_t>(zone.bytes));
    each_guard_word(zone, seed, [&](std::int64_t at, const std::byte* bytes, std::int64_t n) {
        std::memcpy(made.data() + (at - zone.offset), bytes, static_cast<std::size_t>(n));
    });
    return made;
}

std::vector<GuardDamage> check_guards(const ArenaLayout& layout, std::uint64_t seed, std::span<const std::byte> arena) {
    assert(static_cast<std::int64_t>(arena.size()) >= layout.total_bytes);
    return check_zones(layout, seed, [&](const GuardZone& zone) { return arena.data() + zone.offset; });
}

std::vector<GuardDamage> check_guards_with(const ArenaLayout& layout, std::uint64_t seed,
                                           const std::function<std::vector<std::byte>(const GuardZone&)>& bytes_of) {
    std::vector<std::byte> zone_bytes;
    return check_zones(layout, seed, [&](const GuardZone& zone) {
        zone_bytes = bytes_of(zone);
        assert(static_cast<std::int64_t>(zone_bytes.size()) == zone.bytes);
        return static_cast<const std::byte*>(zone_bytes.data());
    });
}

std::string to_string(const GuardDamage& damage) {
    return "wrote " + std::to_string(damage.count) + (damage.count == 1 ? " byte " : " bytes ") +
           (damage.after ? "after the end of `" : "in front of `") + damage.buffer + "`, the nearest " +
           (damage.nearest == 0
                ? "right beside it"
                : std::to_string(damage.nearest) + (damage.nearest == 1 ? " byte" : " bytes") + " away");
}

} // namespace kf
