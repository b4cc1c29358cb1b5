// SPDX-License-Identifier: GPL-3.0-or-later
// The scans stand beside reduce.
#pragma once
#include "cooperative_groups/reduce.h"
