// SPDX-License-Identifier: GPL-3.0-or-later
#error "tensor maps (kf/tensormap.h, TMA) need a GPU: the CPU device does not run them"
