#!/usr/bin/env bash
# Installs what is missing, builds, passes all tests. `--full` adds the long ones.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/setup.sh
kf_setup
kf_build ci
preset=ci
if [ "${1:-}" = --full ]; then
  preset=full
fi
exec ctest --preset "$preset"
