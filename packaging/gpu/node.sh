#!/usr/bin/env bash
# On a GPU node: builds evaluator, helpers and runners from this repository and .carry/ (packaging/gpu/carry.sh), runs the
# GPU tests, then sends candidates in a row through real evaluators (bench/gpu/soak). Needs a C++20 compiler, cmake and
# ninja; no Qt, no packages, no network. Stops by itself.
# Usage: packaging/gpu/node.sh [all|test|soak|bench] [--seconds 500] [--count 1000] [--lanes 6] [-- ctest arguments]
#   all    build, tests, soak with the time that is left (the default)
#   test   build and tests alone        soak   build and soak alone, goes on where results are        bench  text to verified
# Results lie in $OUT where that is set, else in build/gpu-results: ctest.log, soak.jsonl and its .md and .summary.json.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=all limit=500 count=1000 lanes=6
case "${1:-}" in all | test | soak | bench) mode=$1; shift ;; esac
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) limit=$2; shift 2 ;;
    --count) count=$2; shift 2 ;;
    --lanes) lanes=$2; shift 2 ;;
    --) shift; break ;;
    *) echo "node: unknown argument $1" >&2; sed -n '5,8p' "$0" >&2; exit 2 ;;
  esac
done
[ -d .carry/googletest ] || { echo "node: .carry is missing; run packaging/gpu/carry.sh where Debian's packages are" >&2; exit 1; }
results=${OUT:-build/gpu-results}
mkdir -p build "$results"
left() { echo $((limit - SECONDS)); }
say() { printf '== %3d s: %s\n' "$SECONDS" "$*"; }

# bubblewrap of our own where the node has none. Behind the node's, should it have one.
[ -x .carry/bwrap/bwrap ] && export PATH="$PATH:$PWD/.carry/bwrap"
say "$(uname -r), $(nproc) processors, user $(id -un), bwrap $(command -v bwrap || echo none)"
nvidia-smi --query-gpu=name,driver_version,memory.used,memory.total --format=csv,noheader 2>&1 | head -n 4 || true
ls -l /dev/nvidia* 2>&1 | head -n 12 || true

torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))' 2>/dev/null || true)
options=(-G Ninja -B build/gpu -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 -DKERNELFORGE_UI=OFF
  "-DKERNELFORGE_CARRIED=$PWD/.carry" "-DKERNELFORGE_TORCH_ROOT=$torch")
if ! { timeout 100 cmake "${options[@]}" && timeout 200 cmake --build build/gpu -- -k 0; } >build/gpu.log 2>&1; then
  grep -E -A6 'error|FAILED' build/gpu.log | head -n 60 >&2 || tail -n 40 build/gpu.log >&2
  exit 1
fi
say "built, PyTorch at ${torch:-nowhere: no kf-oracle}"

status=0
if [ "$mode" = all ] || [ "$mode" = test ]; then
  # The soak keeps at least 170 s for itself.
  if [ "$mode" = all ]; then test_seconds=$(($(left) - 170)); else test_seconds=$(($(left) - 10)); fi
  [ "$test_seconds" -gt 200 ] && [ "$mode" = all ] && test_seconds=200
  timeout --signal=INT --kill-after=5 "$test_seconds" \
    ctest --test-dir build/gpu -L gpu -j 4 --timeout "$test_seconds" --output-on-failure --no-tests=error \
    --output-log "$results/ctest.log" -V "$@" >"$results/ctest.out" 2>&1 || status=$?
  # What tests say of themselves, and the verdict on each; all of it is in ctest.log.
  grep -E 'asked for|seen from outside|bubblewrap:|confinement by|Failure$|Skipped|median|^ *[0-9]+/[0-9]+ Test|tests passed|\*\*\*|crashing text|swiglu_bias, primary' \
    "$results/ctest.out" | grep -v '^test ' | cut -c1-220 | tail -n 60 || true
  grep -E -A7 ': Failure' "$results/ctest.out" | cut -c1-240 | head -n 50 || true
  rm -f "$results/ctest.out"
  say "tests ended with $status"
fi
if [ "$mode" = bench ]; then
  timeout --signal=INT "$(left)" build/gpu/bin/bench_gpu softmax 20 | tee "$results/bench.txt" || status=$?
fi
if [ "$mode" = all ] || [ "$mode" = soak ]; then
  seconds=$(($(left) - 25))
  if [ "$seconds" -lt 30 ]; then
    say "no time is left for candidates in a row"
  else
    timeout --signal=TERM --kill-after=5 "$(($(left) - 2))" build/gpu/bin/soak_gpu --count "$count" --lanes "$lanes" \
      --seconds "$seconds" --results "$results/soak.jsonl" --cache build/gpu/soak-cache 2>"$results/soak.err" || status=$?
    sort "$results/soak.err" | uniq -c | sort -rn | head -n 8 || true
  fi
  say "soak ended with $status"
fi
nvidia-smi --query-gpu=memory.used --format=csv,noheader 2>&1 | head -n 1 || true
exit "$status"
