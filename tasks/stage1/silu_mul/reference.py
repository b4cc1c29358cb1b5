# SPDX-License-Identifier: GPL-3.0-or-later
def silu_mul(x: Tensor, acc: int) -> Tensor:
    h = x.to(acc)
    n = h.size(-1) // 2
    return torch.silu(h.narrow(-1, 0, n)) * h.narrow(-1, n, n)
