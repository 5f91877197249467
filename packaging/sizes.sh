#!/usr/bin/env bash
# sizes.sh RELEASE: sizes of the libraries as they are installed, stripped, in MB: the numbers of docs/install.md.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in libgeoms.so private/libgeoms.so libgeoms.a; do
    cp "$1/$file" "$work/file"
    case $file in *.so) flag=--strip-unneeded ;; *) flag=-g ;; esac
    ${STRIP:-strip} $flag "$work/file"
    awk -v file="$file" -v bytes="$(stat -c %s "$work/file")" 'BEGIN { printf "%-22s %5.1f MB\n", file, bytes / 1e6 }'
done
