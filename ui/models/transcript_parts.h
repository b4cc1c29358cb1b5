// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of the transcript's model are made of; shared by the two files that make it.
#pragma once

namespace kf::ui {

constexpr int live_section = 1'000'000; // of the reply that is being written

// What a row is within its section.
enum Part_number {
    heading,
    hint,
    again,
    sent,
    fold,
    thought,
    content,
    cut_off,
    none_in_it,
    error,
    trouble,
    busy,
    cost,
    no_exchange,
    verdict,
    pending
};

} // namespace kf::ui
