#!/usr/bin/env bash
# Installs what is missing, builds, and starts KernelForge: the window where there is a display, else the main job in the terminal (the tuner
# searches the fastest proven kernel for a task on the CPU device).
# Usage: packaging/run.sh [kernelforge arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/setup.sh
kf_setup
kf_build ci
if [ $# -eq 0 ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  set -- run stage1/silu_mul --device cpu
fi
exec build/ci/bin/kernelforge "$@"
