// SPDX-License-Identifier: GPL-3.0-or-later
// Shadows the C++ library's math.h; see kf/simt/math.h.
#pragma once
#include "kf/simt/math.h"
