// SPDX-License-Identifier: GPL-3.0-or-later
#error "tensor cores (mma.h) need a GPU: the CPU device does not run them"
