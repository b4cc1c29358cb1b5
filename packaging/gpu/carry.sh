#!/usr/bin/env bash
# Collects what a GPU node without packages and network needs besides this repository into .carry/: nlohmann's header and
# GoogleTest's sources, and bubblewrap with its libraries, from Debian's packages. Run it where packages can be had; then packaging/gpu/node.sh on the node.
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
# bubblewrap, for a node that has none: the program, its libraries but for the C library, and a start that finds them.
if program=$(command -v bwrap); then
  mkdir -p .carry/bwrap
  cp "$program" .carry/bwrap/bwrap.bin
  ldd "$program" | awk '$3 ~ /^\// && $1 !~ /^libc\.so/ {print $3}' | while read -r library; do cp -L "$library" .carry/bwrap/; done
  cat >.carry/bwrap/bwrap <<'START'
#!/bin/sh
# The loader is asked by name, so that what bubblewrap starts gets none of these libraries.
here=$(dirname "$(readlink -f "$0")")
for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
  [ -e "$loader" ] && exec "$loader" --library-path "$here" "$here/bwrap.bin" "$@"
done
echo "bwrap: no loader found" >&2
exit 127
START
  chmod +x .carry/bwrap/bwrap
fi
du -sh .carry
