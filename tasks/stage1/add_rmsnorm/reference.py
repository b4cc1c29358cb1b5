# SPDX-License-Identifier: GPL-3.0-or-later
def add_rmsnorm(x: Tensor, residual: Tensor, weight: Tensor, acc: int) -> Tuple[Tensor, Tensor]:
    h = x.to(acc) + residual.to(acc)
    scale = torch.rsqrt(torch.mean(h * h, [-1], True) + 1e-5)
    return h * scale * weight.to(acc), h
