// SPDX-License-Identifier: GPL-3.0-or-later
// Device code needs only assert and printf, which kf/simt.h has; the C library's stdio.h stays out.
#pragma once
#include "kf/simt.h"
