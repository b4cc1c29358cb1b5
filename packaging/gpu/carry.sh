#!/usr/bin/env bash
# Collects what a GPU node without packages and network needs besides this repository into .carry/: nlohmann's header and
# GoogleTest's sources, from Debian's packages. Run it where packages can be had; then packaging/gpu/node.sh on the node.
set -euo pipefail
cd "$(dirname "$0")/../.."
for file in /usr/include/nlohmann/json.hpp /usr/src/googletest/CMakeLists.txt; do
  [ -e "$file" ] || { echo "carry: $file is missing; install nlohmann-json3-dev and googletest" >&2; exit 1; }
done
rm -rf .carry
mkdir -p .carry/include
cp -r /usr/include/nlohmann .carry/include/
cp -r /usr/src/googletest .carry/
rm -rf .carry/googletest/*/test .carry/googletest/*/docs .carry/googletest/*/samples
du -sh .carry
