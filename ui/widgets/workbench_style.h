// SPDX-License-Identifier: GPL-3.0-or-later
// How every control looks. Only style.cpp makes one; others call apply_style.
#pragma once

#include <QProxyStyle>

namespace kf::ui {

class WorkbenchStyle : public QProxyStyle {
    Q_OBJECT
public:
    WorkbenchStyle();
};

} // namespace kf::ui
