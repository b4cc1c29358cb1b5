// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/variant.h"

namespace kf::cpu {

Variant variant() {
    return Variant::Plain;
}
const char* variant_name() {
    return "plain";
}
void install_hooks() {}
bool poison_arena(const void*, std::size_t) {
    return false;
}
void unpoison_arena(const void*, std::size_t) {}
unsigned int sanitizer_reports() {
    return 0;
}

} // namespace kf::cpu
