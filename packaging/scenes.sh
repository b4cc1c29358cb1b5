#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Renders every named scene of the window (tests/scenes) in all themes and scales and at 1366 × 768, checks each by
# machine, and makes contact sheets. Usage: packaging/scenes.sh [FOLDER [SCENE…]]; the build is $BUILD (build/ci).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/scene-pictures}
[ $# -gt 0 ] && shift
build=${BUILD:-$root/build/ci}
program=$build/bin/kf_scenes
if [ ! -x "$program" ]; then
  echo "scenes.sh: $program is not there; build it: ninja -C $build kf_scenes" >&2
  exit 2
fi
mkdir -p "$folder"
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
bad=0
render() { # NAME ARGUMENTS…
  name=$1
  shift
  if "$program" --check --sheets --out "$folder/$name" "$@" > "$folder/$name.txt" 2>&1; then
    echo "$name: $(tail -n 1 "$folder/$name.txt")"
  else
    bad=1
    echo "$name: $(tail -n 1 "$folder/$name.txt"), see $folder/$name.txt"
  fi
}
for theme in dark light contrast; do
  for scale in 1 1.5 2; do
    render "$theme-${scale}x" --theme "$theme" --scale "$scale" "$@"
  done
  render "$theme-1366x768" --theme "$theme" --size 1366x768 "$@"
done
exit $bad
