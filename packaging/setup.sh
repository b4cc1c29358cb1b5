#!/usr/bin/env bash
# Installs what is missing on Debian 12 (needs root or sudo for that; nothing is installed when all is there).
# Sourced by run.sh and test.sh. Can be repeated.
set -euo pipefail

# Build: compiler, build system. Libraries: cmake/KernelForgeDependencies.cmake says what each is for.
packages=(
  g++ cmake ninja-build ccache pkg-config
  nlohmann-json3-dev libcli11-dev libarchive-dev libboost-context-dev libeigen3-dev libseccomp-dev libtorch-dev
  libgtest-dev libgmock-dev
  qt6-base-dev qt6-svg-dev libqscintilla2-qt6-dev qtkeychain-qt6-dev
  bubblewrap procps openssl
  chromium python3 # tests only: a report is opened in a real browser and read by a real parser
)

kf_setup() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing: ${missing[*]}"
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then
      command -v sudo >/dev/null || { echo "These packages are missing and this is not root: ${missing[*]}" >&2; exit 1; }
      sudo=(sudo)
    fi
    local log
    log=$(mktemp)
    if ! { "${sudo[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
      tail -n 20 "$log" >&2
      echo "The packages could not be installed: ${missing[*]}" >&2
      exit 1
    fi
    rm -f "$log"
  fi
  if [ ! -e "${CUDA_HOME:-/usr/local/cuda}/include/nvrtc.h" ]; then
    echo "No CUDA toolkit found: nothing is compiled for NVIDIA GPUs here (kf-nvrtc says so), everything on the CPU device works."
  fi
}

# kf_build PRESET: configures and builds; quiet unless it fails.
kf_build() {
  local preset=$1 log
  mkdir -p build
  log=build/$preset.log
  # Another clone of the same text finds the same objects in the compiler cache.
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true
  echo "Building ($preset) …"
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" --parallel "$(nproc)"; } >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "The build failed; the whole log is $log" >&2
    exit 1
  fi
}
