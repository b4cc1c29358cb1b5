// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/round_source.h"

namespace kf {

Result<std::vector<PairSample>> RoundSource::time_pairs(std::span<const Arm> order) {
    Result<std::vector<PairSample>> pairs = do_time_pairs(order);
    if (!pairs)
        return pairs;
    bool as_asked = pairs->size() == order.size();
    for (std::size_t i = 0; as_asked && i < order.size(); ++i)
        as_asked = (*pairs)[i].first == order[i];
    if (!as_asked)
        return make_error("source-broken", "the source did not time the pairs that were asked for, in their order");
    return pairs;
}

Result<std::vector<PairSample>> PairTimer::do_time_pairs(std::span<const Arm> order) {
    std::vector<PairSample> pairs;
    pairs.reserve(order.size());
    for (const Arm first : order) {
        Result<PairSample> pair = do_time_pair(first);
        if (!pair)
            return pair.error();
        pairs.push_back(*pair);
    }
    return pairs;
}

} // namespace kf
