# SPDX-License-Identifier: GPL-3.0-or-later
def swiglu_bias(x: Tensor, w: Tensor, b: Tensor, acc: int) -> Tensor:
    h = torch.matmul(x.to(acc), w.to(acc).t()) + b.to(acc)
    n = h.size(-1) // 2
    return torch.silu(h.narrow(-1, 0, n)) * h.narrow(-1, n, n)
