#!/usr/bin/env bash
# module-hashes.sh ARCHIVE...: no symbol that is made here has a name with the hash of its codegen unit (NAME.llvm.HASH). LTO between several
# units of a crate gives such names, and the hash is that of bitcode whose order depends on the memory layout of the compiler, and so on the
# build folder: builds would be the same only by luck. Those of the standard library come with the compiler and are the same everywhere.
set -euo pipefail
hashes() { { nm "$@" 2>/dev/null || true; } | grep -oE '\.llvm\.[0-9]+$' | LC_ALL=C sort -u || true; }
delivered=$(hashes "$(rustc --print sysroot)"/lib/rustlib/*/lib/*.rlib)
for archive in "$@"; do
    [ "$(nm "$archive" 2>/dev/null | grep -c ' T ')" -gt 0 ] || { echo "module hashes: $archive has no symbols" >&2; exit 1; }
    ours=$(LC_ALL=C comm -13 <(echo "$delivered") <(hashes "$archive") | sed '/^$/d')
    if [ -n "$ours" ]; then
        echo "module hashes: $archive has names that end with these; is codegen-units = 1 in Cargo.toml?" >&2
        echo "$ours" >&2
        exit 1
    fi
done
echo "module hashes: none in $*"
