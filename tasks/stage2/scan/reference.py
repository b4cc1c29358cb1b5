# SPDX-License-Identifier: GPL-3.0-or-later
def scan(x: Tensor, acc: int) -> Tensor:
    return torch.cumsum(x.to(acc), 0)
