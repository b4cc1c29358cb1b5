// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"

#include <cstdlib>
#include <sys/random.h>

namespace kf {

std::uint64_t system_seed() {
    std::uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed))
        std::abort(); // a predictable seed would let a candidate know its inputs
    return seed;
}

std::string random_id(int n) {
    static constexpr char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    SplitMix64 generator(system_seed());
    std::string id;
    for (int i = 0; i < n; ++i)
        id += alphabet[generator.below(36)];
    return id;
}

} // namespace kf
