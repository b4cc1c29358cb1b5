#!/usr/bin/env bash
# On a GPU node: builds evaluator, helpers and runners from this repository and .carry/ (packaging/gpu/carry.sh), then runs
# the GPU tests. Needs a C++20 compiler, cmake and ninja; no Qt, no packages, no network. Stops by itself before 9 minutes.
# Usage: packaging/gpu/node.sh [ctest arguments]
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -d .carry/googletest ] || { echo "node: .carry is missing; run packaging/gpu/carry.sh where Debian's packages are" >&2; exit 1; }
mkdir -p build
torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))' 2>/dev/null || true)
options=(-G Ninja -B build/gpu -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 -DKERNELFORGE_UI=OFF
  "-DKERNELFORGE_CARRIED=$PWD/.carry" "-DKERNELFORGE_TORCH_ROOT=$torch")
if ! { cmake "${options[@]}" && cmake --build build/gpu -- -k 0; } >build/gpu.log 2>&1; then
  tail -n 60 build/gpu.log >&2
  exit 1
fi
exec timeout --signal=INT 500 ctest --test-dir build/gpu -L gpu --output-on-failure --no-tests=error "$@"
