// SPDX-License-Identifier: GPL-3.0-or-later
// Types and qualifiers only: there is no host code in a candidate.
#pragma once
#include "kf/simt.h"
