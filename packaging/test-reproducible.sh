#!/usr/bin/env bash
# test-reproducible.sh FOLDER: what is committed, built and installed in two folders of different length, must be the same, byte for
# byte, and name neither of them.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
# One commit, also if another one is made meanwhile.
commit=$(git -C "$root" rev-parse HEAD)
for place in one another/one/with-a-long-name; do
    rm -rf "${work:?}/$place"
    mkdir -p "$work/$place"
    git -C "$root" archive --prefix=geoms/ "$commit" | tar x -C "$work/$place"
    env -u CARGO_TARGET_DIR -u MAKEFLAGS make -C "$work/$place/geoms" install PREFIX=/usr DESTDIR="$work/$place/installed" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; exit 1; }
done
diff -r "$work/one/installed" "$work/another/one/with-a-long-name/installed"
if grep -rlF "$work" "$work/one/installed"; then
    echo "reproducible: these files name the folder they were built in" >&2
    exit 1
fi
echo "reproducible: $(find "$work/one/installed" -type f | wc -l) files are the same"
