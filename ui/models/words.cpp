// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/words.h"

#include "ui/models/texts.h"

namespace kf::ui {

QString baseline_word(std::string_view name) {
    const bool inductor = name.find("inductor") != std::string_view::npos || name == "compile";
    return inductor ? QStringLiteral("TorchInductor") : plain(name);
}

} // namespace kf::ui
