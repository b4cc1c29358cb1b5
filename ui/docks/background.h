// SPDX-License-Identifier: GPL-3.0-or-later
// in_background() for the docks; it lives with the models, which need it too.
#pragma once

#include "ui/models/background.h"
