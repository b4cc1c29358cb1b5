// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/resources.h"

#include <QtGlobal>

// Q_INIT_RESOURCE declares a function, which must not lie in a namespace.
static void load_kf_ui_resources() {
    Q_INIT_RESOURCE(ui);
}

namespace kf::ui {

void load_resources() {
    static const bool loaded = [] {
        load_kf_ui_resources();
        return true;
    }();
    Q_UNUSED(loaded)
}

} // namespace kf::ui
