# SPDX-License-Identifier: GPL-3.0-or-later
def transpose_bshd(x: Tensor, acc: int) -> Tensor:
    return x.to(acc).transpose(1, 2).contiguous()
