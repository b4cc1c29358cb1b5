// SPDX-License-Identifier: GPL-3.0-or-later
// Owner of one file descriptor: the base library's.
#pragma once

#include "core/base/unique_fd.h"
