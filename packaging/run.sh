#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job: the tuner searches the fastest proven kernel for a task on the CPU device.
# Usage: packaging/run.sh [kernelforge arguments]; without arguments: run stage1/silu_mul with the tuner.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/setup.sh
kf_setup
kf_build ci
if [ $# -eq 0 ]; then
  set -- run stage1/silu_mul --device cpu
fi
exec build/ci/bin/kernelforge "$@"
