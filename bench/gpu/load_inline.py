# SPDX-License-Identifier: GPL-3.0-or-later
"""The same kernel by PyTorch's load_inline, for comparison with bench_gpu: seconds from its text to a checked result.

Takes the device code of tasks/stage1/softmax/start.cu with its default tunables; prints one line a try.
"""
import re
import sys
import time
from pathlib import Path

import torch
from torch.utils.cpp_extension import load_inline

root = Path(__file__).resolve().parents[2]
text = (root / "tasks/stage1/softmax/start.cu").read_text()
plan = [line for line in text.splitlines() if line.startswith("#pragma kf")]
defines = {}
for line in plan:
    if match := re.match(r"#pragma kf tune\s+(\w+)\s+in\s+\{\s*(\d+)", line):
        defines[match[1]] = match[2]
print("\n".join(plan), file=sys.stderr)
device = "\n".join(f"#define {name} {value}" for name, value in defines.items()) + "\n" + "\n".join(
    line for line in text.splitlines() if not line.startswith("#pragma kf"))
launch = next(line for line in plan if " launch " in line)
kernel, grid, block, arguments = re.match(r"#pragma kf launch\s+(.*?)<<<(.*),\s*([^,]*)>>>\((.*?)\)", launch).groups()
call = arguments.replace("x,", "(const __half*)x.data_ptr(),").replace(" out,", " (__half*)out.data_ptr(),")
host = f"""
torch::Tensor run(torch::Tensor x) {{
    auto out = torch::empty_like(x);
    const long long R = x.size(0), C = x.size(1);
    auto cdiv = [](long long a, long long b) {{ return (a + b - 1) / b; }};
    (void)cdiv;
    {kernel}<<<{grid}, {block}>>>({call});
    return out;
}}
"""
for attempt in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2):
    start = time.perf_counter()
    module = load_inline(name=f"softmax_{attempt}", cpp_sources="torch::Tensor run(torch::Tensor x);",
                         cuda_sources=device + host + f"// {attempt}\n", functions=["run"], verbose=False)
    x = torch.randn(24, 256, device="cuda", dtype=torch.float16)
    error = (module.run(x).float() - torch.softmax(x.float(), -1)).abs().max().item()
    print(f"load_inline: {time.perf_counter() - start:.1f} s to build, run and compare (largest error {error:.1e})")
